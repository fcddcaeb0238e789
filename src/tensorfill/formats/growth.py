"""Growth: holes made a few pixels wider, because codecs, scanners and soft brushes blur their edges."""

from __future__ import annotations

import operator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, InvalidSetting, must_be

_MOST = 10_000  # pixels; more than that is a slip of the finger


def checked_growth(grow: object) -> int:
    """A whole number of pixels, 0 or more."""
    try:
        pixels = operator.index(cast(Any, grow))
    except TypeError:
        pixels = -1
    if isinstance(grow, bool) or not 0 <= pixels <= _MOST:
        raise InvalidSetting(must_be("grow", f"be a whole number of pixels, 0 … {_MOST:,}", grow))
    return pixels


def grown(missing: NDArray[np.bool_], pixels: int, *, channels: bool) -> NDArray[np.bool_]:
    """The same holes and every pixel at most so many rows and columns away, as the crow flies.

    Rows and columns are the first two modes. All `channels`, the last mode, of a pixel are missing together; every
    frame, band or slice is a picture of its own.

    >>> grown(np.eye(1, 5, 2, dtype=bool), 1, channels=False).astype(int).tolist()
    [[0, 1, 1, 1, 0]]
    """
    if not pixels:
        return missing
    if missing.ndim < 2:
        raise InvalidInput(f"Holes grow over rows and columns. Got data of shape {missing.shape} instead.")
    planes: NDArray[np.bool_] = np.asarray(missing.any(axis=-1, keepdims=True)) if channels else missing
    wide = np.zeros(planes.shape, dtype=bool)
    for rest in np.ndindex(*planes.shape[2:]):
        place = (slice(None), slice(None), *rest)
        wide[place] = _near(planes[place], pixels)
    return np.broadcast_to(wide, missing.shape).copy()


def _near(holes: NDArray[np.bool_], pixels: int) -> NDArray[np.bool_]:
    from scipy.ndimage import distance_transform_edt

    if not holes.any() or holes.all():
        return holes
    away: NDArray[np.float64] = distance_transform_edt(~holes)
    return away <= pixels
