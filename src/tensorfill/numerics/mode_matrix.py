"""A matrix times a tensor along one mode, shared between the cores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .threads import share

_PIECES = 8
_SMALL = 2**15  # entries that are not worth sharing
_NARROW = 12  # products with fewer columns are slow: worth a transposition


def multiply_mode(matrix: NDArray[Any], x: NDArray[Any], mode: int, *, overwrite: bool = False) -> NDArray[Any]:
    """The tensor x ×_mode matrix, in the precision of x. Pieces are the same for any number of threads.

    `overwrite` says that x is not needed any more: if the matrix is square, the result may take its place.
    """
    before, after = math.prod(x.shape[:mode]), math.prod(x.shape[mode + 1 :])
    given = np.ascontiguousarray(x).reshape(before, x.shape[mode], after)
    shape = (*x.shape[:mode], len(matrix), *x.shape[mode + 1 :])
    if x.size < _SMALL:
        return np.asarray(np.matmul(matrix, given), x.dtype).reshape(shape)
    # Where input and output overlap, NumPy copies the piece that it reads.
    inside = overwrite and len(matrix) == x.shape[mode] and given.flags.writeable
    found: NDArray[Any] = given if inside else np.empty((before, len(matrix), after), x.dtype)
    if after == 1:
        rows, transposed = given[:, :, 0], matrix.T
        cuts = np.linspace(0, before, _PIECES + 1).astype(int)

        def work(piece: int) -> None:
            part = slice(cuts[piece], cuts[piece + 1])
            np.matmul(rows[part], transposed, out=found[part, :, 0])

    elif before >= _PIECES and after <= _NARROW:
        cuts = np.linspace(0, before, _PIECES + 1).astype(int)

        def work(piece: int) -> None:
            part = slice(cuts[piece], cuts[piece + 1])
            fibres = np.ascontiguousarray(given[part].transpose(2, 0, 1))
            found[part] = np.matmul(fibres, matrix.T).transpose(1, 2, 0)

    elif before >= _PIECES:
        cuts = np.linspace(0, before, _PIECES + 1).astype(int)

        def work(piece: int) -> None:
            part = slice(cuts[piece], cuts[piece + 1])
            np.matmul(matrix, given[part], out=found[part])

    else:
        cuts = np.linspace(0, after, _PIECES + 1).astype(int)

        def work(piece: int) -> None:
            part = slice(cuts[piece], cuts[piece + 1])
            np.matmul(matrix, given[:, :, part], out=found[:, :, part])

    share(work, _PIECES)
    return found.reshape(shape)
