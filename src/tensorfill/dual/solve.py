"""Algorithm 1 of the paper: minimise g(U) from a start, watch it, and finish with an exact inner solve."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from ..completion import Certificate, History, Iteration, Snapshot, StopReason, Watch
from ..deadline import TimeIsUp
from ..iterating import Clock, out_of_time
from ..numerics.threads import quiet_blas
from ..riemannian.descent import SEARCH, HessianModel, SearchSettings, conjugate_gradient, quasi_newton
from ..riemannian.spectrahedron import Point, Product, Spectrahedron, Tangent
from ..riemannian.trust_region import trust_region
from .active_set import ACTIVE_SET, ActiveSet, ActiveSetSettings
from .alternating import ALTERNATING, Alternating, AlternatingSettings
from .certificate import certify, lower_bound, upper_bound
from .curvature import CurvatureModel
from .inner import InnerSolution, InnerSolver, begin_at_zero, view_under
from .objective import DualObjective, Evaluation
from .problem import DualProblem
from .start import spectral_start

Inner = Literal["active-set", "alternating"]
Optimizer = Literal["quasi-newton", "conjugate-gradient", "trust-region"]
Start = Literal["spectral", "random"]


@dataclass(frozen=True)
class OuterSettings:
    """What steers Algorithm 1 beyond what a user sets."""

    first_accuracy: float = 1e-5  # error allowed in the first value, as a share of C‖Y‖²
    fine_start: float = 1e-3  # error allowed in it in the end, as a share of itself
    warm: float = 5e-3  # gradient tolerance at which S joins
    handover: float = 1e-3  # error allowed in the first value with S, as a share of it
    stiffest: float = 60.0  # largest ratio of K's average diagonal to ε in the outer iteration
    coarsest: float = 0.01  # error allowed in any later value, as a share of the one before
    stale: float = 0.3  # multipliers are updated once their error exceeds this share of the last decrease
    patience: int = 4  # updates of the multipliers after which the violation of W ≥ 0 must have
    fallen: float = 0.5  # fallen to this share of itself; if not,
    firmer: float = 8.0  # ε is divided by this,
    firmest: float = 2e-3  # though not below this share of what it was
    longest_polish: float = 10.0  # calls that making S exact may take, as a multiple of all before,
    hurried_polish: float = 0.3  # the same if the watcher stopped the iteration,
    least_polish: float = 100.0  # and calls that it may take anyway
    rough: float = 1e-3  # accuracy of σ_max while the gap is wide open
    gap_every: int = 10  # iterations between two looks at the gap
    make_model: Callable[[DualProblem, Evaluation], HessianModel] = CurvatureModel  # for quasi-Newton
    limit_blas: Callable[[], AbstractContextManager[None]] = quiet_blas  # entered for the whole run
    search: SearchSettings = SEARCH
    active_set: ActiveSetSettings = ACTIVE_SET
    alternating: AlternatingSettings = ALTERNATING


OUTER = OuterSettings()


@dataclass(frozen=True)
class Solver:
    """How to solve: settings of Algorithm 1, all of them relative to the scale of the data."""

    ranks: tuple[int, ...]
    max_iter: int
    gradient_tolerance: float
    gap_tolerance: float
    negativity_tolerance: float
    inner: Inner
    start: Start
    optimizer: Optimizer
    two_stages: bool = True
    """Whether U is learned without S first; else S is there from the start, as in the paper."""
    outer: OuterSettings = OUTER


@dataclass(frozen=True, eq=False)
class Solution:
    """Where Algorithm 1 ended, with its evidence."""

    dual: InnerSolution
    certificate: Certificate
    history: History
    stop: StopReason
    seconds: float


def solve(problem: DualProblem, solver: Solver, rng: np.random.Generator, watch: Watch | None) -> Solution:
    """Run Algorithm 1. Ctrl-C ends it with the best point so far, once there is one.

    Where W ≥ 0 is asked for, U is first learned without it, which is several times cheaper and ends close by; then S
    joins, and the iteration goes on from there. Without `two_stages` S is there from the start.
    """
    with solver.outer.limit_blas():
        return _solve(problem, solver, rng, watch)


def _solve(problem: DualProblem, solver: Solver, rng: np.random.Generator, watch: Watch | None) -> Solution:
    run = _Run(problem, solver, watch)
    try:
        run.first(rng)
        stop = run.iterate()
        # Whoever stops it is in a hurry; only W ≥ 0 is a promise that has to be kept.
        if stop.kind != "watch" or problem.enforced != "nowhere":
            run.polish(hurry=stop.kind == "watch")
        dual = run.best.dual
    except KeyboardInterrupt:
        if not run.history:
            raise
        dual = view_under(problem, run.best.dual)
        stop = StopReason(
            "interrupted",
            f"Interrupted after {run.history[-1].iteration} iterations: this is the best completion so far.",
        )
    except TimeIsUp:
        if not run.history:
            raise
        dual, stop = view_under(problem, run.best.dual), out_of_time(run.history[-1].iteration)
    return Solution(dual, certify(dual, run.lower), History(run.history), stop, run.clock.seconds)


class _Run:
    """One run of Algorithm 1: the loop that owns iteration, history and the reasons to stop."""

    def __init__(self, problem: DualProblem, solver: Solver, watch: Watch | None) -> None:
        self.problem = problem
        self.solver = solver
        self.outer = solver.outer
        self.watch = watch
        self.clock = Clock()
        self.history: list[Iteration] = []
        factors = [Spectrahedron(n, r) for n, r in zip(problem.shape, solver.ranks, strict=True)]
        self.manifold = Product(factors)
        self.objective = self._objective(problem.without_nonnegativity() if solver.two_stages else problem)
        self.best: Evaluation
        self.lower = -np.inf
        """The largest lower bound seen. S made exact at U is not meant for a bound, and may give a poor one."""

        self._violations: list[float] = []  # of W ≥ 0, wherever multipliers were updated with the same ε

    def _objective(self, problem: DualProblem) -> DualObjective:
        return DualObjective(problem, self.manifold, _inner_solver(problem, self.solver))

    def first(self, rng: np.random.Generator) -> None:
        """The starting point, evaluated as the first stage has it."""
        empty = begin_at_zero(self.objective.problem)
        self.calls = empty.support.operator.calls
        rough = self.outer.first_accuracy * self.problem.C * self.problem.squared_norm
        self.best = self.objective.evaluate(self._start(empty, rng), empty, rough)
        while rough > self.outer.fine_start * self.best.value:
            # Only now is it known how small g is next to C‖Y‖².
            rough = 0.1 * min(rough, self.outer.fine_start * abs(self.best.value))
            self.best = self.objective.evaluate(self.best.point, self.best.dual, rough)

    def _start(self, empty: InnerSolution, rng: np.random.Generator) -> Point:
        if self.solver.start == "random":
            return self.manifold.random_point(rng)
        return spectral_start(empty.support.operator, empty.support.values, self.solver.ranks, self.problem.share)

    def iterate(self) -> StopReason:
        """Follow the optimizer, in two stages first without S and then with it, until there is a reason to stop."""
        if self.problem.enforced == "nowhere" or not self.solver.two_stages:
            return self._descend(0, self.solver)
        stop = self._descend(0, replace(self.solver, gradient_tolerance=self.outer.warm))
        self.objective = self._objective(self.problem)
        self.best = self._join(self.best)
        if stop.kind in ("watch", "iterations"):
            return stop
        return self._descend(self.history[-1].iteration + 1, self.solver)

    def _join(self, learned: Evaluation) -> Evaluation:
        """The point learned without S, evaluated with it."""
        near = view_under(self.problem, learned.dual)
        return self.objective.evaluate(learned.point, near, self.outer.handover * learned.value)

    def _descend(self, iteration: int, settings: Solver) -> StopReason:
        stop = self._look(iteration, settings)
        steps = self._optimizer(self.best)
        while stop is None and (better := next(steps, None)) is not None:
            self.best = better
            iteration += 1
            stop = self._look(iteration, settings)
        return stop or StopReason(
            "stalled",
            "Stopped because no step along the gradient brought a decrease that can be told from the error of the "
            "values. If the gap is wide open, try optimizer='trust-region' or start='random'.",
        )

    def polish(self, hurry: bool) -> None:
        """Make the dual variables at the last point exact, step by step; value and gradient stay as they are."""
        solver, allowed = self.objective.solver, self.solver.negativity_tolerance * self.problem.largest
        multiple = self.outer.hurried_polish if hurry else self.outer.longest_polish
        calls = max(self.outer.least_polish, multiple * self.calls.total)
        for dual in solver.polish(self.best.point, self.best.dual, allowed, calls):
            self.best = replace(self.best, dual=dual)

    def _optimizer(self, at: Evaluation) -> Iterator[Evaluation]:
        manifold, search = self.manifold, self.outer.search

        def evaluate(point: Point, near: Evaluation, value_tolerance: float) -> Evaluation:
            # g is never negative, so no step can bring more than g itself, however long it is.
            return self.objective.evaluate(point, near.dual, min(value_tolerance, self.outer.coarsest * near.value))

        def hessian(at: Evaluation, tangent: Tangent) -> Tangent:
            return self.objective.hessian(at, tangent)  # the objective is another one when ε has changed

        if self.solver.optimizer == "trust-region":
            return trust_region(manifold, evaluate, hessian, at, self._refresh, search)
        if self.solver.optimizer == "conjugate-gradient":
            return conjugate_gradient(manifold, evaluate, at, self._refresh, search)
        return quasi_newton(manifold, evaluate, partial(self.outer.make_model, self.problem), at, self._refresh, search)

    def _refresh(self, at: Evaluation, decrease: float) -> Evaluation:
        """Update the multipliers once the objective is blurred by their error more than it still decreases."""
        if at.dual.blur <= self.outer.stale * decrease:
            return at
        self._make_firmer(-at.dual.smallest)
        near = replace(at.dual, T=at.dual.S)
        return self.objective.evaluate(at.point, near, max(0.1 * decrease, at.value_error))

    def _make_firmer(self, violation: float) -> None:
        """Lower ε where multipliers grow so slowly that W ≥ 0 gets no closer."""
        self._violations.append(violation)
        if len(self._violations) <= self.outer.patience:
            return
        allowed = self.solver.negativity_tolerance * self.problem.largest
        first, solver = _inner_solver(self.problem, self.solver), self.objective.solver
        slow = violation > max(allowed, self.outer.fallen * self._violations[-1 - self.outer.patience])
        if slow and isinstance(solver, ActiveSet) and solver.epsilon > self.outer.firmest * first.epsilon:
            firmer = ActiveSet(self.problem, solver.epsilon / self.outer.firmer, self.outer.active_set)
            self.objective = replace(self.objective, solver=firmer)
            self._violations.clear()

    def _look(self, iteration: int, settings: Solver) -> StopReason | None:
        """Record an iteration, show it to the watcher, and say whether to stop."""
        at = self.best
        slope = self.manifold.norm(at.point, at.gradient)
        gap = self._relative_gap(at) if iteration % self.outer.gap_every == 0 else None
        measures = {"gradient_norm": slope, "operator_calls": self.calls.total, "active": at.dual.active}
        if gap is not None:
            measures["relative_gap"] = gap
        step = Iteration(iteration, self.clock.seconds, at.value, measures)
        self.history.append(step)
        wants_to_stop = self.watch is not None and self.clock.call_paused(self.watch, Snapshot(step, at.dual.recover()))
        return _reason(step, settings, wants_to_stop)

    def _relative_gap(self, at: Evaluation) -> float:
        """The gap, never too small: roughly while it is wide open, and exactly when it may be closed.

        While S is not exact, W is negative somewhere and g too small; what it costs to lift W counts, it may be a lot.
        """
        upper = at.value if at.dual.smallest >= 0 else max(at.value, upper_bound(at.dual))
        gap = 1 - self._bound(at, self.outer.rough) / upper
        may_be_closed = gap <= self.solver.gap_tolerance + 10 * self.outer.rough
        return 1 - self._bound(at) / upper if may_be_closed else gap

    def _bound(self, at: Evaluation, *tolerance: float) -> float:
        found = lower_bound(at.dual, *tolerance)
        self.lower = max(self.lower, found)
        return found


def _reason(step: Iteration, settings: Solver, wants_to_stop: bool) -> StopReason | None:
    """The first reason to stop that holds after an iteration, if any."""
    relative, gap = step.gradient_norm / step.cost, step.measures.get("relative_gap")
    if 0 <= relative <= settings.gradient_tolerance:
        return StopReason(
            "gradient",
            f"Converged: the gradient norm is {relative:.1e} of the cost, within gradient_tolerance="
            f"{settings.gradient_tolerance:g}.",
        )
    if gap is not None and gap <= settings.gap_tolerance:
        return StopReason(
            "gap",
            f"Converged: the duality gap is {gap:.1e} of the cost, within gap_tolerance={settings.gap_tolerance:g}.",
        )
    if wants_to_stop:
        return StopReason(
            "watch",
            f"Stopped by the watcher after {step.iteration} iterations: the best completion so far.",
        )
    if step.iteration >= settings.max_iter:
        return StopReason(
            "iterations",
            f"Stopped at max_iter={settings.max_iter}: the gradient norm is still {relative:.1e} of the cost; "
            "raise max_iter to go on.",
        )
    return None


def _inner_solver(problem: DualProblem, solver: Solver) -> InnerSolver:
    if solver.inner == "alternating":
        return Alternating(problem, solver.negativity_tolerance, solver.outer.alternating)
    # ε as large as 1/(2C), so that holding W at zero is as easy for the linear solver as fitting an observation; where
    # C is large even that is hard, and ε is a share of the average of K's diagonal, Σ_k λ_k/n_k.
    average = sum(weight / size for weight, size in zip(problem.lam, problem.shape, strict=True))
    return ActiveSet(problem, max(1 / (2 * problem.C), average / solver.outer.stiffest), solver.outer.active_set)
