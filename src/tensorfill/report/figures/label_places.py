"""Label places: where the names of marks go so that they do not cover each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

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
    from matplotlib.transforms import Bbox

    figure = axes.get_figure(root=True)
    assert figure is not None
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    unit = figure.dpi / 72
    taken = []
    for mark in marks:
        across, up = axes.transData.transform((mark.x, mark.y))
        taken.append(Bbox.from_extents(*(v + s * _MARK * unit for s in (-1, 1) for v in (across, up))))
    for mark in sorted(marks, key=lambda mark: (mark.y, mark.x)):
        place = (mark.x, mark.y)
        lead = {"arrowstyle": "-", "color": mark.color, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 3}
        note = axes.annotate(
            mark.label, place, (0, 0), textcoords="offset points", fontsize=7.5, annotation_clip=False, arrowprops=lead
        )
        costs = []
        for across, up, horizontal, vertical in _PLACES:
            _move(note, across, up, horizontal, vertical)
            costs.append(_cost(_box(note, renderer), taken, axes.bbox))
            if costs[-1] == 0:
                break
        best = _PLACES[costs.index(min(costs))]
        _move(note, *best)
        if note.arrow_patch is not None:
            note.arrow_patch.set_visible(max(abs(best[0]), abs(best[1])) >= _FAR)
        note.set_in_layout(False)
        taken.append(_box(note, renderer))


def _move(note: Annotation, across: float, up: float, horizontal: _Side, vertical: _Level) -> None:
    note.set_position((across, up))
    note.set_horizontalalignment(horizontal)
    note.set_verticalalignment(vertical)


def _box(note: Annotation, renderer: RendererAgg) -> Bbox:
    """The box of the words alone, without the line that leads to them."""
    from matplotlib.text import Text

    note.update_positions(renderer)
    return Text.get_window_extent(note, renderer)


def _cost(box: Bbox, taken: list[Bbox], inside: Bbox) -> float:
    """The area covered twice, and twice the area outside of the axes."""
    covered = sum(_overlap(box, other) for other in taken)
    return covered + 2 * (box.width * box.height - _overlap(box, inside))


def _overlap(one: Bbox, other: Bbox) -> float:
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    high = min(one.y1, other.y1) - max(one.y0, other.y0)
    return float(max(wide, 0) * max(high, 0))
