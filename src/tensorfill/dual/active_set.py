"""The active-set inner solver (the default): projected Newton steps inside a method of multipliers.

Given an earlier guess T ≥ 0 of the multiplier S, the proximal term −ε/2 ‖S − T‖² makes the inner problem strongly
concave. Written as a minimisation over X = Z + S alone it is

    q(X) = ½ <X, K X> + <X, B> + Σ_i φ_i(X_i) ,    φ_i(x) = min z²/(4C) − y z + ε/2 (s − T)²  over z + s = x, s ≥ 0 ,

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

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..numerics.conjugate_gradients import Direction, EnergyWithin, LinearSolution
from ..numerics.fibre_operator import Factors
from ..numerics.vectors import dot
from ..tensor import Array
from .inner import Accuracy, InnerSolution
from .preconditioner import FreeSystem, LeadingDirections, MakePreconditioner, Mask
from .problem import DualProblem, Support, find_new, unite_sorted
from .recover import RecoveredTensor, find_negatives


@dataclass(frozen=True)
class ActiveSetSettings:
    """What steers the active set; errors are shares of a value, or of the error allowed in it."""

    linear_share: float = 0.5  # of the error allowed, the part left to the linear solver
    inexact: float = 0.3  # share of its gain that a linear solve may leave behind, as the pieces of φ may change
    most_newton_steps: int = 50
    most_halvings: int = 20
    most_scans: int = 50
    most_linear_steps: int = 2000
    most_polishes: int = 20
    fine: float = 1e-7  # error of a value while W is still negative somewhere, at most
    finest: float = 1e-9  # error of the final value, if W was nowhere negative to begin with
    least: float = 1e-14  # error below which a value cannot be had in double precision
    least_residual: float = 1e-12  # the same of a residual, relative to ‖Y‖
    shrink: float = 32.0  # what ε is divided by for every polishing solve
    crowded: float = 0.5  # share of watched entries that are idle beyond which the support is pruned
    make_preconditioner: MakePreconditioner = LeadingDirections


ACTIVE_SET = ActiveSetSettings()


@dataclass(frozen=True, eq=False)
class _State:
    """X on a support with W = K X and the guess T of S, and what follows from them: −∇q and q."""

    support: Support
    X: Array
    W: Array
    T: Array
    downhill: Array
    q: float
    error: float = np.inf
    """How far q may be above its minimum."""


class ActiveSet:
    """Solves the inner problem with proximal weight `epsilon` (in the units of 1/(2C))."""

    def __init__(self, problem: DualProblem, epsilon: float, settings: ActiveSetSettings = ACTIVE_SET) -> None:
        self.problem = problem
        self.epsilon = epsilon
        self.settings = settings

    def solve(self, U: Factors, start: InnerSolution, accuracy: Accuracy) -> InnerSolution:
        """Z, S and W at U."""
        # Where entries are watched, W is K X itself; elsewhere the linear solver's, which may have drifted.
        known = start.factors is U and not start.support.observed.all()
        W = start.W if known else start.support.tensor(U, start.X)
        state = self._look(start.support, start.X, W, start.T)
        del W
        smallest, count = np.inf, start.support.operator.calls
        end = count.total + accuracy.calls
        for _ in range(self.settings.most_scans):
            state = self._descend(U, state, accuracy, end)
            if self.problem.enforced != "everywhere":
                smallest = float(state.W[state.support.enforced].min(initial=np.inf))
                break
            seen = find_negatives(self._recover(U, state))
            smallest = seen.smallest
            new = find_new(seen.positions, state.support.positions)
            if self._penalty(-seen.values[new]) <= accuracy.value or count.total >= end:
                break
            state = self._grow(state, seen.positions[new], seen.values[new])
        return self._solution(U, self._prune(state), smallest)

    def polish(
        self, U: Factors, found: InnerSolution, negativity: float, calls: float = np.inf
    ) -> Iterator[InnerSolution]:
        """Take S for T and shrink ε until no entry of W is below −`negativity`, at fixed U.

        The linear systems are solved to match the violation that is left: there is no point in doing better.
        """
        epsilon, settings, count = self.epsilon, self.settings, found.support.operator.calls
        end = count.total + calls
        for _ in range(settings.most_polishes):
            below = max(-found.smallest, negativity)
            # The farther from the goal, the rougher; at most what is asked of a value anyway, and what can be had.
            fine = (0.1 * below) ** 2 * (below / negativity) ** 0.25
            fine = min(max(fine, settings.least * found.value), settings.fine * found.value)
            value_error = fine if found.smallest < 0 else settings.finest * found.value
            accuracy = Accuracy(value_error, settings.least_residual, end - count.total)
            epsilon /= settings.shrink
            found = ActiveSet(self.problem, epsilon, settings).solve(U, replace(found, T=found.S), accuracy)
            if found.smallest >= -negativity or count.total >= end:
                break
            yield found
        # The linear solver's own residual may have drifted: what is certified is K X itself.
        yield replace(found, W=found.support.tensor(U, found.X))

    def _descend(self, U: Factors, state: _State, accuracy: Accuracy, end: float) -> _State:
        """Newton steps on one support, until q is as low as asked or cannot be lowered."""
        after = None
        for _ in range(self.settings.most_newton_steps):
            free = state.support.observed | (state.X > 0) | (state.downhill > 0)
            after = None if after is None else Direction(np.where(free, after.p, 0.0), after.Ap)
            stepped = self._newton_step(U, state, free, accuracy, after)
            if stepped is None:
                break
            state, after = stepped
            del stepped  # vectors are long, and would stay until the next linear system is solved
            if state.error <= accuracy.value or state.support.operator.calls.total >= end:
                break
        return state

    def _newton_step(
        self, U: Factors, state: _State, free: Mask, accuracy: Accuracy, after: Direction | None
    ) -> tuple[_State, Direction | None] | None:
        """A state with a lower q on the same support, and the last direction searched for it; None if there is none."""
        D, left, enforced = self._curvatures(state), state.support.left, state.support.enforced.any()
        make = self.settings.make_preconditioner
        system = FreeSystem(state.support.operator, U, self.problem.lam, D, free, make)
        stop = EnergyWithin(
            self.settings.linear_share * accuracy.value,
            share=self.settings.inexact if enforced else 0.0,
            floor=accuracy.residual**2 * system.precondition(left)[1],
            most=self.settings.most_linear_steps,
        )
        downhill = state.downhill if free.all() else np.where(free, state.downhill, 0.0)
        step = system.solve(downhill, stop, after=after, keep_last=bool(enforced))
        del system, downhill, D  # vectors are long
        new = self._take(U, state, step)
        if new is None:
            return None
        return replace(new, error=stop.error(step.gains) + self._left_over(state, new, free, step.x)), step.last

    def _take(self, U: Factors, state: _State, step: LinearSolution) -> _State | None:
        """X + t·step, cut off at zero where it has to be, for the first t = 1, ½, … that lowers q, if any does."""
        support = state.support
        if support.observed.all():  # nothing to cut off, and the linear solver knows K x at every entry
            W = state.W + state.downhill
            W -= step.residual
            W -= self._curvatures(state) * step.x
            new = self._look(support, state.X + step.x, W, state.T)
            if new.q <= state.q:
                return new
        for halvings in range(self.settings.most_halvings):
            X = state.X + 0.5**halvings * step.x
            X[~support.observed] = np.maximum(X[~support.observed], 0.0)
            new = self._look(support, X, support.tensor(U, X), state.T)
            if new.q <= state.q:
                return new
            del X, new
        return None

    def _left_over(self, old: _State, new: _State, free: Mask, step: Array) -> float:
        """How much q can still fall because entries were cut off at zero or changed their piece; an upper bound."""
        if self.problem.enforced == "nowhere":
            return 0.0
        cut_off, surprises, joining = left_over(
            old.X, old.W, old.downhill, new.X, new.W, new.downhill, new.T, free, step, *self._pieces(new.support)
        )
        softest = 1 / (2 * self.problem.C + 1 / self.epsilon)
        return float(max(cut_off, 0.0) + surprises / (2 * softest) + joining / (2 * self.epsilon))

    def _look(self, support: Support, X: Array, W: Array, T: Array) -> _State:
        downhill = np.empty_like(X)
        if self.problem.enforced == "nowhere":  # S = T = 0, and one piece
            q = look_without_S(X, W, support.values, self.problem.C, downhill)
        else:
            q = look(X, W, T, *self._pieces(support), downhill)
        q += 0.5 * support.pair_with_fixed(X)
        return _State(support, X, W, T, downhill, float(q))

    def _curvatures(self, state: _State) -> Array:
        """φ'' at every entry."""
        if self.problem.enforced == "nowhere":
            return np.broadcast_to(1 / (2 * self.problem.C), state.X.shape)
        D = np.empty_like(state.X)
        fill_curvatures(state.X, state.T, *self._pieces(state.support), D)
        return D

    def _recover(self, U: Factors, state: _State) -> RecoveredTensor:
        return RecoveredTensor(state.support.operator, U, self.problem.lam, state.X, self.problem.B)

    def _pieces(self, support: Support) -> tuple[Array, Mask, Mask, float, float]:
        """What decides, together with X and T, on which piece of φ an entry is."""
        return support.values, support.observed, support.enforced, self.problem.C, self.epsilon

    def _penalty(self, violation: Array) -> float:
        return float(dot(violation, violation) / (2 * self.epsilon))

    def _grow(self, state: _State, positions: NDArray[np.int64], W: Array) -> _State:
        """The same X on a support that also holds the violators."""
        watched = unite_sorted(state.support.positions[~state.support.observed], positions)
        return self._on(state, state.support.with_watched(watched), W_at=(positions, W))

    def _prune(self, state: _State) -> _State:
        """The state without its idle watched entries, once they are many."""
        watched = ~state.support.observed
        idle = watched & (state.X == 0) & (state.T == 0)
        if self.problem.enforced != "everywhere" or idle.sum() <= self.settings.crowded * watched.sum():
            return state
        return self._on(state, state.support.with_watched(state.support.positions[watched & ~idle]))

    def _on(self, state: _State, support: Support, W_at: tuple[NDArray[np.int64], Array] | None = None) -> _State:
        """The same X on another support, with W given where that support is larger."""
        X, W, T = (state.support.carry(values, to=support) for values in (state.X, state.W, state.T))
        if W_at is not None:
            positions, values = W_at
            W[np.searchsorted(support.positions, positions)] = values
        return replace(self._look(support, X, W, T), error=state.error)

    def _solution(self, U: Factors, state: _State, smallest: float) -> InnerSolution:
        S, moved = state.T, 0.0
        if self.problem.enforced != "nowhere":
            S = np.empty_like(state.X)
            moved = fill_multipliers(state.X, state.T, *self._pieces(state.support), S)
        blur = 0.5 * self.epsilon * moved
        return InnerSolution(state.support, U, state.X, S, state.T, state.W, -state.q, state.error, blur, smallest)


@compiled(nogil=True)
def look_without_S(X, W, values, C, downhill):  # type: ignore[no-untyped-def]
    """The same as `look` where all entries are observed and W may be negative."""
    q = 0.0
    for i in range(len(X)):
        downhill[i] = values[i] - X[i] / (2 * C) - W[i]
        q += X[i] * (X[i] / (4 * C) - values[i] + 0.5 * W[i])
    return q


@compiled(nogil=True)
def multiplier(x, t, value, observed, enforced, C, epsilon):  # type: ignore[no-untyped-def]
    """S at one entry."""
    if not observed:
        return x
    beyond = x - 2 * C * (value - epsilon * t)
    return beyond / (1 + 2 * C * epsilon) if enforced and beyond > 0.0 else 0.0


@compiled(nogil=True)
def curvature(s, observed, C, epsilon):  # type: ignore[no-untyped-def]
    """φ'' at one entry with multiplier s."""
    if not observed:
        return epsilon
    return 1 / (2 * C + 1 / epsilon) if s > 0.0 else 1 / (2 * C)


@compiled(nogil=True)
def look(X, W, T, values, observed, enforced, C, epsilon, downhill):  # type: ignore[no-untyped-def]
    """Fill −∇q at X with W = K X, and return q(X)."""
    fit, misses, energy = 0.0, 0.0, 0.0
    for i in range(len(X)):
        s = multiplier(X[i], T[i], values[i], observed[i], enforced[i], C, epsilon)
        if observed[i]:
            z = X[i] - s
            downhill[i] = values[i] - z / (2 * C) - W[i]
            fit += z * (z / (4 * C) - values[i])
        else:
            downhill[i] = epsilon * (T[i] - s) - W[i]
        misses += (s - T[i]) ** 2
        energy += X[i] * W[i]
    return 0.5 * energy + fit + 0.5 * epsilon * misses


@compiled(nogil=True)
def fill_multipliers(X, T, values, observed, enforced, C, epsilon, S):  # type: ignore[no-untyped-def]
    """Fill S, and return ‖S − T‖²."""
    misses = 0.0
    for i in range(len(X)):
        S[i] = multiplier(X[i], T[i], values[i], observed[i], enforced[i], C, epsilon)
        misses += (S[i] - T[i]) ** 2
    return misses


@compiled(nogil=True)
def fill_curvatures(X, T, values, observed, enforced, C, epsilon, D):  # type: ignore[no-untyped-def]
    """Fill φ''."""
    for i in range(len(X)):
        s = multiplier(X[i], T[i], values[i], observed[i], enforced[i], C, epsilon)
        D[i] = curvature(s, observed[i], C, epsilon)


@compiled(nogil=True)
def left_over(old_X, old_W, old_downhill, X, W, downhill, T, free, step, values, observed, enforced, C, epsilon):  # type: ignore[no-untyped-def]
    """How much q can still fall after a step, for three reasons; see `ActiveSet._left_over`.

    The model's value at the point taken above its minimum; ‖what the new pieces add to −∇q‖² at free entries that
    changed theirs; ‖−∇q‖² at entries that were not free and now want to grow.
    """
    cut_off, surprises, joining = 0.0, 0.0, 0.0
    for i in range(len(X)):
        if not free[i]:
            if downhill[i] > 0.0:
                joining += downhill[i] ** 2
            continue
        before = multiplier(old_X[i], T[i], values[i], observed[i], enforced[i], C, epsilon)
        after = multiplier(X[i], T[i], values[i], observed[i], enforced[i], C, epsilon)
        bend = curvature(before, observed[i], C, epsilon)
        taken = X[i] - old_X[i]
        bent = bend * taken + (W[i] - old_W[i])
        cut_off += 0.5 * taken * bent - old_downhill[i] * taken + 0.5 * old_downhill[i] * step[i]
        if curvature(after, observed[i], C, epsilon) != bend:
            surprises += (downhill[i] - (old_downhill[i] - bent)) ** 2
    return cut_off, surprises, joining
