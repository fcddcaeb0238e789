"""Tensors of fixed multilinear rank, any number of modes: points, tangent vectors, and two geometries.

A point is a core and one matrix with orthonormal columns per mode. Tangent vectors are pairs of the same kind,
(Ġ; U̇_1, …, U̇_K), for the direction Ġ ×_j U_j + Σ_k G ×_k U̇_k ×_{j≠k} U_j.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..estimates.factored import TuckerTensor
from ..numerics.conjugate_gradients import PreconditionedSystem, ResidualWithin, conjugate_gradients
from ..tensor import Array, mode_product, unfold

Skews = tuple[Array, ...]

_MOST_STEPS = 15  # of conjugate gradients for the rotations
_TOLERANCE = 1e-6  # and their relative residual
_FAINTEST = 1e-14  # eigenvalue of G_k G_kᵀ that still counts, as a share of the largest


def random_nonnegative(shape: tuple[int, ...], ranks: tuple[int, ...], rng: np.random.Generator) -> TuckerTensor:
    """Core and factors uniform in [0, 1], the same tensor written with orthonormal factors."""
    factors = [np.linalg.qr(rng.random((size, rank))) for size, rank in zip(shape, ranks, strict=True)]
    core = TuckerTensor(rng.random(ranks), tuple(R for _, R in factors)).dense()
    return TuckerTensor(core, tuple(Q for Q, _ in factors))


def add(first: TuckerTensor, second: TuckerTensor, times: float = 1.0) -> TuckerTensor:
    """first + times · second, part by part."""
    factors = (one + times * other for one, other in zip(first.factors, second.factors, strict=True))
    return TuckerTensor(first.core + times * second.core, tuple(factors))


def scale(tangent: TuckerTensor, times: float) -> TuckerTensor:
    """times · tangent."""
    return TuckerTensor(times * tangent.core, tuple(times * factor for factor in tangent.factors))


class CoreGram:
    """K = G_k G_kᵀ of one mode, by its eigenvectors; what is too faint to be told from rounding is not inverted."""

    def __init__(self, core: Array, mode: int) -> None:
        G = unfold(core, mode)
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


class TuckerEmbedded(TuckerGeometry):
    """The geometry as a submanifold of all tensors with the Euclidean metric, around one point.

    Tangent vectors have U_kᵀ U̇_k = 0. D. Kressner, M. Steinlechner, B. Vandereycken, "Low-rank tensor completion by
    Riemannian optimization", BIT 54, 2014.
    """

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
            factors.append(_off(U, V @ (unfold(seen, mode) @ unfold(self.at.core, mode).T)) @ gram.inverse)
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
        moved = self.as_tensor(scale(tangent, step), base=1.0)
        bases = [np.linalg.qr(factor) for factor in moved.factors]
        return truncate(
            TuckerTensor(moved.core, tuple(R for _, R in bases)).dense(), [Q for Q, _ in bases], self.at.core.shape
        )


def truncate(core: Array, bases: list[Array], ranks: tuple[int, ...]) -> TuckerTensor:
    """The tensor core ×_k bases[k], orthonormal, cut down to `ranks` (De Lathauwer, De Moor & Vandewalle 2000)."""
    turns = []
    for mode, rank in enumerate(ranks):
        vectors, _, _ = np.linalg.svd(unfold(core, mode), full_matrices=False)
        turns.append(vectors[:, :rank])
    small = TuckerTensor(core, tuple(turn.T for turn in turns)).dense()
    return TuckerTensor(small, tuple(Q @ turn for Q, turn in zip(bases, turns, strict=True)))


def _off(U: Array, change: Array) -> Array:
    """What of a change is orthogonal to the columns of U."""
    return np.asarray(change - U @ (U.T @ change))


class TuckerQuotient(TuckerGeometry):
    """The geometry modulo rotations of the factors, with a metric adapted to least squares, around one point.

    H. Kasai & B. Mishra, "Low-rank tensor completion: a Riemannian manifold preconditioning approach", ICML 2016.
    """

    def gradient(self, euclidean: TuckerTensor) -> TuckerTensor:
        """The Riemannian gradient, which is horizontal: (E_k − U_k B_k) K_k⁻¹, K B + B K = 2 sym(K UᵀE)."""
        factors = []
        for gram, U, E in zip(self.grams, self.at.factors, euclidean.factors, strict=True):
            B = gram.lyapunov(_twice_symmetric(gram.matrix @ (U.T @ E)))
            factors.append((E - U @ B) @ gram.inverse)
        return TuckerTensor(euclidean.core, tuple(factors))

    def project(self, ambient: TuckerTensor) -> TuckerTensor:
        """On the tangent space, and there on what no rotation of the factors undoes."""
        tangent = self._project_on_tangent_space(ambient)
        return add(tangent, self.vertical(self._find_rotations(tangent)), -1.0)

    def retract(self, tangent: TuckerTensor, step: float) -> TuckerTensor:
        """G + t Ġ, and the orthonormal polar factor of U_k + t U̇_k."""
        factors = []
        for U, change in zip(self.at.factors, tangent.factors, strict=True):
            left, _, right = np.linalg.svd(U + step * change, full_matrices=False)
            factors.append(left @ right)
        return TuckerTensor(self.at.core + step * tangent.core, tuple(factors))

    def vertical(self, turns: Skews) -> TuckerTensor:
        """The direction in which the factors turn and the core turns back: the tensor stays."""
        core = np.zeros_like(self.at.core)
        for mode, turn in enumerate(turns):
            core -= mode_product(self.at.core, turn, mode)
        return TuckerTensor(core, tuple(U @ turn for U, turn in zip(self.at.factors, turns, strict=True)))

    def _project_on_tangent_space(self, ambient: TuckerTensor) -> TuckerTensor:
        factors = []
        for gram, U, change in zip(self.grams, self.at.factors, ambient.factors, strict=True):
            B = gram.lyapunov(_twice_symmetric(gram.matrix @ (U.T @ change) @ gram.matrix))
            factors.append(change - U @ B @ gram.inverse)
        return TuckerTensor(ambient.core, tuple(factors))

    def _find_rotations(self, tangent: TuckerTensor) -> Skews:
        """The skew Ω_k for which tangent − vertical(Ω) is horizontal, by preconditioned conjugate gradients."""
        right = []
        for mode, (gram, U, change) in enumerate(zip(self.grams, self.at.factors, tangent.factors, strict=True)):
            turning = U.T @ change @ gram.matrix + unfold(self.at.core, mode) @ unfold(tangent.core, mode).T
            right.append(0.5 * (turning - turning.T))
        b = _join(right)
        stop = ResidualWithin(_TOLERANCE * float(np.linalg.norm(b)), _MOST_STEPS)
        return self._split(conjugate_gradients(self.rotation_system(), np.zeros_like(b), b, stop).x)

    def rotation_system(self) -> PreconditionedSystem:
        """The linear system for the Ω_k, as one vector."""
        return PreconditionedSystem(self._turn, self._invert_nearly)

    def _turn(self, joined: Array) -> Array:
        """Ω_k K_k + K_k Ω_k + Σ_{j≠k} (G ×_j Ω_j)_k G_kᵀ, for the Ω_k as one vector."""
        core, turns = self.at.core, self._split(joined)
        moved = [mode_product(core, turn, mode) for mode, turn in enumerate(turns)]
        result = []
        for mode, (gram, turn) in enumerate(zip(self.grams, turns, strict=True)):
            others = sum((part for j, part in enumerate(moved) if j != mode), np.zeros_like(core))
            coupled = unfold(others, mode) @ unfold(core, mode).T
            result.append(turn @ gram.matrix + gram.matrix @ turn + 0.5 * (coupled - coupled.T))
        return _join(result)

    def _invert_nearly(self, joined: Array) -> Array:
        """The inverse of Ω_k K_k + K_k Ω_k."""
        turns = self._split(joined)
        return _join([gram.lyapunov(turn) for gram, turn in zip(self.grams, turns, strict=True)])

    def _split(self, joined: Array) -> Skews:
        """One matrix per mode, from all of them as one vector."""
        ends = np.cumsum([rank * rank for rank in self.at.core.shape])[:-1]
        parts = zip(np.split(joined, ends), self.at.core.shape, strict=True)
        return tuple(part.reshape(rank, rank) for part, rank in parts)


def _join(matrices: Sequence[Array]) -> Array:
    return np.concatenate([matrix.reshape(-1) for matrix in matrices])


def _twice_symmetric(matrix: Array) -> Array:
    return np.asarray(matrix + matrix.T)
