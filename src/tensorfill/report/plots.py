"""Figures: how the error falls (1a), against the rank (1b), the sampling rate and time; and all of them in order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..method import Stroke
from ..rows import Row
from .drawing import (
    LARGEST,
    Drawn,
    LeftOut,
    Mark,
    assign_strokes,
    draw_panels,
    house_style,
    line_style,
    place_labels,
    set_plain_log_ticks,
)
from .evidence import SWEEPS, UNIFORM, Cell, Evidence, Points, Setup, order_setups, points_of, rank_points
from .numbers import error
from .pictures import Album, draw_components, draw_grid, draw_papers_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Strokes = Mapping[str, Stroke]
_EARLIEST = 1e-3
"""Seconds where the axis of a curve begins at the earliest."""
_SHORTEST = 1e-2
"""Times below this are drawn here, so that methods that do nothing don't stretch the axis."""


def draw_figures(evidence: Evidence, albums: Sequence[Album]) -> tuple[Drawn | LeftOut, ...]:
    """The figures in the order of the paper, then ours; what was asked for and has no rows says why it is left out."""
    strokes = assign_strokes(evidence.labels)
    with house_style():
        return (
            *plot_curves(evidence, strokes),
            *plot_ranks(evidence, strokes),
            *draw_components(albums),
            *draw_papers_grid(albums),
            *(draw_grid(album) for album in albums),
            *plot_times(evidence, strokes),
            *plot_rates(evidence, strokes),
        )


# Figure 1a


def plot_curves(evidence: Evidence, strokes: Strokes) -> tuple[Drawn, ...]:
    """The error against iterations, and against seconds."""
    lines = _choose_curves(evidence)
    if not lines:
        return ()
    seeds = sorted({row.seed for rows in lines.values() for row in rows.values()})
    which = f"seed {seeds[0]}" if len(seeds) == 1 else "the first seed of each method"
    hidden = [
        f"{label} on {evidence.title(dataset)}"
        for dataset, rows in lines.items()
        for label, row in rows.items()
        if all(not rmse <= LARGEST for _, _, rmse in row.curve)
    ]
    out_of_view = f"out of view, all of {', '.join(hidden)}" if hidden else "out of view"
    caption = (
        f"RMSE over all entries on a logarithmic scale; {which}. A level line: a method that takes one step. "
        f"What is above {LARGEST:g} is {out_of_view}."
    )
    holes = {dataset: Setup.of(next(iter(rows.values()))).holes for dataset, rows in lines.items()}
    found = []
    for across, title in {"iterations": "Figure 1a.", "seconds": "Figure 1a, second variant."}.items():

        def draw(axes: Axes, dataset: str, across: str = across) -> None:
            rows = {label: lines[dataset][label] for label in evidence.labels if label in lines[dataset]}
            _draw_curves(axes, rows, strokes, across)

        figure = draw_panels(evidence, strokes, lines, draw, across=across, holes=holes)
        found.append(Drawn(f"fig1a-{across}", f"{title} RMSE against {across}", caption, figure))
    return tuple(found)


def _choose_curves(evidence: Evidence) -> dict[str, dict[str, Row]]:
    """The rows with a curve by dataset: the first seed of every label, all with the same rate and pattern of holes."""
    found: dict[str, dict[str, Row]] = {}
    first: dict[str, Setup] = {}
    rows = [row for row in evidence.rows if row.status == "ok" and row.curve and row.experiment not in SWEEPS]
    for row in sorted(rows, key=lambda row: (row.pattern != UNIFORM, row.pattern, row.rate != 0.1, row.rate, row.seed)):
        setup = first.setdefault(row.data.name, Setup.of(row))
        if (setup.rate, setup.pattern) == (row.rate, row.pattern):
            found.setdefault(row.data.name, {}).setdefault(row.label, row)
    return {name: found[name] for name in evidence.cards if name in found}


