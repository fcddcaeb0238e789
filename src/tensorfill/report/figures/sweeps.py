"""Figure 1b, RMSE against the rank, and its sibling against the share of entries observed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import fmean
from typing import TYPE_CHECKING

from ...rows import Row
from ..evidence import UNIFORM, Evidence, Setup, setup_of
from .figure import Drawn, LeftOut
from .panels import LARGEST, panels, plain_log_ticks
from .style import Stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Points = dict[str, dict[str, list[tuple[float, float]]]]


def ranks(evidence: Evidence, strokes: dict[str, Stroke]) -> tuple[Drawn | LeftOut, ...]:
    """RMSE against x for the rank [x, x, x], a figure per rate and pattern of holes."""
    title = "Figure 1b. RMSE against the rank [x, x, x]"
    rows = [row for row in _finished(evidence) if row.experiment == "ranks" and rank_of(row) is not None]
    setups = _in_order({setup_of(row) for row in rows})
    if not setups:
        return (LeftOut(title, "no run of an experiment called `ranks` ended well."),)
    caption = "RMSE over all entries; where a mode is smaller than x, its rank is the mode's size."
    found = []
    for place, setup in enumerate(setups):
        name = "fig1b-ranks" if place == 0 else f"fig1b-{setup.slug}"
        told = f"{title}, {setup.title}" if len(setups) > 1 or setup.holes else title
        points = _points(evidence, [row for row in rows if setup_of(row) == setup], rank_of)
        found.append(_drawn(evidence, strokes, points, name, told, caption, "x"))
    return tuple(found)


def rates(evidence: Evidence, strokes: dict[str, Stroke]) -> tuple[Drawn | LeftOut, ...]:
    """RMSE against the share of entries that was observed, a figure per pattern of holes."""
    title = "RMSE against the sampling rate"
    patterns = dict.fromkeys(setup.pattern for setup in _in_order({setup_of(row) for row in evidence.rows}))
    caption = "RMSE over all entries on a logarithmic scale, against the share of entries observed."
    found = []
    for pattern in patterns:
        rows = _at_several_rates([row for row in _finished(evidence) if row.pattern == pattern])
        if rows:
            name, told = ("rates", title) if pattern == UNIFORM else (f"rates-{pattern}", f"{title} ({pattern})")
            points = _points(evidence, rows, lambda row: 100 * row.rate)
            found.append(_drawn(evidence, strokes, points, name, told, caption, "observed entries, %"))
    why = "no run of an experiment called `rates` ended well, and no other has several rates."
    return tuple(found) or (LeftOut(title, why),)


def rank_of(row: Row) -> float | None:
    """The x of a run's rank, given as a number or one per mode; the largest, for small modes cut theirs."""
    rank = row.settings.get("rank")
    if isinstance(rank, list | tuple):
        return float(max(rank)) if rank else None
    return float(rank) if isinstance(rank, int | float) else None


def _finished(evidence: Evidence) -> list[Row]:
    return [row for row in evidence.rows if row.status == "ok" and row.rmse is not None]


def _in_order(setups: Iterable[Setup]) -> list[Setup]:
    """The paper's first, then other uniform ones."""
    return sorted(setups, key=lambda setup: (not setup.is_the_papers, setup.pattern != UNIFORM, setup.pattern, setup))


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


def _points(evidence: Evidence, rows: Iterable[Row], across: Callable[[Row], float | None]) -> _Points:
    """Dataset → label → (x, mean RMSE over seeds), sorted."""
    found: dict[str, dict[str, dict[float, list[float]]]] = {}
    for row in rows:
        x = across(row)
        if row.rmse is not None and x is not None:
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
