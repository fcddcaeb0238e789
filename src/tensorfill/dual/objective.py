"""The outer objective g(U) with its gradient and Hessian, by one inner solve; a model of the Hessian; the start.

The model of the Hessian of g costs nothing: it is what it would be for one mode alone, sampled evenly.

Were mode k alone and a share p of all entries observed, g would be ½ tr Yᵀ(κ + λΘ)⁻¹Y with κ = 1/(2Cp) and
X = (κ + λΘ)⁻¹Y. Along a change E of Θ = Q diag(s) Qᵀ its second derivative is λ² Σ_ab E_ab² R_a x_b², where R is
1/(κ + λs) and x² the diagonal of Qᵀ X Xᵀ Q. At a minimum x² = μ = <U, X Xᵀ U> for all directions in use (the paper's
Lemma 1). For E = η Uᵀ + U ηᵀ on the sphere of U, a step η then weighs

    within the span of U       λ² μ (s_a + s_b)(R_a + R_b)
    out of it, column a        λ μ (1 + λ s_a/κ) .

These differ by a factor of up to λ s_1/κ, a hundred and more: this is what slows down gradient methods. The other modes
explain part of the data, so that for each one the noise κ is larger than its share of 1/(2C).

The start comes from the spectrum of the data: with p = |Ω|/Πn and M_k = (Y_Ω)_k (Y_Ω)_kᵀ, the diagonal of M_k
multiplied by p and all of it divided by p² is an unbiased estimate of Y_k Y_kᵀ. From its top eigenpairs (w, Q),
U_k = Q diag(w)^{1/4}, normalised: the Θ_k of the paper's Lemma 1 for the debiased data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..numerics.conjugate_gradients import EnergyWithin
from ..numerics.eigenvalues import leading_eigenpairs
from ..numerics.fibre_operator import FibreOperator
from ..riemannian.spectrahedron import Point, Product, Tangent
from ..tensor import Array
from .inner import Accuracy, InnerSolution, InnerSolver
from .preconditioner import FreeSystem
from .problem import DualProblem


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What is known at a point U: value, gradient, and the dual variables behind them."""

    point: Point
    value: float
    value_error: float
    gradient: Tangent
    euclidean_gradient: Tangent
    dual: InnerSolution


@dataclass(frozen=True, eq=False)
class DualObjective:
    """g(U) = max over Z and S ≥ 0, to be minimised over the product of spectrahedra."""

    problem: DualProblem
    manifold: Product
    solver: InnerSolver
    least_residual: float = 1e-11  # of the inner systems, relative: what double precision can hold on to
    hessian_tolerance: float = 1e-4  # relative residual of the linear system behind a Hessian-vector product
    most_hessian_steps: int = 500  # and steps for it

    def evaluate(self, point: Point, near: InnerSolution, value_tolerance: float) -> Evaluation:
        """Solve the inner problem at `point` from a nearby solution; ∂g/∂U_k = −λ_k X_k X_kᵀ U_k."""
        dual = self.solver.solve(point, near, Accuracy(value_tolerance, self.least_residual))
        operator = dual.support.operator
        euclidean = tuple(
            -weight * operator.gram(mode, dual.X, U)
            for mode, (U, weight) in enumerate(zip(point, self.problem.lam, strict=True))
        )
        gradient = self.manifold.gradient(point, euclidean)
        return Evaluation(point, dual.value, dual.value_error, gradient, euclidean, dual)

    def hessian(self, at: Evaluation, tangent: Tangent) -> Tangent:
        """The Riemannian Hessian along a tangent vector, at a fixed active set.

        The dual variables follow U: (D + K) Ẋ = −Σ_k λ_k X ×_k (U̇_k U_kᵀ + U_k U̇_kᵀ) on the free entries; then
        the gradient is differentiated by the product rule.
        """
        dual, U, lam = at.dual, at.point, self.problem.lam
        operator, X = dual.support.operator, dual.X
        free, D = self._free_and_diagonal(dual)

        turn = operator.sandwich(tangent, U, lam)
        right = np.where(free, -(turn.forward(X) + turn.adjoint(X)), 0.0)
        system = FreeSystem(operator, U, lam, D, free)
        floor = self.hessian_tolerance**2 * system.precondition(right)[1]
        X_dot = system.solve(right, EnergyWithin(0.0, floor=floor, most=self.most_hessian_steps)).x
        second = tuple(
            -weight
            * (
                operator.gram(mode, X, U_dot)
                + operator.gram(mode, X_dot, Uk, other=X)
                + operator.gram(mode, X, Uk, other=X_dot)
            )
            for mode, (Uk, U_dot, weight) in enumerate(zip(U, tangent, lam, strict=True))
        )
        return self.manifold.hessian(U, at.euclidean_gradient, second, tangent)

    def _free_and_diagonal(self, dual: InnerSolution) -> tuple[NDArray[np.bool_], Array]:
        """Where X may move, and the diagonal of the system there: 1/(2C), or next to nothing where S holds W at 0."""
        active = dual.S > 0
        free = dual.support.observed | active
        epsilon, C = self.solver.epsilon, self.problem.C
        D = np.where(dual.support.observed, 1 / (2 * C), epsilon)
        D[active & dual.support.observed] = epsilon / (1 + 2 * C * epsilon)
        return free, D


