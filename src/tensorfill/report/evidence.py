"""Evidence: the rows sorted into what tables and figures ask for, in a fixed order of datasets and methods."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..rows import DataCard, Row, Rows
from .cell import Cell
from .published import published

UNIFORM = "uniform"
"""The pattern of most rows: each entry is hidden on its own."""

SWEEPS = ("ranks", "rates")
"""Experiments that vary a setting: they have figures of their own and are in no table."""

AS_PUBLISHED, OURS = "as published", "ours"
"""What the labels of a plan end with where a method runs twice: as the paper has it, and at our defaults."""

METHODS = (
    "nonneg-dual",
    "dual",
    "dual-demo",
    "rprecon",
    "geomcg",
    "ncpc",
    "tmac",
    "lrtc-tv",
    "smf-lrtc",
    "ffw",
    "t-ctv",
    "tnn",
    "halrtc",
    "lrtc-tnn",
    "spc",
    "bcpf",
    "zero-fill",
    "mean-fill",
    "linear",
    "biharmonic",
)
"""The order of methods in tables: the paper's, later rivals, simple ones; others follow by name."""


@dataclass(frozen=True, order=True)
class Setup:
    """What the columns of a table have in common."""

    experiment: str
    rate: float
    pattern: str

    @property
    def title(self) -> str:
        """Such as "10 % observed" or "70 % observed (blocks)"."""
        return f"{percent(self.rate)} observed{self.holes}"

    @property
    def holes(self) -> str:
        """The pattern for people, in brackets; nothing where entries are hidden one by one."""
        return "" if self.pattern == UNIFORM else f" ({self.pattern})"

    @property
    def slug(self) -> str:
        """For the names of files, another one for every setup."""
        return f"{self.experiment}-{100 * self.rate:g}" + ("" if self.pattern == UNIFORM else f"-{self.pattern}")

    @property
    def is_the_papers(self) -> bool:
        """Whether published figures can be put beside it."""
        paper = published()
        return abs(self.rate - paper.rate) < 1e-9 and self.pattern == paper.pattern


