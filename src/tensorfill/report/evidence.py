"""Evidence: the rows sorted into what tables and figures ask for, in a fixed order of datasets and methods."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean, stdev

from ..methods.registry import available_methods
from ..rows import DataCard, Row, Rows
from .numbers import Spread, percent
from .published import load_published

UNIFORM = "uniform"
"""The pattern of most rows: each entry is hidden on its own."""
SWEEPS = ("ranks", "rates")
"""Experiments that vary a setting: they have figures of their own and are in no table."""
APPROXIMATE_MARK = "†"


@dataclass(frozen=True, order=True)
class Setup:
    """What the columns of a table have in common."""

    experiment: str
    rate: float
    pattern: str

    @classmethod
    def of(cls, row: Row) -> Setup:
        """The setup that a row belongs to."""
        return cls(row.experiment, row.rate, row.pattern)

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
        paper = load_published()
        return abs(self.rate - paper.rate) < 1e-9 and self.pattern == paper.pattern


@dataclass(frozen=True)
class Cell:
    """What the runs of a method on a dataset found, one run per seed: one entry of a table."""

    data: DataCard
    label: str
    method: str
    runs: tuple[Row, ...]
    there: bool = True
    """Whether the data is: where it is not, methods that were not even asked have no data either."""

    @property
    def good(self) -> tuple[Row, ...]:
        """The runs that ended with a completion."""
        return tuple(run for run in self.runs if run.status == "ok")

    def over_seeds(self, value: Callable[[Row], float | None]) -> Spread | None:
        """Mean and spread of a value over the runs that have it; None if none has."""
        found = [number for run in self.good if (number := value(run)) is not None and math.isfinite(number)]
        return Spread(fmean(found), stdev(found) if len(found) > 1 else None, len(found)) if found else None

    def mean(self, value: Callable[[Row], float | None]) -> float | None:
        """The mean alone."""
        spread = self.over_seeds(value)
        return spread.mean if spread else None

    @property
    def rmse(self) -> Spread | None:
        """RMSE over all entries."""
        return self.over_seeds(lambda run: run.rmse)

    @property
    def time_limited(self) -> bool:
        """Whether a run was stopped by its time limit."""
        return any(run.stop == "time" for run in self.good)

    @property
    def complaint(self) -> str | None:
        """A word or two where there is no number: "no data", "failed"; "not finite" where the numbers overflowed."""
        if self.good:
            return None if self.rmse is not None else "not finite"
        if not self.runs:
            return "not run" if self.there else "no data"
        return Counter(run.status for run in self.runs).most_common(1)[0][0]


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
        newest = {_question(row): row for row in found.rows}
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
        order = {name: place for place, name in enumerate(load_published().datasets)}
        return {name: cards[name] for name in sorted(cards, key=lambda name: (order.get(name, len(order)), name))}

    @cached_property
    def labels(self) -> dict[str, str]:
        """Every label and its method, in the order of tables: that of the registry for methods that have a stroke of
        their own, then others by name."""
        known = [name for name, kind in available_methods().items() if kind.stroke]
        order = {name: place for place, name in enumerate(known)}
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
        found = {Setup.of(row) for row in self.rows if row.experiment not in SWEEPS}
        return tuple(sorted(found, key=lambda setup: (not setup.is_the_papers, setup.experiment != "table", setup)))

    @property
    def papers_setup(self) -> Setup | None:
        """The setup that published figures can be put beside; None if no row has it."""
        return next((setup for setup in self.setups if setup.is_the_papers), None)

    def default_label(self, method: str) -> str:
        """The label of a method at its defaults: its name, or "name, ours" where it also runs as published."""
        return method if method in self.labels else f"{method}, ours"

    def published_label(self, method: str) -> str:
        """The label of a method run as the paper has it, where it does; else as `default_label`."""
        label = f"{method}, as published"
        return label if label in self.labels else self.default_label(method)

    def cell(self, setup: Setup, dataset: str, label: str) -> Cell:
        """The runs of a method on a dataset; none for a label that no row has."""
        found = self._at.get((setup, dataset, label), [])
        runs = [row for row in found if row.status != "no data"] or found
        ordered = tuple(sorted(runs, key=lambda row: row.seed))
        card = self.cards[dataset]
        return Cell(card, label, self.labels.get(label, label), ordered, card not in self.missing)

    def cells(self, setup: Setup, label: str) -> dict[str, Cell]:
        """The cells of a label by dataset."""
        return {dataset: self.cell(setup, dataset, label) for dataset in self.datasets_at(setup)}

    def rmse_by_label(self, setup: Setup, dataset: str) -> dict[str, float]:
        """The mean RMSE of every label that has one, also from other experiments with the same rate and pattern."""
        alike = [other for other in self.setups if (other.rate, other.pattern) == (setup.rate, setup.pattern)]
        found: dict[str, float] = {}
        for other in sorted(alike, key=lambda other: other != setup):
            for label in self.labels_at(other):
                if dataset in self.cards and (rmse := self.cell(other, dataset, label).rmse):
                    found.setdefault(label, rmse.mean)
        return found

    @cached_property
    def _at(self) -> dict[tuple[Setup, str, str], list[Row]]:
        """Rows by setup, dataset and label. One that says that there is no data speaks for its whole experiment."""
        setups: dict[str, dict[Setup, None]] = {}
        for row in self.rows:
            setups.setdefault(row.experiment, {})[Setup.of(row)] = None
        found: dict[tuple[Setup, str, str], list[Row]] = {}
        for row in self.rows:
            for setup in setups[row.experiment] if row.status == "no data" else (Setup.of(row),):
                found.setdefault((setup, row.data.name, row.label), []).append(row)
        return found

    def datasets_at(self, setup: Setup) -> tuple[str, ...]:
        """The datasets that a setup has rows about."""
        return tuple(name for name in self.cards if any(key[:2] == (setup, name) for key in self._at))

    def labels_at(self, setup: Setup) -> tuple[str, ...]:
        """The methods that a setup has rows about."""
        return tuple(label for label in self.labels if any(key[0] == setup and key[2] == label for key in self._at))

    @cached_property
    def missing(self) -> tuple[DataCard, ...]:
        """The datasets of which no file was there."""
        there = {row.data.name for row in self.rows if row.status != "no data"}
        return tuple(card for name, card in self.cards.items() if name not in there)

    def approximate(self, datasets: Iterable[str] | None = None) -> tuple[DataCard, ...]:
        """Those of the datasets that are not quite the original data."""
        names = self.cards if datasets is None else datasets
        return tuple(self.cards[name] for name in names if self.cards[name].approximate)

    def title(self, dataset: str) -> str:
        """A dataset's title, with † where the data is approximate, as tables and figures print it."""
        card = self.cards.get(dataset)
        return f"{card.title}{APPROXIMATE_MARK if card.approximate else ''}" if card else dataset.capitalize()

    @property
    def seeds(self) -> tuple[int, ...]:
        """Every seed that was run."""
        return tuple(sorted({row.seed for row in self.rows if row.status == "ok"}))

    @property
    def finished(self) -> list[Row]:
        """The rows with an error."""
        return [row for row in self.rows if row.status == "ok" and row.rmse is not None]


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


