"""Plan: which experiments to run, as frozen records; the files they come from are read by `plan_file.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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
