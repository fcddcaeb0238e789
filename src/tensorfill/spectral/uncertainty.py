"""How sure the model is of every entry: draws from the prior tell, and errors at held-out entries put it right.

c ~ N(0, s) and y = (Q c)_Ω + noise are data with a known truth. The difference of c and its posterior mean given y is
distributed as that of the real coefficients and theirs; its square, on average, is the posterior variance. That depends
on little but how much is known around an entry, so a law of this is fitted to a few draws. A value yet to be measured
has σ² more.

Pictures and clips are harder at edges and where something moves, which one spectrum for all cannot tell. A second law,
fitted to the errors at held-out entries, takes it from how well known values are met around an entry and in its row,
its column, its frame, how steep the estimate is there, and how large.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

from .bases import Numbers
from .data import KnownData
from .hole_solver import HoleSolver
from .prior import Prior
from .scattered_solver import ScatteredSolver
from .surroundings import Surroundings, at, per_mean, slices
from .variance_law import Evidence, VarianceLaw

_DRAWS = 4
_TOLERANCE = 1e-2
_MOST_STEPS = 40
_LOOKED_AT = 50_000  # entries that the law of posterior variances is fitted to

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Drawn:
    """What draws tell about every entry, on average."""

    variance: Numbers
    """Squared errors of posterior means."""
    slopes: Numbers
    """The squared lengths of their gradients."""


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What it takes to tell how sure the model is."""

    prior: Prior
    """Learned without the held-out entries."""
    data: KnownData
    """All that is known, less its mean."""
    mean: float
    held: Mask
    holes: bool
    seed: int

    def deviations(self, before: Numbers, entries: Numbers, errors: Numbers | None = None) -> Numbers:
        """The standard deviation of what a value at every entry would differ from the estimate by.

        `before` is the estimate without the held-out entries, `entries` the one with all that is known, both nowhere
        negative; `errors`, at held-out entries, are those of `before` unless given. What is known is treated as if it
        were not. Nothing is less sure than a guess of the mean would be.
        """
        values = KnownData(self.data.mask, self.data.values + self.data.values.dtype.type(self.mean))
        less = values.without(self.held)
        if errors is None:
            errors = values.values[self.held[self.data.mask]] - before[self.held]
        drawn = self.drawn(less.mask)
        law = self._fitted_to_draws(less.mask, drawn.variance)
        first, second = (self._predicted(law, mask, drawn.variance, less.mask) for mask in (less.mask, self.data.mask))
        around = self._surroundings
        seen = Evidence(
            first[self.held].astype(np.float64),
            at(around.fit_around(less, before, drawn.slopes), np.flatnonzero(self.held)),
            errors.astype(np.float64) ** 2,
            _independent(self.held),
        )
        del first
        law = VarianceLaw.fitted(seen).matched(seen)
        found = np.exp(0.5 * law.logarithms(second, around.fit_around(less, entries, drawn.slopes)))
        return np.asarray(np.minimum(found, self.data.values.std(dtype=np.float64).astype(found.dtype)))

    def drawn(self, known: Mask, draws: int = _DRAWS) -> Drawn:
        """Draw data from the prior, and see how well it is recovered if these entries are known."""
        dtype, transform = self.data.values.dtype, self.prior.transform
        ratio = self.prior.ratio(dtype)
        root = np.sqrt(dtype.type(self.prior.noise) / ratio)
        solver = (HoleSolver if self.holes else ScatteredSolver)(transform, known)
        variance, slopes = (np.zeros(known.shape, dtype) for _ in range(2))
        for number in range(draws):
            rng = np.random.default_rng([self.seed, 2, number])
            c: Numbers = root * rng.standard_normal(known.shape, dtype=dtype)
            y = transform.to_entries(c)
            y += dtype.type(np.sqrt(self.prior.noise)) * rng.standard_normal(known.shape, dtype=dtype)
            y *= known
            if number == 0 and isinstance(solver, HoleSolver):
                solver.choose_bound(y, ratio, None)
            mean = solver.solve(y, ratio, None, _TOLERANCE, _MOST_STEPS).coefficients
            del y
            slopes += self._surroundings.slopes(transform.to_entries(mean))
            c -= mean
            variance += transform.to_entries(c) ** 2
        variance /= draws
        slopes /= draws
        return Drawn(variance, slopes)

    @cached_property
    def _surroundings(self) -> Surroundings:
        return Surroundings(self.prior.transform)

    def _fitted_to_draws(self, known: Mask, variance: Numbers) -> VarianceLaw:
        """Posterior variances of missing entries as a law of what is known around them."""
        missing = np.flatnonzero(~known)
        if len(missing) > _LOOKED_AT:
            missing = np.random.default_rng([self.seed, 3]).choice(missing, _LOOKED_AT, replace=False)
        squares = variance.reshape(-1)[missing].astype(np.float64)
        guess = np.full(len(missing), np.log(_usual(variance, known)))
        properties = at(self._variance_properties(known, variance, known), missing)
        return VarianceLaw.fitted(Evidence(guess, properties, squares))

    def _variance_properties(self, mask: Mask, variance: Numbers, known: Mask) -> Iterator[Numbers]:
        yield from self._surroundings.known_around(mask, variance.dtype)
        yield from slices(per_mean(variance, ~known), np.ones_like(variance), ~known, 1.0)

    def _predicted(self, law: VarianceLaw, mask: Mask, variance: Numbers, known: Mask) -> Numbers:
        """The logarithm of the variance of a value, if the entries in `mask` are known."""
        guess = np.full(mask.shape, np.log(_usual(variance, known)), variance.dtype)
        found = law.logarithms(guess, self._variance_properties(mask, variance, known))
        np.exp(found, out=found)
        found += found.dtype.type(self.prior.noise)
        return np.log(found, out=found)


def _usual(variance: Numbers, known: Mask) -> float:
    """The mean variance of missing entries."""
    count = known.size - int(np.count_nonzero(known))
    total = float(variance.sum(where=~known, dtype=np.float64))
    return max(total / max(count, 1), float(np.finfo(variance.dtype).tiny))


def _independent(held: Mask) -> float:
    """Errors in one hole are alike: each hole counts once."""
    count = np.count_nonzero(held)
    return float(label(held)[1]) / count if count else 1.0
