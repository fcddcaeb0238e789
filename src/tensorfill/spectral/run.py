"""A run of the spectral model: what steers it, what it is asked for, and what it has found.

SpectralSettings are for those who change the method, each with the reason for its default; users have the settings of
`Spectral`. What steers one part of the solver stands beside that part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..completion import Certificate, Estimate
from ..missingness import Missingness
from ..numerics.threads import quiet_blas
from ..selection.held_out import hold_out
from ..selection.judge import HeldOutRun, Judge
from ..tensor import Array
from .bases import BINNING, Basis, Binning, Borders, Numbers
from .data import BorderSettings, KnownData, PlaceSettings, WindowSettings
from .learning import LearningSettings
from .nonnegative import QUICK_CONSTRAINT, ConstraintSettings
from .prior import FamilySettings, ParametricSpectrum, Prior, StartSettings
from .shared_uncertainty import SharedLaw
from .uncertainty import Uncertainty

Modes = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class TileSettings:
    """How a tile goes on from what windows have taught. Nothing is held out that would tell when to stop."""

    before: int = 8  # rounds before bases are learned: those of a rough estimate leave out what is rare
    rounds: int = 5  # in bases learned along several long modes, which begin to take noise for more than it is …
    rounds_along_one: int = 8  # … and along one of them, which does so later
    settled: float = 0.97  # of σ² in the round before, from which on it is not worth another one …
    fewest: int = 3  # … once there were some: the first ones find out what the bases can do
    better: float = 1.005  # times as large as the error with learned bases is that without, if it pays to learn them
    constraint_pays: float = 0.98  # of windows' error without W ≥ 0 is that with it, if it is worth its full time …
    constraint: ConstraintSettings = QUICK_CONSTRAINT  # … or else this much


@dataclass(frozen=True, kw_only=True)
class SpectralSettings:
    """Tolerances are relative residuals of linear systems; errors are those at held-out entries."""

    # Solving
    tolerance: float = 1e-3
    structured_tolerance: float = 1e-5  # what is inside of holes comes last, and learning before it is there goes wrong
    first_tolerance: float = 0.1  # the first priors are far off
    sharper: float = 0.5  # what the tolerance is multiplied by from round to round
    final: float = 0.1  # times the tolerance: for the last mean
    most_final_steps: int = 240
    double_below: int = 2**16  # entries; on more of them work is done in single precision, which takes half the time

    # Learning
    smoothing: float = 2.0  # bins to either side
    structured_smoothing: float = 3.0  # for fewer frequencies can be told apart
    bound_round: int = 1  # before it a preconditioner for holes is looked for: the first prior tells little
    after_window: float = 10.0  # times the tolerance: for the first round after those in a window
    least_variance: float = 1e-8  # of all entries, on data with largest value 1
    longest_learned: int = 1024  # a basis as long is not tried: its products cost more than they are likely to bring

    # When a stage ends
    settled: float = 0.995  # error, relative to the best so far, from which on a round is no progress
    patience: int = 2  # rounds without progress
    close: float = 1.03  # a stage also ends if its error is not this close to a rival's …
    slow: float = 0.96  # … and falls this slowly
    tie: float = 1.005  # errors of candidates that differ by less are taken to be the same

    # Whether W ≥ 0 is part of the problem
    matters: float = 0.1  # of the error: if less than that is below zero, W ≥ 0 cannot make much of a difference
    matters_if_small: float = 0.01  # small data is looked at more closely, for it costs next to nothing there
    small: int = 2**16  # entries
    as_good: float = 1.002  # error with W ≥ 0, relative to that without, up to which it stays

    # Tiles, which share what was learned
    tile: TileSettings = TileSettings()
    structured_tile: TileSettings = TileSettings(before=1, rounds=2, rounds_along_one=2, better=1.03)

    # The parts
    binning: Binning = BINNING
    borders: BorderSettings = field(default_factory=BorderSettings)
    places: PlaceSettings = field(default_factory=PlaceSettings)
    window: WindowSettings = field(default_factory=WindowSettings)
    start: StartSettings = field(default_factory=StartSettings)
    family: FamilySettings = field(default_factory=FamilySettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    constraint: ConstraintSettings = field(default_factory=ConstraintSettings)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How to run."""

    bases: tuple[Basis, ...]
    """What every mode starts with."""
    borders: Borders
    """What stands alone."""
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


