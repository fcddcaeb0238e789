"""The constant estimate: the same value everywhere, at no cost in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array


class ConstantEstimate:
    """A tensor with one value."""

    def __init__(self, shape: tuple[int, ...], value: float) -> None:
        self.shape = shape
        self.value = value

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """The value, once per row."""
        return np.full(len(coordinates), self.value)

    def dense(self) -> Array:
        """The value everywhere."""
        return np.full(self.shape, self.value)

    def components(self) -> tuple[Array, ...]:
        """As many equal parts as there are modes."""
        parts = len(self.shape)
        return tuple(np.full(self.shape, self.value / parts) for _ in range(parts))
