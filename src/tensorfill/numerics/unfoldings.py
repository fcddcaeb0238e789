"""Products with unfoldings, without unfolding: arrays whose last index varies fastest are read where they lie.

Along mode k an array is a row of blocks, (sizes before k) × n_k × (sizes after k). The mode-k unfolding is these blocks
side by side, so whatever is a sum over its columns, or acts on each of them, goes block by block.
"""

from __future__ import annotations

import numpy as np

from ..tensor import Array, entries


def blocks(tensor: Array, mode: int) -> Array:
    """The array as (sizes before the mode) × n_k × (sizes after the mode); a view."""
    return tensor.reshape(entries(tensor.shape[:mode]), tensor.shape[mode], entries(tensor.shape[mode + 1 :]))


def cross_product(a: Array, b: Array, mode: int) -> Array:
    """A_k B_kᵀ, for the mode-k unfoldings of two arrays that have the same size in all other modes.

    >>> cross_product(np.ones((2, 3)), np.ones((4, 3)), 0)
    array([[3., 3., 3., 3.],
           [3., 3., 3., 3.]])
    """
    left, right = blocks(a, mode), blocks(b, mode)
    if left.shape[2] == 1:
        return np.asarray(left[:, :, 0].T @ right[:, :, 0])
    if len(left) > left.shape[2]:  # many thin blocks: copying them into one matrix is quicker
        return np.tensordot(left, right, axes=((0, 2), (0, 2)))
    total = left[0] @ right[0].T
    for one, other in zip(left[1:], right[1:], strict=True):
        total += one @ other.T
    return np.asarray(total)


def multiply(tensor: Array, matrix: Array, mode: int) -> Array:
    """T ×_k M, again with the last index varying fastest.

    >>> multiply(np.ones((2, 3)), np.array([[1.0, 1.0]]), 0)
    array([[2., 2., 2.]])
    """
    shape = (*tensor.shape[:mode], len(matrix), *tensor.shape[mode + 1 :])
    parts = blocks(tensor, mode)
    if parts.shape[2] == 1:
        return np.asarray(parts[:, :, 0] @ matrix.T).reshape(shape)
    return np.asarray(np.matmul(matrix, parts)).reshape(shape)
