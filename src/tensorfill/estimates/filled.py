"""Known entries as they are, and one value everywhere else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array


@dataclass(frozen=True, eq=False)
class FilledEstimate:
    """Values at sorted positions of the flattened tensor, `elsewhere` at all others."""

    shape: tuple[int, ...]
    positions: NDArray[np.int64]
    values: Array
    elsewhere: float

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        wanted = np.ravel_multi_index(tuple(coordinates.T), self.shape)
        nearest = np.searchsorted(self.positions, wanted).clip(max=len(self.positions) - 1)
        return np.where(self.positions[nearest] == wanted, self.values[nearest], self.elsewhere)

    def dense(self) -> Array:
        """The full tensor."""
        whole = np.full(self.shape, self.elsewhere)
        whole.reshape(-1)[self.positions] = self.values
        return whole

    def components(self) -> tuple[Array, ...]:
        """The full tensor: there is only one part."""
        return (self.dense(),)
