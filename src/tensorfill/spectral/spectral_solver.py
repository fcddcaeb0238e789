"""The spectral model, solved: learn in cosines, try learned bases, keep the best, solve with all entries and for W ≥ 0.

hold_out     some known entries are held out
window       a few rounds in a window, if the data is large
learn        rounds in the bases given, until held-out entries are not predicted better any more;
             then in learned bases, once for every set of modes that is tried
know         held-out entries are given back
constrain    W ≥ 0
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..completion import Estimate, StopReason
from ..iterating import Solver
from ..missingness import Missingness
from ..numerics.vectors import dot, in_pieces
from ..selection.held_out import hold_out
from ..selection.judge import Judge
from ..tensor import SHORT
from .bases import Numbers
from .data import KnownData, find_window
from .learning import Learner
from .nonnegative import Constrained, ConstraintSettings, certify, solve_nonnegative
from .prior import Prior, resize, starting_prior, with_components
from .run import Modes, Plan, SpectralRun, SpectralSettings
from .transform import SpectralEstimate, Transform

Stage = Literal["hold_out", "window", "learn", "know", "constrain", "done"]


@dataclass(eq=False)
class Rounds:
    """Rounds of one learner, until the held-out error stops falling or will not come near a rival's."""

    modes: Modes
    """Whose bases were learned."""
    learner: Learner
    most: int
    tolerance: float
    prior: Prior
    """The best one so far."""
    rival: float = math.inf
    count: int = 0
    best: float = math.inf
    last: float = math.inf
    waited: int = 0
    over: bool = False

    def note(self, error: float, prior: Prior, settings: SpectralSettings) -> None:
        """One more round was made, and a prior had this error."""
        self.count += 1
        self.tolerance *= settings.sharper
        self.waited = 0 if error < settings.settled * self.best else self.waited + 1
        if error < self.best:
            self.best, self.prior = error, prior
        beaten = self.best > settings.close * self.rival and error > settings.slow * self.last
        self.last = error
        self.over = self.waited >= settings.patience or beaten or self.count == self.most


