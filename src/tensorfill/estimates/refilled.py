"""An array that holds every entry, with the known ones put back exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array


@dataclass(frozen=True, eq=False)
class RefilledEstimate:
    """Values at sorted positions of the flattened tensor, an array elsewhere; it must not be written to any more."""

    array: NDArray[np.floating]
    positions: NDArray[np.int64]
    values: Array

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        wanted = np.ravel_multi_index(tuple(coordinates.T), self.array.shape)
        nearest = np.searchsorted(self.positions, wanted).clip(max=len(self.positions) - 1)
        elsewhere: Array = self.array[tuple(coordinates.T)].astype(np.float64)
        return np.where(self.positions[nearest] == wanted, self.values[nearest], elsewhere)

    def dense(self) -> Array:
        """The full tensor, as a new array."""
        whole = self.array.astype(np.float64, order="C")
        whole.reshape(-1)[self.positions] = self.values
        return whole

    def components(self) -> tuple[Array, ...]:
        """The full tensor: there is only one part."""
        return (self.dense(),)
