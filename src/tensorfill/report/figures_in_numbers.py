"""The paper's figures in numbers, as far as rows have them, and how to see the rest."""

from __future__ import annotations

from ..rows import Row
from . import numbers
from .evidence import Evidence, Setup
from .results_table import approximate_notes
from .section import Section
from .sweep_points import rank_points
from .table import Column, Entry, Table, Text, number, words

_METHOD = "nonneg-dual"
_LOOKED_AT = (0, 1, 2, 5, 10, 20, 50, 100)
"""Iterations whose error is printed."""


def figures_in_numbers(evidence: Evidence, setup: Setup) -> list[Section]:
    """Figures 1a, 1b and 2 as tables, each where there are rows; for Figure 3 the commands."""
    return [*_iterations(evidence, setup), *_ranks(evidence), *_components(evidence, setup), _pictures()]


def first_curves(evidence: Evidence, setup: Setup, label: str) -> dict[str, Row]:
    """By dataset the run of a label with the lowest seed whose curve is there."""
    if label not in evidence.labels_at(setup):
        return {}
    return {
        dataset: runs[0]
        for dataset in evidence.datasets_at(setup)
        if (runs := [run for run in evidence.cell(setup, dataset, label).good if run.curve])
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


def _iterations(evidence: Evidence, setup: Setup) -> list[Section]:
    title = "Figure 1a in numbers: RMSE against iterations"
    labels = dict.fromkeys((evidence.published_label(_METHOD), evidence.default_label(_METHOD)))
    rows: list[tuple[Entry, ...]] = []
    shown: dict[str, None] = {}
    for label in labels:
        for dataset, run in first_curves(evidence, setup, label).items():
            shown[dataset] = None
            last = run.curve[-1]
            errors = [error_at(run, iteration) for iteration in _LOOKED_AT]
            rows.append(
                (
                    words(evidence.title(dataset)),
                    words(label),
                    *(number(error, "" if error is None else numbers.error(error)) for error in errors),
                    number(last[2], f"{numbers.error(last[2])} ({last[0]})"),
                    number(rise := largest_rise(run), numbers.share(rise)),
                )
            )
    if not rows:
        return []
    head = (
        Column("dataset", numeric=False),
        Column("method", numeric=False),
        *(Column(f"{iteration}") for iteration in _LOOKED_AT),
        Column("end (iterations)"),
        Column("largest rise"),
    )
    notes = (
        "The first seed. “Largest rise”: how far the RMSE ever was above its lowest value before, in the iterations "
        "that are recorded: all up to 20, then whenever their number has grown by 5 %.",
        *approximate_notes(evidence, tuple(name for name in evidence.cards if name in shown)),
    )
    return [Section(title, (Table("figure-1a", title, head, tuple(rows), notes),))]


def _ranks(evidence: Evidence) -> list[Section]:
    title = "Figure 1b in numbers: RMSE against the rank x·[1, 1, 1]"
    points = next(iter(rank_points(evidence).values()), {})
    ranks = sorted({x for lines in points.values() for line in lines.values() for x, _ in line})
    if not ranks:
        return []
    rows = []
    for dataset, lines in points.items():
        for label, line in lines.items():
            found = dict(line)
            best = min(found.values())
            entries = [
                number(found.get(x), "" if x not in found else numbers.error(found[x]))
                if found.get(x) != best
                else _best(best)
                for x in ranks
            ]
            rows.append((words(evidence.title(dataset)), words(label), *entries))
    head = (Column("dataset", numeric=False), Column("method", numeric=False), *(Column(f"{x:g}") for x in ranks))
    notes = (
        "The lowest of a line in bold. A rank larger than a mode is cut to its size.",
        *approximate_notes(evidence, tuple(points)),
    )
    return [Section(title, (Table("figure-1b", title, head, tuple(rows), notes),))]


def _best(error: float) -> Entry:
    return Entry((Text(numbers.error(error), bold=True),), error)


def _components(evidence: Evidence, setup: Setup) -> list[Section]:
    title = "Figure 2 in numbers: the components of W"
    label = evidence.published_label(_METHOD)
    if label not in evidence.labels_at(setup):
        return []
    found = component_runs(evidence, setup)
    count = max((len(run.components) for run in found.values()), default=0)
    if not count:
        return []
    rows = []
    for dataset, run in found.items():
        padded = [*run.components, *[None] * (count - len(run.components))]
        told = [number(part[place], f"{part[place]:.3f}") if part else words("") for place in (0, 1) for part in padded]
        rows.append((words(evidence.title(dataset)), words(run.label), *told))
    head = (
        Column("dataset", numeric=False),
        Column("method", numeric=False),
        *(Column(f"share of W({place})") for place in range(1, count + 1)),
        *(Column(f"likeness of W({place})") for place in range(1, count + 1)),
    )
    notes = (
        "Share: <W(k), W>/‖W‖²; they add up to 1. Likeness: the correlation of W(k) with the original in what a frame "
        "has beyond stripes, its means over rows and over columns taken out.",
        "The pictures: `tensorfill bench paper --data DIR --experiments table --datasets hall,highway "
        "--methods nonneg-dual --seeds 1 -o bench-fig2`, then `tensorfill report bench-fig2 -o report-fig2`.",
        *approximate_notes(evidence, tuple(found)),
    )
    return [Section(title, (Table("figure-2", title, head, tuple(rows), notes),))]


def component_runs(evidence: Evidence, setup: Setup) -> dict[str, Row]:
    """By dataset the first run of the paper's method that tells about its components, rather as published."""
    found: dict[str, Row] = {}
    for label in (evidence.published_label(_METHOD), evidence.default_label(_METHOD)):
        if label in evidence.labels_at(setup):
            for dataset in evidence.datasets_at(setup):
                runs = [run for run in evidence.cell(setup, dataset, label).good if run.components]
                if runs:
                    found.setdefault(dataset, runs[0])
    return {dataset: found[dataset] for dataset in evidence.cards if dataset in found}


def _pictures() -> Section:
    return Section(
        "Figure 3: the pictures",
        (
            "The licences of most of the data are unclear, so pictures made from it are not kept here. With the data "
            "in DIR anybody gets them, original, observed and every method side by side, for all data that is there:",
            "    tensorfill bench paper --data DIR --experiments table --seeds 1 -o bench-paper\n"
            "    tensorfill report bench-paper -o report",
            "`report/index.html` shows them under “Figure 3”. `report/figures/fig3-paper.png` is laid out as in the "
            "paper, and `fig3-*.png` have all methods; Figures 1a, 1b and 2 are there too, as far as the experiments "
            "`table` and `ranks` were run. Figures 1a and 1b need rows only: `tensorfill report "
            "benchmarks/paper_rows.jsonl -o report` draws them from those that are kept with the source.",
        ),
    )