def _question(row: Row) -> object:
    """Rows with the same question answer each other; a sweep over ranks asks one per rank."""
    settings = repr(sorted(row.settings.items())) if row.experiment == "ranks" else ""
    return row.experiment, row.data.name, row.label, row.seed, row.rate, row.pattern, settings


# Curves and sweeps

Points = dict[str, dict[str, list[tuple[float, float]]]]
"""Dataset → label → (x, mean RMSE over seeds), sorted."""


def points_of(evidence: Evidence, rows: Iterable[Row], across: Callable[[Row], float | None]) -> Points:
    """The points of rows whose x is what `across` says."""
    found: dict[str, dict[str, dict[float, list[float]]]] = {}
    for row in rows:
        x = across(row)
        if row.rmse is not None and x is not None:
            found.setdefault(row.data.name, {}).setdefault(row.label, {}).setdefault(x, []).append(row.rmse)
    return {
        name: {
            label: sorted((x, fmean(values)) for x, values in found[name][label].items())
            for label in evidence.labels
            if label in found[name]
        }
        for name in evidence.cards
        if name in found
    }


def rank_of(row: Row) -> float | None:
    """The x of a run's rank, given as a number or one per mode; the largest, for small modes cut theirs."""
    rank = row.settings.get("rank")
    if isinstance(rank, list | tuple):
        return float(max(rank)) if rank else None
    return float(rank) if isinstance(rank, int | float) else None


def rank_points(evidence: Evidence) -> dict[Setup, Points]:
    """RMSE against the rank from the experiment `ranks`, by rate and pattern of holes: the paper's first."""
    rows = [row for row in evidence.finished if row.experiment == "ranks" and rank_of(row) is not None]
    return {
        setup: points_of(evidence, [row for row in rows if Setup.of(row) == setup], rank_of)
        for setup in order_setups(rows)
    }


def order_setups(rows: Iterable[Row]) -> list[Setup]:
    """The setups of rows: the paper's first, then other uniform ones."""
    setups = {Setup.of(row) for row in rows}
    return sorted(setups, key=lambda setup: (not setup.is_the_papers, setup.pattern != UNIFORM, setup.pattern, setup))


def first_runs(evidence: Evidence, setup: Setup, label: str, having: Callable[[Row], object]) -> dict[str, Row]:
    """By dataset the run of a label with the lowest seed that has something, such as a curve."""
    return {
        dataset: runs[0]
        for dataset, cell in evidence.cells(setup, label).items()
        if (runs := [run for run in cell.good if having(run)])
    }


def error_at(row: Row, iteration: int) -> float | None:
    """The error after so many iterations; None if the run ended before."""
    seen = [rmse for step, _, rmse in row.curve if step <= iteration]
    return seen[-1] if seen and row.curve[-1][0] >= iteration else None


def largest_rise(row: Row) -> float:
    """How far the error ever rose above its lowest value before, as a share of that."""
    lowest, rise = float("inf"), 0.0
    for _, _, rmse in row.curve:
        lowest = min(lowest, rmse)
        rise = max(rise, rmse / lowest - 1)
    return rise
