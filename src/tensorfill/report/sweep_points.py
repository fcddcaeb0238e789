"""Sweep points: the error against a setting that an experiment varies, by dataset and label."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import fmean

from ..rows import Row
from .evidence import UNIFORM, Evidence, Setup, setup_of

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
    rows = [row for row in finished(evidence) if row.experiment == "ranks" and rank_of(row) is not None]
    return {
        setup: points_of(evidence, [row for row in rows if setup_of(row) == setup], rank_of)
        for setup in in_order({setup_of(row) for row in rows})
    }


def finished(evidence: Evidence) -> list[Row]:
    """The rows with an error."""
    return [row for row in evidence.rows if row.status == "ok" and row.rmse is not None]


def in_order(setups: Iterable[Setup]) -> list[Setup]:
    """The paper's first, then other uniform ones."""
    return sorted(setups, key=lambda setup: (not setup.is_the_papers, setup.pattern != UNIFORM, setup.pattern, setup))
