"""The colour planes of video, which often have half the width or height of the brightness."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def halve(plane: NDArray[np.float32]) -> NDArray[np.float32]:
    """Means of 2 × 2; the last row or column of an odd size stands twice."""
    rows, columns = plane.shape
    even = np.pad(plane, ((0, rows % 2), (0, columns % 2)), mode="edge")
    means: NDArray[np.float32] = (even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2]) / np.float32(4)
    return means


def enlarge(plane: NDArray[np.float32], shape: Sequence[int]) -> NDArray[np.float32]:
    """To the rows and columns of the brightness, linearly between the centres of the pixels."""
    for axis, size in enumerate(shape):
        if plane.shape[axis] != size:
            plane = _stretched(plane, axis, size)
    return plane


def _stretched(plane: NDArray[np.float32], axis: int, size: int) -> NDArray[np.float32]:
    small = plane.shape[axis]
    factor = -(-size // small)
    places = np.clip((np.arange(size) + 0.5) / factor - 0.5, 0, small - 1)
    before = np.floor(places).astype(np.intp)
    after = np.minimum(before + 1, small - 1)
    share = (places - before).astype(np.float32).reshape((-1, 1) if axis == 0 else (1, -1))
    first = plane.take(before, axis)
    between: NDArray[np.float32] = first + share * (plane.take(after, axis) - first)
    return between
