"""Time against error: one mark per method and dataset; lower left is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..cell import Cell
from ..evidence import Evidence, Setup
from ..numbers import error
from .figure import Drawn, LeftOut
from .label_places import Mark, place_labels
from .panels import LARGEST, panels, plain_log_ticks
from .style import Stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHORTEST = 1e-2
"""Seconds below this are drawn here, so that methods that do nothing don't stretch the axis."""


_TITLE = "Time against error"


def time_errors(evidence: Evidence, strokes: dict[str, Stroke]) -> tuple[Drawn | LeftOut, ...]:
    """A figure per setup: rates and patterns of holes are never mixed."""
    found = {setup: cells for setup in evidence.setups if (cells := _cells(evidence, setup))}
    if not found:
        return (LeftOut(_TITLE, "no run has both an RMSE and seconds."),)
    several = len(found) > 1
    return tuple(
        _drawn(
            evidence,
            strokes,
            cells,
            name="time-error" if place == 0 else f"time-error-{setup.slug}",
            title=f"{_TITLE}, {setup.title}" if several or setup.holes else _TITLE,
        )
        for place, (setup, cells) in enumerate(found.items())
    )


def _drawn(
    evidence: Evidence, strokes: dict[str, Stroke], cells: dict[str, list[Cell]], *, name: str, title: str
) -> Drawn:
    """A log-log scatter per dataset, every mark labelled."""
    marks: dict[str, tuple[Axes, list[Mark]]] = {}

    def draw(axes: Axes, dataset: str) -> None:
        points = []
        for cell in reversed(cells[dataset]):
            time, rmse = cell.over_seeds(lambda run: run.seconds), cell.rmse
            assert time is not None
            assert rmse is not None
            stroke = strokes[cell.label]
            x, y = max(time.mean, _SHORTEST), min(rmse.mean, LARGEST)
            axes.plot([x], [y], **{**stroke.line_style(), "linestyle": "none", "markersize": stroke.size + 2})
            called = cell.label if rmse.mean <= LARGEST else f"{cell.label} ({error(rmse.mean)})"
            points.append(Mark(called, x, y, stroke.color))
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.margins(0.18)
        plain_log_ticks(axes, "x")
        plain_log_ticks(axes, "y")
        marks[dataset] = axes, points

    shown = {cell.label for found in cells.values() for cell in found}
    figure = panels(
        list(cells),
        draw,
        title=evidence.title,
        across="seconds",
        up="RMSE",
        legend=[label for label in evidence.labels if label in shown],
        strokes=strokes,
        scale=1.2,
    )
    figure.draw_without_rendering()
    for axes, points in marks.values():
        place_labels(axes, points)
    caption = (
        "Means over seeds, both axes logarithmic; lower left is better. "
        f"What took less than {_SHORTEST:g} s is drawn at {_SHORTEST:g} s, an RMSE above {LARGEST:g} at {LARGEST:g}."
    )
    return Drawn(name, title, caption, figure)


def _cells(evidence: Evidence, setup: Setup) -> dict[str, list[Cell]]:
    """The cells of a setup that have both numbers, by dataset."""
    found: dict[str, list[Cell]] = {}
    for dataset in evidence.datasets_at(setup):
        for label in evidence.labels_at(setup):
            cell = evidence.cell(setup, dataset, label)
            if cell.rmse is not None and cell.over_seeds(lambda run: run.seconds) is not None:
                found.setdefault(dataset, []).append(cell)
    return found
