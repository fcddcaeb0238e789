"""The paper's inner solver: Z by linear conjugate gradients, S by nonnegative least squares, in turns.

    Z:  Z/(2C) + (K Z)_Ω = Y_Ω − (K S)_Ω
    S:  minimise ½ <S, K S> + <S, K Z> over S ≥ 0;  its gradient is W = K(Z + S) itself

Each turn raises the objective, so the turns converge; they are repeated until the residual of Z = 2C(Y − W) is small
again after S was updated. Slow next to the active set, and an independent check of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..numerics.conjugate_gradients import EnergyWithin
from ..numerics.fibre_operator import Factors
from ..numerics.nonneg_least_squares import nonneg_least_squares
from ..tensor import Array
from .inner import Accuracy, InnerSolution
from .preconditioner import FreeSystem
from .problem import DualProblem, Support, find_new, unite_sorted
from .recover import RecoveredTensor, find_negatives


@dataclass(frozen=True)
class AlternatingSettings:
    """What steers the turns."""

    finest: float = 1e-13  # error of the final value, as a share of it
    most_turns: int = 2000
    most_scans: int = 50
    least_residual: float = 1e-9  # of Z = 2C(Y − W), relative to ‖Y‖: what double precision can hold on to


ALTERNATING = AlternatingSettings()


class Alternating:
    """Solves the inner problem with W ≥ −`negativity_tolerance` · max Y where it is enforced."""

    def __init__(
        self,
        problem: DualProblem,
        negativity_tolerance: float,
        settings: AlternatingSettings = ALTERNATING,
    ) -> None:
        self.problem = problem
        self.epsilon = 0.0
        self.negativity_tolerance = negativity_tolerance
        self.settings = settings

    def solve(self, U: Factors, start: InnerSolution, accuracy: Accuracy) -> InnerSolution:
        """Z, S and W at U."""
        support, Z, S = start.support, start.Z, start.S
        allowed, count = self.negativity_tolerance * self.problem.largest, support.operator.calls
        end = count.total + accuracy.calls
        for scan in range(1, self.settings.most_scans + 1):
            Z, S, W, error = self._take_turns(U, support, Z, S, accuracy, end)
            if self.problem.enforced != "everywhere":
                smallest = float(W[support.enforced].min(initial=np.inf))
                break
            seen = find_negatives(RecoveredTensor(support.operator, U, self.problem.lam, Z + S, self.problem.B))
            smallest = seen.smallest
            new = find_new(seen.positions, support.positions)
            if not (seen.values[new] < -allowed).any() or count.total >= end or scan == self.settings.most_scans:
                break  # with W where Z and S are
            watched = unite_sorted(support.positions[~support.observed], seen.positions[new])
            grown = support.with_watched(watched)
            Z, S = support.carry(Z, to=grown), support.carry(S, to=grown)
            support = grown
        value = float(Z @ support.values) - float(Z @ Z) / (4 * self.problem.C) - 0.5 * float((Z + S) @ W)
        value -= 0.5 * support.pair_with_fixed(Z + S)
        return InnerSolution(support, U, Z + S, S, np.zeros_like(S), W, value, error, 0.0, smallest)

    def polish(
        self, U: Factors, found: InnerSolution, negativity: float, calls: float = np.inf
    ) -> Iterator[InnerSolution]:
        """One more solve, as exact as double precision allows."""
        finest = Accuracy(self.settings.finest * found.value, self.settings.least_residual, calls)
        yield Alternating(self.problem, negativity / self.problem.largest, self.settings).solve(U, found, finest)

    def _take_turns(
        self, U: Factors, support: Support, Z: Array, S: Array, accuracy: Accuracy, end: float
    ) -> tuple[Array, Array, Array, float]:
        C, lam, operator = self.problem.C, self.problem.lam, support.operator
        observed, enforced = support.observed, support.enforced
        allowed = 0.3 * self.negativity_tolerance * self.problem.largest
        goal = max(np.sqrt(accuracy.value / C), self.settings.least_residual * np.sqrt(self.problem.squared_norm))

        def on_enforced(s: Array) -> Array:
            return np.where(enforced, operator.apply(U, lam, s), 0.0)

        system = FreeSystem(operator, U, lam, np.full(len(Z), 1 / (2 * C)), observed)
        floor = (0.1 * accuracy.residual) ** 2 * system.precondition(support.left)[1]
        for _ in range(self.settings.most_turns):
            W = support.tensor(U, Z + S)
            right = np.where(observed, support.values - Z / (2 * C) - W, 0.0)
            Z = Z + system.solve(right, EnergyWithin(0.1 * accuracy.value, floor=floor)).x
            if enforced.any():
                without_S = np.where(enforced, support.tensor(U, Z), 0.0)
                S = nonneg_least_squares(on_enforced, -without_S, S, tolerance=allowed).x
            W = support.tensor(U, Z + S)
            residual = np.where(observed, support.values - W - Z / (2 * C), 0.0)
            if np.linalg.norm(residual) <= goal or operator.calls.total >= end:
                break
        return Z, S, W, C * float(residual @ residual)
