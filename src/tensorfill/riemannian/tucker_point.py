"""Tensors of fixed multilinear rank as points: a core and one matrix with orthonormal columns per mode.

Tangent vectors are pairs of the same kind, (Ġ; U̇_1, …, U̇_K), for the direction Ġ ×_j U_j + Σ_k G ×_k U̇_k ×_{j≠k} U_j.
"""

from __future__ import annotations

import numpy as np

from ..estimates.factored import TuckerTensor
from ..tensor import Array, unfold

_FAINTEST = 1e-14  # eigenvalue of G_k G_kᵀ that still counts, as a share of the largest


def random_nonnegative(shape: tuple[int, ...], ranks: tuple[int, ...], rng: np.random.Generator) -> TuckerTensor:
    """Core and factors uniform in [0, 1], the same tensor written with orthonormal factors."""
    factors = [np.linalg.qr(rng.random((size, rank))) for size, rank in zip(shape, ranks, strict=True)]
    core = TuckerTensor(rng.random(ranks), tuple(R for _, R in factors)).dense()
    return TuckerTensor(core, tuple(Q for Q, _ in factors))


def plus(first: TuckerTensor, second: TuckerTensor, times: float = 1.0) -> TuckerTensor:
    """first + times · second, part by part."""
    factors = (one + times * other for one, other in zip(first.factors, second.factors, strict=True))
    return TuckerTensor(first.core + times * second.core, tuple(factors))


def scaled(tangent: TuckerTensor, times: float) -> TuckerTensor:
    """times · tangent."""
    return TuckerTensor(times * tangent.core, tuple(times * factor for factor in tangent.factors))


def flat(core: Array, mode: int) -> Array:
    """The core's unfolding."""
    return np.asarray(unfold(core, mode))


class CoreGram:
    """K = G_k G_kᵀ of one mode, by its eigenvectors; what is too faint to be told from rounding is not inverted."""

    def __init__(self, core: Array, mode: int) -> None:
        G = flat(core, mode)
        self.matrix = G @ G.T
        weights, self.vectors = np.linalg.eigh(self.matrix)
        floor = max(_FAINTEST * weights[-1], np.finfo(float).tiny)
        inverted = np.where(weights > floor, 1 / np.maximum(weights, floor), 0.0)
        self.inverse = (self.vectors * inverted) @ self.vectors.T
        lifted = np.maximum(weights, floor)
        self._sums = lifted[:, None] + lifted

    def lyapunov(self, right: Array) -> Array:
        """X with K X + X K = right."""
        Q = self.vectors
        return np.asarray(Q @ ((Q.T @ right @ Q) / self._sums) @ Q.T)


class TuckerGeometry:
    """What both geometries around a point share: K_k for every mode, and <ξ, η> = Σ_k <ξ_k K_k, η_k> + <ξ_G, η_G>."""

    def __init__(self, at: TuckerTensor) -> None:
        self.at = at
        self.grams = tuple(CoreGram(at.core, mode) for mode in range(len(at.factors)))

    def inner(self, first: TuckerTensor, second: TuckerTensor) -> float:
        """The inner product of two tangent vectors."""
        total = float(np.vdot(first.core, second.core))
        for gram, one, other in zip(self.grams, first.factors, second.factors, strict=True):
            total += float(np.vdot(one @ gram.matrix, other))
        return total
