"""One run of the spectral model: learn in cosines, try learned bases, keep the best, solve for W ≥ 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..completion import Certificate, Estimate, StopReason
from ..iterating import Progress
from ..missingness import Missingness
from ..numerics.vectors import dot, in_pieces
from ..selection.held_out import hold_out
from ..selection.judge import Judge
from ..tensor import SHORT, Array
from .bases import Basis, Numbers
from .data import KnownData
from .estimate import SpectralEstimate
from .learning import MOST_HOLE_STEPS, MOST_STEPS, Learner
from .nonnegative import Constrained, certify, solve_nonnegative
from .parametric import ParametricSpectrum
from .prior import Prior
from .settings import SpectralSettings
from .start import starting_prior
from .summed import with_components
from .transform import Transform
from .uncertainty import Uncertainty
from .window import cut, find_window, resize


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How to run."""

    bases: tuple[Basis, ...]
    """What every mode starts with."""
    places: frozenset[int]
    """Modes along which distant entries have little in common."""
    candidates: tuple[tuple[int, ...], ...]
    """Sets of modes to try learned bases on; the empty one keeps the start. One: take it, whatever it gives."""
    rounds: int
    learned_rounds: int
    smoothing: float | None
    """In bins; None: as wide as the holes ask for."""
    negativity: float
    constrained: bool | None = None
    """Whether W ≥ 0 is part of the problem; None: held-out entries decide."""
    floor: float = 0.0
    """What estimates are clipped at: 0, or −∞ if there is no bound."""
    family: ParametricSpectrum | None = None
    """What the spectrum is bound to; None: free."""
    settings: SpectralSettings = field(default_factory=SpectralSettings)
    find_factors: Callable[[NDArray[np.bool_]], tuple[Array, ...]] | None = None
    """Finds U_k of the paper's components, if they are added, without the entries that are held out."""


