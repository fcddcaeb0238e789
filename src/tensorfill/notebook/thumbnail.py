"""Small pictures of a part of a tensor, as addresses that carry their own data."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True)
class Thumbnail:
    """A picture: its address, and how large it is on the page."""

    address: str
    width: int
    height: int


def thumbnail(
    part: NDArray[Any], white: float, known: NDArray[np.bool_] | None = None, black: float = 0.0
) -> Thumbnail:
    """A picture of rows × columns, or of rows × columns × colours; what is not known is checkered."""
    size = _on_page(part.shape[0], part.shape[1])
    # Single precision is enough for what is seen, if the data cannot overflow it.
    shown = part.astype(np.float32 if part.dtype.itemsize <= 2 else np.float64)
    shown = np.minimum(shown, white, out=shown)
    if black:
        shown = np.maximum(shown, black, out=shown) - shown.dtype.type(black)
    shown /= shown.dtype.type(white - black)
    if known is None:
        pixels = _scaled(shown, size)
    else:
        # The same as scaling a picture that has the checkerboard in its holes, but with squares of one size.
        light, filled = _scaled(shown * known, size), _scaled(known, size)
        if part.ndim == 2:
            light, filled = light[:, :, None], filled[:, :, None]
        pixels = light + (1.0 - filled) * _checkerboard(size, _VIOLET if part.ndim == 2 else _GRAY)
    whole = np.rint(np.clip(pixels, 0.0, 1.0) * 255).astype(np.uint8)
    address = "data:image/png;base64," + base64.b64encode(_png(whole)).decode("ascii")
    return Thumbnail(address, width=size[1], height=size[0])


def _on_page(rows: int, columns: int) -> tuple[int, int]:
    """Height and width on the page: in proportion, but nothing too thin to be seen, and no huge cells."""
    scale = min(SIDE / max(rows, columns), _LARGEST_CELL)
    return max(_SHORTEST, round(rows * scale)), max(_SHORTEST, round(columns * scale))


def _scaled(part: NDArray[Any], size: tuple[int, int]) -> Array:
    """Means over boxes where there are fewer pixels than entries, repeated entries where there are more."""
    from PIL import Image

    if part.ndim == 3:
        return np.stack([_scaled(part[:, :, colour], size) for colour in range(part.shape[2])], axis=2)
    image = Image.fromarray(np.ascontiguousarray(part, dtype=np.float32))
    return np.asarray(image.resize(size[::-1], Image.Resampling.BOX), dtype=np.float64)


def _checkerboard(size: tuple[int, int], colours: tuple[Colour, Colour]) -> Array:
    """Squares of two colours in turn."""
    down, across = (np.arange(side) // _SQUARE for side in size)
    board: Array = np.asarray(colours)[np.add.outer(down, across) % 2]
    return board


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG file, with 256 colours if all of them would take too much room."""
    from PIL import Image

    image: Image.Image = Image.fromarray(pixels)
    found = _saved(image)
    return (
        found
        if len(found) <= _MOST_BYTES or pixels.ndim == 2
        else _saved(image.quantize(256, Image.Quantize.FASTOCTREE))
    )


def _saved(image: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()
