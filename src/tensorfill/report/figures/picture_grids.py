"""Figure 2, a frame and its components, and Figure 3, every method's picture of a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from PIL import Image

from ..evidence import APPROXIMATE_MARK
from ..numbers import error
from ..pictures import Album, first_albums
from ..published import PublishedRow, load_published
from .drawing import DPI, MARK_MEANS, Drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PAPERS = ("hall", "highway")
"""The datasets of the paper's Figure 2."""
_PAPERS_GRID = ("container", "hall", "tomato", "baboon", "splash", "braga", "ribeira")
"""Those of its Figure 3, in its order."""
_SIDE = 1.75
_Tile = tuple[str, Path | None]
_Rows = list[tuple[str, list[_Tile]]]
"""Pictures with the title of their row."""


def draw_components(albums: Sequence[Album]) -> list[Drawn]:
    """Original, W and its components: the paper's datasets in one figure, others in a second."""
    title = "Figure 2. The original, its completion W, and the components W⁽ᵏ⁾ that add up to W"
    caption = "Each component is divided by its own largest value in view, and black where it is negative."
    main: _Rows = []
    others: _Rows = []
    for album in first_albums(albums):
        if shot := album.decomposed:
            tiles: list[_Tile] = [("original", album.truth), (f"W, {shot.label}", shot.path)]
            tiles += [(f"W$^{{({place})}}$", path) for place, path in enumerate(shot.components, start=1)]
            (main if album.dataset in _PAPERS else others).append((album.title, tiles))
    figures = {"fig2-components": (title, main or others)}
    if main:
        figures["fig2-components-others"] = (f"{title}: other datasets", others)
    return [
        Drawn(name, told, caption, _tile_rows(rows), on_page=False) for name, (told, rows) in figures.items() if rows
    ]


def draw_grid(album: Album) -> Drawn:
    """Figure 3 for one album: original, observed, and every method with its RMSE."""
    tiles: list[_Tile] = [("original", album.truth), (f"observed, {album.share}", album.observed)]
    tiles += [(f"{shot.label}\n{'' if shot.rmse is None else error(shot.rmse)}", shot.path) for shot in album.shots]
    columns = 5 if len(tiles) > 8 else 4
    return Drawn(
        f"fig3-{album.name}",
        f"Figure 3. {album.title}: every method's picture",
        "RMSE over all entries below each picture; what is darker than black or brighter than white is cut off.",
        _tile([tiles[start : start + columns] for start in range(0, len(tiles), columns)], heading=album.title),
        on_page=False,
    )


def draw_papers_grid(albums: Sequence[Album]) -> list[Drawn]:
    """Figure 3 as the paper lays it out: a row per dataset of its, the original and its nine methods across.

    None if the rows are about other data.
    """
    rows: _Rows = []
    for album in (album for name in _PAPERS_GRID for album in first_albums(albums) if album.dataset == name):
        tiles = [_papers_tile(album, row) for row in load_published().rows]
        if any(path for _, path in tiles):
            rows.append((album.title, [("original\n", album.truth), *tiles]))
    title = "Figure 3 as in the paper. The original and the paper's methods"
    caption = "Our runs, at the settings that the paper's cells are judged by; their RMSE over all entries below."
    return [Drawn("fig3-paper", title, caption, _tile_rows(rows), on_page=False)] if rows else []


def _papers_tile(album: Album, row: PublishedRow) -> _Tile:
    """Our picture for a method of the paper: at the setting that its cells are judged by, else at another one."""
    ours = [shot for shot in album.shots if load_published().row(shot.label, shot.method) is row]
    shot = min(ours, key=lambda shot: shot.label != row.label, default=None)
    told = "" if shot is None or shot.rmse is None else error(shot.rmse)
    return f"{row.name}\n{told}", shot.path if shot else None


def _tile_rows(rows: _Rows) -> Figure:
    return _tile([tiles for _, tiles in rows], [title for title, _ in rows])


def _tile(rows: list[list[_Tile]], titles: Sequence[str] = (), heading: str = "") -> Figure:
    """Pictures in rows, with a title left of every row or one above all."""
    from matplotlib.figure import Figure

    columns = max(len(row) for row in rows)
    tall = [max((_proportion(path) for _, path in row if path), default=1.0) for row in rows]
    height = sum(_SIDE * share + (0.45 if "\n" in row[-1][0] else 0.3) for share, row in zip(tall, rows, strict=True))
    figure = Figure(figsize=(columns * _SIDE + 0.3, height), layout="constrained")
    axes = figure.subplots(len(rows), columns, squeeze=False, height_ratios=[share + 0.2 for share in tall])
    for place, row in enumerate(rows):
        for column in range(columns):
            _show_picture(axes[place][column], *(row[column] if column < len(row) else ("", None)))
        if titles:
            axes[place][0].set_ylabel(titles[place], fontsize=10, fontweight="bold")
    if heading:
        figure.suptitle(heading, fontsize=11, fontweight="bold")
    if any(APPROXIMATE_MARK in title for title in (*titles, heading)):
        figure.supxlabel(MARK_MEANS, fontsize=8, x=0.99, ha="right")
    return figure


def _proportion(path: Path) -> float:
    with Image.open(path) as picture:
        return min(2.0, max(0.3, picture.height / picture.width))


def _show_picture(axes: Axes, text: str, path: Path | None) -> None:
    axes.grid(False)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    if path is None:
        return
    with Image.open(path) as picture:
        pixels = np.asarray(picture if picture.mode in ("L", "RGB") else picture.convert("RGB"))
    # Shown smaller than it is, a picture needs smoothing; otherwise its pixels go into the file as they are.
    smoothing: Literal["antialiased", "none"] = "antialiased" if pixels.shape[1] > _SIDE * DPI else "none"
    axes.imshow(pixels, cmap="gray", vmin=0, vmax=255, interpolation=smoothing)
    axes.set_xlabel(text, labelpad=3, fontsize=8.5)
