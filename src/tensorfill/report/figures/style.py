"""One look for all figures: a fixed colour and marker for every method, readable type, quiet axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import Any

INK = "#24292f"
GRID = "#d0d7de"
DPI = 160


@dataclass(frozen=True)
class Stroke:
    """How a method is drawn."""

    color: str
    marker: str
    line: str = "-"
    width: float = 1.3
    size: float = 5.0

    def line_style(self) -> dict[str, Any]:
        """As arguments of `Axes.plot`."""
        return {
            "color": self.color,
            "marker": self.marker,
            "linestyle": self.line,
            "linewidth": self.width,
            "markersize": self.size,
            "markeredgewidth": 0.9,
        }


# Hues that stay apart for the colour-blind (Okabe and Ito's, and others of middle brightness, which show on white and
# on black); no marker is used twice, so that a figure can be read without colour.
_KNOWN = {
    # These two often lie on each other: the second is wider and drawn first, so that both can be seen.
    "nonneg-dual": Stroke("#d55e00", "o", width=1.4, size=4.5),
    "dual": Stroke("#0072b2", "s", width=2.8, size=6.5),
    "dual-demo": Stroke("#56b4e9", "D", "--"),
    "rprecon": Stroke("#009e73", "^"),
    "geomcg": Stroke("#cc79a7", "v"),
    "ncpc": Stroke("#e69f00", "P"),
    "tmac": Stroke("#a6611a", "X"),
    "lrtc-tv": Stroke("#8a63b8", "<"),
    "smf-lrtc": Stroke("#44aa99", ">"),
    "ffw": Stroke("#b2446a", "p"),
    "t-ctv": Stroke("#c0392b", "*", size=6.5),
    "tnn": Stroke("#3c8dbc", "H"),
    "halrtc": Stroke("#7a9e00", "8"),
    "lrtc-tnn": Stroke("#117733", "$t$", size=6.5),
    "spc": Stroke("#b8860b", "1", size=6.5),
    "bcpf": Stroke("#7f6bb3", "2", size=6.5),
    "zero-fill": Stroke("#8c8c8c", "x", ":"),
    "mean-fill": Stroke("#8c8c8c", "+", ":"),
    "linear": Stroke("#999933", "h", "-."),
    "biharmonic": Stroke("#6f7fc0", "d", "-."),
}
_SPARE_COLORS = ("#2e9e8f", "#9b5de5", "#d1495b", "#5f8d4e", "#4f7cac", "#b07d62")
_SPARE_MARKERS = ("3", "4", "|", "_", "$a$", "$b$", "$c$", "$d$", "$e$")


def strokes(labels: Mapping[str, str]) -> dict[str, Stroke]:
    """A stroke for every label, given with its method.

    A label that is called like its method has the method's own stroke, and so has the first variant of a method that
    doesn't run plain; further variants have its colour and a spare marker, unknown methods a spare colour as well.
    """
    found: dict[str, Stroke] = {}
    taken = {label for label in labels if label in _KNOWN}
    colors, markers = cycle(_SPARE_COLORS), cycle(_SPARE_MARKERS)
    own: dict[str, str] = {}
    for label, method in labels.items():
        if label in _KNOWN:
            found[label] = _KNOWN[label]
        elif method in _KNOWN and method not in taken:
            taken.add(method)
            found[label] = _KNOWN[method]
        else:
            known = _KNOWN[method].color if method in _KNOWN else own.setdefault(method, next(colors))
            found[label] = Stroke(known, next(markers), "--")
    return found


SETTINGS: Mapping[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Helvetica", "Arial"],
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.labelsize": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.dpi": DPI,
    "savefig.dpi": DPI,
    # Text stays text: it can be searched, and the page shows it in its own type.
    "svg.fonttype": "none",
    "svg.hashsalt": "tensorfill",
}


@contextmanager
def house_style() -> Iterator[None]:
    """Everything drawn and written in the block has the look of the house."""
    import matplotlib

    with matplotlib.rc_context(dict(SETTINGS)):
        yield
