"""Drawing: what all figures share. A fixed colour and marker for every method, and one small plot per dataset."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...method import Stroke
from ...methods.registry import available_methods
from ..evidence import APPROXIMATE_MARK, Evidence

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, GRID = "#24292f", "#d0d7de"
"""Colours of `house.mplstyle`, which the page replaces by its own."""
DPI = 160
LARGEST = 1.0
"""Errors above this are worse than any constant in [0, 1]; axes end here, so that the others can be told apart."""
MARK_MEANS = f"{APPROXIMATE_MARK} approximate data"
"""Said in every figure that has the mark, for its file may be shown without the page."""
_WIDTH, _HEIGHT = 3.7, 2.9
_MAKER = "tensorfill report"
# Hues that stay apart for the colour-blind and show on white and on black. No marker is that of a method that ships, so
# that a figure can be read without colour.
_SPARE_COLORS = ("#2e9e8f", "#9b5de5", "#d1495b", "#5f8d4e", "#4f7cac", "#b07d62")
_SPARE_MARKERS = ("3", "4", "|", "_", "$a$", "$b$", "$c$", "$d$", "$e$")


@dataclass(frozen=True)
class Drawn:
    """A finished figure; `name` is what its files are called."""

    name: str
    title: str
    caption: str
    figure: Figure
    on_page: bool = True
    """Whether the page shows it; grids of pictures are there in another form."""


@dataclass(frozen=True)
class LeftOut:
    """A figure that was asked for and has no rows."""

    title: str
    why: str


@contextmanager
def house_style() -> Iterator[None]:
    """Everything drawn and written in the block has the look of the house."""
    import matplotlib.style

    with matplotlib.style.context(Path(__file__).with_name("house.mplstyle")):
        yield


def figure_files(drawn: Drawn) -> Iterator[tuple[str, bytes]]:
    """The names and contents of a figure's files."""
    with house_style():
        for ending in ("png", "svg"):
            file = io.BytesIO()
            # No date: the same rows give the same bytes.
            metadata = {"Date": None, "Creator": _MAKER} if ending == "svg" else {"Software": _MAKER}
            drawn.figure.savefig(file, format=ending, metadata=metadata, transparent=ending == "svg")
            yield f"{drawn.name}.{ending}", file.getvalue()


def assign_strokes(labels: Mapping[str, str]) -> dict[str, Stroke]:
    """A stroke for every label, given with its method.

    A label that is called like its method has the method's own stroke, and so has the first variant of a method that
    doesn't run plain; further variants have its colour and a spare marker, methods without a stroke a spare colour too.
    """
    own = {name: stroke for name, kind in available_methods().items() if (stroke := kind.stroke)}
    taken = {label for label in labels if label in own}
    colors, markers = cycle(_SPARE_COLORS), cycle(_SPARE_MARKERS)
    spare: dict[str, str] = {}
    found: dict[str, Stroke] = {}
    for label, method in labels.items():
        if label in own:
            found[label] = own[label]
        elif method in own and method not in taken:
            taken.add(method)
            found[label] = own[method]
        else:
            color = own[method].color if method in own else spare.setdefault(method, next(colors))
            found[label] = Stroke(color, next(markers), "--")
    return found


def line_style(stroke: Stroke) -> dict[str, Any]:
    """A stroke as arguments of `Axes.plot`."""
    return {
        "color": stroke.color,
        "marker": stroke.marker,
        "linestyle": stroke.line,
        "linewidth": stroke.width,
        "markersize": stroke.size,
        "markeredgewidth": 0.9,
    }


def draw_panels(
    evidence: Evidence,
    strokes: Mapping[str, Stroke],
    shown: Mapping[str, Collection[str]],
    draw: Callable[[Axes, str], None],
    *,
    across: str,
    scale: float = 1.0,
    holes: Mapping[str, str] | None = None,
) -> Figure:
    """A panel per dataset, filled by `draw`, and one legend; `shown` has the labels in every panel.

    `holes` are said after the dataset's title, where panels differ in them.
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    titles = {dataset: f"{evidence.title(dataset)}{(holes or {}).get(dataset, '')}" for dataset in shown}
    labels = [label for label in evidence.labels if any(label in names for names in shown.values())]
    columns = min(3, len(shown)) if len(shown) != 4 else 2
    rows = math.ceil(len(shown) / columns)
    per_line = max(1, int(columns * scale * _WIDTH / 1.25))
    below = 0.22 * math.ceil(len(labels) / per_line) + 0.15
    figure = Figure(figsize=(columns * _WIDTH * scale, rows * _HEIGHT * scale + below), layout="constrained")
    places = list(figure.subplots(rows, columns, squeeze=False).flat)
    for place, (axes, dataset) in enumerate(zip(places, shown, strict=False)):
        draw(axes, dataset)
        axes.set_title(titles[dataset])
        axes.set_xlabel(across)
        if place % columns == 0:
            axes.set_ylabel("RMSE")
    for axes in places[len(shown) :]:
        axes.set_visible(False)
    handles = [Line2D([], [], label=label, **line_style(strokes[label])) for label in labels]
    if any(APPROXIMATE_MARK in title for title in titles.values()):
        handles.append(Line2D([], [], linestyle="none", label=MARK_MEANS))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(per_line, len(labels)), handlelength=2.4)
    return figure


def set_plain_log_ticks(axes: Axes, which: str) -> None:
    """Ticks such as 0.05 and 0.1 instead of powers of ten, more of them where the range is short."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis = axes.yaxis if which == "y" else axes.xaxis
    low, high = axes.get_ylim() if which == "y" else axes.get_xlim()
    decades = math.log10(high / low) if low > 0 else 9
    steps = (1.0, 2.0, 3.0, 5.0, 7.0) if decades < 1 else (1.0, 2.0, 5.0) if decades < 2.5 else (1.0,)
    axis.set_major_locator(LogLocator(base=10, subs=steps, numticks=12))
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
