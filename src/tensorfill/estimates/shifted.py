"""A shifted estimate: another one plus a number."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array


class _Estimate(Protocol):
    def at(self, coordinates: NDArray[np.int64]) -> Array: ...
    def dense(self) -> Array: ...
    def components(self) -> tuple[Array, ...]: ...


class ShiftedEstimate:
    """An estimate of data from which a number was subtracted, with the number added again."""

    def __init__(self, estimate: _Estimate, shift: float) -> None:
        self._estimate = estimate
        self._shift = shift

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        return self._estimate.at(coordinates) + self._shift

    def dense(self) -> Array:
        """The full tensor."""
        return self._estimate.dense() + self._shift

    def components(self) -> tuple[Array, ...]:
        """The parts, and one more that is constant."""
        parts = self._estimate.components()
        return (*parts, np.full(parts[0].shape, self._shift))