@dataclass(frozen=True)
class Evidence:
    """Rows, and the questions a report asks of them."""

    rows: tuple[Row, ...]
    problems: tuple[str, ...]
    folder: Path
    heading: str = ""
    """The title of the plan that the rows come from, if it is known."""

    @classmethod
    def of(cls, found: Rows) -> Evidence:
        """The newest run of every cell and seed; a problem says how many older ones were left out."""
        newest: dict[object, Row] = {}
        for row in found.rows:
            newest[_place(row)] = row
        older = len(found.rows) - len(newest)
        problems = list(found.problems)
        if older:
            problems.append(
                f"{older} earlier run{'s' * (older > 1)} of the same method, dataset and seed at other settings or "
                "time limits are left out: the later line counts."
            )
        problems += _mixed_files(newest.values())
        return cls(tuple(newest.values()), tuple(problems), found.folder, found.title)

    @cached_property
    def cards(self) -> dict[str, DataCard]:
        """Every dataset: the paper's in its order, then the others by name."""
        cards: dict[str, DataCard] = {}
        for row in self.rows:
            if row.data.name not in cards or row.data.sha256 is not None:
                cards[row.data.name] = row.data
        order = {name: place for place, name in enumerate(published().datasets)}
        return {name: cards[name] for name in sorted(cards, key=lambda name: (order.get(name, len(order)), name))}

    @cached_property
    def labels(self) -> dict[str, str]:
        """Every label and its method, in the order of tables."""
        order = {name: place for place, name in enumerate(METHODS)}
        pairs = {row.label: row.method for row in self.rows}
        return dict(sorted(pairs.items(), key=lambda pair: (order.get(pair[1], len(order)), pair[1], pair[0])))

    @property
    def asked(self) -> str:
        """How many methods there are, and settings of them where some run at several."""
        methods, settings = len(set(self.labels.values())), len(self.labels)
        return f"{methods} methods" if methods == settings else f"{methods} methods at {settings} settings"

    @cached_property
    def setups(self) -> tuple[Setup, ...]:
        """The setups of tables, the paper's first."""
        found = {setup_of(row) for row in self.rows if row.experiment not in SWEEPS}
        return tuple(sorted(found, key=lambda setup: (not setup.is_the_papers, setup.experiment != "table", setup)))

    def default_label(self, method: str) -> str:
        """The label of a method at its defaults: its name, or "name, ours" where it also runs as published."""
        return method if method in self.labels else f"{method}, {OURS}"

    def published_label(self, method: str) -> str:
        """The label of a method run as the paper has it, where it does; else as `default_label`."""
        label = f"{method}, {AS_PUBLISHED}"
        return label if label in self.labels else self.default_label(method)

    def cell(self, setup: Setup, dataset: str, label: str) -> Cell:
        """The runs of a method on a dataset."""
        runs = [row for row in self._at.get((setup, dataset, label), ()) if row.status != "no data"]
        runs = runs or list(self._at.get((setup, dataset, label), ()))
        ordered = tuple(sorted(runs, key=lambda row: row.seed))
        return Cell(self.cards[dataset], label, self.labels[label], ordered, self.cards[dataset] not in self.missing())

    @cached_property
    def _at(self) -> dict[tuple[Setup, str, str], list[Row]]:
        """Rows by setup, dataset and label. One that says that there is no data speaks for its whole experiment."""
        setups: dict[str, dict[Setup, None]] = {}
        for row in self.rows:
            setups.setdefault(row.experiment, {})[setup_of(row)] = None
        found: dict[tuple[Setup, str, str], list[Row]] = {}
        for row in self.rows:
            for setup in setups[row.experiment] if row.status == "no data" else (setup_of(row),):
                found.setdefault((setup, row.data.name, row.label), []).append(row)
        return found

    def datasets_at(self, setup: Setup) -> tuple[str, ...]:
        """The datasets that a setup has rows about."""
        return tuple(name for name in self.cards if any(key[:2] == (setup, name) for key in self._at))

    def labels_at(self, setup: Setup) -> tuple[str, ...]:
        """The methods that a setup has rows about."""
        return tuple(label for label in self.labels if any(key[0] == setup and key[2] == label for key in self._at))

    def missing(self) -> tuple[DataCard, ...]:
        """The datasets of which no file was there."""
        return self._missing

    @cached_property
    def _missing(self) -> tuple[DataCard, ...]:
        there = {row.data.name for row in self.rows if row.status != "no data"}
        return tuple(card for name, card in self.cards.items() if name not in there)

    def approximate(self, datasets: Iterable[str] | None = None) -> tuple[DataCard, ...]:
        """Those of the datasets that are not quite the original data."""
        names = self.cards if datasets is None else datasets
        return tuple(self.cards[name] for name in names if self.cards[name].approximate)

    def title(self, dataset: str) -> str:
        """A dataset's title, with the mark of approximate data, as tables and figures print it."""
        return marked_title(self.cards[dataset])

    def seeds(self) -> tuple[int, ...]:
        """Every seed that was run."""
        return tuple(sorted({row.seed for row in self.rows if row.status == "ok"}))


APPROXIMATE_MARK = "†"


def marked_title(card: DataCard) -> str:
    """The title, with † where the data is approximate."""
    return f"{card.title}{APPROXIMATE_MARK if card.approximate else ''}"


def setup_of(row: Row) -> Setup:
    """The setup that a row belongs to."""
    return Setup(row.experiment, row.rate, row.pattern)


def percent(share: float) -> str:
    """A share for people: 0.1 is 10 %."""
    return f"{100 * share:.3g} %"


def _mixed_files(rows: Iterable[Row]) -> list[str]:
    """A sentence for every dataset whose runs read different data."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.status == "ok" and row.data.sha256:
            found.setdefault(row.data.title, {})[row.data.sha256[:12]] = None
    return [
        f"The runs on {title} read {len(sums)} different files (sha256 {', '.join(sums)}); their figures are mixed."
        for title, sums in found.items()
        if len(sums) > 1
    ]


def _place(row: Row) -> object:
    """Rows with the same place answer the same question; a sweep over ranks asks one per rank."""
    settings = repr(sorted(row.settings.items())) if row.experiment == "ranks" else ""
    return row.experiment, row.data.name, row.label, row.seed, row.rate, row.pattern, settings
