"""Brightness: one gray value for the red, green and blue of a pixel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_WEIGHTS = (0.299, 0.587, 0.114)  # ITU-R Recommendation BT.601
_WHOLE_WEIGHTS = (19595, 38470, 7471)  # the same, times 2¹⁶
_ROWS = 256


def brightness(colour: NDArray[Any]) -> NDArray[Any]:
    """0.299 R + 0.587 G + 0.114 B over the last mode, in the same dtype; whole numbers are rounded as Pillow does.

    >>> brightness(np.array([[255, 0, 0]], dtype=np.uint8))
    array([76], dtype=uint8)
    """
    out = np.empty(colour.shape[:-1], dtype=colour.dtype)
    for start in range(0, len(colour), _ROWS):  # in pieces, so that no wide copy of the whole is made
        part = colour[start : start + _ROWS]
        if colour.dtype.kind == "f":
            out[start : start + _ROWS] = part @ np.array(_WEIGHTS, dtype=np.float64)
        else:
            total = part.astype(np.int64) @ np.array(_WHOLE_WEIGHTS, dtype=np.int64)
            out[start : start + _ROWS] = (total + 2**15) >> 16
    return out
