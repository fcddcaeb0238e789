"""An estimate of data whose slices, such as the columns of a table, were divided by numbers of their own."""

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
class EstimateBySlice:
    """An estimate in the data's units: `estimate` is of data divided by `scales`, index by index of a mode."""

    estimate: _Estimate
    scales: Array
    mode: int = -1

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        return times(self.estimate.at(coordinates), self.scales[coordinates[:, self.mode]])

    def dense(self) -> Array:
        """The full tensor."""
        return times_along(self.estimate.dense(), self.scales, self.mode)

    def components(self) -> tuple[Array, ...]:
        """The parts; they add up as long as none of them is cut off at the largest float."""
        return tuple(times_along(part, self.scales, self.mode) for part in self.estimate.components())


def times_along(values: Array, scales: Array, mode: int) -> Array:
    """values · scales, index by index of a mode, and finite."""
    return times(values, scales.reshape([-1 if axis == mode % values.ndim else 1 for axis in range(values.ndim)]))


def times(values: Array, scales: Array) -> Array:
    """values · scales, and finite."""
    with np.errstate(over="ignore", under="ignore"):
        found = np.asarray(values * scales)
    return np.clip(found, -_LARGEST, _LARGEST, out=found)
