"""The scan: go through W slab by slab and find the entries that are negative."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .recover import RecoveredTensor, slab_axis


@dataclass(frozen=True)
class Negatives:
    """The negative entries of W, and the smallest entry of all."""

    positions: NDArray[np.int64]
    values: Array
    smallest: float


def find_negatives(W: RecoveredTensor) -> Negatives:
    """All negative entries of W, by position in the flattened tensor, sorted."""
    shape, lock = W.shape, Lock()
    axis = slab_axis(shape)
    order = [axis, *(mode for mode in range(len(shape)) if mode != axis)]
    strides = np.array([int(np.prod(shape[mode + 1 :], dtype=np.int64)) for mode in order])
    lows, positions, values = [], [np.empty(0, np.int64)], [np.empty(0)]

    def look(first: int, slab: Array) -> None:
        lowest = float(slab.min())
        lows.append(lowest)
        if lowest < 0:
            where = np.nonzero(slab < 0)
            at = (where[0] + first) * strides[0] + sum(i * s for i, s in zip(where[1:], strides[1:], strict=True))
            with lock:
                positions.append(at)
                values.append(slab[where])

    W.visit_slabs(look)
    smallest = min(lows)
    found, below = np.concatenate(positions), np.concatenate(values)
    ranks = np.argsort(found)
    return Negatives(found[ranks], below[ranks], smallest)
