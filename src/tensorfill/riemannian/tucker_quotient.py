"""Tucker tensors modulo rotations of their factors, with a metric adapted to least squares.

<ξ, η> = Σ_k trace(K_k ξ_kᵀ η_k) + <ξ_G, η_G>,  K_k = G_k G_kᵀ.  H. Kasai & B. Mishra, "Low-rank tensor completion: a
Riemannian manifold preconditioning approach", ICML 2016. Any number of modes.
"""

from __future__ import annotations

import numpy as np

from ..estimates.factored import TuckerTensor
from ..tensor import Array, mode_product
from .tucker_point import TuckerGeometry, flat

Skews = tuple[Array, ...]

_MOST_STEPS = 15  # of conjugate gradients for the rotations
_TOLERANCE = 1e-6  # and their relative residual


class TuckerQuotient(TuckerGeometry):
    """The geometry around one point."""

    def gradient(self, euclidean: TuckerTensor) -> TuckerTensor:
        """The Riemannian gradient, which is horizontal: (E_k − U_k B_k) K_k⁻¹, K B + B K = 2 sym(K UᵀE)."""
        factors = []
        for gram, U, E in zip(self.grams, self.at.factors, euclidean.factors, strict=True):
            B = gram.lyapunov(_twice_symmetric(gram.matrix @ (U.T @ E)))
            factors.append((E - U @ B) @ gram.inverse)
        return TuckerTensor(euclidean.core, tuple(factors))

    def project(self, ambient: TuckerTensor) -> TuckerTensor:
        """On the tangent space, and there on what no rotation of the factors undoes."""
        tangent = self._on_tangent_space(ambient)
        turns = self._rotations(tangent)
        core = tangent.core
        for mode, turn in enumerate(turns):
            core = core + mode_product(self.at.core, turn, mode)
        factors = (factor - U @ turn for factor, U, turn in zip(tangent.factors, self.at.factors, turns, strict=True))
        return TuckerTensor(core, tuple(factors))

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

    def _on_tangent_space(self, ambient: TuckerTensor) -> TuckerTensor:
        factors = []
        for gram, U, change in zip(self.grams, self.at.factors, ambient.factors, strict=True):
            B = gram.lyapunov(_twice_symmetric(gram.matrix @ (U.T @ change) @ gram.matrix))
            factors.append(change - U @ B @ gram.inverse)
        return TuckerTensor(ambient.core, tuple(factors))

    def _rotations(self, tangent: TuckerTensor) -> Skews:
        """The skew Ω_k for which tangent − vertical(Ω) is horizontal, by preconditioned conjugate gradients."""
        right = []
        for mode, (gram, U, change) in enumerate(zip(self.grams, self.at.factors, tangent.factors, strict=True)):
            turning = U.T @ change @ gram.matrix + flat(self.at.core, mode) @ flat(tangent.core, mode).T
            right.append(0.5 * (turning - turning.T))
        x = [np.zeros_like(part) for part in right]
        r = right
        z = self._eased(r)
        p = z
        rz = _inner(r, z)
        goal = _TOLERANCE**2 * _inner(r, r)
        for _ in range(_MOST_STEPS):
            if not _inner(r, r) > goal:
                break
            q = self._turned(p)
            alpha = rz / _inner(p, q)
            x = [part + alpha * step for part, step in zip(x, p, strict=True)]
            r = [part - alpha * step for part, step in zip(r, q, strict=True)]
            z = self._eased(r)
            rz, before = _inner(r, z), rz
            p = [part + rz / before * step for part, step in zip(z, p, strict=True)]
        return tuple(x)

    def _turned(self, turns: list[Array]) -> list[Array]:
        """Ω_k K_k + K_k Ω_k + Σ_{j≠k} (G ×_j Ω_j)_k G_kᵀ."""
        core = self.at.core
        moved = [mode_product(core, turn, mode) for mode, turn in enumerate(turns)]
        result = []
        for mode, (gram, turn) in enumerate(zip(self.grams, turns, strict=True)):
            others = sum((part for j, part in enumerate(moved) if j != mode), np.zeros_like(core))
            coupled = flat(others, mode) @ flat(core, mode).T
            result.append(turn @ gram.matrix + gram.matrix @ turn + 0.5 * (coupled - coupled.T))
        return result

    def _eased(self, turns: list[Array]) -> list[Array]:
        return [gram.lyapunov(turn) for gram, turn in zip(self.grams, turns, strict=True)]


def _inner(first: list[Array], second: list[Array]) -> float:
    return float(sum(np.vdot(one, other) for one, other in zip(first, second, strict=True)))


def _twice_symmetric(matrix: Array) -> Array:
    return np.asarray(matrix + matrix.T)
