"""A scaled estimate: another one times a number."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array


class _Estimate(Protocol):
    def at(self, coordinates: NDArray[np.int64]) -> Array: ...
    def dense(self) -> Array: ...
    def components(self) -> tuple[Array, ...]: ...


class ScaledEstimate:
    """An estimate of data that was divided by a number, in the data's own units."""

    def __init__(self, estimate: _Estimate, scale: float) -> None:
        self._estimate = estimate
        self._scale = scale

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        return self._scale * self._estimate.at(coordinates)

    def dense(self) -> Array:
        """The full tensor."""
        return self._scale * self._estimate.dense()

    def components(self) -> tuple[Array, ...]:
        """The parts, scaled alike."""
        return tuple(self._scale * part for part in self._estimate.components())
