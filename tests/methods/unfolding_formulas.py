"""The formulas of `halrtc` and `lrtc-tnn`, by singular value decompositions; nothing shared with the fast code."""

from __future__ import annotations

import math

import numpy as np

from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array, fold, unfold


def shrunk(matrix: Array, threshold: float, free: int) -> Array:
    """All singular values but the `free` largest ones made smaller by `threshold`."""
    u, s, vt = np.linalg.svd(matrix, full_matrices=False)
    tail = np.maximum(s - threshold, 0.0)
    return np.asarray((u * np.append(s[:free], tail[free:])) @ vt)


def truncated_norm(matrix: Array, free: int) -> float:
    """The sum of all singular values but the `free` largest ones."""
    return float(np.linalg.svd(matrix, compute_uv=False)[free:].sum())


class UnfoldingTranscript:
    """Y_n, X, M_n and β, with the start at the mean of the known entries."""

    def __init__(self, data: ObservedTensor, weights: Array, penalty: float, growth: float) -> None:
        self.alpha, self.first, self.growth, self.known = weights, penalty, growth, data.mask()
        self.shape, self.modes = data.shape, range(data.order)
        self.X = np.full(data.shape, data.values.mean())
        self.X[self.known] = data.values
        self.begin(penalty, 0.0)
        self.cost = sum(self.alpha[n] * truncated_norm(unfold(self.X, n), 0) for n in self.modes)

    def begin(self, penalty: float, truncation: float) -> None:
        """A stage of `lrtc-tnn`; at least one singular value is free."""
        sizes = [min(unfold(self.X, n).shape) for n in self.modes]
        self.beta, self.free = penalty, [max(1, math.ceil(truncation * size)) for size in sizes]
        self.M = [np.zeros_like(unfold(self.X, n)) for n in self.modes]

    def step(self) -> None:
        beta, X = self.beta, self.X
        Y = [shrunk(unfold(X, n) - self.M[n] / beta, self.alpha[n] / beta, self.free[n]) for n in self.modes]
        mean = sum(fold(self.M[n] + beta * Y[n], n, self.shape) for n in self.modes) / (len(self.shape) * beta)
        self.X = np.where(self.known, X, mean)
        self.M = [self.M[n] + beta * (Y[n] - unfold(self.X, n)) for n in self.modes]
        self.cost = sum(self.alpha[n] * truncated_norm(Y[n], self.free[n]) for n in self.modes)
        self.change = float(np.linalg.norm(self.X - X) / np.linalg.norm(self.X))
        self.beta *= self.growth

    def run(self, truncation: float, tolerance: float) -> list[Array]:
        """X at the start and after every step of both stages of `lrtc-tnn`."""
        found = [self.X]
        for stage in (0, 1):
            if stage == 1:
                self.begin(10 * self.first, truncation)
            while True:
                self.step()
                if self.change < tolerance:
                    break
                found.append(self.X)
        return [*found, self.X]
