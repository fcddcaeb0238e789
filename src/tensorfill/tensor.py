"""Tensors as arrays: unfolding along a mode, folding back, multiplying along a mode, spreading a mask."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SHORT = 4
"""Modes with at most this many indices are taken for channels: they have no order, so nothing is next to anything."""

_NARROW = 12  # blocks with fewer columns are slow to multiply one by one: worth a transposition


def unfold(tensor: NDArray[Any], mode: int) -> NDArray[Any]:
    """The mode-k unfolding: one row per index of the mode, one column per fibre.

    Columns are ordered by the remaining indices, the last varying fastest.

    >>> unfold(np.arange(6).reshape(1, 2, 3), 2)
    array([[0, 3],
           [1, 4],
           [2, 5]])
    """
    return np.moveaxis(tensor, mode, 0).reshape(tensor.shape[mode], -1)


def fold(matrix: NDArray[Any], mode: int, shape: Sequence[int]) -> NDArray[Any]:
    """The inverse of `unfold`."""
    others = [size for axis, size in enumerate(shape) if axis != mode]
    return np.moveaxis(matrix.reshape(shape[mode], *others), 0, mode)


def blocks(tensor: NDArray[Any], mode: int) -> NDArray[Any]:
    """A contiguous array as (sizes before the mode) × n_k × (sizes after the mode), a view.

    The mode-k unfolding is these blocks side by side, so what is a sum over its columns, or acts on each of them, goes
    block by block, without unfolding.
    """
    return tensor.reshape(entries(tensor.shape[:mode]), tensor.shape[mode], entries(tensor.shape[mode + 1 :]))


def mode_product(
    tensor: NDArray[Any], matrix: NDArray[Any], mode: int, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Multiply every mode-k fibre of `tensor` by `matrix` (T ×_k M); the last index of the result varies fastest.

    `out` is a contiguous array for it, which may be the tensor itself if the matrix is square.

    >>> mode_product(np.ones((2, 3)), np.array([[1.0, 1.0]]), 0)
    array([[2., 2., 2.]])
    """
    source = blocks(np.ascontiguousarray(tensor), mode)
    before, _, after = source.shape
    if out is None:
        shape = (*tensor.shape[:mode], len(matrix), *tensor.shape[mode + 1 :])
        out = np.empty(shape, np.result_type(tensor, matrix))
    target = blocks(out, mode)
    if after == 1:
        np.matmul(source[:, :, 0], matrix.T, out=target[:, :, 0])
    elif before > 1 and after <= _NARROW:
        fibres = np.ascontiguousarray(source.transpose(2, 0, 1))
        target[...] = np.matmul(fibres, matrix.T).transpose(1, 2, 0)
    else:
        np.matmul(matrix, source, out=target)
    return out


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
