"""Estimates in factors: Kruskal tensors (the CP model), Tucker tensors, and sums of low-rank unfoldings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array, fold, mode_product
from .estimate import OnePart

_AT_ONCE = 2**22  # values held at a time when single entries are asked for


@dataclass(frozen=True, eq=False)
class KruskalTensor(OnePart):
    """A sum of rank-one tensors, Σ_r a_1r ∘ … ∘ a_Kr, as one factor matrix per mode, n_k × r."""

    factors: tuple[Array, ...]

    def dense(self) -> Array:
        rows = self.factors[0]
        for factor in self.factors[1:-1]:
            rows = (rows[:, None, :] * factor).reshape(-1, factor.shape[1])
        return (rows @ self.factors[-1].T).reshape([len(factor) for factor in self.factors])

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        found = np.empty(len(coordinates))
        step = max(1, _AT_ONCE // self.factors[0].shape[1])
        for first in range(0, len(coordinates), step):
            rows = coordinates[first : first + step]
            product = self.factors[0][rows[:, 0]]
            for factor, indices in zip(self.factors[1:], rows.T[1:], strict=True):
                product *= factor[indices]
            found[first : first + step] = product.sum(axis=1)
        return found


@dataclass(frozen=True, eq=False)
class TuckerTensor(OnePart):
    """A small core times one factor matrix per mode, G ×_1 U_1 … ×_K U_K; U_k is n_k × r_k."""

    core: Array
    factors: tuple[Array, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole."""
        return tuple(len(factor) for factor in self.factors)

    def dense(self) -> Array:
        whole = self.core
        for mode in np.argsort([len(factor) / factor.shape[1] for factor in self.factors]):  # what grows least first
            whole = mode_product(whole, self.factors[mode], int(mode))
        return np.ascontiguousarray(whole)

    def at(self, coordinates: NDArray[np.int64]) -> Array:
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
    """A sum of low-rank unfoldings: Σ_k w_k · fold_k(X_k Y_k), one pair of matrices per mode."""

    shape: tuple[int, ...]
    pairs: tuple[Pair, ...]

    def dense(self) -> Array:
        whole = np.zeros(self.shape)
        for pair in self.pairs:
            whole += self._fold(pair)
        return whole

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        found = np.zeros(len(coordinates))
        for pair in self.pairs:
            column = _column_numbers(coordinates, pair.mode, self.shape)
            inside = np.ones(len(column), dtype=bool)
            if pair.columns is not None:
                wanted, column = column, np.searchsorted(pair.columns, column).clip(max=len(pair.columns) - 1)
                inside = pair.columns[column] == wanted
            rows = coordinates[inside, pair.mode]
            found[inside] += pair.weight * np.einsum("er,re->e", pair.X[rows], pair.Y[:, column[inside]])
        return found

    def components(self) -> tuple[Array, ...]:
        return tuple(self._fold(pair) for pair in self.pairs)

    def _fold(self, pair: Pair) -> Array:
        product = pair.weight * (pair.X @ pair.Y)
        if pair.columns is not None:
            whole = np.zeros((self.shape[pair.mode], int(np.prod(self.shape)) // self.shape[pair.mode]))
            whole[:, pair.columns] = product
            product = whole
        return np.asarray(fold(product, pair.mode, self.shape), dtype=np.float64)


def _column_numbers(coordinates: NDArray[np.int64], mode: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Which column of the mode-k unfolding each row of coordinates is in, in the order of `tensor.unfold`."""
    number = np.zeros(len(coordinates), dtype=np.int64)
    for axis, size in enumerate(shape):
        if axis != mode:
            number *= size
            number += coordinates[:, axis]
    return number
