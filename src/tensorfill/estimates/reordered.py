"""A dense estimate whose array has the modes in another order: turned only when somebody looks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array


class ReorderedEstimate:
    """An array whose axis a is mode `order[a]` of the tensor; it must not be written to afterwards."""

    def __init__(self, array: Array, order: Sequence[int]) -> None:
        self._array = array
        self._order = tuple(order)

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        return np.asarray(self._array[tuple(coordinates[:, mode] for mode in self._order)])

    def dense(self) -> Array:
        """A copy of the array, modes in order and the last one fastest in memory."""
        return self._array.transpose(np.argsort(self._order)).copy(order="C")

    def components(self) -> tuple[Array, ...]:
        """The array: there is only one part."""
        return (self.dense(),)
