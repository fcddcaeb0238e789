"""The outer objective g(U) with its gradient and Hessian, evaluated by one inner solve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..numerics.conjugate_gradients import EnergyWithin
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
