"""The scan: go through W slab by slab and find the entries that are negative."""

from __future__ import annotations

from dataclasses import dataclass

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
    shape = W.shape
    axis = slab_axis(shape)
    order = [axis, *(mode for mode in range(len(shape)) if mode != axis)]
    strides = np.array([int(np.prod(shape[mode + 1 :], dtype=np.int64)) for mode in order])
    positions, values, smallest = [], [], np.inf
    for first, _, slab in W.slabs():
        lowest = float(slab.min())
        smallest = min(smallest, lowest)
        if lowest < 0:
            where = np.nonzero(slab < 0)
            values.append(slab[where])
            positions.append(
                (where[0] + first) * strides[0] + sum(i * s for i, s in zip(where[1:], strides[1:], strict=True))
            )
    if not positions:
        return Negatives(np.empty(0, np.int64), np.empty(0), smallest)
    found, below = np.concatenate(positions), np.concatenate(values)
    ranks = np.argsort(found)
    return Negatives(found[ranks], below[ranks], smallest)
