"""A model of the Hessian of g that costs nothing: what it would be for one mode alone, sampled evenly.

Were mode k alone and a share p of all entries observed, g would be ½ tr Yᵀ(κ + λΘ)⁻¹Y with κ = 1/(2Cp) and
X = (κ + λΘ)⁻¹Y. Along a change E of Θ = Q diag(s) Qᵀ its second derivative is λ² Σ_ab E_ab² R_a x_b², where R is
1/(κ + λs) and x² the diagonal of Qᵀ X Xᵀ Q. At a minimum x² = μ = <U, X Xᵀ U> for all directions in use (the paper's
Lemma 1). For E = η Uᵀ + U ηᵀ on the sphere of U, a step η then weighs

    within the span of U       λ² μ (s_a + s_b)(R_a + R_b)
    out of it, column a        λ μ (1 + λ s_a/κ) .

These differ by a factor of up to λ s_1/κ, a hundred and more: this is what slows down gradient methods. The other modes
explain part of the data, so that for each one the noise κ is larger than its share of 1/(2C).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..riemannian.spectrahedron import Tangent
from ..tensor import Array
from .objective import Evaluation
from .problem import DualProblem

_NOISE = 5.0  # κ in units of 1/(2Cp)
_THINNEST = 1e-12  # s is taken to be at least this
_FLATTEST = 0.3  # no direction within the span weighs less than this share of λμ


@dataclass(frozen=True, eq=False)
class _ModeCurvature:
    """The model for one mode, diagonal in the basis Q of the span of U and the columns of U V."""

    Q: Array
    V: Array
    within: Array
    out: Array

    def solve(self, tangent: Array) -> Array:
        turned = tangent @ self.V
        inside = self.Q.T @ turned
        outside = turned - self.Q @ inside
        return np.asarray((outside / self.out + self.Q @ (inside / self.within)) @ self.V.T)


class CurvatureModel:
    """The model at one point."""

    def __init__(self, problem: DualProblem, at: Evaluation) -> None:
        kappa = _NOISE / (2 * problem.C * problem.share)
        self._modes = [
            _mode_curvature(U, weight, -float(np.vdot(U, gradient)) / weight, kappa)
            for U, gradient, weight in zip(at.point, at.euclidean_gradient, problem.lam, strict=True)
        ]

    def solve(self, tangent: Tangent) -> Tangent:
        """The model's inverse applied to a tangent vector."""
        return tuple(mode.solve(member) for mode, member in zip(self._modes, tangent, strict=True))


def _mode_curvature(U: Array, weight: float, mu: float, kappa: float) -> _ModeCurvature:
    s, V = np.linalg.eigh(U.T @ U)
    s = np.maximum(s, _THINNEST)
    R = 1 / (kappa + weight * s)
    within = weight**2 * mu * np.add.outer(s, s) * np.add.outer(R, R)
    out = weight * mu * (1 + weight * s / kappa)
    return _ModeCurvature(U @ V / np.sqrt(s), V, np.maximum(within, _FLATTEST * weight * mu), out)
