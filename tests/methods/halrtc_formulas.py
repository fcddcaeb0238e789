"""The formulas of `halrtc`, written down as they are, on unfoldings of the data; nothing shared with the fast code."""

from __future__ import annotations

import numpy as np

from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array, fold, unfold


def shrunk(matrix: Array, threshold: float) -> Array:
    u, s, vt = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray((u * np.maximum(s - threshold, 0.0)) @ vt)


class HaLRTCTranscript:
    """Y_n, X, M_n and β, with the start at the mean of the known entries."""

    def __init__(self, data: ObservedTensor, weights: Array, penalty: float, growth: float) -> None:
        self.alpha, self.beta, self.growth, self.known = weights, penalty, growth, data.mask()
        self.modes, self.shape = range(data.order), data.shape
        self.X = np.full(data.shape, data.values.mean())
        self.X[self.known] = data.values
        self.M = [np.zeros_like(unfold(self.X, n)) for n in self.modes]
        self.cost = sum(self.alpha[n] * np.linalg.norm(unfold(self.X, n), "nuc") for n in self.modes)

    def step(self) -> None:
        beta = self.beta
        Y = [shrunk(unfold(self.X, n) - self.M[n] / beta, self.alpha[n] / beta) for n in self.modes]
        mean = sum(fold(self.M[n] + beta * Y[n], n, self.shape) for n in self.modes) / (len(self.shape) * beta)
        self.X = np.where(self.known, self.X, mean)
        self.M = [self.M[n] + beta * (Y[n] - unfold(self.X, n)) for n in self.modes]
        self.cost = sum(self.alpha[n] * np.linalg.norm(Y[n], "nuc") for n in self.modes)
        self.beta *= self.growth
