"""Figure 1a: how the error falls, against iterations and against seconds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...rows import Row
from ..evidence import SWEEPS, UNIFORM, Evidence, Setup, setup_of
from .figure import Drawn, LeftOut
from .panels import LARGEST, panels, plain_log_ticks
from .style import Stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHORTEST = 1e-3
"""Seconds where the axis begins at the earliest."""


def curves(evidence: Evidence, strokes: dict[str, Stroke]) -> tuple[Drawn | LeftOut, ...]:
    """Both variants."""
    lines = _lines(evidence)
    titles = ("Figure 1a. RMSE against iterations", "Figure 1a, second variant. RMSE against seconds")
    if not lines:
        return ()
    seeds = sorted({row.seed for rows in lines.values() for row in rows})
    which = f"seed {seeds[0]}" if len(seeds) == 1 else "the first seed of each method"
    caption = (
        f"RMSE over all entries on a logarithmic scale; {which}. A level line: a method that takes one step. "
        f"What is above {LARGEST:g} is out of view{_hidden(evidence, lines)}."
    )
    return (
        _drawn(evidence, strokes, lines, "fig1a-iterations", titles[0], caption, seconds=False),
        _drawn(evidence, strokes, lines, "fig1a-seconds", titles[1], caption, seconds=True),
    )


def _hidden(evidence: Evidence, lines: dict[str, list[Row]]) -> str:
    """Names the curves of which nothing can be seen."""
    names = [
        f"{row.label} on {evidence.title(dataset)}"
        for dataset, rows in lines.items()
        for row in rows
        if all(not rmse <= LARGEST for _, _, rmse in row.curve)
    ]
    return f", all of {', '.join(names)}" if names else ""


def _lines(evidence: Evidence) -> dict[str, list[Row]]:
    """The rows with a curve by dataset: the first seed of every label, all with the same rate and pattern of holes."""
    found: dict[str, dict[str, Row]] = {}
    first: dict[str, Setup] = {}
    rows = [row for row in evidence.rows if row.status == "ok" and row.curve and row.experiment not in SWEEPS]
    for row in sorted(rows, key=lambda row: (row.pattern != UNIFORM, row.pattern, row.rate != 0.1, row.rate, row.seed)):
        setup = first.setdefault(row.data.name, setup_of(row))
        if (setup.rate, setup.pattern) == (row.rate, row.pattern):
            found.setdefault(row.data.name, {}).setdefault(row.label, row)
    return {name: list(found[name].values()) for name in evidence.cards if name in found}


def _drawn(
    evidence: Evidence,
    strokes: dict[str, Stroke],
    lines: dict[str, list[Row]],
    name: str,
    title: str,
    caption: str,
    *,
    seconds: bool,
) -> Drawn:
    def draw(axes: Axes, dataset: str) -> None:
        rows = {row.label: row for row in lines[dataset]}
        for label in reversed(evidence.labels):
            if label in rows:
                _draw_line(axes, rows[label], strokes[label], seconds=seconds)
        axes.set_yscale("log")
        axes.set_ylim(top=min(axes.get_ylim()[1], LARGEST))
        if seconds:
            axes.set_xscale("log")
            axes.set_xlim(left=max(axes.get_xlim()[0], _SHORTEST))
            plain_log_ticks(axes, "x")
        else:
            axes.set_xscale("symlog", linthresh=1)
            axes.set_xlim(left=-0.15)
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        plain_log_ticks(axes, "y")

    shown = {row.label for rows in lines.values() for row in rows}
    figure = panels(
        list(lines),
        draw,
        title=lambda dataset: f"{evidence.title(dataset)}{setup_of(lines[dataset][0]).holes}",
        across="seconds" if seconds else "iterations",
        up="RMSE",
        legend=[label for label in evidence.labels if label in shown],
        strokes=strokes,
    )
    return Drawn(name, title, caption, figure)


def _draw_line(axes: Axes, row: Row, stroke: Stroke, *, seconds: bool) -> None:
    points = [(time if seconds else step, rmse) for step, time, rmse in row.curve if math.isfinite(rmse) and rmse > 0]
    if seconds:
        points = [point for point in points if point[0] > 0]
    if points and row.curve[-1][0] <= 1:
        level = points[-1][1]
        axes.plot([0.03, 0.97], [level, level], transform=axes.get_yaxis_transform(), **stroke.line_style())
    elif points:
        step = max(1, len(points) // 6)
        marks = slice((len(points) - 1) % step, None, step)  # counted from the end, so that the last point has one
        axes.plot(*zip(*points, strict=True), markevery=marks, **stroke.line_style())
