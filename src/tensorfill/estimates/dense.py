"""A dense estimate: an array that holds every entry."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array


class DenseEstimate:
    """An array; it must not be written to afterwards."""

    def __init__(self, array: NDArray[np.floating]) -> None:
        self._array = array

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        return np.asarray(self._array[tuple(coordinates.T)], dtype=np.float64)

    def dense(self) -> Array:
        """A copy of the array."""
        return self._array.astype(np.float64, order="C")

    def components(self) -> tuple[Array, ...]:
        """The array: there is only one part."""
        return (self.dense(),)
