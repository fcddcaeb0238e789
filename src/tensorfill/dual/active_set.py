"""The active-set inner solver (the default): semismooth Newton inside a method of multipliers.

The multiplier S is positive only where W would be negative. Given an earlier guess T ≥ 0 of it, the proximal term
−ε/2 ‖S − T‖² in the objective makes the optimality conditions piecewise linear,

    Z = 2C (Y − W)_Ω ,    S = max(0, T − W/ε) ,    W = K(Z + S) .

Knowing the active set A = {W < εT}, one symmetric positive definite system on Ω ∪ A remains, (D + K) x = b with

    observed, not active    D = 1/(2C)           b = y
    active, not observed    D = ε                b = ε T
    active and observed     D = 1/(2C + 1/ε)     b = (2C y + T) D

Newton's method solves it, takes the new signs of W − εT as the next A, and repeats. Whether it goes downhill is checked
on the convex piecewise quadratic it minimises,

    F = ½ <X, W> + C ‖W_Ω − Y‖² + ‖max(0, εT − W)‖²/(2ε) − ε/2 ‖T‖² ,

and a step that does not is shortened. Entries outside the support are looked at by a scan over all of W; violators
join the support. With T = 0 this is a one-sided quadratic penalty on negative W; taking S for the next T, again and
again, is the method of multipliers (Hestenes, Powell, Rockafellar), which ends at W ≥ 0 exactly, for any ε. A moderate
ε keeps the linear systems as easy as without S.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..numerics.linear_cg import linear_cg
from ..numerics.vector_kernels import add_diagonal, dot
from ..tensor import Array
from .fibre_operator import Factors
from .inner import Accuracy, InnerSolution
from .positions import sorted_difference, sorted_union
from .problem import DualProblem
from .recover import RecoveredTensor
from .scan import find_negatives
from .support import Support

Mask = NDArray[np.bool_]

_LINEAR_SHARE = 0.5  # of the error allowed, the part left to the linear solver
_UPHILL = 100.0  # a step is uphill if F rises by this many times the error allowed in g
_PATIENCE = 10  # steps after which no step may go uphill any more
_SHARPER = 1e-4  # what the error allowed is multiplied by when a step seems to go uphill
_MOST_NEWTON_STEPS = 50
_MOST_SCANS = 50
_MOST_CG_STEPS = 2000
_MOST_POLISHES = 20
_FINEST = 1e-9  # error of the final value, as a share of it
_SHRINK = 4.0  # what ε is divided by between two polishing solves
_CROWDED = 0.5  # share of watched entries that are idle beyond which the support is pruned


@dataclass(frozen=True, eq=False)
class _State:
    """X on a support with W = K X, the guess T, the active set it was solved for, the linear solver's error."""

    support: Support
    X: Array
    W: Array
    T: Array
    active: Mask
    energy_error: float = 0.0

    def on(self, support: Support) -> _State:
        """The same state on another support."""
        carry = self.support.carry
        return replace(
            self,
            support=support,
            X=carry(self.X, to=support),
            W=carry(self.W, to=support),
            T=carry(self.T, to=support),
            active=carry(self.active, to=support),
        )


