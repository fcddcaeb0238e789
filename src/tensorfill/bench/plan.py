"""Plan: which experiments to run, and the single runs they consist of, as frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..rows import DataCard, Question, Row, Status


@dataclass(frozen=True)
class Choice:
    """A method at certain settings, under the name that tables give it."""

    method: str
    label: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    time_limit: float | None = None
    """Seconds, where this one or its experiment differs from the plan."""


@dataclass(frozen=True)
class Experiment:
    """Every dataset × pattern × rate × seed × method (× rank)."""

    name: str
    datasets: tuple[str, ...]
    methods: tuple[Choice, ...]
    rates: tuple[float, ...] = (0.1,)
    """Shares of the entries that are kept."""
    patterns: tuple[str, ...] = ("uniform",)
    """How entries are hidden, by the names of `sampling`."""
    seeds: int = 1
    """How many: 0, 1, 2, … Each seeds the mask and what is random in a method."""
    ranks: tuple[int, ...] = ()
    """Where there are any, every method runs with rank [x, x, x] for each x of them."""
    curve: bool = False
    """Whether the RMSE along the iterations is recorded."""
    pictures: bool = False
    """Whether pictures of the first seed are kept."""


@dataclass(frozen=True)
class Plan:
    """Experiments under one title."""

    name: str
    title: str
    experiments: tuple[Experiment, ...]
    time_limit: float | None = None
    """Seconds per run after which a method is asked to stop."""


@dataclass(frozen=True)
class Run(Question):
    """A question, its data as it is known before it is read, and what else is to be kept beside the answer."""

    curve: bool = False
    pictures: bool = False

    def row(self, status: Status, data: DataCard | None = None, **found: Any) -> Row:
        """The row that answers this run."""
        return Row(**{**self.asked(), "data": data or self.data}, status=status, **found)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        rank = self.settings.get("rank")
        ranked = f", rank {max(rank)}" if self.experiment == "ranks" and isinstance(rank, list) else ""
        holes = "" if self.pattern == "uniform" else f" ({self.pattern})"
        kept = f"{self.rate:.0%} kept{holes}"
        return f"{self.experiment}: {self.label}{ranked} on {self.data.name}, {kept}, seed {self.seed}"


def list_runs(plan: Plan, cards: Mapping[str, DataCard]) -> tuple[Run, ...]:
    """Every run of a plan. The first seed of everything comes first, so that an early look shows all of it."""
    runs = {
        run.id: run
        for seed in range(max(experiment.seeds for experiment in plan.experiments))
        for experiment in plan.experiments
        if seed < experiment.seeds
        for run in _runs_with_seed(seed, experiment, plan.time_limit, cards)
    }
    return tuple(runs.values())


def _runs_with_seed(seed: int, part: Experiment, limit: float | None, cards: Mapping[str, DataCard]) -> list[Run]:
    return [
        Run(
            data=cards[name],
            experiment=part.name,
            method=choice.method,
            label=choice.label,
            settings={**choice.settings, **rank},
            seed=seed,
            rate=rate,
            time_limit=choice.time_limit or limit,
            pattern=pattern,
            curve=part.curve,
            pictures=part.pictures and seed == 0,
        )
        for name in part.datasets
        for pattern in part.patterns
        for rate in part.rates
        for choice in part.methods
        for rank in ([{"rank": [x, x, x]} for x in part.ranks] or [{}])
    ]


def rows_without_data(runs: tuple[Run, ...], sentences: Mapping[str, str]) -> tuple[Row, ...]:
    """For data that is not there: one row for each experiment, dataset and label, whatever its other runs.

    It has no time limit, so that it is the same row whatever the limit was to be.
    """
    first: dict[tuple[str, str, str], Run] = {}
    for run in runs:
        if run.data.name in sentences:
            first.setdefault((run.experiment, run.data.name, run.label), run)
    return tuple(replace(run, time_limit=None).row("no data", error=sentences[run.data.name]) for run in first.values())
