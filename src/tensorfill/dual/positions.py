"""Sorted positions as sets: union and difference without hashing."""

import numpy as np
from numpy.typing import NDArray


def sorted_union(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """The union of two sorted arrays without repetitions, sorted."""
    both = np.concatenate((first, second))
    both.sort(kind="stable")  # two runs: a merge
    keep = np.ones(len(both), dtype=bool)
    np.not_equal(both[1:], both[:-1], out=keep[1:])
    return both[keep]


def sorted_difference(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which members of a sorted array are not in another sorted one, as a mask."""
    if len(second) == 0:
        return np.ones(len(first), dtype=bool)
    found = np.searchsorted(second, first)
    found[found == len(second)] = 0
    return np.asarray(second[found] != first)