class ActiveSet:
    """Solves the inner problem with proximal weight `epsilon` (in the units of 1/(2C))."""

    def __init__(self, problem: DualProblem, epsilon: float) -> None:
        self.problem = problem
        self.epsilon = epsilon

    def solve(self, U: Factors, start: InnerSolution, accuracy: Accuracy) -> InnerSolution:
        """Z, S and W at U."""
        W = start.support.operator.apply(U, self.problem.lam, start.X)
        state = _State(start.support, start.X, W, start.T, start.S > 0)
        smallest = np.inf
        for _ in range(_MOST_SCANS):
            state = self._newton(U, state, accuracy)
            if self.problem.enforced != "everywhere":
                smallest = float(state.W[state.support.enforced].min(initial=np.inf))
                break
            seen = find_negatives(RecoveredTensor(state.support.operator, U, self.problem.lam, state.X))
            smallest = seen.smallest
            new = sorted_difference(seen.positions, state.support.positions)
            if self._penalty(-seen.values[new]) <= accuracy.value:
                break
            state = _grown(state, seen.positions[new], seen.values[new])
        return self._solution(U, self._pruned(state), smallest)

    def polish(self, U: Factors, found: InnerSolution, negativity: float) -> InnerSolution:
        """Take S for T and shrink ε until no entry of W is below −`negativity`, at fixed U.

        The linear systems are solved to match the violation that is left: there is no point in doing better.
        """
        finest = _FINEST * found.value
        violation = max(-found.smallest, 0.0)
        solver = self
        for _ in range(_MOST_POLISHES):
            accuracy = Accuracy(max(min((0.3 * violation) ** 2, finest), (0.3 * negativity) ** 2))
            found = solver.solve(U, replace(found, T=found.S), accuracy)
            violation = max(-found.smallest, 0.0)
            if violation <= negativity:
                break
            solver = ActiveSet(self.problem, solver.epsilon / _SHRINK)
        return found

    def _newton(self, U: Factors, state: _State, accuracy: Accuracy) -> _State:
        """Solve on the support, until W's signs agree with the active set to within the accuracy."""
        cost = np.inf
        for step in range(_MOST_NEWTON_STEPS):
            slack = _UPHILL * accuracy.value if step < _PATIENCE else 0.0
            new = self._linear_solve(U, state, accuracy)
            new_cost = self._cost(new)
            if new_cost > cost + slack:
                # F feels the residual of the linear solver by far more than g does: look again without it.
                new = self._linear_solve(U, replace(new, active=state.active), accuracy.sharper(_SHARPER))
                new_cost = self._cost(new)
            if new_cost > cost + slack:
                new = self._shortened(state, new)
                new_cost = self._cost(new)
            cost = new_cost
            wrong = self._signs(new) != new.active
            if self._penalty(self._violation(new)[wrong]) <= accuracy.value:
                return new
            state = replace(new, active=new.active ^ wrong)
        return state

    def _linear_solve(self, U: Factors, state: _State, accuracy: Accuracy) -> _State:
        support = state.support
        operator, lam = support.operator, self.problem.lam
        D, b = self._system(state)
        free = support.observed | state.active

        def apply(x: Array) -> Array:
            out = operator.apply(U, lam, x)
            add_diagonal(out, D, x, free)
            return out

        X = np.where(free, state.X, 0.0)
        same = np.array_equal(X, state.X)
        solved = linear_cg(
            apply,
            b,
            X,
            diagonal=D + operator.diagonal(U, lam),
            residual=np.where(free, b - D * X - state.W, 0.0) if same else None,
            energy_tolerance=_LINEAR_SHARE * accuracy.value,
            residual_tolerance=accuracy.residual,
            max_iter=_MOST_CG_STEPS,
        )
        W = operator.apply(U, lam, solved.x)
        return replace(state, X=solved.x, W=W, energy_error=solved.energy_error)

    def _system(self, state: _State) -> tuple[Array, Array]:
        support, active, C, epsilon = state.support, state.active, self.problem.C, self.epsilon
        D = np.where(support.observed, 1 / (2 * C), epsilon)
        b = np.where(active, epsilon * state.T, support.values)
        both = active & support.observed
        D[both] = 1 / (2 * C + 1 / epsilon)
        b[both] = (2 * C * support.values[both] + state.T[both]) * D[both]
        return D, b

    def _violation(self, state: _State) -> Array:
        """εT − W: positive where a multiplier is called for."""
        return self.epsilon * state.T - state.W

    def _signs(self, state: _State) -> Mask:
        """The active set that W asks for: where S stays positive, and where W < εT without one."""
        stays = self._multiplier(state) > 0
        return np.where(state.active, stays, (self._violation(state) > 0) & state.support.enforced)

    def _multiplier(self, state: _State) -> Array:
        support = state.support
        Z = np.where(support.observed, 2 * self.problem.C * (support.values - state.W), 0.0)
        return np.where(state.active, state.X - Z, 0.0)

    def _cost(self, state: _State) -> float:
        support = state.support
        misfit = state.W[support.observed] - self.problem.values
        violation = np.maximum(self._violation(state)[support.enforced], 0.0)
        fit = 0.5 * dot(state.X, state.W) + self.problem.C * dot(misfit, misfit)
        return float(fit + self._penalty(violation) - 0.5 * self.epsilon * dot(state.T, state.T))

    def _penalty(self, violation: Array) -> float:
        return float(dot(violation, violation) / (2 * self.epsilon))

    def _shortened(self, old: _State, new: _State) -> _State:
        """The best point between two states; F along the way needs no operator call."""
        best = new
        for halvings in range(1, 12):
            t = 0.5**halvings
            trial = replace(
                new,
                X=old.X + t * (new.X - old.X),
                W=old.W + t * (new.W - old.W),
                active=new.active | old.active,
            )
            if self._cost(trial) > self._cost(best):
                break
            best = trial
        return best

    def _pruned(self, state: _State) -> _State:
        """The state without its idle watched entries, once they are many."""
        watched = ~state.support.observed
        idle = watched & ~state.active & (state.T == 0)
        if self.problem.enforced != "everywhere" or idle.sum() <= _CROWDED * watched.sum():
            return state
        return state.on(state.support.with_watched(state.support.positions[watched & ~idle]))

    def _solution(self, U: Factors, state: _State, smallest: float) -> InnerSolution:
        support, X, W, T = state.support, state.X, state.W, state.T
        S = np.maximum(self._multiplier(state), 0.0)
        Z = np.where(support.observed, X - S, 0.0)
        moved = S - T
        blur = 0.5 * self.epsilon * dot(moved, moved)
        fit = dot(Z, support.values) - dot(Z, Z) / (4 * self.problem.C)
        value = fit - 0.5 * dot(X, W) - blur
        return InnerSolution(support, U, X, S, T, W, value, state.energy_error, blur, smallest)


def _grown(state: _State, positions: NDArray[np.int64], W: Array) -> _State:
    """The same X on a support that also holds the violators, which become active."""
    watched = sorted_union(state.support.positions[~state.support.observed], positions)
    grown = state.on(state.support.with_watched(watched))
    new = np.searchsorted(grown.support.positions, positions)
    grown.W[new] = W
    grown.active[new] = True
    return grown