@dataclass(frozen=True)
class CurvatureSettings:
    """What steers the model of the Hessian."""

    noise: float = 5.0  # κ in units of 1/(2Cp): the other modes explain a part of the data
    thinnest: float = 1e-12  # s is taken to be at least this, so that the basis of the span can be divided by its root
    flattest: float = 0.3  # no direction within the span weighs less than this share of λμ: steps would be too long


CURVATURE = CurvatureSettings()


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

    def __init__(self, problem: DualProblem, at: Evaluation, settings: CurvatureSettings = CURVATURE) -> None:
        kappa = settings.noise / (2 * problem.C * problem.share)
        self._modes = [
            _mode_curvature(U, weight, -float(np.vdot(U, gradient)) / weight, kappa, settings)
            for U, gradient, weight in zip(at.point, at.euclidean_gradient, problem.lam, strict=True)
        ]

    def solve(self, tangent: Tangent) -> Tangent:
        """The model's inverse applied to a tangent vector."""
        return tuple(mode.solve(member) for mode, member in zip(self._modes, tangent, strict=True))


def _mode_curvature(U: Array, weight: float, mu: float, kappa: float, settings: CurvatureSettings) -> _ModeCurvature:
    s, V = np.linalg.eigh(U.T @ U)
    s = np.maximum(s, settings.thinnest)
    R = 1 / (kappa + weight * s)
    within = weight**2 * mu * np.add.outer(s, s) * np.add.outer(R, R)
    out = weight * mu * (1 + weight * s / kappa)
    return _ModeCurvature(U @ V / np.sqrt(s), V, np.maximum(within, settings.flattest * weight * mu), out)


def spectral_start(
    operator: FibreOperator, values: Array, ranks: tuple[int, ...], share: float, weakest: float = 1e-3
) -> Point:
    """U_k from the debiased second moments of the observed values.

    A direction the data says nothing about still gets a little weight, so that U keeps its rank: no direction counts
    less than the share `weakest` of the strongest eigenvalue.
    """
    return tuple(_mode_start(operator, values, mode, rank, share, weakest) for mode, rank in enumerate(ranks))


def _mode_start(operator: FibreOperator, values: Array, mode: int, rank: int, share: float, weakest: float) -> Array:
    n = operator.shape[mode]
    excess = (1 - share) * np.bincount(operator.rows(mode), weights=values**2, minlength=n)

    def debiased(V: Array) -> Array:
        return operator.gram(mode, values, V) - excess[:, None] * V

    weights, vectors = leading_eigenpairs(debiased, n, rank)
    strongest = max(float(weights[-1]), 0.0)
    weights = np.maximum(weights, weakest * strongest if strongest > 0 else 1.0)
    U = vectors * weights**0.25
    return np.asarray(U / np.linalg.norm(U))
