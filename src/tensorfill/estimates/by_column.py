"""An estimate of a matrix whose columns were divided by numbers of their own, in the data's units."""

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
class EstimateByColumn:
    """An estimate of data whose last mode was divided by `scales`, index by index."""

    estimate: _Estimate
    scales: Array

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        return times(self.estimate.at(coordinates), self.scales[coordinates[:, -1]])

    def dense(self) -> Array:
        """The full tensor."""
        return times(self.estimate.dense(), self.scales)

    def components(self) -> tuple[Array, ...]:
        """The parts; they add up as long as none of them is cut off at the largest float."""
        return tuple(times(part, self.scales) for part in self.estimate.components())


def times(values: Array, scales: Array) -> Array:
    """values · scales, and finite."""
    with np.errstate(over="ignore", under="ignore"):
        found = np.asarray(values * scales)
    return np.clip(found, -_LARGEST, _LARGEST, out=found)
