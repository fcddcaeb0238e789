"""Explanations: why a cell differs from the paper's figure, where that is known."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from .cell import Cell
from .comparison import TOLERANCE
from .numbers import error, ratio


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
        return (
            (self.datasets is None or cell.data.name in self.datasets)
            and self.kind in (None, cell.data.kind)
            and self.side in (None, side)
        )


@cache
def explanations() -> tuple[Explanation, ...]:
    """The texts of `explanations.toml`."""
    found = tomllib.loads((files(__package__) / "explanations.toml").read_text(encoding="utf-8"))
    return tuple(
        Explanation(
            entry["method"],
            entry["text"],
            tuple(entry["datasets"]) if "datasets" in entry else None,
            entry.get("kind"),
            entry.get("side"),
            entry.get("inferred", False),
        )
        for entry in found["explanation"]
    )


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
    for explanation in explanations():
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
