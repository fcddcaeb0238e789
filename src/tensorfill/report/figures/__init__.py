"""The figures: what is drawn from which rows."""

from __future__ import annotations

from collections.abc import Sequence

from ..evidence import Evidence
from ..pictures import Album
from .drawing import Drawn, LeftOut, assign_strokes, house_style
from .picture_grids import draw_components, draw_grid, draw_papers_grid
from .plots import plot_curves, plot_ranks, plot_rates, plot_times


def draw_figures(evidence: Evidence, albums: Sequence[Album]) -> tuple[Drawn | LeftOut, ...]:
    """The figures in the order of the paper, then ours; what was asked for and has no rows says why it is left out."""
    strokes = assign_strokes(evidence.labels)
    with house_style():
        return (
            *plot_curves(evidence, strokes),
            *plot_ranks(evidence, strokes),
            *draw_components(albums),
            *draw_papers_grid(albums),
            *(draw_grid(album) for album in albums),
            *plot_times(evidence, strokes),
            *plot_rates(evidence, strokes),
        )
