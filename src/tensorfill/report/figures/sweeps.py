"""Figure 1b, RMSE against the rank, and its sibling against the share of entries observed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...rows import Row
from ..evidence import UNIFORM, Evidence, setup_of
from ..sweep_points import Points, finished, in_order, points_of, rank_points
from .figure import Drawn, LeftOut
from .panels import LARGEST, panels, plain_log_ticks
from .style import Stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def ranks(evidence: Evidence, strokes: dict[str, Stroke]) -> tuple[Drawn | LeftOut, ...]:
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
        found.append(_drawn(evidence, strokes, points, name, told, caption, "x"))
    return tuple(found)


def rates(evidence: Evidence, strokes: dict[str, Stroke]) -> tuple[Drawn | LeftOut, ...]:
    """RMSE against the share of entries that was observed, a figure per pattern of holes."""
    title = "RMSE against the sampling rate"
    patterns = dict.fromkeys(setup.pattern for setup in in_order({setup_of(row) for row in evidence.rows}))
    caption = "RMSE over all entries on a logarithmic scale, against the share of entries observed."
    found = []
    for pattern in patterns:
        rows = _at_several_rates([row for row in finished(evidence) if row.pattern == pattern])
        if rows:
            name, told = ("rates", title) if pattern == UNIFORM else (f"rates-{pattern}", f"{title} ({pattern})")
            points = points_of(evidence, rows, lambda row: 100 * row.rate)
            found.append(_drawn(evidence, strokes, points, name, told, caption, "observed entries, %"))
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


def _drawn(
    evidence: Evidence,
    strokes: dict[str, Stroke],
    points: Points,
    name: str,
    title: str,
    caption: str,
    across: str,
) -> Drawn:
    def draw(axes: Axes, dataset: str) -> None:
        for label, line in reversed(points[dataset].items()):
            axes.plot(*zip(*line, strict=True), **strokes[label].line_style())
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        if low < LARGEST < high:
            axes.set_ylim(top=LARGEST)
        plain_log_ticks(axes, "y")
        places = sorted({x for line in points[dataset].values() for x, _ in line})
        axes.set_xticks(places, [f"{x:g}" for x in places])

    figure = panels(
        list(points),
        draw,
        title=evidence.title,
        across=across,
        up="RMSE",
        legend=[label for label in evidence.labels if any(label in lines for lines in points.values())],
        strokes=strokes,
    )
    if any(error > LARGEST for lines in points.values() for line in lines.values() for _, error in line):
        caption += f" What is above {LARGEST:g} is out of view."
    return Drawn(name, title, caption, figure)
