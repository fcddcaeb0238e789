"""Comparison: our cells against the paper's, one by one."""

from __future__ import annotations

from dataclasses import dataclass

from .cell import Cell
from .evidence import Evidence, Setup
from .published import PublishedRow, published

TOLERANCE = 0.05
"""Cells whose ratio is within this of 1 count as reproduced."""


@dataclass(frozen=True)
class Compared:
    """A cell of ours and the paper's figure for it."""

    cell: Cell
    row: PublishedRow
    paper: float

    @property
    def ratio(self) -> float | None:
        """Ours over the paper's."""
        return self.cell.rmse.mean / self.paper if self.cell.rmse else None

    @property
    def reproduces(self) -> bool:
        """Whether both are the same within `TOLERANCE`."""
        return self.ratio is not None and abs(self.ratio - 1) <= TOLERANCE


def papers_setup(evidence: Evidence) -> Setup | None:
    """The setup that published figures can be put beside; None if no row has it."""
    return next((setup for setup in evidence.setups if setup.is_the_papers), None)


def compared(evidence: Evidence) -> tuple[Compared, ...]:
    """Every cell that we have a run for, or could have, and the paper a figure; by dataset."""
    setup = papers_setup(evidence)
    if setup is None:
        return ()
    found = []
    for dataset in evidence.datasets_at(setup):
        for label in evidence.labels_at(setup):
            cell = evidence.cell(setup, dataset, label)
            row = published().row(label, cell.method)
            if row is not None and dataset in row.rmse:
                found.append(Compared(cell, row, row.rmse[dataset]))
    return tuple(found)


def rmse_by_label(evidence: Evidence, setup: Setup, dataset: str) -> dict[str, float]:
    """The mean RMSE of every label that has one."""
    cells = {label: evidence.cell(setup, dataset, label) for label in evidence.labels_at(setup)}
    return {label: cell.rmse.mean for label, cell in cells.items() if cell.rmse is not None}
