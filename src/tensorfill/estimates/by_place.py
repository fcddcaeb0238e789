"""Two estimates side by side: one at some places, such as slices of which nothing is known, and one everywhere else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .blend import Estimate


@dataclass(frozen=True, eq=False)
class EstimateByPlace:
    """An estimate for some places, and one for the rest."""

    rest: Estimate
    apart: Estimate
    places: NDArray[np.bool_]
    """Where the second one counts, in the shape of the tensor."""

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        apart = self.places[tuple(coordinates.T)]
        found: Array = np.empty(len(coordinates))
        found[~apart] = self.rest.at(coordinates[~apart])
        found[apart] = self.apart.at(coordinates[apart])
        return found

    def dense(self) -> Array:
        """The full tensor."""
        return np.where(self.places, self.apart.dense(), self.rest.dense())

    def components(self) -> tuple[Array, ...]:
        """What each of the two adds."""
        return np.where(self.places, 0.0, self.rest.dense()), np.where(self.places, self.apart.dense(), 0.0)
