"""An estimate of a power of the data, as one of the data itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(5)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


class _Estimate(Protocol):
    def at(self, coordinates: NDArray[np.int64]) -> Array: ...
    def dense(self) -> Array: ...


@dataclass(frozen=True, eq=False)
class PoweredEstimate:
    """What values are expected to be whose power differs from an estimate with a variance."""

    estimate: _Estimate
    power: float
    variance: float = 0.0

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        return expected_root(self.estimate.at(coordinates), self.power, self.variance)

    def dense(self) -> Array:
        """The full tensor."""
        return expected_root(self.estimate.dense(), self.power, self.variance)

    def components(self) -> tuple[Array, ...]:
        """All of it: roots of parts do not add up."""
        return (self.dense(),)


def expected_root(mean: Array, power: float, variance: Array | float) -> Array:
    """E[x₊^(1/power)] for a normal x, by Gauss–Hermite quadrature; never negative."""
    deviation = np.sqrt(variance)
    if not np.any(deviation):
        return np.asarray(np.maximum(mean, 0) ** (1 / power))
    found = np.zeros(np.shape(mean))
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        found += weight * np.maximum(mean + node * deviation, 0) ** (1 / power)
    return found


def deviation_of_root(mean: Array, power: float, deviation: Array) -> Array:
    """The standard deviation of the same."""
    variance = deviation**2
    squares = expected_root(mean, power / 2, variance)
    return np.sqrt(np.maximum(squares - expected_root(mean, power, variance) ** 2, 0))
