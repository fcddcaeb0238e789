"""Algorithm 1 of the paper: minimise g(U) from a start, and finish with an exact inner solve."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from ..completion import Certificate, History, StopReason, Watch
from ..interrupting import TimeIsUp
from ..iterating import Clock, NoFurtherStep, Solver, follow, iterate, out_of_time
from ..numerics.threads import quiet_blas
from ..riemannian.descent import SEARCH, ConjugateGradient, Descent, HessianModel, QuasiNewton, SearchSettings
from ..riemannian.spectrahedron import Point, Product, Spectrahedron, Tangent
from ..riemannian.trust_region import TrustRegion
from .active_set import ACTIVE_SET, ActiveSet, ActiveSetSettings
from .alternating import ALTERNATING, Alternating, AlternatingSettings
from .certificate import certify, lower_bound, upper_bound
from .inner import InnerSolution, InnerSolver, begin_at_zero, view_under
from .objective import CurvatureModel, DualObjective, Evaluation, spectral_start
from .problem import DualProblem
from .recover import RecoveredTensor

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
class Plan:
    """How to solve: settings of Algorithm 1, all of them relative to the scale of the data."""

    ranks: tuple[int, ...]
    max_iter: int
    gradient_tolerance: float
    gap_tolerance: float
    negativity_tolerance: float
    inner: Inner
    start: Start | Point
    """Where U begins: a way to find out, or U itself."""
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


def solve(problem: DualProblem, plan: Plan, rng: np.random.Generator, watch: Watch | None) -> Solution:
    """Run Algorithm 1. Ctrl-C and a deadline end it with the best point so far, once there is one."""
    with plan.outer.limit_blas():
        clock = Clock()
        run = DualSolver(problem, plan, rng)
        found = iterate(follow(run), plan.max_iter, watch, clock=clock)
        stop, watched = found.stop, found.stop.kind == "watch"
        try:
            # Whoever stops it is in a hurry; only W ≥ 0 is a promise that has to be kept.
            if stop.kind not in ("time", "interrupted") and not (watched and problem.enforced == "nowhere"):
                run.polish(hurry=watched)
        except KeyboardInterrupt:
            sentence = f"Interrupted after {run.iteration} iterations: this is the best completion so far."
            stop = StopReason("interrupted", sentence)
        except TimeIsUp:
            stop = out_of_time(run.iteration)
        dual = view_under(problem, run.best.dual)
        return Solution(dual, certify(dual, run.lower), found.history, stop, clock.seconds)


class DualSolver(Solver):
    """The state of Algorithm 1.

    Where W ≥ 0 is asked for, U is first learned without it, which is several times cheaper and ends close by; then S
    joins, which is an iteration of its own, and the search goes on from there. Without `two_stages` S is there from the
    start.
    """

    def __init__(self, problem: DualProblem, plan: Plan, rng: np.random.Generator) -> None:
        self.problem, self.plan, self.outer = problem, plan, plan.outer
        self.manifold = Product([Spectrahedron(n, r) for n, r in zip(problem.shape, plan.ranks, strict=True)])
        self.lower = -np.inf
        """The largest lower bound seen. S made exact at U is not meant for a bound, and may give a poor one."""
        self.iteration = 0
        self._violations: list[float] = []  # of W ≥ 0, wherever multipliers were updated with the same ε
        self._learning = plan.two_stages and problem.enforced != "nowhere"  # whether this is the stage without S
        self._objective = self._make_objective(problem.without_nonnegativity() if plan.two_stages else problem)
        self.best = self._evaluate_start(rng)
        self._descent = self._begin_descent()
        self._look()

    def _make_objective(self, problem: DualProblem) -> DualObjective:
        return DualObjective(problem, self.manifold, _inner_solver(problem, self.plan))

    def _evaluate_start(self, rng: np.random.Generator) -> Evaluation:
        """The starting point, evaluated as the first stage has it."""
        empty = begin_at_zero(self._objective.problem)
        self.calls = empty.support.operator.calls
        if not isinstance(self.plan.start, str):
            point = self.plan.start
        elif self.plan.start == "random":
            point = self.manifold.random_point(rng)
        else:
            support = empty.support
            point = spectral_start(support.operator, support.left, self.plan.ranks, self.problem.share)
        rough = self.outer.first_accuracy * self.problem.C * self.problem.squared_norm
        found = self._objective.evaluate(point, empty, rough)
        while rough > self.outer.fine_start * found.value:
            # Only now is it known how small g is next to C‖Y‖².
            rough = 0.1 * min(rough, self.outer.fine_start * abs(found.value))
            found = self._objective.evaluate(found.point, found.dual, rough)
        return found

    def step(self) -> None:
        """A better point; or S joins, once U is learned without it."""
        better = None if self._learning and self._reason is not None else self._descent.step()
        if better is not None:
            self.best = better
        elif self._learning:
            self._join()
            self._descent = self._begin_descent()
        else:
            raise NoFurtherStep(
                "Stopped because no step along the gradient brought a decrease that can be told from the error of the "
                "values. If the gap is wide open, try optimizer='trust-region' or start='random'."
            )
        self.iteration += 1
        self._look()

    def estimate(self) -> RecoveredTensor:
        return self.best.dual.recover()

    def finished(self) -> StopReason | None:
        """Why it ends here; U being learned without S is no end."""
        if self._learning and self._reason is not None and self._reason.kind != "iterations":
            return None
        return self._reason

    def _join(self) -> None:
        """Evaluate the point learned without S with it."""
        learned = self.best
        self._objective = self._make_objective(self.problem)
        near = view_under(self.problem, learned.dual)
        self.best = self._objective.evaluate(learned.point, near, self.outer.handover * learned.value)
        self._learning = False

    def polish(self, hurry: bool) -> None:
        """Make the dual variables at the last point exact, step by step; value and gradient stay as they are."""
        if self._learning:
            self._join()
        solver, allowed = self._objective.solver, self.plan.negativity_tolerance * self.problem.largest
        multiple = self.outer.hurried_polish if hurry else self.outer.longest_polish
        calls = max(self.outer.least_polish, multiple * self.calls.total)
        for dual in solver.polish(self.best.point, self.best.dual, allowed, calls):
            self.best = replace(self.best, dual=dual)

    def _begin_descent(self) -> Descent[Evaluation]:
        manifold, at, search = self.manifold, self.best, self.outer.search
        if self.plan.optimizer == "trust-region":
            return TrustRegion(manifold, self._evaluate, self._apply_hessian, at, self._refresh, search)
        if self.plan.optimizer == "conjugate-gradient":
            return ConjugateGradient(manifold, self._evaluate, at, self._refresh, search)
        model = partial(self.outer.make_model, self.problem)
        return QuasiNewton(manifold, self._evaluate, model, at, self._refresh, search)

    def _evaluate(self, point: Point, near: Evaluation, value_tolerance: float) -> Evaluation:
        # g is never negative, so no step can bring more than g itself, however long it is.
        return self._objective.evaluate(point, near.dual, min(value_tolerance, self.outer.coarsest * near.value))

    def _apply_hessian(self, at: Evaluation, tangent: Tangent) -> Tangent:
        return self._objective.hessian(at, tangent)  # the objective is another one when ε has changed

    def _refresh(self, at: Evaluation, decrease: float) -> Evaluation:
        """Update the multipliers once the objective is blurred by their error more than it still decreases."""
        if at.dual.blur <= self.outer.stale * decrease:
            return at
        self._make_firmer(-at.dual.smallest)
        near = replace(at.dual, T=at.dual.S)
        return self._objective.evaluate(at.point, near, max(0.1 * decrease, at.value_error))

    def _make_firmer(self, violation: float) -> None:
        """Lower ε where multipliers grow so slowly that W ≥ 0 gets no closer."""
        self._violations.append(violation)
        if len(self._violations) <= self.outer.patience:
            return
        allowed = self.plan.negativity_tolerance * self.problem.largest
        first, solver = _inner_solver(self.problem, self.plan), self._objective.solver
        slow = violation > max(allowed, self.outer.fallen * self._violations[-1 - self.outer.patience])
        if slow and isinstance(solver, ActiveSet) and solver.epsilon > self.outer.firmest * first.epsilon:
            firmer = ActiveSet(self.problem, solver.epsilon / self.outer.firmer, self.outer.active_set)
            self._objective = replace(self._objective, solver=firmer)
            self._violations.clear()

    def _look(self) -> None:
        """Measure where it stands, and find whether that is a reason to stop."""
        at = self.best
        slope = self.manifold.norm(at.point, at.gradient)
        self.cost = at.value
        self._measures = {"gradient_norm": slope, "operator_calls": self.calls.total, "active": at.dual.active}
        if self.iteration % self.outer.gap_every == 0:
            self._measures["relative_gap"] = self._relative_gap(at)
        self._reason = self._find_reason(slope / at.value, self._measures.get("relative_gap"))

    @property
    def measures(self) -> Mapping[str, float]:
        return self._measures

    def _find_reason(self, relative: float, gap: float | None) -> StopReason | None:
        """The first reason to stop that holds, if any; `relative` is the gradient norm as a share of the cost."""
        plan = self.plan
        tolerance = self.outer.warm if self._learning else plan.gradient_tolerance
        if 0 <= relative <= tolerance:
            return StopReason(
                "gradient",
                f"Converged: the gradient norm is {relative:.1e} of the cost, within gradient_tolerance={tolerance:g}.",
            )
        if gap is not None and gap <= plan.gap_tolerance:
            return StopReason(
                "gap",
                f"Converged: the duality gap is {gap:.1e} of the cost, within gap_tolerance={plan.gap_tolerance:g}.",
            )
        if self.iteration >= plan.max_iter:
            return StopReason(
                "iterations",
                f"Stopped at max_iter={plan.max_iter}: the gradient norm is still {relative:.1e} of the cost; "
                "raise max_iter to go on.",
            )
        return None

    def _relative_gap(self, at: Evaluation) -> float:
        """The gap, never too small: roughly while it is wide open, and exactly when it may be closed.

        While S is not exact, W is negative somewhere and g too small; what it costs to lift W counts, it may be a lot.
        """
        upper = at.value if at.dual.smallest >= 0 else max(at.value, upper_bound(at.dual))
        gap = 1 - self._bound(at, self.outer.rough) / upper
        may_be_closed = gap <= self.plan.gap_tolerance + 10 * self.outer.rough
        return 1 - self._bound(at) / upper if may_be_closed else gap

    def _bound(self, at: Evaluation, *tolerance: float) -> float:
        found = lower_bound(at.dual, *tolerance)
        self.lower = max(self.lower, found)
        return found


def _inner_solver(problem: DualProblem, plan: Plan) -> InnerSolver:
    if plan.inner == "alternating":
        return Alternating(problem, plan.negativity_tolerance, plan.outer.alternating)
    # ε as large as 1/(2C), so that holding W at zero is as easy for the linear solver as fitting an observation; where
    # C is large even that is hard, and ε is a share of the average of K's diagonal, Σ_k λ_k/n_k.
    average = sum(weight / size for weight, size in zip(problem.lam, problem.shape, strict=True))
    return ActiveSet(problem, max(1 / (2 * problem.C), average / plan.outer.stiffest), plan.outer.active_set)
