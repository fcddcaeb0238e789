"""Cutting work into pieces, always the same ones: results have the same bits for any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .threads import share

PIECES = 8
SMALL_ARRAY = 2**15
"""Entries of an array below which threads cost more than they bring."""
SMALL_SUPPORT = 20_000
"""Known entries below which they do: compiled loops take longer for each of them."""


def cut(size: int, pieces: int = PIECES) -> list[int]:
    """Where to cut a range: where each piece begins, and the end.

    >>> cut(20, 3)
    [0, 6, 13, 20]
    """
    return [size * piece // pieces for piece in range(pieces + 1)]


def count_pieces(size: int) -> int:
    """How many pieces an array with so many entries is worth."""
    return PIECES if size >= SMALL_ARRAY else 1


def cut_groups(starts: NDArray[np.integer[Any]], most: int = PIECES) -> list[int]:
    """Where to cut groups into pieces with about as many entries each: `most` of them, or one if entries are few.

    Group g begins at entry `starts[g]`; there is one more number for the end.
    """
    count = int(starts[-1])
    cuts = np.searchsorted(starts, np.linspace(0, count, (most if count > SMALL_SUPPORT else 1) + 1))
    cuts[-1] = len(starts) - 1
    return [int(cut) for cut in cuts]


def share_pieces(kernel: Callable[[int, int], Any], cuts: Sequence[int]) -> None:
    """Call `kernel(first, end)` for every piece, on all cores."""
    share(lambda i: kernel(cuts[i], cuts[i + 1]), len(cuts) - 1)


def sum_pieces(kernel: Callable[[Array, int, int], Any], cuts: Sequence[int], shape: tuple[int, ...]) -> Array:
    """What `kernel(out, first, end)` adds to an array of zeros, over all pieces: each has its own, summed in order."""
    parts = np.zeros((len(cuts) - 1, *shape))
    share(lambda i: kernel(parts[i], cuts[i], cuts[i + 1]), len(parts))
    return parts[0] if len(parts) == 1 else np.asarray(parts.sum(axis=0))
