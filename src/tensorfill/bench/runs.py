"""Runs: a plan taken apart into single questions, each of which is answered by one row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..rows import DataCard, Row, Status
from .plan import Choice, Experiment, Plan


@dataclass(frozen=True)
class Run:
    """One method on one dataset, with one mask. What changes the answer is part of the identity of its row."""

    data: DataCard
    """As it is known before the data is read."""
    experiment: str
    method: str
    label: str
    settings: Mapping[str, Any]
    seed: int
    rate: float
    time_limit: float | None
    pattern: str = "uniform"
    """How entries are hidden."""
    curve: bool = False
    pictures: bool = False

    def row(self, status: Status, data: DataCard | None = None, **found: Any) -> Row:
        """The row that answers this run."""
        return Row(
            data=data or self.data,
            experiment=self.experiment,
            method=self.method,
            label=self.label,
            settings=self.settings,
            seed=self.seed,
            rate=self.rate,
            pattern=self.pattern,
            time_limit=self.time_limit,
            status=status,
            **found,
        )

    @cached_property
    def id(self) -> str:
        """That of its row."""
        return self.row("ok").id

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        rank = self.settings.get("rank")
        ranked = f", rank {max(rank)}" if self.experiment == "ranks" and isinstance(rank, list) else ""
        holes = "" if self.pattern == "uniform" else f" ({self.pattern})"
        return (
            f"{self.experiment}: {self.label}{ranked} on {self.data.name}, {self.rate:.0%} kept{holes}, "
            f"seed {self.seed}"
        )


def runs_of(plan: Plan, cards: Mapping[str, DataCard]) -> tuple[Run, ...]:
    """Every run of a plan. The first seed of everything comes first, so that an early look shows all of it."""
    runs = {
        run.id: run
        for seed in range(max(experiment.seeds for experiment in plan.experiments))
        for experiment in plan.experiments
        if seed < experiment.seeds
        for run in _with_seed(seed, experiment, plan.time_limit, cards)
    }
    return tuple(runs.values())


def _with_seed(seed: int, experiment: Experiment, limit: float | None, cards: Mapping[str, DataCard]) -> list[Run]:
    return [
        Run(
            data=cards[name],
            experiment=experiment.name,
            method=choice.method,
            label=choice.label,
            settings=settings,
            seed=seed,
            rate=rate,
            time_limit=choice.time_limit or limit,
            pattern=pattern,
            curve=experiment.curve,
            pictures=experiment.pictures and seed == 0,
        )
        for name in experiment.datasets
        for pattern in experiment.patterns
        for rate in experiment.rates
        for choice in experiment.methods
        for settings in _settings(choice, experiment.ranks)
    ]


def _settings(choice: Choice, ranks: tuple[int, ...]) -> list[Mapping[str, Any]]:
    return [{**choice.settings, "rank": [x, x, x]} for x in ranks] or [dict(choice.settings)]


def without_data(runs: tuple[Run, ...], sentences: Mapping[str, str]) -> tuple[Row, ...]:
    """For data that is not there: one row for each experiment, dataset and label, whatever its other runs.

    It has no time limit, so that it is the same row whatever the limit was to be.
    """
    first: dict[tuple[str, str, str], Run] = {}
    for run in runs:
        if run.data.name in sentences:
            first.setdefault((run.experiment, run.data.name, run.label), run)
    return tuple(replace(run, time_limit=None).row("no data", error=sentences[run.data.name]) for run in first.values())
