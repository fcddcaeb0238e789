"""A spectral estimate: coefficients in a product of bases, and a constant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .bases import Numbers
from .summed import SummedTransform
from .transform import Transform


@dataclass(frozen=True, eq=False)
class SpectralEstimate:
    """constant + Q c. Entries come all at once, so that they are kept once they were asked for one by one."""

    transform: Transform | SummedTransform
    coefficients: Numbers
    constant: float

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        values: Array = self._entries[tuple(coordinates.T)].astype(np.float64)
        return values + self.constant

    def dense(self) -> Array:
        """The full tensor."""
        whole = self.transform.to_entries(self.coefficients).astype(np.float64)
        whole += self.constant
        return whole

    def components(self) -> tuple[Array, ...]:
        """What varies, by part of the prior, and the constant."""
        varying = [part.astype(np.float64) for part in self.transform.separate(self.coefficients)]
        return *varying, np.full(varying[0].shape, self.constant)

    @cached_property
    def _entries(self) -> Numbers:
        return self.transform.to_entries(self.coefficients)
