"""Drawing: what all figures share. A stroke for every method, a small plot per dataset, and labels that stay apart."""

from __future__ import annotations

import io
import math
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..method import Stroke
from ..methods.registry import available_methods
from ..private_folder import private_folder
from .evidence import APPROXIMATE_MARK, Evidence

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

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


# Where matplotlib keeps its things

_MATPLOTLIB_FOLDERS = ("MPLCONFIGDIR", "XDG_CACHE_HOME")  # its own, and that of the library that lists fonts for it


@contextmanager
def matplotlib_folder(spare: Path) -> Iterator[None]:
    """Without a home to write in, name matplotlib a temporary folder, or else `spare`: it would warn, or fail.

    It keeps its settings and its list of fonts there. `spare` does not outlast the block.
    """
    if _MATPLOTLIB_FOLDERS[0] in os.environ or sys.platform in ("win32", "darwin") or _has_home():
        yield
        return
    before = {name: os.environ.get(name) for name in _MATPLOTLIB_FOLDERS}
    spare.mkdir()
    os.environ |= dict.fromkeys(_MATPLOTLIB_FOLDERS, str(private_folder() or spare))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        shutil.rmtree(spare, ignore_errors=True)


def _has_home() -> bool:
    """Whether there can be folders for settings and for what is kept."""
    try:
        home = Path.home()
    except RuntimeError:  # a user without a name
        return False
    places = {"XDG_CONFIG_HOME": home / ".config", "XDG_CACHE_HOME": home / ".cache"}
    return all(_can_be_made(Path(os.environ.get(name) or usual)) for name, usual in places.items())


def _can_be_made(folder: Path) -> bool:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


# Labels of marks

_Side = Literal["left", "center", "right"]
_Level = Literal["top", "center", "bottom"]

# (across, up, horizontal, vertical) in points from the mark, the best first.
_NEAR: tuple[tuple[float, float, _Side, _Level], ...] = (
    (6.0, 0.0, "left", "center"),
    (-6.0, 0.0, "right", "center"),
    (0.0, 6.0, "center", "bottom"),
    (0.0, -6.0, "center", "top"),
    (5.0, 5.0, "left", "bottom"),
    (5.0, -5.0, "left", "top"),
    (-5.0, 5.0, "right", "bottom"),
    (-5.0, -5.0, "right", "top"),
)
_PLACES = tuple(
    (across * reach, up * reach, side, level) for reach in (1.0, 1.9, 3.0, 4.5) for across, up, side, level in _NEAR
)
_MARK = 5.0
"""Half the size of a mark, in points, with some air."""
_FAR = 9.0
"""From this distance on, in points, a line leads from the mark to its label."""


@dataclass(frozen=True)
class Mark:
    """A point of a plot with its name."""

    label: str
    x: float
    y: float
    color: str


def place_labels(axes: Axes, marks: list[Mark]) -> None:
    """Write the labels beside each mark, at the first place that covers least of marks and other labels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    figure = axes.get_figure(root=True)
    assert figure is not None
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    half = _MARK * figure.dpi / 72
    centres = [axes.transData.transform((mark.x, mark.y)) for mark in marks]
    taken = [Bbox.from_extents(x - half, y - half, x + half, y + half) for x, y in centres]
    for mark in sorted(marks, key=lambda mark: (mark.y, mark.x)):
        lead = {"arrowstyle": "-", "color": mark.color, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 3}
        note = axes.annotate(
            mark.label,
            (mark.x, mark.y),
            (0, 0),
            textcoords="offset points",
            fontsize=7.5,
            annotation_clip=False,
            arrowprops=lead,
        )

        def box_at(place: tuple[float, float, _Side, _Level], note: Annotation = note) -> Bbox:
            """Move the words there: their box, without the line that leads to them."""
            across, up, horizontal, vertical = place
            note.set(position=(across, up), horizontalalignment=horizontal, verticalalignment=vertical)
            note.update_positions(renderer)
            return Text.get_window_extent(note, renderer)

        best = min(_PLACES, key=lambda place: _cost(box_at(place), taken, axes.bbox))
        taken.append(box_at(best))
        if note.arrow_patch is not None:
            note.arrow_patch.set_visible(max(abs(best[0]), abs(best[1])) >= _FAR)
        note.set_in_layout(False)


def _cost(box: Bbox, taken: list[Bbox], inside: Bbox) -> float:
    """The area covered twice, and twice the area outside of the axes."""
    covered = sum(_overlap(box, other) for other in taken)
    return covered + 2 * (box.width * box.height - _overlap(box, inside))


def _overlap(one: Bbox, other: Bbox) -> float:
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    high = min(one.y1, other.y1) - max(one.y0, other.y0)
    return float(max(wide, 0) * max(high, 0))
