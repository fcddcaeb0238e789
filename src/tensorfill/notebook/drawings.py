"""Drawings on the card: small pictures of a part of a tensor, and the cost over the seconds, as text of a page."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..tensor import Array

SIDE = 256
"""The longest side of a picture on the page, in pixels."""
_SHORTEST = 48
_LARGEST_CELL = 16
_SQUARE = 8
Colour = tuple[float, float, float]
_GRAY: tuple[Colour, Colour] = ((0.56, 0.56, 0.56), (0.72, 0.72, 0.72))
_VIOLET: tuple[Colour, Colour] = ((0.64, 0.46, 0.86), (0.80, 0.68, 0.94))
"""In a gray picture, gray would pass for a value."""
_MOST_BYTES = 70_000
WIDTH, HEIGHT = 256, 96
_MOST_POINTS = 200
_LOGARITHMIC = 30.0
"""From this ratio of the largest to the smallest cost on, the scale is logarithmic."""
_SOFT = "fill:currentColor;opacity:.65;font-size:11px"


@dataclass(frozen=True)
class Thumbnail:
    """A picture: its address, and how large it is on the page."""

    address: str
    width: int
    height: int


def draw_thumbnail(
    part: NDArray[Any], white: float, known: NDArray[np.bool_] | None = None, black: float = 0.0
) -> Thumbnail:
    """A picture of rows × columns, or of rows × columns × colours; what is not known is checkered."""
    size = _fit_page(part.shape[0], part.shape[1])
    # Single precision is enough for what is seen, if the data cannot overflow it.
    shown = part.astype(np.float32 if part.dtype.itemsize <= 2 else np.float64)
    shown = np.minimum(shown, white, out=shown)
    if black:
        shown = np.maximum(shown, black, out=shown) - shown.dtype.type(black)
    shown /= shown.dtype.type(white - black)
    if known is None:
        pixels = _scale(shown, size)
    else:
        # The same as scaling a picture that has the checkerboard in its holes, but with squares of one size.
        light, filled = _scale(shown * known, size), _scale(known, size)
        if part.ndim == 2:
            light, filled = light[:, :, None], filled[:, :, None]
        pixels = light + (1.0 - filled) * _checkerboard(size, _VIOLET if part.ndim == 2 else _GRAY)
    whole = np.rint(np.clip(pixels, 0.0, 1.0) * 255).astype(np.uint8)
    address = "data:image/png;base64," + base64.b64encode(_encode_png(whole)).decode("ascii")
    return Thumbnail(address, width=size[1], height=size[0])


def _fit_page(rows: int, columns: int) -> tuple[int, int]:
    """Height and width on the page: in proportion, but nothing too thin to be seen, and no huge cells."""
    scale = min(SIDE / max(rows, columns), _LARGEST_CELL)
    return max(_SHORTEST, round(rows * scale)), max(_SHORTEST, round(columns * scale))


def _scale(part: NDArray[Any], size: tuple[int, int]) -> Array:
    """Means over boxes where there are fewer pixels than entries, repeated entries where there are more."""
    if part.ndim == 3:
        return np.stack([_scale(part[:, :, colour], size) for colour in range(part.shape[2])], axis=2)
    image = Image.fromarray(np.ascontiguousarray(part, dtype=np.float32))
    return np.asarray(image.resize(size[::-1], Image.Resampling.BOX), dtype=np.float64)


def _checkerboard(size: tuple[int, int], colours: tuple[Colour, Colour]) -> Array:
    """Squares of two colours in turn."""
    down, across = (np.arange(side) // _SQUARE for side in size)
    board: Array = np.asarray(colours)[np.add.outer(down, across) % 2]
    return board


def _encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG file, with 256 colours if all of them would take too much room."""
    image = Image.fromarray(pixels)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    if file.tell() > _MOST_BYTES and pixels.ndim == 3:
        file = io.BytesIO()
        image.quantize(256, Image.Quantize.FASTOCTREE).save(file, "PNG", optimize=True)
    return file.getvalue()


# The curve


def draw_curve(seconds: NDArray[Any], cost: NDArray[Any]) -> str:
    """The drawing; empty if there are not two iterations to join."""
    seconds, cost = np.asarray(seconds, np.float64), np.asarray(cost, np.float64)
    there = np.flatnonzero(np.isfinite(seconds) & np.isfinite(cost))
    if len(there) < 2:
        return ""
    chosen = there[np.unique(np.linspace(0, len(there) - 1, _MOST_POINTS).round().astype(int))]
    seconds, cost = seconds[chosen], cost[chosen]
    lowest, highest = float(cost.min()), float(cost.max())
    logarithmic = lowest > 0 and highest / lowest > _LOGARITHMIC
    height = np.log(cost) if logarithmic else cost
    across = 2 + _scale_to_unit(seconds) * (WIDTH - 4)
    down = 18 + (1 - _scale_to_unit(height)) * (HEIGHT - 36)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True))
    said = f"Cost over {seconds[-1]:.3g} seconds, from {cost[0]:.4g} to {cost[-1]:.4g}"
    scale = ", logarithmic" if logarithmic else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" aria-label="{said}" style="display:block;font-family:inherit"><title>{said}</title>'
        f'<text x="2" y="11" style="{_SOFT}">cost{scale}: {highest:.4g}</text>'
        f'<text x="2" y="{HEIGHT - 3}" style="{_SOFT}">{lowest:.4g}</text>'
        f'<text x="{WIDTH - 2}" y="{HEIGHT - 3}" text-anchor="end" style="{_SOFT}">{seconds[-1]:.3g} s</text>'
        f'<line x1="2" x2="{WIDTH - 2}" y1="{HEIGHT - 15}" y2="{HEIGHT - 15}" stroke="currentColor" opacity=".35"/>'
        f'<polyline points="{points}" fill="none" stroke="#3b82f6" stroke-width="1.5" stroke-linejoin="round"/></svg>'
    )


def _scale_to_unit(values: Array) -> Array:
    """Values moved and scaled to 0 … 1; a half if they are all alike."""
    with np.errstate(over="ignore", invalid="ignore"):
        lowest, spread = values.min(), values.max() - values.min()
        return (values - lowest) / spread if 0 < spread < np.inf else np.full(len(values), 0.5)
