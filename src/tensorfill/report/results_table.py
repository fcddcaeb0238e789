"""Table 2: every method on every dataset, ours beside the paper's figure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .cell import Cell
from .evidence import APPROXIMATE_MARK, UNIFORM, Evidence, Setup
from .numbers import error, ratio, spread
from .published import PublishedRow, published
from .table import Column, Entry, Table, Text, ranked, words

TIME_MARK = "t"


def results_tables(evidence: Evidence) -> tuple[Table, ...]:
    """One table per setup for the paper's datasets and one for the others."""
    tables: list[Table] = []
    for place, setup in enumerate(evidence.setups):
        there = evidence.datasets_at(setup)
        parts = {
            "the paper's datasets": tuple(name for name in there if evidence.cards[name].in_paper),
            "other datasets": tuple(name for name in there if not evidence.cards[name].in_paper),
        }
        for part, datasets in parts.items():
            if datasets:
                tables.append(_table(evidence, setup, datasets, part, _name(tables, place, evidence)))
    return tuple(tables)


def _name(tables: list[Table], place: int, evidence: Evidence) -> str:
    setup = evidence.setups[place]
    stem = "table2" if place == 0 else f"table2-{setup.slug}"
    return stem if all(table.name != stem for table in tables) else f"{stem}-others"


def _table(evidence: Evidence, setup: Setup, datasets: tuple[str, ...], part: str, name: str) -> Table:
    labels = evidence.labels_at(setup)
    compared = setup.is_the_papers and any(evidence.cards[dataset].in_paper for dataset in datasets)
    apart = setup.pattern != UNIFORM
    columns: list[tuple[Entry, ...]] = []
    cells: list[Cell] = []
    for dataset in datasets:
        column = [evidence.cell(setup, dataset, label) for label in labels]
        places = ranked([cell.rmse.mean if cell.rmse else None for cell in column])
        columns.append(
            tuple(
                _entry(cell, place, compared=compared, apart=apart) for cell, place in zip(column, places, strict=True)
            )
        )
        cells += column
    head = (Column("method", numeric=False), *(Column(evidence.title(dataset)) for dataset in datasets))
    rows = tuple((words(label), *(column[place] for column in columns)) for place, label in enumerate(labels))
    experiment = "" if setup.experiment == "table" else f", experiment “{setup.experiment}”"
    title = f"RMSE over all entries, {part}, {setup.title}{experiment}"
    notes = notes_below(evidence, datasets, cells, compared=compared)
    if apart:
        notes = (notes[0], "Below: over the unobserved entries alone.", *notes[1:])
    return Table(name, title, head, rows, notes)


def _entry(cell: Cell, place: int | None, *, compared: bool, apart: bool) -> Entry:
    """A cell of the table. Below stands what the paper says, or, with `apart`, the error in the holes."""
    found = cell.rmse
    if found is None:
        first = Text(cell.complaint or "", quiet=True)
    else:
        text = spread(found) + (f" ({found.count} of {len(cell.runs)})" if found.count < len(cell.runs) else "")
        (first,) = our_entry(cell, text, bold=place == 0, underline=place == 1).lines
    hidden = cell.over_seeds(lambda run: run.rmse_unobserved) if apart else None
    if hidden is not None:
        below: tuple[Text, ...] = (Text(f"unobserved {error(hidden.mean)}", quiet=True),)
    else:
        below = _papers(cell) if compared else ()
    return Entry((first, *below), found.mean if found else None)


def _papers(cell: Cell) -> tuple[Text, ...]:
    """What the paper's table says about a cell of ours, marked as there, and the ratio; "–" where it says nothing."""
    row, dataset = published().row(cell.label, cell.method), cell.data.name
    if row is None or dataset not in row.digits:
        return (Text("–", quiet=True),) if cell.rmse else ()
    figure = paper_entry(row, dataset).lines[0]
    beside = replace(figure, text=f"paper {figure.text}", quiet=True)
    if cell.rmse is None:
        return (beside,)
    return beside, Text(f"ratio {ratio(cell.rmse.mean / row.rmse[dataset])}", quiet=True)


def paper_entry(row: PublishedRow, dataset: str) -> Entry:
    """A figure of the paper with its digits, the best of its methods in bold and the second underlined, as there."""
    if dataset not in row.digits:
        return words("–", quiet=True)
    place = published().place(dataset, row)
    return Entry((Text(row.digits[dataset], bold=place == 0, underline=place == 1),), row.rmse[dataset])


def notes_below(
    evidence: Evidence, datasets: tuple[str, ...], cells: list[Cell], *, compared: bool = False, best: bool = True
) -> tuple[str, ...]:
    """What a reader of a table has to know."""
    seeds = max((len(cell.good) for cell in cells), default=0)
    notes = ["Mean ± standard deviation over seeds." if seeds > 1 else "One seed each, so no spread."]
    if best:
        notes.append("Best of a column in bold, second best underlined, among our own runs.")
    if compared:
        notes.append(
            "Below: the paper's figure, its best in bold and its second best underlined among its own nine methods, "
            "and the ratio, ours over the paper's; “–”: a method that the paper does not have."
        )
    notes += time_notes(cells)
    if any(cell.good and len(cell.good) < len(cell.runs) for cell in cells):
        notes.append("“(2 of 3)”: the mean is over that many seeds; the other runs did not end well.")
    return (*notes, *approximate_notes(evidence, datasets))


def time_notes(cells: Iterable[Cell]) -> tuple[str, ...]:
    """What the mark of a time limit means, where there is one."""
    limited = any(cell.time_limited for cell in cells)
    return (f"Raised {TIME_MARK}: a run was stopped by its time limit.",) if limited else ()


def our_entry(cell: Cell, text: str, *, bold: bool = False, underline: bool = False) -> Entry:
    """A figure of ours, with the mark of a time limit."""
    raised = TIME_MARK if cell.time_limited else ""
    shown = Text(text, bold=bold, underline=underline, raised=raised)
    return Entry((shown,), cell.rmse.mean if cell.rmse else None)


def approximate_notes(evidence: Evidence, datasets: tuple[str, ...]) -> tuple[str, ...]:
    """A line per approximate dataset."""
    return tuple(
        f"{APPROXIMATE_MARK} {card.title} is approximate: {card.approximate}" for card in evidence.approximate(datasets)
    )
