"""Figure 1b, RMSE against the rank, and its sibling against the share of entries observed."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean
from typing import TYPE_CHECKING

from ...rows import Row
from ..evidence import Evidence
from .figure import Drawn, LeftOut
from .panels import panels, plain_log_ticks
from .style import Stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Points = dict[str, dict[str, list[tuple[float, float]]]]


def ranks(evidence: Evidence, strokes: dict[str, Stroke]) -> Drawn | LeftOut:
    """RMSE against x for the rank [x, x, x]."""
    title = "Figure 1b. RMSE against the rank [x, x, x]"
    points = _points(evidence, "ranks", rank_of)
    if not points:
        return LeftOut(title, "no run of an experiment called `ranks` ended well.")
    caption = "RMSE over all entries; where a mode is smaller than x, its rank is the mode's size."
    return _drawn(evidence, strokes, points, "fig1b-ranks", title, caption, "x")


def rates(evidence: Evidence, strokes: dict[str, Stroke]) -> Drawn | LeftOut:
    """RMSE against the share of entries that was observed."""
    title = "RMSE against the sampling rate"
    points = _points(evidence, "rates", lambda row: 100 * row.rate)
    if not points:
        return LeftOut(title, "no run of an experiment called `rates` ended well.")
    caption = "RMSE over all entries on a logarithmic scale, against the share of entries observed."
    return _drawn(evidence, strokes, points, "rates", title, caption, "observed entries, %")


def rank_of(row: Row) -> float | None:
    """The x of a run's rank, given as a number or one per mode; the largest, for small modes cut theirs."""
    rank = row.settings.get("rank")
    if isinstance(rank, list | tuple):
        return float(max(rank)) if rank else None
    return float(rank) if isinstance(rank, int | float) else None


def _points(evidence: Evidence, experiment: str, across: Callable[[Row], float | None]) -> _Points:
    """Dataset → label → (x, mean RMSE over seeds), sorted."""
    found: dict[str, dict[str, dict[float, list[float]]]] = {}
    for row in evidence.rows:
        x = across(row)
        if row.experiment == experiment and row.status == "ok" and row.rmse is not None and x is not None:
            found.setdefault(row.data.name, {}).setdefault(row.label, {}).setdefault(x, []).append(row.rmse)
    return {
        name: {
            label: sorted((x, fmean(values)) for x, values in found[name][label].items())
            for label in evidence.labels
            if label in found[name]
        }
        for name in evidence.cards
        if name in found
    }


def _drawn(
    evidence: Evidence,
    strokes: dict[str, Stroke],
    points: _Points,
    name: str,
    title: str,
    caption: str,
    across: str,
) -> Drawn:
    def draw(axes: Axes, dataset: str) -> None:
        for label, line in reversed(points[dataset].items()):
            axes.plot(*zip(*line, strict=True), **strokes[label].line_style())
        axes.set_yscale("log")
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
    return Drawn(name, title, caption, figure)
