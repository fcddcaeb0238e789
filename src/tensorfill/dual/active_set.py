"""The active-set inner solver (the default): projected Newton steps inside a method of multipliers.

Given an earlier guess T ≥ 0 of the multiplier S, the proximal term −ε/2 ‖S − T‖² makes the inner problem strongly
concave. Written as a minimisation over X = Z + S alone it is

    q(X) = ½ <X, K X> + Σ_i φ_i(X_i) ,    φ_i(x) = min over z + s = x, s ≥ 0, of  z²/(4C) − y z + ε/2 (s − T)² ,

with z only where there is an observation y, and s only where W ≥ 0 is asked for. Entries that are only watched have
x = s ≥ 0; at observed ones φ is smooth and quadratic in two pieces, S > 0 beyond x = 2C(y − εT). A Newton step solves
one symmetric positive definite system (D + K) d = −∇q on the free entries,

    observed            D = 1/(2C),  or 1/(2C + 1/ε) where S > 0
    watched             D = ε,       free where S > 0 or where W < εT asks for it,

sets what went below zero to zero, and is shortened until q decreases. Entries outside the support are looked at by a
scan over all of W; violators join the support. With T = 0 this is a one-sided quadratic penalty on negative W; taking S
for the next T, again and again, is the method of multipliers (Hestenes, Powell, Rockafellar), which ends at W ≥ 0
exactly, for any ε. A moderate ε keeps the linear systems as easy as without S.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..numerics.linear_cg import LinearSolution, linear_cg
from ..numerics.vector_kernels import add_diagonal, dot
from ..tensor import Array
from .fibre_operator import Factors
from .inner import Accuracy, InnerSolution
from .positions import sorted_difference, sorted_union
from .preconditioner import LeadingDirections
from .problem import DualProblem
from .recover import RecoveredTensor
from .scan import find_negatives
from .support import Support

Mask = NDArray[np.bool_]

_LINEAR_SHARE = 0.5  # of the error allowed, the part left to the linear solver
_INEXACT = 0.01  # share of what a linear solve has gained so far that it may leave behind: the pieces may change
_MOST_NEWTON_STEPS = 50
_MOST_HALVINGS = 20
_MOST_SCANS = 50
_MOST_CG_STEPS = 2000
_MOST_POLISHES = 20
_FINEST = 1e-9  # error of the final value, as a share of it
_SHRINK = 32.0  # what ε is divided by for every polishing solve
_CROWDED = 0.5  # share of watched entries that are idle beyond which the support is pruned


@dataclass(frozen=True, eq=False)
class _State:
    """X on a support with W = K X, and the guess T of S."""

    support: Support
    X: Array
    W: Array
    T: Array
    energy_error: float = 0.0
    """How far q may still be above its minimum."""

    def on(self, support: Support) -> _State:
        """The same state on another support."""
        carry = self.support.carry
        X, W, T = (carry(values, to=support) for values in (self.X, self.W, self.T))
        return replace(self, support=support, X=X, W=W, T=T)


@dataclass(frozen=True, eq=False)
class _Model:
    """The quadratic that q is around a state: ½ <d, (D + K) d> − <right, d>, for steps d on the free entries."""

    right: Array
    D: Array
    free: Mask


class ActiveSet:
    """Solves the inner problem with proximal weight `epsilon` (in the units of 1/(2C))."""

    def __init__(self, problem: DualProblem, epsilon: float) -> None:
        self.problem = problem
        self.epsilon = epsilon

    def solve(self, U: Factors, start: InnerSolution, accuracy: Accuracy) -> InnerSolution:
        """Z, S and W at U."""
        W = start.support.operator.apply(U, self.problem.lam, start.X)
        state = _State(start.support, start.X, W, start.T)
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
        finest, epsilon = _FINEST * found.value, self.epsilon
        for _ in range(_MOST_POLISHES):
            violation = max(-found.smallest, 0.0)
            accuracy = Accuracy(max(min((0.3 * violation) ** 2, finest), (0.3 * negativity) ** 2))
            epsilon /= _SHRINK
            found = ActiveSet(self.problem, epsilon).solve(U, replace(found, T=found.S), accuracy)
            if found.smallest >= -negativity:
                break
        return found

    def _newton(self, U: Factors, state: _State, accuracy: Accuracy) -> _State:
        """Minimise q on the support, to within the accuracy."""
        downhill = self._downhill(state)
        for _ in range(_MOST_NEWTON_STEPS):
            free = state.support.observed | (state.X > 0) | (downhill > 0)
            model = _Model(np.where(free, downhill, 0.0), self._curvature(state), free)
            step = self._linear_solve(U, state, model, accuracy)
            new = self._shortened(U, state, step.x)
            if new is None:
                break
            downhill = self._downhill(new)
            left = self._left_over(state, new, model, step.x, downhill)
            state = replace(new, energy_error=step.energy_error + left)
            if left + step.energy_error <= accuracy.value:
                break
        return state

    def _linear_solve(self, U: Factors, state: _State, model: _Model, accuracy: Accuracy) -> LinearSolution:
        operator, lam, values = state.support.operator, self.problem.lam, state.support.values

        def apply(x: Array) -> Array:
            out = operator.apply(U, lam, x)
            add_diagonal(out, model.D, x, model.free)
            return out

        precondition = LeadingDirections(operator, U, lam, model.D, model.free)
        return linear_cg(
            apply,
            model.right,
            precondition=precondition,
            energy_tolerance=_LINEAR_SHARE * accuracy.value,
            energy_share=_INEXACT,
            residual_floor=accuracy.residual**2 * dot(values, precondition(values)),
            max_iter=_MOST_CG_STEPS,
        )

    def _shortened(self, U: Factors, state: _State, step: Array) -> _State | None:
        """X + t·step, cut off at zero where it has to be, for the first t = 1, ½, … that lowers q, if any does."""
        before = self._q(state)
        watched = ~state.support.observed
        for halvings in range(_MOST_HALVINGS):
            X = state.X + 0.5**halvings * step
            X[watched] = np.maximum(X[watched], 0.0)
            W = state.support.operator.apply(U, self.problem.lam, X)
            new = replace(state, X=X, W=W)
            if self._q(new) <= before:
                return new
        return None

    def _left_over(self, old: _State, new: _State, model: _Model, step: Array, downhill: Array) -> float:
        """How much q can still fall because entries were cut off at zero or changed their piece; an upper bound."""
        taken = new.X - old.X
        bent = model.D * taken + (new.W - old.W)
        # The model at the point taken, next to its minimum −½ <right, step>.
        cut_off = 0.5 * dot(taken, bent) - dot(model.right, taken) + 0.5 * dot(model.right, step)
        crossed = model.free & (self._curvature(new) != model.D)
        surprise = downhill[crossed] - (model.right - bent)[crossed]
        joining = np.maximum(downhill[~model.free], 0.0)
        softest = 1 / (2 * self.problem.C + 1 / self.epsilon)
        return float(max(cut_off, 0.0) + dot(surprise, surprise) / (2 * softest)) + self._penalty(joining)

    def _split(self, state: _State) -> tuple[Array, Array]:
        """Z and S, from the minimum that defines φ."""
        support, C, epsilon = state.support, self.problem.C, self.epsilon
        beyond = state.X - 2 * C * (support.values - epsilon * state.T)
        at_observed = np.where(support.enforced, np.maximum(beyond, 0.0) / (1 + 2 * C * epsilon), 0.0)
        S = np.where(support.observed, at_observed, state.X)
        return state.X - S, S

    def _downhill(self, state: _State) -> Array:
        """−∇q."""
        Z, S = self._split(state)
        observed = state.support.values - Z / (2 * self.problem.C)
        watched = self.epsilon * (state.T - S)
        return np.where(state.support.observed, observed, watched) - state.W

    def _curvature(self, state: _State) -> Array:
        """φ'', of the piece that X is on."""
        C, observed = self.problem.C, state.support.observed
        D = np.where(observed, 1 / (2 * C), self.epsilon)
        D[observed & (self._split(state)[1] > 0)] = 1 / (2 * C + 1 / self.epsilon)
        return D

    def _q(self, state: _State) -> float:
        Z, S = self._split(state)
        moved = S - state.T
        fit = dot(Z, Z) / (4 * self.problem.C) - dot(Z, state.support.values)
        return float(0.5 * dot(state.X, state.W) + fit + 0.5 * self.epsilon * dot(moved, moved))

    def _penalty(self, violation: Array) -> float:
        return float(dot(violation, violation) / (2 * self.epsilon))

    def _pruned(self, state: _State) -> _State:
        """The state without its idle watched entries, once they are many."""
        watched = ~state.support.observed
        idle = watched & (state.X == 0) & (state.T == 0)
        if self.problem.enforced != "everywhere" or idle.sum() <= _CROWDED * watched.sum():
            return state
        return state.on(state.support.with_watched(state.support.positions[watched & ~idle]))

    def _solution(self, U: Factors, state: _State, smallest: float) -> InnerSolution:
        _, S = self._split(state)
        moved = S - state.T
        blur = 0.5 * self.epsilon * dot(moved, moved)
        return InnerSolution(
            state.support, U, state.X, S, state.T, state.W, -self._q(state), state.energy_error, blur, smallest
        )


def _grown(state: _State, positions: NDArray[np.int64], W: Array) -> _State:
    """The same X on a support that also holds the violators."""
    watched = sorted_union(state.support.positions[~state.support.observed], positions)
    grown = state.on(state.support.with_watched(watched))
    grown.W[np.searchsorted(grown.support.positions, positions)] = W
    return grown
