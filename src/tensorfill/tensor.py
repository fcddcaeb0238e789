"""Tensors as arrays: unfolding along a mode, folding back, multiplying along a mode."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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
