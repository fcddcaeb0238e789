"""Products with unfoldings, without unfolding: arrays whose last index varies fastest are read where they lie."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array, blocks, mode_product
from .threads import PIECES, count_pieces, cut, share_pieces


def share_mode_product(
    tensor: NDArray[Any], matrix: NDArray[Any], mode: int, *, overwrite: bool = False
) -> NDArray[Any]:
    """The tensor T ×_k M in the precision of T, shared between the cores.

    `overwrite` says that T is not needed any more: if the matrix is square, the result may take its place.
    """
    given = np.ascontiguousarray(tensor)
    inside = overwrite and len(matrix) == tensor.shape[mode] and given.flags.writeable
    shape = (*tensor.shape[:mode], len(matrix), *tensor.shape[mode + 1 :])
    found: NDArray[Any] = given if inside else np.empty(shape, tensor.dtype)
    if count_pieces(tensor.size) == 1:
        return mode_product(given, matrix, mode, found)
    source, target = blocks(given, mode), blocks(found, mode)
    before, _, after = source.shape
    if before >= PIECES or after == 1:
        share_pieces(lambda first, end: mode_product(source[first:end], matrix, 1, target[first:end]), cut(before))
    else:  # where input and output overlap, NumPy copies the piece that it reads
        share_pieces(
            lambda first, end: np.matmul(matrix, source[:, :, first:end], out=target[:, :, first:end]), cut(after)
        )
    return found


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
