"""An affine estimate: another one times a number, plus a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array


class _Estimate(Protocol):
    def at(self, coordinates: NDArray[np.int64]) -> Array: ...
    def dense(self) -> Array: ...
    def components(self) -> tuple[Array, ...]: ...


@dataclass(frozen=True, eq=False)
class AffineEstimate:
    """An estimate of data that was shifted and divided by a number, in the data's own units."""

    estimate: _Estimate
    scale: float
    shift: float = 0.0

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        return self.scale * self.estimate.at(coordinates) + self.shift

    def dense(self) -> Array:
        """The full tensor."""
        whole = self.estimate.dense()
        whole *= self.scale
        whole += self.shift
        return whole

    def components(self) -> tuple[Array, ...]:
        """The parts, and one more that is constant if there is a shift."""
        parts = tuple(self.scale * part for part in self.estimate.components())
        return parts if self.shift == 0 else (*parts, np.full(parts[0].shape, self.shift))
