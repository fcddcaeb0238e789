"""What an inner solver finds at fixed U: the dual variables Z and S, and W on the support.

g(U) = max_{Z, S ≥ 0}  <Z, Y> − ‖Z‖²/(4C) − <Z + S, B> − Σ_k λ_k/2 ‖U_kᵀ (Z + S)_k‖²     (paper eq. 9, with B = 0)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ..numerics.fibre_operator import Factors
from ..tensor import Array
from .problem import DualProblem, Support, make_support
from .recover import RecoveredTensor, find_negatives


@dataclass(frozen=True, eq=False)
class InnerSolution:
    """Z and S for one U. Arrays live on `support`; X = Z + S, and W = B + Σ_k λ_k X ×_k U_kU_kᵀ there."""

    support: Support
    factors: Factors
    X: Array
    S: Array
    T: Array
    """The earlier guess of S that the solver stayed close to (see active_set.py); zero if there was none."""
    W: Array
    """With the fixed part B, if there is one."""
    value: float
    """The objective g(U) as found; the true one is larger by about `value_error`."""
    value_error: float
    blur: float
    """ε/2 ‖S − T‖²: what staying close to T took off the objective."""
    smallest: float
    """The smallest entry of W where nonnegativity is enforced (+inf if that is nowhere)."""

    @property
    def Z(self) -> Array:
        """Z on the support; zero where nothing was observed."""
        return np.where(self.support.observed, self.X - self.S, 0.0)

    @property
    def active(self) -> int:
        """How many entries a positive multiplier holds at zero."""
        return int(np.count_nonzero(self.S > 0))

    def recover(self) -> RecoveredTensor:
        """W everywhere."""
        problem = self.support.problem
        return RecoveredTensor(self.support.operator, self.factors, problem.lam, self.X, problem.B)


def begin_at_zero(problem: DualProblem) -> InnerSolution:
    """Zero on the observed entries: what the first solve starts from."""
    support = make_support(problem)
    zero = np.zeros(len(support.positions))
    return InnerSolution(support, (), zero, zero, zero, zero, 0.0, np.inf, 0.0, np.inf)


def view_under(problem: DualProblem, found: InnerSolution) -> InnerSolution:
    """A solution without S as a first guess for a problem that asks for W ≥ 0, with its violations."""
    if found.support.problem is problem:
        return found
    support = found.support.under(problem)
    X = found.support.carry(found.X, to=support)
    zero = np.zeros_like(X)
    same = support.positions is found.support.positions
    W = found.W if same else support.tensor(found.factors, X)
    seen = InnerSolution(support, found.factors, X, zero, zero, W, found.value, found.value_error, 0.0, np.inf)
    if problem.enforced == "everywhere":
        return replace(seen, smallest=find_negatives(seen.recover()).smallest)
    return replace(seen, smallest=float(W[support.enforced].min(initial=np.inf)))


@dataclass(frozen=True)
class Accuracy:
    """How well an inner problem is to be solved."""

    value: float
    """Largest error allowed in g(U)."""
    residual: float = 0.0
    """And the relative residual of Z = 2C(Y − W) below which even a smaller value error is not asked for."""
    calls: float = np.inf
    """Applications of the operator after which what is there has to do."""


class InnerSolver(Protocol):
    """Finds Z and S at fixed U, starting from an earlier solution."""

    epsilon: float
    """Weight of −ε/2 ‖S − T‖² in the objective it solves; 0 if there is no such term."""

    def solve(self, U: Factors, start: InnerSolution, accuracy: Accuracy) -> InnerSolution:
        """Z, S and W at U, to the given accuracy."""
        ...

    def polish(
        self, U: Factors, found: InnerSolution, negativity: float, calls: float = np.inf
    ) -> Iterator[InnerSolution]:
        """Better and better Z, S and W at U; the last has no enforced entry of W below −`negativity`.

        Unless that takes more than about `calls` applications of the operator.
        """
        ...
