"""A Kruskal tensor: a sum of rank-one tensors, [[A_1, …, A_K]] = Σ_r a_1r ∘ … ∘ a_Kr (the CP model)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array

_AT_ONCE = 2**22  # values held at a time when single entries are asked for


@dataclass(frozen=True, eq=False)
class KruskalTensor:
    """One factor matrix per mode, n_k × r."""

    factors: tuple[Array, ...]

    def dense(self) -> Array:
        """The full tensor."""
        rows = self.factors[0]
        for factor in self.factors[1:-1]:
            rows = (rows[:, None, :] * factor).reshape(-1, factor.shape[1])
        return (rows @ self.factors[-1].T).reshape([len(factor) for factor in self.factors])

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        found = np.empty(len(coordinates))
        step = max(1, _AT_ONCE // self.factors[0].shape[1])
        for first in range(0, len(coordinates), step):
            rows = coordinates[first : first + step]
            product = self.factors[0][rows[:, 0]]
            for factor, indices in zip(self.factors[1:], rows.T[1:], strict=True):
                product *= factor[indices]
            found[first : first + step] = product.sum(axis=1)
        return found

    def components(self) -> tuple[Array, ...]:
        """The full tensor: there is only one part."""
        return (self.dense(),)