class SpectralSolver(Solver):
    """One step is a round of learning, or one of the two solves at the end; `run` is what was found so far."""

    def __init__(
        self,
        data: KnownData,
        pattern: Missingness,
        mean: float,
        plan: Plan,
        rng: np.random.Generator,
        at_first: Estimate,
    ) -> None:
        """`data` is what is known less its mean, `at_first` what there is before anything was learned."""
        settings = plan.settings
        variance = max(float(data.values.var(dtype=np.float64)), settings.least_variance)
        first = starting_prior(plan.bases, variance, plan.places, settings.start)
        zero = np.zeros(first.transform.coefficient_shape, data.values.dtype)
        self.run = SpectralRun(data, pattern, mean, plan, (first, zero), plan.constrained is not False)
        self.cost = math.sqrt(variance)
        self._estimate = at_first
        self._stop: StopReason | None = None
        self._stage: Stage = "hold_out"
        self._rng = rng
        self._tolerance = settings.structured_tolerance if self.run.holes else settings.tolerance
        self._in_window = 0  # rounds
        # From the first step on:
        self._learner: Learner  # in the window, or the best so far
        self._first: Learner  # the one in the bases given, from which others start
        self._rounds: Rounds  # those that are being made
        self._untried: list[tuple[Modes, Prior]]  # bases, and what learning starts with in them

    def estimate(self) -> Estimate:
        return self._estimate

    def finished(self) -> StopReason | None:
        return self._stop

    def step(self) -> None:
        if self._stage == "hold_out":
            self._hold_out()
        if self._stage == "window" and self._in_window == self.run.plan.settings.window.rounds:
            self._leave_window()
        if self._stage == "learn" and self._rounds.over:
            self._go_on()
        if self._stage == "window":
            self._round_in_window()
        elif self._stage == "learn":
            self._round()
        elif self._stage == "know":
            self._know_all()
        elif self._stage == "constrain":
            self._constrain()

    def _hold_out(self) -> None:
        """Choose what to judge by, and the learner to begin with: in a window, if the data is large."""
        run, plan = self.run, self.run.plan
        first, dtype = run.seen[0], run.data.values.dtype
        held = hold_out(run.pattern, self._rng)
        judge = Judge.of(run.pattern, held)
        if plan.find_factors is not None:
            first = with_components(first, plan.find_factors(held), dtype, plan.settings.start)
        self.run = run = replace(run, held=held, judge=judge, seed=int(self._rng.integers(2**31)))
        data = run.data.without(held)
        plain = isinstance(first.transform, Transform) and plan.family is None
        window = find_window(data.mask, first.transform.bases, plan.settings.window) if plain else None
        part = data if window is None else data.within(window)
        learner = Learner(
            first if window is None else resize(first, part.shape),
            part,
            holes=run.holes,
            smoothing=run.smoothing,
            seed=run.seed,
            family=plan.family,
            settings=plan.settings.learning,
        )
        if window is None:
            self._begin(learner)
        else:
            self._stage, self._learner = "window", learner

    def _round_in_window(self) -> None:
        """The estimate stays as it is, for nothing is known of the whole, but it can be stopped here."""
        if self._in_window == self.run.plan.settings.bound_round:
            self._learner.find_bound()
        self._learner.round(self._tolerance)
        self._in_window += 1

    def _leave_window(self) -> None:
        assert self.run.held is not None
        data = self.run.data.without(self.run.held)
        self._begin(self._learner.like(resize(self._learner.prior, data.shape), data))

    def _begin(self, learner: Learner) -> None:
        """Start learning from all entries that are not held out."""
        assert self.run.held is not None
        plan, self._learner = self.run.plan, learner
        if not self.run.held.any():  # too little is known to learn from
            self._stage, self.run = "know", replace(self.run, errors={(): self.cost})
            return
        tolerance = self._tolerance if self.run.holes else plan.settings.first_tolerance
        if learner.steps.count > 0:  # it comes from a window, so the prior is not far off
            tolerance = plan.settings.after_window * self._tolerance
        self._stage, self._first = "learn", learner
        self._rounds = Rounds((), learner, plan.rounds, tolerance, learner.prior)

    def _round(self) -> None:
        rounds, settings, learner = self._rounds, self.run.plan.settings, self._rounds.learner
        if rounds.count == settings.bound_round:
            learner.find_bound()
        before = learner.prior
        learner.round(max(rounds.tolerance, self._tolerance))
        error = self.run.error(learner.entries()[self.run.held])
        rounds.note(error, before, settings)
        self.run = replace(self.run, seen=(before, learner.coefficients))
        self._show(error, before, learner.coefficients)

    def _go_on(self) -> None:
        """Rounds are over: take what they learned if it is best, and try the next bases, if there are any."""
        modes, learner = self._rounds.modes, self._rounds.learner
        learner.prior = self._rounds.prior
        self.run = replace(self.run, errors={**self.run.errors, modes: self._rounds.best})
        if learner is self._first:
            self.run = replace(self.run, at_first=learner.prior, bound=learner.bound)
            self._untried = self._find_starts(learner)
        else:
            learner.forget_probe()
            if self._only or self._is_better(modes):
                self.run, self._learner = replace(self.run, learned=modes), learner
        del self._rounds, learner  # arrays are large
        if self._untried:
            self._try_next()
        else:
            self._stage = "know"
            del self._first

    @property
    def _only(self) -> bool:
        """Whether the learned bases are taken, whatever they give."""
        return () not in self.run.plan.candidates

    def _try_next(self) -> None:
        modes, start = self._untried.pop(0)
        other = self._first.moved(start)
        if not self._untried:  # nobody else starts from the first one, and arrays are large
            if self._only or self._learner is not self._first:
                self._first.mean = None
            self._learner.rest()
        rival = math.inf if self._only else min(self.run.errors.values())
        self._rounds = Rounds(modes, other, self.run.plan.learned_rounds, self._tolerance, other.prior, rival)

    def _is_better(self, modes: Modes) -> bool:
        """Whether these predict better than the best so far, or about as well with fewer learned bases."""
        # Colours have no order that a learned basis could lose.
        run, tie = self.run, self.run.plan.settings.tie
        new, old = (sum(run.data.shape[mode] > SHORT for mode in learned) for learned in (modes, run.learned))
        handicap = 1.0 if new == old else tie if new > old else 1 / tie
        return handicap * run.errors[modes] < run.errors[run.learned]

    def _find_starts(self, learner: Learner) -> list[tuple[Modes, Prior]]:
        """What learning in other bases starts with; leaves the learner as it is, but for its probe."""
        candidates = [modes for modes in self.run.plan.candidates if modes]
        found: list[Prior] = []
        if candidates:
            prior, mean = learner.prior, learner.mean
            learner.round(self._tolerance)  # a draw of this very posterior
            found = learner.rebased(candidates)
            learner.prior, learner.mean = prior, mean
        learner.forget_probe()
        return list(zip(candidates, found, strict=True))

    def _know_all(self) -> None:
        """Give the held-out entries back, when all that they can tell is known."""
        learner, settings = self._learner, self.run.plan.settings
        learner.solve(self._tolerance)
        self._judge_constraint(learner)
        learner.rest()
        self.run = replace(self.run, seen=(learner.prior, learner.coefficients))
        learner.know(self.run.data)
        mean = learner.solve(settings.final * self._tolerance, settings.most_final_steps)
        self._stage = "constrain"
        self._show(self.run.errors[self.run.learned], learner.prior, mean)

    def _judge_constraint(self, learner: Learner) -> None:
        """Find out whether W ≥ 0 does harm where entries are held out, if it can matter."""
        run, settings = self.run, self.run.plan.settings
        entries = learner.entries()
        free = entries[run.held]
        entries += entries.dtype.type(run.mean)
        below = np.minimum(entries, 0, out=entries)
        clipped_away = math.sqrt(in_pieces(dot, below, below) / below.size)
        del entries, below
        self.run = replace(run, held_predictions=free)
        little = settings.matters_if_small if run.data.mask.size < settings.small else settings.matters
        matters = len(free) and clipped_away > little * run.errors[run.learned]
        if run.plan.constrained is not None or not matters:
            return
        found = self._solve_nonnegative(learner, learner.coefficients)
        bound = learner.prior.transform.to_entries(found.coefficients)[run.held]
        without, within = run.error(free), run.error(bound)
        constrained = within <= settings.as_good * without
        self.run = replace(
            run,
            held_predictions=bound if constrained else free,
            constrained=constrained,
            constraint_errors=(without, within),
        )

    def _solve_nonnegative(self, learner: Learner, mean: Numbers) -> Constrained:
        settings, holes = self.run.plan.settings, self.run.holes
        return solve_nonnegative(
            learner.prior,
            learner.data,
            self.run.mean,
            mean,
            learner.firm_solver(),
            negativity=self.run.plan.negativity,
            tolerance=self._constraint.structured_tolerance if holes else self._constraint.tolerance,
            most_steps=settings.learning.most_structured_steps if holes else settings.learning.most_steps,
            settings=self._constraint,
        )

    @property
    def _constraint(self) -> ConstraintSettings:
        return self.run.plan.settings.constraint

    def _constrain(self) -> None:
        """W ≥ 0, if it is part of the problem; the end."""
        run, learner, mean, certificate = self.run, self._learner, self._learner.coefficients, None
        if run.constrained:
            found = self._solve_nonnegative(learner, mean)
            bounds = certify(learner.prior, run.data, run.mean, found)
            if bounds.lower > 0 or bounds.upper == 0:  # a bound of nothing says nothing
                certificate = bounds
            smallest, mean, more = found.smallest, found.coefficients, found.steps
        else:
            smallest, more = float(learner.prior.transform.to_entries(mean).min()) + run.mean, 0
        self.run = replace(
            run, prior=learner.prior, certificate=certificate, smallest=smallest, steps=learner.steps.count + more
        )
        error = run.errors[run.learned]
        self._stage = "done"
        best = f"Done: the prior that predicts held-out entries best, to an error of {error:.2g}."
        self._stop = StopReason("done", best)
        self._show(error, learner.prior, mean)

    def _show(self, cost: float, prior: Prior, coefficients: Numbers) -> None:
        self.cost, self._estimate = cost, SpectralEstimate(prior.transform, coefficients, self.run.mean)
