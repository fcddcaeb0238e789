"""A clipped estimate: what another one puts below zero is zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .blend import Estimate


@dataclass(frozen=True, eq=False)
class ClippedEstimate:
    """max(W, 0) for a tensor W."""

    estimate: Estimate

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        return np.maximum(self.estimate.at(coordinates), 0.0)

    def dense(self) -> Array:
        """The full tensor."""
        whole = self.estimate.dense()
        return np.maximum(whole, 0.0, out=whole)

    def components(self) -> tuple[Array, ...]:
        """Those of W, and what clipping adds."""
        return *self.estimate.components(), np.maximum(-self.estimate.dense(), 0.0)
