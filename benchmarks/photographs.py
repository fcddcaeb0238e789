"""Photographs that ship inside scikit-image, by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

COLOUR = ("astronaut", "coffee", "chelsea", "rocket", "motorcycle")
GRAY = ("camera", "brick", "gravel")


def photograph(name: str, size: int | None = None) -> Picture:
    """Rows, columns and, of the coloured ones, channels; `size` cuts a square out of the middle."""
    data: Any = import_module("skimage.data")
    found = data.stereo_motorcycle()[0] if name == "motorcycle" else getattr(data, name)()
    return middle(np.ascontiguousarray(found, dtype=np.uint8), size)


def middle(picture: NDArray[Any], size: int | None) -> NDArray[Any]:
    """The middle square of a picture with sides of `size`, or as long as the picture is; all of it for None."""
    if size is None:
        return picture
    sides = [min(size, side) for side in picture.shape[:2]]
    top, left = ((side - kept) // 2 for side, kept in zip(picture.shape[:2], sides, strict=True))
    return np.ascontiguousarray(picture[top : top + sides[0], left : left + sides[1]])
