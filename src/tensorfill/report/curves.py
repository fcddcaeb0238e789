"""Curves: errors along the iterations and against a setting that an experiment varies, by dataset and label."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import fmean

from ..rows import Row
from .evidence import UNIFORM, Evidence, Setup

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
