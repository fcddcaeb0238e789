"""A clipped estimate: what another one puts below a number is that number, and likewise above one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .blend import Estimate


@dataclass(frozen=True, eq=False)
class ClippedEstimate:
    """max(W, lower), and at most `upper`, for a tensor W."""

    estimate: Estimate
    lower: float = 0.0
    upper: float = math.inf

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        return np.clip(self.estimate.at(coordinates), self.lower, self.upper)

    def dense(self) -> Array:
        """The full tensor."""
        whole = self.estimate.dense()
        return np.clip(whole, self.lower, self.upper, out=whole)

    def components(self) -> tuple[Array, ...]:
        """Those of W, and what clipping adds or takes away."""
        whole = self.estimate.dense()
        return *self.estimate.components(), np.clip(whole, self.lower, self.upper) - whole