@dataclass(frozen=True, eq=False)
class SpectralRun:
    """What was found, when the run had ended or after any step before that; in its own units."""

    data: KnownData
    """Values less their mean."""
    pattern: Missingness
    """Where they are."""
    mean: float
    plan: Plan
    seen: tuple[Prior, Numbers]
    """The last prior, and the coefficients it gave, of which nothing knew the held-out entries."""
    constrained: bool
    """Whether W ≥ 0 was part of the problem, and not only clipped at."""
    seed: int = 0
    held: NDArray[np.bool_] | None = None
    """Which known entries it chose by; None before the first step."""
    judge: Judge | None = None
    """Of errors at these."""
    errors: Mapping[Modes, float] = field(default_factory=dict)
    """Held-out errors of the candidates."""
    learned: Modes = ()
    """Where bases are learned."""
    held_predictions: Numbers | None = None
    """What was predicted at held-out entries before they were given back; None until that."""
    constraint_errors: tuple[float, float] | None = None
    """Held-out errors without W ≥ 0 and with it, where it was in doubt."""
    at_first: Prior | None = None
    """The best one in the bases it was given; None until others are tried."""
    bound: float | None = None
    """The best of the solver for holes; None for others."""
    law: SharedLaw | None = None
    """How sure to be, if that was learned elsewhere and nothing was held out here."""
    prior: Prior | None = None
    """The one it ended with; None until then, as for all that follows."""
    smallest: float | None = None
    certificate: Certificate | None = None
    steps: int = 0

    @property
    def holes(self) -> bool:
        """Whether what is missing asks for the solver for holes."""
        return self.pattern.structured or self.pattern.any_deep

    @property
    def smoothing(self) -> float:
        """Over how many bins to either side the spectrum is averaged."""
        settings = self.plan.settings
        usual = settings.structured_smoothing if self.holes else settings.smoothing
        return usual if self.plan.smoothing is None else self.plan.smoothing

    def error(self, predicted: Numbers) -> float:
        """How far predictions of held-out entries are off, clipped at the floor."""
        assert self.held is not None
        assert self.judge is not None
        truth = self.data.values[self.held[self.data.mask]]
        return self.judge.error(np.maximum(predicted, self.plan.floor - self.mean) - truth)

    def deviations(self, entries: Array, errors: Array | None = None) -> Numbers:
        """How sure to be of `entries`; `errors` are theirs at held-out entries, if they are not the run's own.

        The law of deviations takes logarithms of how large an entry is, so that none may count below zero here.
        """
        held = hold_out(self.pattern, np.random.default_rng(self.seed)) if self.held is None else self.held
        work = Uncertainty(self.seen[0], self.data, self.pattern, self.mean, held, self.holes, self.seed)
        positive = np.maximum(entries, 0).astype(self.data.values.dtype)
        if self.law is not None:
            return self.law.deviations(work, positive)
        return work.deviations(self.estimate_before(), positive, errors)

    def estimate_before(self) -> Numbers:
        """The estimate that knows nothing of the held-out entries, nowhere below zero."""
        prior, coefficients = self.seen
        dtype = self.data.values.dtype
        found: Numbers = prior.transform.to_entries(coefficients.astype(dtype))
        found += dtype.type(self.mean)
        return np.maximum(found, 0, out=found)

    # In the units of the data, in which the largest known value is `scale`.

    def deviations_of(self, estimate: Estimate, scale: float) -> Array:
        """How sure to be of the run's own estimate."""
        with quiet_blas():
            return scale * self.deviations(estimate.dense() / scale).astype(np.float64)

    def deviations_of_others(self, scale: float, entries: Array, *, errors: Array, more: float) -> Array:
        """How sure to be of somebody else's entries, calibrated on their errors at held-out ones."""
        with quiet_blas():
            return scale * np.sqrt(self.deviations(entries / scale, errors / scale) ** 2 + more)

    def held_out(self, scale: float) -> HeldOutRun | None:
        """What was predicted where entries were held out; None if it did not come to that."""
        if self.held is None or self.judge is None or self.held_predictions is None:
            return None
        predictions = np.maximum(scale * (self.held_predictions.astype(np.float64) + self.mean), self.plan.floor)
        return HeldOutRun(self.held, predictions, self.judge, partial(self.deviations_of_others, scale))
