"""Panels: one small plot per dataset, side by side, with one legend for all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from ..evidence import APPROXIMATE_MARK
from .style import Stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 3.7, 2.9
MARK_MEANS = f"{APPROXIMATE_MARK} approximate data"
"""Said in every figure that has the mark, for its file may be shown without the page."""
LARGEST = 1.0
"""Errors above this are worse than any constant in [0, 1]; axes end here, so that the others can be told apart."""


def panels(
    datasets: Sequence[str],
    draw: Callable[[Axes, str], None],
    *,
    title: Callable[[str], str],
    across: str,
    up: str,
    legend: Iterable[str],
    strokes: dict[str, Stroke],
    scale: float = 1.0,
) -> Figure:
    """A figure with a panel per dataset; `draw` fills one."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    columns = min(3, len(datasets)) if len(datasets) != 4 else 2
    rows = math.ceil(len(datasets) / columns)
    labels = list(legend)
    per_line = max(1, int(columns * scale * _WIDTH / 1.25))
    below = 0.22 * math.ceil(len(labels) / per_line) + 0.15
    figure = Figure(figsize=(columns * _WIDTH * scale, rows * _HEIGHT * scale + below), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for place, axes in enumerate(grid.flat):
        if place >= len(datasets):
            axes.set_visible(False)
            continue
        draw(axes, datasets[place])
        axes.set_title(title(datasets[place]))
        axes.set_xlabel(across)
        if place % columns == 0:
            axes.set_ylabel(up)
    handles = [Line2D([], [], label=label, **strokes[label].line_style()) for label in labels]
    if any(APPROXIMATE_MARK in title(dataset) for dataset in datasets):
        handles.append(Line2D([], [], linestyle="none", label=MARK_MEANS))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(per_line, len(labels)), handlelength=2.4)
    return figure


def plain_log_ticks(axes: Axes, which: str) -> None:
    """Ticks such as 0.05 and 0.1 instead of powers of ten, more of them where the range is short."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis = axes.yaxis if which == "y" else axes.xaxis
    low, high = axes.get_ylim() if which == "y" else axes.get_xlim()
    decades = math.log10(high / low) if low > 0 else 9
    steps = (1.0, 2.0, 3.0, 5.0, 7.0) if decades < 1 else (1.0, 2.0, 5.0) if decades < 2.5 else (1.0,)
    axis.set_major_locator(LogLocator(base=10, subs=steps, numticks=12))
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