@dataclass(eq=False)
class SpectralRun:
    """Follow `states`; afterwards the rest tells how it ended."""

    data: KnownData
    """Values less their mean."""
    pattern: Missingness
    """Where they are."""
    mean: float
    plan: Plan
    rng: np.random.Generator
    at_first: Estimate
    """What there is before anything was learned."""
    held: NDArray[np.bool_] | None = None
    """Which known entries it chose by."""
    judge: Judge = field(init=False)
    learned: tuple[int, ...] = ()
    errors: dict[tuple[int, ...], float] = field(default_factory=dict)
    """Held-out errors of the candidates."""
    certificate: Certificate | None = None
    smallest: float | None = None
    prior: Prior | None = None
    steps: int = 0
    held_predictions: Numbers | None = None
    """What was predicted at held-out entries before they were given back."""
    seen: tuple[Prior, Numbers] | None = None
    """The last prior, and the coefficients it gave, of which nothing knew the held-out entries."""
    constrained: bool = field(init=False)
    """Whether W ≥ 0 was part of the problem, and not only clipped at."""
    constraint_errors: tuple[float, float] | None = None
    """Held-out errors without W ≥ 0 and with it, where it was in doubt."""
    seed: int = 0

    def __post_init__(self) -> None:
        self.holes = self.pattern.structured or self.pattern.any_deep
        settings = self.plan.settings
        self._tolerance = settings.structured_tolerance if self.holes else settings.tolerance
        usual = settings.structured_smoothing if self.holes else settings.smoothing
        self.smoothing = usual if self.plan.smoothing is None else self.plan.smoothing
        self.constrained = self.plan.constrained is not False

    def states(self) -> Iterator[Progress]:
        """The states, the start first."""
        variance = max(float(self.data.values.var(dtype=np.float64)), self.plan.settings.least_variance)
        first = starting_prior(self.plan.bases, variance, self.plan.places)
        zero = np.zeros(first.transform.coefficient_shape, self.data.values.dtype)
        self.seen = first, zero
        nothing_yet = Progress(math.sqrt(variance), self.at_first)
        yield nothing_yet
        del zero
        self.held = hold_out(self.pattern, self.rng)
        self.judge = Judge.of(self.pattern, self.held)
        if self.plan.find_factors is not None:
            first = with_components(first, self.plan.find_factors(self.held), self.data.values.dtype)
        self.seed = int(self.rng.integers(2**31))
        learner = yield from self._learner(first, self.data.without(self.held), nothing_yet)
        if self.held.any():
            self.errors[()] = yield from self._stage(learner, self.plan.rounds, self._first_tolerance(learner))
            learner = yield from self._choose(learner)
        else:  # too little is known to learn from
            self.errors[()] = math.sqrt(variance)
        learner.solve(self._tolerance)
        yield from self._finish(learner)

    def _learner(self, first: Prior, data: KnownData, nothing_yet: Progress) -> Generator[Progress, None, Learner]:
        """One for a prior to start with; for large data, with what a few rounds in a window of it have learned."""
        plain = isinstance(first.transform, Transform) and self.plan.family is None
        window = find_window(data.mask, first.transform.bases) if plain else None
        part = data if window is None else cut(data, window)
        learner = Learner(
            first if window is None else resize(first, part.shape),
            part,
            holes=self.holes,
            smoothing=self.smoothing,
            least_noise=self.plan.settings.least_noise,
            seed=self.seed,
            family=self.plan.family,
        )
        if window is None:
            return learner
        for number in range(self.plan.settings.window_rounds):
            if number == self.plan.settings.bound_round:
                learner.find_bound()
            learner.round(self._tolerance)
            yield nothing_yet  # about the whole, but it can be stopped here
        return learner.like(resize(learner.prior, data.shape), data)

    def _first_tolerance(self, learner: Learner) -> float:
        if learner.steps.count > 0:  # it comes from a window, so the prior is not far off
            return self.plan.settings.after_window * self._tolerance
        return self._tolerance if self.holes else self.plan.settings.first_tolerance

    def _stage(
        self, learner: Learner, rounds: int, tolerance: float, rival: float = math.inf
    ) -> Generator[Progress, None, float]:
        """Rounds until the held-out error stops falling, or will not come near a rival's; leaves the best prior."""
        waited, best, last, prior = 0, math.inf, math.inf, learner.prior
        for number in range(rounds):
            if number == self.plan.settings.bound_round:
                learner.find_bound()
            before = learner.prior
            learner.round(max(tolerance, self._tolerance))
            tolerance *= self.plan.settings.sharper
            error = self._held_out_error(learner)
            waited = 0 if error < self.plan.settings.settled * best else waited + 1
            if error < best:
                best, prior = error, before
            assert learner.mean is not None
            self.seen = before, learner.mean
            yield Progress(error, self._estimate(before, learner.mean))
            beaten = best > self.plan.settings.close * rival and error > self.plan.settings.slow * last
            last = error
            if waited >= self.plan.settings.patience or beaten:
                break
        learner.prior = prior
        return best

    def _choose(self, learner: Learner) -> Generator[Progress, None, Learner]:
        """Try bases learned from the mean; what predicts best."""
        leader = learner
        learned = [modes for modes in self.plan.candidates if modes]
        only = () not in self.plan.candidates
        for modes, start in zip(learned, self._starts(learner, learned), strict=True):
            other = learner.moved(start)
            if modes == learned[-1]:  # nobody else starts from this one, and arrays are large
                if only or leader is not learner:
                    learner.mean = None
                leader.rest()
            rival = math.inf if only else min(self.errors.values())
            error = yield from self._stage(other, self.plan.learned_rounds, self._tolerance, rival)
            other.forget_probe()
            self.errors[modes] = error
            if only or self._better(modes):
                self.learned, leader = modes, other
        return leader

    def _better(self, modes: tuple[int, ...]) -> bool:
        """Whether these predict better than the best so far, or about as well with fewer learned bases."""
        # Colours have no order that a learned basis could lose.
        new, old = (sum(self.data.shape[mode] > SHORT for mode in learned) for learned in (modes, self.learned))
        handicap = 1.0 if new == old else self.plan.settings.tie if new > old else 1 / self.plan.settings.tie
        return handicap * self.errors[modes] < self.errors[self.learned]

    def _starts(self, learner: Learner, candidates: list[tuple[int, ...]]) -> list[Prior]:
        """What learning in other bases starts with; leaves the learner as it is, but for its probe."""
        found: list[Prior] = []
        if candidates:
            prior, mean = learner.prior, learner.mean
            learner.round(self._tolerance)  # a draw of this very posterior
            found = learner.rebased(candidates)
            learner.prior, learner.mean = prior, mean
        learner.forget_probe()
        return found

    def _finish(self, learner: Learner) -> Iterator[Progress]:
        """All known entries, and W ≥ 0, if that does not make held-out entries worse predicted."""
        assert self.held is not None
        assert learner.mean is not None
        self._judge_constraint(learner)
        learner.rest()
        self.seen = learner.prior, learner.mean
        learner.know(self.data)
        mean = learner.solve(self.plan.settings.final * self._tolerance, self.plan.settings.most_final_steps)
        prior = learner.prior
        yield Progress(self.errors[self.learned], self._estimate(prior, mean))
        if self.constrained:
            found = self._nonnegative(learner, mean)
            certificate = certify(prior, self.data, self.mean, found)
            if certificate.lower > 0 or certificate.upper == 0:  # a bound of nothing says nothing
                self.certificate = certificate
            self.smallest, mean, more = found.smallest, found.coefficients, found.steps
        else:
            self.smallest, more = float(prior.transform.to_entries(mean).min()) + self.mean, 0
        self.prior = prior
        self.steps = learner.steps.count + more
        done = StopReason("done", self._story())
        yield Progress(self.errors[self.learned], self._estimate(prior, mean), stop=done)

    def _judge_constraint(self, learner: Learner) -> None:
        """Find out whether W ≥ 0 does harm where entries are held out, if it can matter."""
        assert self.held is not None
        entries = learner.entries()
        self.held_predictions = entries[self.held]
        entries += entries.dtype.type(self.mean)
        below = np.minimum(entries, 0, out=entries)
        clipped_away = math.sqrt(in_pieces(dot, below, below) / below.size)
        del entries, below
        settings = self.plan.settings
        little = settings.matters_if_small if self.data.mask.size < settings.small else settings.matters
        matters = self.held.any() and clipped_away > little * self.errors[self.learned]
        if self.plan.constrained is not None or not matters:
            return
        assert learner.mean is not None
        found = self._nonnegative(learner, learner.mean)
        predicted = learner.prior.transform.to_entries(found.coefficients)[self.held]
        without, within = (self._error_of(guess) for guess in (self.held_predictions, predicted))
        self.constraint_errors = without, within
        self.constrained = within <= self.plan.settings.as_good * without
        if self.constrained:
            self.held_predictions = predicted

    def _nonnegative(self, learner: Learner, mean: Numbers) -> Constrained:
        settings = self.plan.settings
        return solve_nonnegative(
            learner.prior,
            learner.data,
            self.mean,
            mean,
            learner.firm_solver(),
            negativity=self.plan.negativity,
            tolerance=settings.structured_constrained_tolerance if self.holes else settings.constrained_tolerance,
            most_steps=MOST_HOLE_STEPS if self.holes else MOST_STEPS,
        )

    def _held_out_error(self, learner: Learner) -> float:
        return self._error_of(learner.entries()[self.held])

    def _error_of(self, predicted: Numbers) -> float:
        """How far predictions of held-out entries are off, clipped at the floor."""
        assert self.held is not None
        truth = self.data.values[self.held[self.data.mask]]
        return self.judge.error(np.maximum(predicted, self.plan.floor - self.mean) - truth)

    def deviations(self, entries: Array, errors: Array | None = None) -> Numbers:
        """How sure to be of `entries`; `errors` are theirs at held-out entries, if they are not the run's own.

        The law of deviations takes logarithms of how large an entry is, so that none may count below zero here.
        """
        assert self.seen is not None, "a run that was never followed"
        held = hold_out(self.pattern, np.random.default_rng(self.seed)) if self.held is None else self.held
        prior, coefficients = self.seen
        dtype = self.data.values.dtype
        before = np.maximum(prior.transform.to_entries(coefficients.astype(dtype)) + dtype.type(self.mean), 0)
        work = Uncertainty(prior, self.data, self.pattern, self.mean, held, self.holes, self.seed)
        return work.deviations(before, np.maximum(entries, 0).astype(dtype), errors)

    def _estimate(self, prior: Prior, coefficients: Numbers | None) -> SpectralEstimate:
        assert coefficients is not None
        return SpectralEstimate(prior.transform, coefficients, self.mean)

    def _story(self) -> str:
        return f"Done: the prior that predicts held-out entries best, to an error of {self.errors[self.learned]:.2g}."
