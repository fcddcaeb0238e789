"""The formulas of `bcpf`, written down as they are, entry by entry; nothing shared with the fast code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array

PRIOR = 1e-6


def kruskal(factors: Sequence[Array]) -> Array:
    operands = [part for mode, factor in enumerate(factors) for part in (factor, [mode, 9])]
    return np.asarray(np.einsum(*operands, list(range(len(factors)))))


class BCPFTranscript:
    """Means a and covariances V of all rows, E[λ] and E[τ], started from given factors."""

    def __init__(self, data: ObservedTensor, unit: float, factors: Sequence[Array]) -> None:
        self.entries = np.stack(np.unravel_index(data.positions, data.shape), axis=1)
        self.y, self.shape = data.values / unit, data.shape
        self.a = [factor.copy() for factor in factors]
        self.rank = factors[0].shape[1]
        self.V = [np.tile(0.1 * np.eye(self.rank), (size, 1, 1)) for size in data.shape]
        self.lam, self.tau = np.ones(self.rank), 10.0

    def second(self, m: int, i: int) -> Array:
        return np.asarray(np.outer(self.a[m][i], self.a[m][i]) + self.V[m][i])

    def product(self, entry: Array, without: int | None = None) -> Array:
        total = np.ones((self.rank, self.rank))
        for m, i in enumerate(entry):
            if m != without:
                total = total * self.second(m, i)
        return total

    def step(self) -> None:
        for n, size in enumerate(self.shape):
            means, covariances = np.zeros((size, self.rank)), np.zeros((size, self.rank, self.rank))
            for i in range(size):
                P, right = np.diag(self.lam), np.zeros(self.rank)
                for entry, y in zip(self.entries, self.y, strict=True):
                    if entry[n] == i:
                        P = P + self.tau * self.product(entry, without=n)
                        others = [self.a[m][entry[m]] for m in range(len(self.shape)) if m != n]
                        right = right + y * np.prod(others, axis=0)
                covariances[i] = np.linalg.inv(P)
                means[i] = self.tau * covariances[i] @ right
            self.a[n], self.V[n] = means, covariances
        squares = sum(np.diag(self.second(n, i)) for n, size in enumerate(self.shape) for i in range(size))
        self.lam = (PRIOR + 0.5 * sum(self.shape)) / (PRIOR + 0.5 * squares)
        self.tau = (PRIOR + 0.5 * len(self.y)) / (PRIOR + 0.5 * self.misfit())

    def misfit(self) -> float:
        """E‖Y − [[A]]‖² over the known entries."""
        total = 0.0
        for entry, y in zip(self.entries, self.y, strict=True):
            mean = np.prod([self.a[m][i] for m, i in enumerate(entry)], axis=0).sum()
            total += y**2 - 2 * y * mean + self.product(entry).sum()
        return total
