"""Label places: where the names of marks go so that they do not cover each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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
