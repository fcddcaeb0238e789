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

from ..missingness import Missingness
from ..numerics.vectors import standard_normal
from ..selection.judge import Judge, find_unjudged_entries
from ..selection.variance_law import Evidence, VarianceLaw, independent_share
from .bases import Numbers
from .data import KnownData
from .hole_solver import HoleSolver, choose_solver
from .posterior_variance import PosteriorVariance
from .prior import Prior
from .surroundings import Surroundings, at

_DRAWS = 4
_TOLERANCE = 1e-2
_MOST_STEPS = 40
_EASIER = 0.5  # of the errors at held-out entries, root mean square: deviations of missing ones are not smaller

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Drawn:
    """What draws tell about every entry, on average."""

    variance: Numbers
    """Squared errors of posterior means."""
    slopes: Numbers
    """The squared lengths of their gradients."""


@dataclass(frozen=True, eq=False)
class Kind:
    """Entries that are judged by the same held-out ones."""

    entries: Mask
    held: NDArray[np.bool_]
    """Which of the held-out entries."""
    pieces: int
    """How many independent things those are: entries, holes or slices."""


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What it takes to tell how sure the model is."""

    prior: Prior
    """Learned without the held-out entries."""
    data: KnownData
    """All that is known, less its mean."""
    pattern: Missingness
    """Where that is."""
    mean: float
    held: Mask
    holes: bool
    seed: int

    def deviations(self, before: Numbers, entries: Numbers, errors: Numbers | None = None) -> Numbers:
        """The standard deviation of what a value at every entry would differ from the estimate by.

        `before` is the estimate without the held-out entries, `entries` the one with all that is known, both nowhere
        negative; `errors`, at held-out entries, are those of `before` unless given. What is known is treated as if it
        were not. Nothing is less sure than a guess of the mean would be, except where nothing like it was held out;
        and a few things that were predicted well do not make anything much surer than that guess.
        """
        less = self.values.without(self.held)
        seen, posterior, slopes = self.evidence(before, errors)
        around = self.surroundings
        law = VarianceLaw.fitted(seen)
        found = law.logarithms(posterior.logarithms(self.data.mask), around.fit_around(less, entries, slopes))
        found *= 0.5
        np.exp(found, out=found)
        for kind in self.kinds():
            part = seen.where(kind.held)
            if len(part.squares):
                found[kind.entries] *= found.dtype.type(law.factor(part))
                self.widen(found, kind.entries & ~self.data.mask, float(np.sqrt(part.squares.mean())))
            self.limit(found, kind.entries, kind.pieces)
        return found

    def evidence(self, before: Numbers, errors: Numbers | None = None) -> tuple[Evidence, PosteriorVariance, Numbers]:
        """Errors at held-out entries with what is around them; also the posterior variance, and expected slopes."""
        values = self.values
        less = values.without(self.held)
        if errors is None:
            errors = values.values[self.held[self.data.mask]] - before[self.held]
        posterior, slopes = self.posterior(less.mask)
        seen = Evidence(
            posterior.logarithms(less.mask)[self.held].astype(np.float64),
            at(self.surroundings.fit_around(less, before, slopes), np.flatnonzero(self.held)),
            errors.astype(np.float64) ** 2,
            independent_share(self.held),
        )
        return seen, posterior, slopes

    def posterior(self, known: Mask) -> tuple[PosteriorVariance, Numbers]:
        """The posterior variance if these entries are known, and the slopes that are to be expected."""
        drawn = self.drawn(known)
        return PosteriorVariance.fitted(drawn.variance, known, self.prior, self.seed), drawn.slopes

    @property
    def values(self) -> KnownData:
        """What is known, as it is."""
        return KnownData(self.data.mask, self.data.values + self.data.values.dtype.type(self.mean))

    def limit(self, found: Numbers, entries: Mask, pieces: int) -> None:
        """Nothing is less sure than a guess of the mean, nor much surer if few things were predicted, or none."""
        least = self._spread / pieces**1.5 / 2 if pieces else self._size
        np.maximum(found, found.dtype.type(least), out=found, where=entries)
        if pieces:
            np.minimum(found, found.dtype.type(max(self._spread, least)), out=found, where=entries)

    @staticmethod
    def widen(found: Numbers, missing: Mask, seen: float) -> None:
        """What is missing is not much easier to predict than what was held out, whatever its surroundings say."""
        count = int(np.count_nonzero(missing))
        if not count:
            return
        stated = float(np.sqrt(np.square(found).sum(where=missing, dtype=np.float64) / count))
        if 0 < stated < _EASIER * seen:
            np.multiply(found, found.dtype.type(_EASIER * seen / stated), out=found, where=missing)

    @cached_property
    def _size(self) -> float:
        """The root mean square of known values: how far off a guess may be if nothing tells."""
        return float(np.sqrt(np.mean((self.data.values.astype(np.float64) + self.mean) ** 2)))

    @cached_property
    def _spread(self) -> float:
        """How far off a guess of the mean is: by the deviation of known values, or by their size if there are few."""
        count = self.data.count
        variance = float(self.data.values.var(dtype=np.float64))
        return float(np.sqrt(((count - 1) * variance + self._size**2) / count))

    def kinds(self) -> Iterator[Kind]:
        """Entries by what was held out like them: lost slices and deep holes, those nothing tells of, the rest."""
        held = self.held
        judge = Judge.of(self.pattern, held)
        unjudged = find_unjudged_entries(self.pattern, held)
        rest = ~unjudged
        if judge.mixed:
            apart = self.pattern.apart & rest
            rest &= ~apart
            yield Kind(apart, judge.apart, len(np.unique(judge.holes[judge.apart])))
        chosen = ~judge.apart
        if not held.any():  # then the model is all there is
            yield Kind(rest, chosen, self.data.count)
        elif chosen.any():
            pieces = len(np.unique(judge.holes[chosen])) if judge.structured else int(np.count_nonzero(chosen))
            yield Kind(rest, chosen, pieces)
        yield Kind(unjudged, np.zeros(len(judge.apart), dtype=bool), 0)

    def drawn(self, known: Mask, draws: int = _DRAWS) -> Drawn:
        """Draw data from the prior, and see how well it is recovered if these entries are known."""
        dtype, transform = self.data.values.dtype, self.prior.transform
        ratio = self.prior.ratio(dtype)
        solver = choose_solver(self.prior, known, holes=self.holes)
        variance, slopes = (np.zeros(known.shape, dtype) for _ in range(2))
        for number in range(draws):
            y = standard_normal(known.shape, dtype, self.seed, 3, number)
            y *= dtype.type(np.sqrt(self.prior.noise))
            y += transform.to_entries(self._coefficients(number, ratio))
            y *= known
            if number == 0 and isinstance(solver, HoleSolver):
                solver.find_bound(y, ratio, None)
            mean = solver.solve(y, ratio, None, _TOLERANCE, _MOST_STEPS).coefficients
            del y
            slopes += self.surroundings.slopes(transform.to_entries(mean))
            mean -= self._coefficients(number, ratio)
            variance += transform.to_entries(mean) ** 2
        variance /= draws
        slopes /= draws
        return Drawn(variance, slopes)

    def _coefficients(self, number: int, ratio: Numbers) -> Numbers:
        """Drawn from the prior; cheaper to draw again than to keep."""
        drawn = standard_normal(ratio.shape, ratio.dtype, self.seed, 2, number)
        drawn /= np.sqrt(ratio / ratio.dtype.type(self.prior.noise))
        return drawn

    @cached_property
    def surroundings(self) -> Surroundings:
        return Surroundings(self.prior.transform.bases)
