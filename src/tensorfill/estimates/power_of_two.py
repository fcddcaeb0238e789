"""An estimate times a power of two, with nothing beyond the largest float."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array

_LARGEST = np.finfo(np.float64).max


class _Estimate(Protocol):
    def at(self, coordinates: NDArray[np.int64]) -> Array: ...
    def dense(self) -> Array: ...
    def components(self) -> tuple[Array, ...]: ...


@dataclass(frozen=True, eq=False)
class PowerOfTwoEstimate:
    """An estimate of data that was divided by 2^exponent, in the data's own units."""

    estimate: _Estimate
    exponent: int

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        return times_power_of_two(self.estimate.at(coordinates), self.exponent)

    def dense(self) -> Array:
        """The full tensor."""
        return times_power_of_two(self.estimate.dense(), self.exponent)

    def components(self) -> tuple[Array, ...]:
        """The parts; they add up as long as none of them is cut off at the largest float."""
        return tuple(times_power_of_two(part, self.exponent) for part in self.estimate.components())


def times_power_of_two(values: Array, exponent: int) -> Array:
    """values · 2^exponent, exact where a float can hold it, and finite.

    >>> times_power_of_two(np.array([0.75, -1.5]), 1024)
    array([ 1.34826985e+308, -1.79769313e+308])
    """
    with np.errstate(over="ignore", under="ignore"):
        found = np.asarray(np.ldexp(values, exponent))
    return np.clip(found, -_LARGEST, _LARGEST, out=found)