def _draw_curves(axes: Axes, rows: dict[str, Row], strokes: Strokes, across: str) -> None:
    for label, row in reversed(rows.items()):
        _draw_curve(axes, row, strokes[label], seconds=across == "seconds")
    axes.set_yscale("log")
    axes.set_ylim(top=min(axes.get_ylim()[1], LARGEST))
    if across == "seconds":
        axes.set_xscale("log")
        axes.set_xlim(left=max(axes.get_xlim()[0], _EARLIEST))
        set_plain_log_ticks(axes, "x")
    else:
        axes.set_xscale("symlog", linthresh=1)
        axes.set_xlim(left=-0.15)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    set_plain_log_ticks(axes, "y")


def _draw_curve(axes: Axes, row: Row, stroke: Stroke, *, seconds: bool) -> None:
    points = [(time if seconds else step, rmse) for step, time, rmse in row.curve if math.isfinite(rmse) and rmse > 0]
    if seconds:
        points = [point for point in points if point[0] > 0]
    if points and row.curve[-1][0] <= 1:
        level = points[-1][1]
        axes.plot([0.03, 0.97], [level, level], transform=axes.get_yaxis_transform(), **line_style(stroke))
    elif points:
        step = max(1, len(points) // 6)
        marks = slice((len(points) - 1) % step, None, step)  # counted from the end, so that the last point has one
        axes.plot(*zip(*points, strict=True), markevery=marks, **line_style(stroke))


# Figure 1b and its sibling


def plot_ranks(evidence: Evidence, strokes: Strokes) -> tuple[Drawn | LeftOut, ...]:
    """RMSE against x for the rank [x, x, x], a figure per rate and pattern of holes."""
    title = "Figure 1b. RMSE against the rank [x, x, x]"
    by_setup = rank_points(evidence)
    if not by_setup:
        asked = any(row.experiment == "ranks" for row in evidence.rows)
        return (LeftOut(title, "no run of the experiment `ranks` ended well."),) if asked else ()
    caption = "RMSE over all entries; where a mode is smaller than x, its rank is the mode's size."
    found = []
    for place, (setup, points) in enumerate(by_setup.items()):
        name = "fig1b-ranks" if place == 0 else f"fig1b-{setup.slug}"
        told = f"{title}, {setup.title}" if len(by_setup) > 1 or setup.holes else title
        found.append(_plot_sweep(evidence, strokes, points, name, told, caption, "x"))
    return tuple(found)


def plot_rates(evidence: Evidence, strokes: Strokes) -> tuple[Drawn | LeftOut, ...]:
    """RMSE against the share of entries that was observed, a figure per pattern of holes."""
    title = "RMSE against the sampling rate"
    caption = "RMSE over all entries on a logarithmic scale, against the share of entries observed."
    found = []
    for pattern in dict.fromkeys(setup.pattern for setup in order_setups(evidence.rows)):
        rows = _at_several_rates([row for row in evidence.finished if row.pattern == pattern])
        if rows:
            name, told = ("rates", title) if pattern == UNIFORM else (f"rates-{pattern}", f"{title} ({pattern})")
            points = points_of(evidence, rows, lambda row: 100 * row.rate)
            found.append(_plot_sweep(evidence, strokes, points, name, told, caption, "observed entries, %"))
    asked = any(row.experiment == "rates" for row in evidence.rows)
    why = "no run of the experiment `rates` ended well, and no other has several rates."
    return tuple(found) or ((LeftOut(title, why),) if asked else ())


def _at_several_rates(rows: list[Row]) -> list[Row]:
    """The rows of the experiment `rates`, and those of others where a method ran on a dataset at several rates.

    Where both have a rate, `rates` counts, so that runs of different length are not averaged.
    """
    found: dict[tuple[str, str], dict[float, dict[str, list[Row]]]] = {}
    for row in rows:
        if row.experiment != "ranks":
            line = found.setdefault((row.data.name, row.label), {})
            line.setdefault(row.rate, {}).setdefault(row.experiment, []).append(row)
    return [
        row
        for line in found.values()
        if len(line) > 1 or any("rates" in by_experiment for by_experiment in line.values())
        for by_experiment in line.values()
        for row in by_experiment.get("rates", next(iter(by_experiment.values())))
    ]


def _plot_sweep(
    evidence: Evidence, strokes: Strokes, points: Points, name: str, title: str, caption: str, across: str
) -> Drawn:
    def draw(axes: Axes, dataset: str) -> None:
        for label, line in reversed(points[dataset].items()):
            axes.plot(*zip(*line, strict=True), **line_style(strokes[label]))
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        if low < LARGEST < high:
            axes.set_ylim(top=LARGEST)
        set_plain_log_ticks(axes, "y")
        places = sorted({x for line in points[dataset].values() for x, _ in line})
        axes.set_xticks(places, [f"{x:g}" for x in places])

    figure = draw_panels(evidence, strokes, points, draw, across=across)
    if any(rmse > LARGEST for lines in points.values() for line in lines.values() for _, rmse in line):
        caption += f" What is above {LARGEST:g} is out of view."
    return Drawn(name, title, caption, figure)


# Time against error


def plot_times(evidence: Evidence, strokes: Strokes) -> tuple[Drawn | LeftOut, ...]:
    """A figure per setup, for rates and patterns of holes are never mixed; lower left is better."""
    title = "Time against error"
    found = {setup: cells for setup in evidence.setups if (cells := _timed_cells(evidence, setup))}
    if not found:
        return (LeftOut(title, "no run has both an RMSE and seconds."),)
    drawn = []
    for place, (setup, cells) in enumerate(found.items()):
        name = "time-error" if place == 0 else f"time-error-{setup.slug}"
        told = f"{title}, {setup.title}" if len(found) > 1 or setup.holes else title
        drawn.append(_plot_times(evidence, strokes, cells, name, told))
    return tuple(drawn)


def _timed_cells(evidence: Evidence, setup: Setup) -> dict[str, dict[str, tuple[float, float]]]:
    """Mean seconds and RMSE of the cells of a setup that have both, by dataset and label."""
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for dataset in evidence.datasets_at(setup):
        for label in evidence.labels_at(setup):
            cell: Cell = evidence.cell(setup, dataset, label)
            seconds = cell.mean(lambda run: run.seconds)
            if cell.rmse is not None and seconds is not None:
                found.setdefault(dataset, {})[label] = seconds, cell.rmse.mean
    return found


def _plot_times(
    evidence: Evidence, strokes: Strokes, cells: dict[str, dict[str, tuple[float, float]]], name: str, title: str
) -> Drawn:
    """A log-log scatter per dataset, every mark labelled."""
    marks: dict[str, tuple[Axes, list[Mark]]] = {}

    def draw(axes: Axes, dataset: str) -> None:
        points = []
        for label, (seconds, rmse) in reversed(cells[dataset].items()):
            stroke = strokes[label]
            x, y = max(seconds, _SHORTEST), min(rmse, LARGEST)
            axes.plot([x], [y], **{**line_style(stroke), "linestyle": "none", "markersize": stroke.size + 2})
            points.append(Mark(label if rmse <= LARGEST else f"{label} ({error(rmse)})", x, y, stroke.color))
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.margins(0.18)
        set_plain_log_ticks(axes, "x")
        set_plain_log_ticks(axes, "y")
        marks[dataset] = axes, points

    figure = draw_panels(evidence, strokes, cells, draw, across="seconds", scale=1.2)
    figure.draw_without_rendering()
    for axes, points in marks.values():
        place_labels(axes, points)
    caption = (
        "Means over seeds, both axes logarithmic; lower left is better. "
        f"What took less than {_SHORTEST:g} s is drawn at {_SHORTEST:g} s, an RMSE above {LARGEST:g} at {LARGEST:g}."
    )
    return Drawn(name, title, caption, figure)
