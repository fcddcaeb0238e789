"""Learning the prior from the known entries: rounds that raise its marginal likelihood.

A round solves for the posterior mean m of the coefficients, and for that of data drawn from the prior itself. The
second tells how well each coefficient is determined: γ = 1 − (posterior variance)/s, averaged over a bin. In the
maximum, Σ m²/s = Σ γ for every bin (MacKay 1992). So s is multiplied by the quotient of the two, each smoothed over
neighbouring bins; σ² likewise by the root of ‖y − m_Ω‖² / (σ² (|Ω| − Σγ)).

A floor that all of s has in common cannot be told from noise, since entries are known once or not at all. It is moved
to σ², which makes the systems easier to solve and leaves all predictions as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from ..numerics.vectors import dot, in_pieces, standard_normal
from ..tensor import Array
from .bases import Basis, Columns, Numbers
from .data import KnownData
from .hole_solver import HoleSolver, choose_solver
from .hole_system import HOLES, HoleSettings
from .prior import ParametricSpectrum, Prior
from .scattered_solver import Solver
from .transform import Bins, Transform


@dataclass(frozen=True, kw_only=True)
class LearningSettings:
    """What steers rounds of learning."""

    largest_step: float = 20.0  # by which a variance may change in one round: what is seen first is far off
    largest_noise_step: float = 4.0  # the same for σ², on which all depends
    few: float = 1e-3  # added to both sides of a quotient, so that bins of which nothing is seen stay as they are
    least_free: float = 0.02  # of the known entries are taken to tell about noise, whatever γ says
    floor_quantile: float = 0.02  # of the variances: the floor that all have in common
    floor_left: float = 0.02  # of it, for it is not moved to the noise altogether
    least_variance: float = 1e-4  # of σ²: what is smaller makes systems worse to solve, and nothing else
    least_noise: float = 1e-6  # σ² on data with largest value 1
    most_steps: int = 60  # of the solver, for one mean
    most_structured_steps: int = 200  # the same for holes, whose preconditioner is less good
    negligible: float = 1e-6  # share of the energy of the mean along a mode that learned bases may leave out
    far_below_noise: float = 0.03  # the same for their prior variance per entry, as a share of σ²
    holes: HoleSettings = HOLES


LEARNING = LearningSettings()


@dataclass(eq=False)
class Steps:
    """How many steps solvers took in all, over learners that come from each other."""

    count: int = 0


class Learner:
    """A prior, the posterior mean under it, and what it takes to improve both."""

    def __init__(
        self,
        prior: Prior,
        data: KnownData,
        *,
        holes: bool,
        smoothing: float,
        seed: int,
        family: ParametricSpectrum | None = None,
        bound: float | None = None,
        settings: LearningSettings = LEARNING,
    ) -> None:
        """`bound` is the best one of the solver for holes, if it is known."""
        self.prior = self._solved = prior
        self.steps = Steps()
        self._smoothing = smoothing
        self._holes = holes
        self._settings = settings
        self._most = settings.most_structured_steps if holes else settings.most_steps
        self._seed = seed
        self._family = family
        self.bound = bound
        self._dtype = data.values.dtype
        self.mean: Numbers | None = None
        """Coefficients of the posterior mean."""
        self._probe: Numbers | None = None
        """Coefficients of the mean of drawn data, each divided by the root of its variance."""
        self.know(data)

    def know(self, data: KnownData) -> None:
        """Go on with other known entries."""
        self.data = data
        self._solver = choose_solver(
            self.prior, data.mask, holes=self._holes, bound=self.bound, settings=self._settings.holes
        )

    def firm_solver(self) -> Solver:
        """One that can hold more entries than the data has."""
        holes = self._settings.holes
        return choose_solver(
            self.prior, self.data.mask, holes=self._holes, bound=holes.firm_bound, divide=False, settings=holes
        )

    def find_bound(self) -> None:
        """A few trial steps show the solver for holes its best bound, if it is that one and has none."""
        if self.bound is None and isinstance(self._solver, HoleSolver):
            y, ratio = self.data.filled(self.data.values), self.prior.ratio(self._dtype)
            self._solver.find_bound(y, ratio, self.mean)
            self.bound = self._solver.bound

    def solve(self, tolerance: float, most: int | None = None) -> Numbers:
        """The posterior mean under the prior as it stands."""
        ratio = self.prior.ratio(self._dtype)
        self._find_mean(ratio, tolerance, self._most if most is None else most)
        return self.coefficients

    @property
    def coefficients(self) -> Numbers:
        """The posterior mean, of a learner that has one."""
        assert self.mean is not None
        return self.mean

    def entries(self) -> Numbers:
        """The same as entries."""
        return self.prior.transform.to_entries(self.coefficients)

    def round(self, tolerance: float) -> None:
        """One round."""
        prior, bins, settings = self.prior, self.prior.bins, self._settings
        ratio = prior.ratio(self._dtype)
        self._probe = None if self._probe is None else _resting(self._probe)
        self._find_mean(ratio, tolerance, self._most)
        missed = self._measure_misfit()
        weighted = self.coefficients * self.coefficients
        weighted *= ratio
        squares = bins.sums(weighted) / prior.noise
        del weighted
        determined = self._count_determined(ratio, tolerance)
        quotient = (bins.smoothed(squares, self._smoothing) + settings.few) / (
            bins.smoothed(determined, self._smoothing) + settings.few
        )
        variances = prior.variances * np.clip(quotient, 1 / settings.largest_step, settings.largest_step)
        free = max(self.data.count - determined.sum(), settings.least_free * self.data.count)
        wanted = np.sqrt(prior.noise * missed / free)
        most = settings.largest_noise_step
        noise = float(np.clip(wanted, prior.noise / most, prior.noise * most))
        floor = _quantile(variances, bins.counts, settings.floor_quantile)
        noise = max(noise + (1 - settings.floor_left) * floor, settings.least_noise)
        variances = np.maximum(variances - floor, max(settings.floor_left * floor, settings.least_variance * noise))
        if self._family is not None:
            variances = np.maximum(self._family.nearest(variances, determined), settings.least_variance * noise)
        self._solved = prior
        self.prior = replace(prior, variances=bins.with_borders(variances), noise=noise)

    def _find_mean(self, ratio: Numbers, tolerance: float, most: int) -> None:
        start = None if self.mean is None else self.mean.astype(self._dtype)
        found = self._solver.solve(self.data.filled(self.data.values), ratio, start, tolerance, most)
        self.mean = found.coefficients
        self.steps.count += found.steps

    def _count_determined(self, ratio: Numbers, tolerance: float) -> Array:
        """Σγ over every bin. Known numbers of drawn data that are 1 on average are divided out."""
        bins = self.prior.bins
        start, self._probe = self._probe, None  # arrays are large: none is kept that can be had again
        if start is not None:
            start = start.astype(self._dtype)
            start *= self._root(ratio)
        found = self._solver.solve(self.data.filled(self._draw(ratio)), ratio, start, tolerance, self._most)
        del start
        self.steps.count += found.steps
        self._probe = found.coefficients
        self._probe /= self._root(ratio)
        z = self._numbers()
        product = self._probe * z
        gamma = bins.sums(product)
        gamma /= bins.sums(np.square(z, out=product))
        return np.clip(gamma, self._settings.few * self.data.share, 1.0) * bins.counts

    def _measure_misfit(self) -> float:
        """The sum of squares of what the mean misses known values by."""
        misfit = self.entries()[self.data.mask]
        misfit -= self.data.values
        return in_pieces(dot, misfit, misfit)

    def _draw(self, ratio: Numbers) -> Numbers:
        """What would be known if entries came from the prior."""
        coefficients = self._numbers()
        coefficients *= self._root(ratio)
        drawn = self.prior.transform.to_entries(coefficients, overwrite=True)[self.data.mask]
        noise = standard_normal(drawn.shape, self._dtype, self._seed, 1)
        noise *= self._dtype.type(np.sqrt(self.prior.noise))
        drawn += noise
        return drawn

    def _root(self, ratio: Numbers) -> Numbers:
        """The root of s, from σ²/s."""
        root: Numbers = self._dtype.type(self.prior.noise) / ratio
        return np.sqrt(root, out=root)

    def _numbers(self) -> Numbers:
        """The same standard normal numbers in every round: cheaper to draw again than to keep."""
        return standard_normal(self.prior.transform.coefficient_shape, self._dtype, self._seed, 0)

    def draw(self) -> Numbers:
        """Entries drawn from the posterior, after a round."""
        assert self._probe is not None
        coefficients = self._numbers()
        coefficients -= self._probe
        root = self._solved.ratio(self._dtype)
        np.divide(self._dtype.type(self._solved.noise), root, out=root)
        coefficients *= np.sqrt(root, out=root)
        coefficients += self.coefficients
        return self.prior.transform.to_entries(coefficients, overwrite=True)

    def forget_probe(self) -> None:
        """Let go of what is only needed for further rounds."""
        self._probe = None

    def rest(self) -> None:
        """Take little room until it is asked to solve again; entries are not to be had before."""
        self.mean = None if self.mean is None else _resting(self.mean)

    def rebased(self, candidates: Sequence[tuple[int, ...]]) -> list[Prior]:
        """Priors in bases learned from the posterior mean, along some modes each, after a round.

        Their variances are those of a draw from the posterior: the mean alone has too little of what is rare.
        """
        entries = self.entries()
        learned = {
            mode: _principal(entries, mode, 0.0 if self._holes else self._settings.negligible)
            for mode in sorted({mode for modes in candidates for mode in modes})
        }
        del entries
        drawn = self.draw()
        found = [self._prior_of(drawn, {mode: learned[mode] for mode in modes}) for modes in candidates]
        if self._holes:  # whose solver takes all directions
            return found
        far_below = self._settings.far_below_noise
        fewer = [
            {mode: learned[mode].first(_worth_keeping(prior, mode, drawn.size, far_below)) for mode in modes}
            for modes, prior in zip(candidates, found, strict=True)
        ]
        return [self._prior_of(drawn, bases) for bases in fewer]

    def _prior_of(self, drawn: Numbers, learned: dict[int, Columns]) -> Prior:
        bases: list[Basis] = [learned.get(mode, basis) for mode, basis in enumerate(self.prior.transform.bases)]
        transform, bins = Transform(bases), Bins(bases)
        squares = transform.to_coefficients(drawn)
        squares *= squares
        variances = np.exp(bins.smoothed(np.log(bins.sums(squares) / bins.counts), self._smoothing))
        return Prior(transform, bins, bins.with_borders(variances), self.prior.noise)

    def moved(self, prior: Prior) -> Learner:
        """One with another prior that starts from the same entries."""
        new = self.like(prior, self.data)
        new.mean = prior.transform.to_coefficients(self.entries(), overwrite=True)
        return new

    def like(self, prior: Prior, data: KnownData) -> Learner:
        """One with another prior for other data that learns in the same way, its spectrum free."""
        new = copy(self)
        new.prior = new._solved = prior
        new.mean = new._probe = new._family = None
        new.know(data)
        return new


def _resting(start: Numbers) -> Numbers:
    """What a solver will start with, while others work: a few digits are enough, and arrays are large."""
    return start.astype(np.float16) if start.dtype == np.float32 else start


def _principal(entries: Numbers, mode: int, negligible: float) -> Columns:
    """Principal directions of the fibres along a mode, from the largest variance on, up to a negligible share of it."""
    rows = np.moveaxis(entries, mode, 0).reshape(entries.shape[mode], -1)
    variances, vectors = np.linalg.eigh((rows @ rows.T).astype(np.float64))
    left = np.cumsum(np.maximum(variances, 0)) >= negligible * max(float(variances.sum()), 0.0)
    return Columns(vectors[:, left][:, ::-1], "learned", entries.dtype)


def _worth_keeping(prior: Prior, mode: int, entries: int, far_below: float) -> int:
    """How many columns a mode has before the rest, taken together, makes entries vary far less than noise does."""
    sums = np.moveaxis(prior.variances * prior.bins.counts, mode, 0).reshape(prior.bins.shape[mode], -1).sum(axis=1)
    rest = np.cumsum(sums[::-1])[::-1] / entries
    assert isinstance(prior.bins, Bins)
    last = int(np.count_nonzero(rest > far_below * prior.noise)) - 1
    return prior.bins.ranges(mode)[max(last, 0)][1]


def _quantile(values: Array, counts: Array, share: float) -> float:
    """A quantile of values that stand for several each."""
    order = np.argsort(values, axis=None)
    below = np.cumsum(counts.reshape(-1)[order])
    return float(values.reshape(-1)[order][np.searchsorted(below, share * below[-1])])
