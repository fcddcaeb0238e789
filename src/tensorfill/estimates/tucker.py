"""A Tucker tensor: a small core multiplied by one factor matrix per mode, G ×_1 U_1 … ×_K U_K."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array, mode_product

_AT_ONCE = 2**22  # values held at a time when single entries are asked for


@dataclass(frozen=True, eq=False)
class TuckerTensor:
    """Core and factors; U_k is n_k × r_k."""

    core: Array
    factors: tuple[Array, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole."""
        return tuple(len(factor) for factor in self.factors)

    def dense(self) -> Array:
        """The full tensor."""
        whole = self.core
        for mode in np.argsort([len(factor) / factor.shape[1] for factor in self.factors]):  # what grows least first
            whole = mode_product(whole, self.factors[mode], int(mode))
        return np.ascontiguousarray(whole)

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        found = np.empty(len(coordinates))
        step = max(1, _AT_ONCE // max(1, self.core.size // self.core.shape[0]))
        for first in range(0, len(coordinates), step):
            rows = coordinates[first : first + step]
            part = self.factors[0][rows[:, 0]] @ self.core.reshape(self.core.shape[0], -1)
            for factor, indices in zip(self.factors[1:], rows.T[1:], strict=True):
                weights = factor[indices]
                part = np.einsum("er,ers->es", weights, part.reshape(*weights.shape, -1))
            found[first : first + step] = part[:, 0]
        return found

    def components(self) -> tuple[Array, ...]:
        """The full tensor: there is only one part."""
        return (self.dense(),)
