"""Every figure, drawn in the house style and written as PNG and SVG."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from ..evidence import Evidence
from ..pictures import Album
from .curves import curves
from .figure import Drawn, LeftOut
from .picture_grids import components, grid, papers_grid
from .style import house_style, strokes
from .sweeps import ranks, rates
from .time_error import time_errors

_MAKER = "tensorfill report"


def all_figures(evidence: Evidence, albums: Sequence[Album]) -> tuple[Drawn | LeftOut, ...]:
    """The figures in the order of the paper, then ours; what was asked for and has no rows says why it is left out."""
    styles = strokes(evidence.labels)
    with house_style():
        found: list[Drawn | LeftOut] = [*curves(evidence, styles), *ranks(evidence, styles), *components(albums)]
        found += papers_grid(albums) if albums else ()
        found += [grid(album) for album in albums]
        found += [*time_errors(evidence, styles), *rates(evidence, styles)]
    return tuple(found)


def files_of(drawn: Drawn) -> Iterator[tuple[str, bytes]]:
    """The names and contents of a figure's files."""
    with house_style():
        for ending in ("png", "svg"):
            file = io.BytesIO()
            # No date: the same rows give the same bytes.
            metadata = {"Date": None, "Creator": _MAKER} if ending == "svg" else {"Software": _MAKER}
            drawn.figure.savefig(file, format=ending, metadata=metadata, transparent=ending == "svg")
            yield f"{drawn.name}.{ending}", file.getvalue()
