"""Pictures of the runs by dataset, pattern of holes and method, and the grids of them: Figures 2 and 3."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from PIL import Image

from ..rows import Row
from .drawing import DPI, MARK_MEANS, Drawn
from .evidence import APPROXIMATE_MARK, SWEEPS, UNIFORM, Evidence, Setup
from .numbers import error, percent
from .published import PublishedRow, load_published

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Shot:
    """One method's picture of a dataset."""

    label: str
    method: str
    path: Path
    rmse: float | None
    components: tuple[Path, ...]
    time_limited: bool


@dataclass(frozen=True)
class Album:
    """All pictures of a dataset at one sampling rate, with holes of one pattern."""

    dataset: str
    title: str
    setup: Setup
    truth: Path | None
    observed: Path | None
    shots: tuple[Shot, ...]

    @property
    def name(self) -> str:
        """Another one for every album."""
        return self.dataset if self.setup.pattern == UNIFORM else f"{self.dataset}-{self.setup.pattern}"

    @property
    def share(self) -> str:
        """How much was observed, such as "10 %" or "70 % (blocks)"."""
        return f"{percent(self.setup.rate)}{self.setup.holes}"

    @property
    def decomposed(self) -> Shot | None:
        """The first method that has components."""
        return next((shot for shot in self.shots if shot.components), None)


def collect_albums(evidence: Evidence) -> tuple[tuple[Album, ...], tuple[str, ...]]:
    """An album per dataset and pattern with pictures, and a sentence per picture that is named in a row but not there.

    Those of uniform holes come first. Of several rates a tenth is shown, else the lowest.
    """
    collector = _Collector(evidence)
    found = []
    shown = [row for row in evidence.rows if row.status == "ok" and "model" in row.pictures]
    for pattern in sorted({row.pattern for row in shown}, key=lambda pattern: (pattern != UNIFORM, pattern)):
        for name in evidence.cards:
            rows = [row for row in shown if row.data.name == name and row.pattern == pattern]
            found.append(collector.album(name, [row for row in rows if row.experiment not in SWEEPS] or rows))
    return tuple(album for album in found if album), tuple(dict.fromkeys(collector.problems))


def first_albums(albums: Sequence[Album]) -> tuple[Album, ...]:
    """One album per dataset."""
    first: dict[str, Album] = {}
    for album in albums:
        first.setdefault(album.dataset, album)
    return tuple(first.values())


class _Collector:
    """Finds pictures; `problems` tells which were named in a row and could not be used."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.problems: list[str] = []

    def album(self, name: str, rows: list[Row]) -> Album | None:
        """The album of a dataset from rows of one pattern; None without a picture."""
        if not rows:
            return None
        first = min(rows, key=lambda row: (row.rate != 0.1, row.rate))
        setup = Setup.of(first)
        rows = sorted((row for row in rows if row.rate == first.rate), key=lambda row: row.seed)
        by_label = {row.label: row for row in reversed(rows)}
        shots = [self._shot(by_label[label]) for label in self._evidence.labels if label in by_label]
        found = tuple(shot for shot in shots if shot)
        truth, observed = (
            next((path for row in rows if (path := self._path(row.pictures, role))), None)
            for role in ("truth", "observed")
        )
        title = f"{self._evidence.title(name)}{'' if setup.pattern == UNIFORM else f', {setup.pattern}'}"
        return Album(name, title, setup, truth, observed, found) if found else None

    def _shot(self, row: Row) -> Shot | None:
        path = self._path(row.pictures, "model")
        if path is None:
            return None
        roles = sorted((role for role in row.pictures if role.startswith("component ")), key=_number)
        parts = [self._path(row.pictures, role) for role in roles]
        return Shot(row.label, row.method, path, row.rmse, tuple(part for part in parts if part), row.stop == "time")

    def _path(self, pictures: Mapping[str, str], role: str) -> Path | None:
        """The file of a picture; only below the folder of the rows, whatever a row says."""
        if role not in pictures:
            return None
        folder = self._evidence.folder
        path = folder / pictures[role]
        there = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)) and path.is_file()
        if there and _is_readable(path):
            return path
        what = "cannot be read" if there else "is not there"
        self.problems.append(f"The picture {pictures[role]} is named in a row but {what}; it is left out.")
        return None


@cache
def _is_readable(path: Path) -> bool:
    try:
        with Image.open(path) as picture:
            picture.load()
    except (OSError, ValueError, SyntaxError):  # all three are what a damaged picture raises
        return False
    return True


def _number(role: str) -> tuple[int, str]:
    last = role.rsplit(" ", 1)[-1]
    return (int(last), role) if last.isdigit() else (10**6, role)


# Grids

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
