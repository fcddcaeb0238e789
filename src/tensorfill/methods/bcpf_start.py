"""Where `bcpf` starts: singular vectors of the unfoldings, with zeros where nothing is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..numerics.eigenvalues import leading_eigenpairs
from ..observed import ObservedTensor
from ..tensor import Array

_SMALL = 2000  # modes up to this size have their X Xᵀ built


class SeenRows:
    """A tensor without the indices of which nothing is known: their rows are what they were before any data, zero."""

    def __init__(self, data: ObservedTensor) -> None:
        found = [np.unique(indices, return_inverse=True) for indices in np.unravel_index(data.positions, data.shape)]
        self._rows: list[NDArray[np.int64]] = [rows for rows, _ in found]
        self._given = data.shape
        self.indices = [inverse.astype(np.int32) for _, inverse in found]
        self.shape = tuple(len(rows) for rows, _ in found)
        self.positions = np.ravel_multi_index([inverse for _, inverse in found], self.shape)

    def whole(self, factors: Sequence[Array]) -> tuple[Array, ...]:
        """Factors with a row for every index of the tensor as it was given."""
        result = []
        for size, rows, factor in zip(self._given, self._rows, factors, strict=True):
            whole = np.zeros((size, factor.shape[1]))
            whole[rows] = factor
            result.append(whole)
        return tuple(result)


def starting_factors(seen: SeenRows, values: Array, rank: int, rng: np.random.Generator) -> list[Array]:
    """A_k = U_k Σ_k^(1/K) from the largest singular values of the mode-k unfolding; columns beyond are Gaussian.

    The power makes [[A_1, …, A_K]] as large as the data, for any number of modes.
    """
    factors = []
    for mode, size in enumerate(seen.shape):
        unfolding = _unfolding(seen, values, mode)
        squares = (unfolding @ unfolding.T).toarray() if size <= _SMALL else None

        def times(V: Array, X: csr_array = unfolding, square: Array | None = squares) -> Array:
            return np.asarray(X @ (X.T @ V) if square is None else square @ V)

        found, directions = leading_eigenpairs(times, size, min(rank, size))
        roots = np.maximum(found[::-1], 0.0) ** (0.5 / len(seen.shape))
        drawn = rng.standard_normal((size, rank - len(roots)))
        factors.append(np.concatenate([directions[:, ::-1] * roots, drawn], axis=1))
    return factors


def _unfolding(seen: SeenRows, values: Array, mode: int) -> csr_array:
    """The mode-k unfolding, without the columns that are empty."""
    others = [other for other in range(len(seen.shape)) if other != mode]
    fibres = np.ravel_multi_index([seen.indices[other] for other in others], [seen.shape[other] for other in others])
    columns, number = np.unique(fibres, return_inverse=True)
    return csr_array((values, (seen.indices[mode], number)), shape=(seen.shape[mode], len(columns)))
