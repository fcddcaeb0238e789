"""The paper's Table 2 as it is laid out there, every cell of it, with ours below."""

from __future__ import annotations

from .comparison import PaperCell
from .evidence import Evidence
from .numbers import error
from .published import published
from .results_table import approximate_notes, our_entry, paper_entry, time_notes
from .section import Section
from .table import Column, Entry, Table, Text, ranked, words

_TITLE = "The paper's Table 2, whole"


def papers_table(evidence: Evidence, cells: tuple[PaperCell, ...]) -> Section:
    """A line per dataset, a column per method of the paper."""
    rows: list[tuple[Entry, ...]] = []
    for dataset in published().datasets:
        line = [cell for cell in cells if cell.dataset == dataset]
        ours = [cell.judge.cell.rmse if cell.judge else None for cell in line]
        places = ranked([found.mean if found else None for found in ours])
        title = evidence.title(dataset) if dataset in evidence.cards else dataset.capitalize()
        rows.append((words(title), *(_entry(cell, place) for cell, place in zip(line, places, strict=True))))
    columns = (Column("dataset", numeric=False), *(Column(row.name) for row in published().rows))
    labels = [
        (row.name, dict.fromkeys(cell.judge.cell.label for cell in cells if cell.judge and cell.row is row))
        for row in published().rows
    ]
    told = ", ".join(f"{name} by {' or '.join(f'`{label}`' for label in found)}" for name, found in labels if found)
    notes = (
        "Above the paper's figure, below ours, each with the best of its line in bold and the second best underlined.",
        f"Judged are {told}.",
        *time_notes(cell.judge.cell for cell in cells if cell.judge),
        *approximate_notes(evidence, tuple(name for name in published().datasets if name in evidence.cards)),
    )
    return Section(_TITLE, (Table("papers-table", _TITLE, columns, tuple(rows), notes),))


def _entry(cell: PaperCell, place: int | None) -> Entry:
    paper = paper_entry(cell.row, cell.dataset)
    if cell.judge is None or cell.judge.cell.rmse is None:
        return Entry((*paper.lines, Text(cell.complaint or "", quiet=True)), paper.value)
    mean = cell.judge.cell.rmse.mean
    ours = our_entry(cell.judge.cell, error(mean), bold=place == 0, underline=place == 1)
    return Entry((*paper.lines, *ours.lines), mean)
