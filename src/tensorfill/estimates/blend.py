"""A blend: a weighted mean of estimates, none of which counts below a floor, mostly zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array


class Estimate(Protocol):
    """What can be evaluated entry by entry or as a whole."""

    def at(self, coordinates: NDArray[np.int64]) -> Array: ...

    def dense(self) -> Array: ...

    def components(self) -> tuple[Array, ...]: ...


@dataclass(frozen=True, eq=False)
class BlendedEstimate:
    """Estimates and their weights, which add up to 1."""

    parts: Sequence[Estimate]
    weights: Sequence[float]
    floor: float = 0.0

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        total = np.zeros(len(coordinates))
        for part, weight in zip(self.parts, self.weights, strict=True):
            total += weight * np.maximum(part.at(coordinates), self.floor)
        return total

    def dense(self) -> Array:
        """The full tensor."""
        parts = self.components()
        total = parts[0]
        for part in parts[1:]:
            total += part
        return total

    def components(self) -> tuple[Array, ...]:
        """One tensor per estimate, weighted."""
        return tuple(
            weight * np.maximum(part.dense(), self.floor) for part, weight in zip(self.parts, self.weights, strict=True)
        )
