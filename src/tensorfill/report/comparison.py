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

    @property
    def paper(self) -> float:
        """The paper's figure."""
        return self.row.rmse[self.cell.data.name]

    @property
    def ratio(self) -> float | None:
        """Ours over the paper's."""
        return self.cell.rmse.mean / self.paper if self.cell.rmse else None

    @property
    def reproduces(self) -> bool:
        """Whether both are the same within `TOLERANCE`."""
        return self.ratio is not None and abs(self.ratio - 1) <= TOLERANCE


@dataclass(frozen=True)
class PaperCell:
    """A cell of the paper's table, and our runs for it: one for every setting, the one it is judged by first."""

    dataset: str
    row: PublishedRow
    ours: tuple[Compared, ...]

    @property
    def judge(self) -> Compared | None:
        """Our run that counts."""
        return self.ours[0] if self.ours else None

    @property
    def agreeing(self) -> Compared | None:
        """The run that reproduces it: the one that counts, else one at another setting."""
        return next((one for one in self.ours if one.reproduces), None)

    @property
    def complaint(self) -> str | None:
        """Why there is no number of ours, in a word or two: "no data", "not run"; None where there is one."""
        return (self.judge.cell.complaint or None) if self.judge else "not run"


def papers_setup(evidence: Evidence) -> Setup | None:
    """The setup that published figures can be put beside; None if no row has it."""
    return next((setup for setup in evidence.setups if setup.is_the_papers), None)


def paper_cells(evidence: Evidence) -> tuple[PaperCell, ...]:
    """Every cell of the paper's table, by dataset, with our runs at its setup."""
    setup = papers_setup(evidence)
    there = evidence.datasets_at(setup) if setup else ()
    return tuple(
        PaperCell(dataset, row, _ours(evidence, setup, dataset, row) if setup and dataset in there else ())
        for dataset in published().datasets
        for row in published().rows
        if dataset in row.digits
    )


def _ours(evidence: Evidence, setup: Setup, dataset: str, row: PublishedRow) -> tuple[Compared, ...]:
    labels = [
        label
        for label in evidence.labels_at(setup)
        if published().row(label, evidence.labels[label]) is row and evidence.cell(setup, dataset, label).runs
    ]
    labels.sort(key=lambda label: label != row.label)
    return tuple(Compared(evidence.cell(setup, dataset, label), row) for label in labels)


def rmse_by_label(evidence: Evidence, setup: Setup, dataset: str) -> dict[str, float]:
    """The mean RMSE of every label that has one, also from other experiments with the same rate and pattern."""
    found: dict[str, float] = {}
    for other in evidence.setups:
        if (other.rate, other.pattern) == (setup.rate, setup.pattern):
            for label in evidence.labels_at(other):
                cell = evidence.cell(other, dataset, label) if dataset in evidence.datasets_at(other) else None
                if cell is not None and cell.rmse is not None and (other == setup or label not in found):
                    found[label] = cell.rmse.mean
    return found
