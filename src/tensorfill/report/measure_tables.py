"""The other measures, one table each: unobserved entries, PSNR, SSIM, seconds, memory, and what is below zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..rows import Row
from . import numbers
from .cell import Cell
from .evidence import Evidence, Setup
from .results_table import TIME_MARK, notes_below
from .table import Column, Entry, Table, Text, ranked, words


@dataclass(frozen=True)
class Measure:
    """A number of a run: where it is, how it is printed, and whether small or large is good (None: neither)."""

    name: str
    title: str
    short: str
    value: Callable[[Row], float | None]
    text: Callable[[float], str]
    smallest_first: bool | None = True


MEASURES = (
    Measure(
        "unobserved", "RMSE over the unobserved entries", "unobserved", lambda row: row.rmse_unobserved, numbers.error
    ),
    Measure("psnr", "PSNR in dB", "PSNR", lambda row: row.psnr, lambda value: f"{value:.2f}", False),
    Measure("ssim", "SSIM", "SSIM", lambda row: row.ssim, lambda value: f"{value:.4f}", False),
    Measure("seconds", "Seconds", "seconds", lambda row: row.seconds, numbers.seconds),
    Measure("iterations", "Iterations", "iterations", lambda row: row.iterations, lambda value: f"{value:.0f}", None),
    Measure(
        "memory",
        "Peak memory in MiB",
        "memory",
        lambda row: row.peak_memory,
        numbers.mebibytes,
    ),
    Measure("smallest", "Smallest value", "smallest", lambda row: row.smallest, lambda value: f"{value:.3g}", None),
    Measure("negative", "Share of entries below zero", "negative", lambda row: row.negative_share, numbers.share, None),
    Measure("gap", "Relative duality gap", "gap", lambda row: row.relative_gap, lambda value: f"{value:.2g}", None),
)


def measure_tables(evidence: Evidence) -> tuple[tuple[Measure, Table], ...]:
    """A table per measure that any run has, per setup."""
    return tuple(pair for group in measures_by_setup(evidence).values() for pair in group)


def measures_by_setup(evidence: Evidence) -> dict[Setup, tuple[tuple[Measure, Table], ...]]:
    """The same, one group per setup that has any."""
    groups = {
        setup: tuple(
            (measure, table)
            for measure in MEASURES
            if (table := _table(evidence, setup, measure, first=place == 0)) is not None
        )
        for place, setup in enumerate(evidence.setups)
    }
    return {setup: group for setup, group in groups.items() if group}


def _table(evidence: Evidence, setup: Setup, measure: Measure, *, first: bool) -> Table | None:
    cells = {
        (dataset, label): evidence.cell(setup, dataset, label)
        for dataset in evidence.datasets_at(setup)
        for label in evidence.labels_at(setup)
    }
    found = {key for key, cell in cells.items() if cell.over_seeds(measure.value)}
    if not found:
        return None
    datasets = tuple(name for name in evidence.datasets_at(setup) if any(key[0] == name for key in found))
    labels = tuple(label for label in evidence.labels_at(setup) if any(key[1] == label for key in found))
    columns = [_column([cells[dataset, label] for label in labels], measure) for dataset in datasets]
    head = (Column("method", numeric=False), *(Column(evidence.title(dataset)) for dataset in datasets))
    rows = tuple((words(label), *(column[place] for column in columns)) for place, label in enumerate(labels))
    shown = [cells[dataset, label] for dataset in datasets for label in labels]
    name = measure.name if first else f"{measure.name}-{setup.slug}"
    title = f"{measure.title}, {setup.title}" + ("" if setup.experiment == "table" else f" (“{setup.experiment}”)")
    notes = notes_below(evidence, datasets, shown, best=measure.smallest_first is not None)
    return Table(name, title, head, rows, notes)


def _column(cells: list[Cell], measure: Measure) -> tuple[Entry, ...]:
    spreads = [cell.over_seeds(measure.value) for cell in cells]
    best = measure.smallest_first
    places = ranked([spread.mean if spread else None for spread in spreads], smallest_first=best is not False)
    entries = []
    for cell, spread, place in zip(cells, spreads, places, strict=True):
        if spread is None:
            entries.append(words(cell.complaint or "–", quiet=True))
            continue
        text = measure.text(spread.mean)
        if spread.deviation is not None and best is not None and not text.startswith("<"):
            text += f" ± {_deviation(measure, spread.mean, spread.deviation)}"
        raised = TIME_MARK if cell.time_limited else ""
        rank = None if best is None else place
        shown = Text(text, bold=rank == 0, underline=rank == 1, raised=raised)
        entries.append(Entry((shown,), spread.mean))
    return tuple(entries)


def _deviation(measure: Measure, mean: float, deviation: float) -> str:
    """The spread, with as many decimals as the mean has."""
    text = measure.text(mean)
    decimals = len(text.partition(".")[2])
    if measure.name == "memory":
        deviation /= 2**20
    return f"{deviation:.{decimals}f}"
