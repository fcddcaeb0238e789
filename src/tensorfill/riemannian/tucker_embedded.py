"""Tensors of fixed multilinear rank as a submanifold of all tensors, with the Euclidean metric.

Tangent vectors have U_kᵀ U̇_k = 0. D. Kressner, M. Steinlechner, B. Vandereycken, "Low-rank tensor completion by
Riemannian optimization", BIT 54, 2014. Any number of modes.
"""

from __future__ import annotations

import numpy as np

from ..estimates.factored import TuckerTensor
from ..tensor import Array, mode_product
from .tucker_point import TuckerGeometry, flat


class TuckerEmbedded(TuckerGeometry):
    """The geometry around one point; `inner` is that of the tensors which the tangent vectors stand for."""

    def gradient(self, euclidean: TuckerTensor) -> TuckerTensor:
        """The Riemannian gradient from the derivatives by core and factors: the tensor's gradient, projected."""
        factors = []
        for gram, U, E in zip(self.grams, self.at.factors, euclidean.factors, strict=True):
            factors.append(_off(U, E) @ gram.inverse)
        return TuckerTensor(euclidean.core, tuple(factors))

    def project(self, tensor: TuckerTensor) -> TuckerTensor:
        """The tangent vector closest to a Tucker tensor."""
        meets = [U.T @ V for U, V in zip(self.at.factors, tensor.factors, strict=True)]
        factors = []
        for mode, (gram, U, V) in enumerate(zip(self.grams, self.at.factors, tensor.factors, strict=True)):
            seen = tensor.core
            for other, meet in enumerate(meets):
                if other != mode:
                    seen = mode_product(seen, meet, other)
            factors.append(_off(U, V @ (flat(seen, mode) @ flat(self.at.core, mode).T)) @ gram.inverse)
        return TuckerTensor(TuckerTensor(tensor.core, tuple(meets)).dense(), tuple(factors))

    def as_tensor(self, tangent: TuckerTensor, base: float = 0.0) -> TuckerTensor:
        """base · X + tangent as a Tucker tensor of twice the rank, with factors [U_k U̇_k]."""
        core = self.at.core
        double = np.zeros([2 * rank for rank in core.shape])
        inside = tuple(slice(0, rank) for rank in core.shape)
        double[inside] = tangent.core + base * core
        for mode, rank in enumerate(core.shape):
            double[(*inside[:mode], slice(rank, 2 * rank), *inside[mode + 1 :])] = core
        factors = (np.hstack(pair) for pair in zip(self.at.factors, tangent.factors, strict=True))
        return TuckerTensor(double, tuple(factors))

    def retract(self, tangent: TuckerTensor, step: float) -> TuckerTensor:
        """X + t·tangent, truncated to the rank of X by its higher-order singular value decomposition."""
        scaled = TuckerTensor(step * tangent.core, tuple(step * change for change in tangent.factors))
        moved = self.as_tensor(scaled, base=1.0)
        bases = [np.linalg.qr(factor) for factor in moved.factors]
        return truncated(
            TuckerTensor(moved.core, tuple(R for _, R in bases)).dense(), [Q for Q, _ in bases], self.at.core.shape
        )


def truncated(core: Array, bases: list[Array], ranks: tuple[int, ...]) -> TuckerTensor:
    """The tensor core ×_k bases[k], orthonormal, cut down to `ranks` (De Lathauwer, De Moor & Vandewalle 2000)."""
    turns = []
    for mode, rank in enumerate(ranks):
        vectors, _, _ = np.linalg.svd(flat(core, mode), full_matrices=False)
        turns.append(vectors[:, :rank])
    small = TuckerTensor(core, tuple(turn.T for turn in turns)).dense()
    return TuckerTensor(small, tuple(Q @ turn for Q, turn in zip(bases, turns, strict=True)))


def _off(U: Array, change: Array) -> Array:
    """What of a change is orthogonal to the columns of U."""
    return np.asarray(change - U @ (U.T @ change))
