"""The paper's algorithm beside our default solver of the same problem."""

from __future__ import annotations

from dataclasses import replace

from . import numbers
from .cell import Cell
from .evidence import Evidence, Setup
from .published import published
from .results_table import approximate_notes, our_entry, paper_entry, time_notes
from .section import Section
from .table import Column, Entry, Table, number, words

_METHOD = "nonneg-dual"


def two_solvers(evidence: Evidence, setup: Setup) -> list[Section]:
    """A line per dataset on which the method ran as published; nothing where it never did."""
    labels = evidence.published_label(_METHOD), evidence.default_label(_METHOD)
    if labels[0] == labels[1] or not set(labels) <= set(evidence.labels_at(setup)):
        return []
    rows: list[tuple[Entry, ...]] = []
    shown: list[Cell] = []
    for dataset in evidence.datasets_at(setup):
        as_published, ours = _over_the_same_seeds(*(evidence.cell(setup, dataset, label) for label in labels))
        if as_published.rmse is None or ours.rmse is None:
            continue
        shown += [as_published, ours]
        ratio = as_published.rmse.mean / ours.rmse.mean
        rows.append(
            (
                words(evidence.title(dataset)),
                *_told(as_published),
                *_told(ours),
                number(ratio, f"{ratio:.3f}"),
                paper_entry(published().named("proposed"), dataset),
            )
        )
    if not rows:
        return []
    title = "The paper's algorithm and our default solver"
    text = (
        "Both solve the same problem. As published, Z is found by linear conjugate gradients and S by nonnegative "
        "least squares, in turns, in every iteration, and U moves by Riemannian conjugate gradients, until ‖∇g‖ ≤ τ or "
        "for 200 iterations. Ours learns U without S first, by quasi-Newton steps, and then finds Z and S together by "
        "an active set. What the paper leaves open is the same in both: where U starts, and C. Over the seeds that "
        "both ran."
    )
    head = (
        Column("dataset", numeric=False),
        Column("as published"),
        Column("iterations"),
        Column("ours"),
        Column("iterations"),
        Column("as published / ours"),
        Column("paper"),
    )
    notes = (*time_notes(shown), *approximate_notes(evidence, tuple(dict.fromkeys(cell.data.name for cell in shown))))
    return [Section(title, (text, Table("two-solvers", title, head, tuple(rows), notes)))]


def _over_the_same_seeds(one: Cell, other: Cell) -> tuple[Cell, Cell]:
    """Both with the runs of seeds that both have: a mask is easier or harder for both."""
    both = {run.seed for run in one.good} & {run.seed for run in other.good}
    first, second = (replace(cell, runs=tuple(run for run in cell.runs if run.seed in both)) for cell in (one, other))
    return first, second


def _told(cell: Cell) -> tuple[Entry, Entry]:
    """The error, and how many iterations it took."""
    steps = cell.over_seeds(lambda run: None if run.iterations is None else float(run.iterations))
    assert cell.rmse is not None
    return our_entry(cell, numbers.spread(cell.rmse)), number(
        steps.mean if steps else None, f"{steps.mean:.0f}" if steps else ""
    )
