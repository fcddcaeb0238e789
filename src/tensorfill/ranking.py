"""The best entries of a fibre, found in blocks, so that the fibre is never there as a whole."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .tensor import Array

_BLOCK = 2**16  # indices that are looked at together


def find_best(
    score: Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], Array]], size: int, count: int
) -> NDArray[np.int64]:
    """The `count` indices below `size` with the largest scores, the largest first; of equal ones the smaller index.

    `score` gets indices, and returns those that may be taken and their scores.
    """
    best = np.empty(0, dtype=np.int64)
    scores: Array = np.empty(0)
    for start in range(0, size, _BLOCK):
        more, their_scores = score(np.arange(start, min(start + _BLOCK, size)))
        best, scores = np.concatenate((best, more)), np.concatenate((scores, their_scores))
        order = np.lexsort((best, -scores))[:count]
        best, scores = best[order], scores[order]
    return best
