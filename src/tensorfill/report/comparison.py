"""Comparison: our cells against the paper's, one by one, and why they differ where that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from .evidence import Cell, Evidence, Setup
from .numbers import error, ratio
from .published import PublishedRow, load_published, read_data

TOLERANCE = 0.05
"""Cells whose ratio is within this of 1 count as reproduced."""


@dataclass(frozen=True)
class PaperCell:
    """A cell of the paper's table, and our cells for it: one for every setting, the one it is judged by first."""

    dataset: str
    row: PublishedRow
    ours: tuple[Cell, ...]

    @property
    def paper(self) -> float:
        """The paper's figure."""
        return self.row.rmse[self.dataset]

    @property
    def judge(self) -> Cell | None:
        """Our cell that counts."""
        return self.ours[0] if self.ours else None

    @property
    def ratio(self) -> float | None:
        """That one over the paper's."""
        return self.judge.rmse.mean / self.paper if self.judge and self.judge.rmse else None

    @property
    def agreeing(self) -> Cell | None:
        """The cell that reproduces it: the one that counts, else one at another setting."""
        return next((cell for cell in self.ours if self.reproduces(cell)), None)

    def reproduces(self, cell: Cell | None) -> bool:
        """Whether a cell of ours is the same as the paper's within `TOLERANCE`."""
        return cell is not None and cell.rmse is not None and abs(cell.rmse.mean / self.paper - 1) <= TOLERANCE

    @property
    def complaint(self) -> str | None:
        """Why there is no number of ours, in a word or two: "no data", "not run"; None where there is one."""
        return (self.judge.complaint or None) if self.judge else "not run"


def paper_cells(evidence: Evidence) -> tuple[PaperCell, ...]:
    """Every cell of the paper's table, by dataset, with our runs at its setup."""
    setup = evidence.papers_setup
    there = evidence.datasets_at(setup) if setup else ()
    return tuple(
        PaperCell(dataset, row, _our_cells(evidence, setup, dataset, row) if setup and dataset in there else ())
        for dataset in load_published().datasets
        for row in load_published().rows
        if dataset in row.digits
    )


def _our_cells(evidence: Evidence, setup: Setup, dataset: str, row: PublishedRow) -> tuple[Cell, ...]:
    labels = [
        label for label in evidence.labels_at(setup) if load_published().row(label, evidence.labels[label]) is row
    ]
    cells = [evidence.cell(setup, dataset, label) for label in sorted(labels, key=lambda label: label != row.label)]
    return tuple(cell for cell in cells if cell.runs)


# Reasons


@dataclass(frozen=True)
class Explanation:
    """A text with placeholders for numbers, and the cells it is about."""

    method: str
    text: str
    datasets: tuple[str, ...] | None = None
    kind: str | None = None
    side: str | None = None
    inferred: bool = False
    """Whether it is a conclusion of ours rather than something measured or known."""

    def fits(self, cell: Cell, paper: float) -> bool:
        """Whether it is about this cell."""
        if cell.rmse is None or self.method not in (cell.label, cell.method):
            return False
        side = "below" if cell.rmse.mean < paper else "above"
        named = self.datasets is None or cell.data.name in self.datasets
        return named and self.kind in (None, cell.data.kind) and self.side in (None, side)


@cache
def load_explanations() -> tuple[Explanation, ...]:
    """The texts of `explanations.toml`."""
    return tuple(Explanation(**entry) for entry in read_data("explanations.toml")["explanation"])


def explain(cell: Cell, paper: float, others: Mapping[str, float], encoding: float | None = None) -> tuple[str, ...]:
    """The sentences for a cell; `others` has the RMSE of every label on the same dataset.

    `encoding` is what encoding a clip as our approximate ones are does to the RMSE of this method, as a factor.
    """
    if cell.rmse is None:
        return ()
    numbers = {label: error(value) for label, value in others.items()}
    numbers |= {"ours": error(cell.rmse.mean), "paper": f"{paper:g}", "ratio": ratio(cell.rmse.mean / paper)}
    found = []
    if cell.data.approximate:
        told = "" if encoding is None else f"; on Hall the same encoding changes the RMSE by a factor of {encoding:.2f}"
        found.append(f"Our file is approximate, the paper's is not (†){told}.")
    for explanation in load_explanations():
        if explanation.fits(cell, paper):
            try:
                said = explanation.text.format_map(numbers)
            except KeyError:  # a number that no row has
                continue
            found.append(f"Inference: {said}" if explanation.inferred else said)
    rest = cell.rmse.mean / paper / (encoding or 1.0)
    if cell.data.approximate and len(found) == 1 and abs(rest - 1) > TOLERANCE:
        found.append(f"No reason found for the rest, a factor of {ratio(rest)}.")
    if cell.time_limited:
        found.append("A run of ours was stopped by its time limit.")
    return tuple(found)
