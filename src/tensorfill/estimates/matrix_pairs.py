"""A sum of low-rank unfoldings: Σ_k w_k · fold_k(X_k Y_k), one pair of matrices per mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array, fold


@dataclass(frozen=True, eq=False)
class Pair:
    """The mode-k unfolding w·X Y, with X n_k × r and Y r × (columns)."""

    mode: int
    X: Array
    Y: Array
    weight: float = 1.0
    columns: NDArray[np.int64] | None = None
    """The columns of the unfolding that Y has, sorted; the others are zero. None: all of them, in order."""


@dataclass(frozen=True, eq=False)
class MatrixPairs:
    """The pairs, and the shape of their sum."""

    shape: tuple[int, ...]
    pairs: tuple[Pair, ...]

    def dense(self) -> Array:
        """The full tensor."""
        whole = np.zeros(self.shape)
        for pair in self.pairs:
            whole += self._folded(pair)
        return whole

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        found = np.zeros(len(coordinates))
        for pair in self.pairs:
            column = column_numbers(coordinates, pair.mode, self.shape)
            inside = np.ones(len(column), dtype=bool)
            if pair.columns is not None:
                wanted, column = column, np.searchsorted(pair.columns, column).clip(max=len(pair.columns) - 1)
                inside = pair.columns[column] == wanted
            rows = coordinates[inside, pair.mode]
            found[inside] += pair.weight * np.einsum("er,re->e", pair.X[rows], pair.Y[:, column[inside]])
        return found

    def components(self) -> tuple[Array, ...]:
        """One tensor per pair."""
        return tuple(self._folded(pair) for pair in self.pairs)

    def _folded(self, pair: Pair) -> Array:
        product = pair.weight * (pair.X @ pair.Y)
        if pair.columns is not None:
            whole = np.zeros((self.shape[pair.mode], int(np.prod(self.shape)) // self.shape[pair.mode]))
            whole[:, pair.columns] = product
            product = whole
        return np.asarray(fold(product, pair.mode, self.shape), dtype=np.float64)


def column_numbers(coordinates: NDArray[np.int64], mode: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Which column of the mode-k unfolding each row of coordinates is in, in the order of `tensor.unfold`."""
    number = np.zeros(len(coordinates), dtype=np.int64)
    for axis, size in enumerate(shape):
        if axis != mode:
            number *= size
            number += coordinates[:, axis]
    return number
