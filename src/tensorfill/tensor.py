"""Tensors as arrays: unfolding along a mode, folding back, multiplying along a mode, spreading a mask."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SHORT = 4
"""Modes with at most this many indices are taken for channels: they have no order, so nothing is next to anything."""


def unfold(tensor: NDArray[np.generic], mode: int) -> NDArray[np.generic]:
    """The mode-k unfolding: one row per index of the mode, one column per fibre.

    Columns are ordered by the remaining indices, the last varying fastest.

    >>> unfold(np.arange(6).reshape(1, 2, 3), 2)
    array([[0, 3],
           [1, 4],
           [2, 5]])
    """
    return np.moveaxis(tensor, mode, 0).reshape(tensor.shape[mode], -1)


def fold(matrix: NDArray[np.generic], mode: int, shape: Sequence[int]) -> NDArray[np.generic]:
    """The inverse of `unfold`."""
    others = [size for axis, size in enumerate(shape) if axis != mode]
    return np.moveaxis(matrix.reshape(shape[mode], *others), 0, mode)


def mode_product(tensor: Array, matrix: Array, mode: int) -> Array:
    """Multiply every mode-k fibre of `tensor` by `matrix` (T ×_k M).

    >>> mode_product(np.ones((2, 3)), np.array([[1.0, 1.0]]), 0)
    array([[2., 2., 2.]])
    """
    return np.moveaxis(np.tensordot(matrix, tensor, axes=(1, mode)), 0, mode)


def entries(shape: Sequence[int]) -> int:
    """How many entries a tensor of this shape has, without overflow."""
    total = 1
    for size in shape:
        total *= int(size)
    return total


def spread_mask(mask: NDArray[np.bool_], shape: Sequence[int]) -> NDArray[np.bool_] | None:
    """The mask for every entry of a tensor: modes it does not have, or has once, are all alike. None if it cannot be.

    A mask of rows and columns serves all frames and channels; one of a single mode serves the only mode of its length.

    >>> spread_mask(np.array([[True, False]]), (2, 2, 3)).sum(axis=(0, 2)).tolist()
    [6, 0]
    """
    shape = tuple(shape)
    if mask.ndim == 1:
        modes = [mode for mode, size in enumerate(shape) if size == len(mask)]
        if len(modes) == 1:
            return np.broadcast_to(mask.reshape([-1 if mode == modes[0] else 1 for mode in range(len(shape))]), shape)
    # (row, column) serves (row, column, frame, channel): what the mask lacks stands last.
    longer = mask.reshape(mask.shape + (1,) * (len(shape) - mask.ndim)) if mask.ndim > 1 else mask
    fits = longer.ndim == len(shape) and all(own in (1, size) for own, size in zip(longer.shape, shape, strict=True))
    return np.broadcast_to(longer, shape) if fits else None
