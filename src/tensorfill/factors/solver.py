"""Gibbs sampling of a multilinear model: every factor, prior and variance is drawn in turn, given all the others.

    y = level + Σ over terms Σ_a Π over modes of a term u_ia + noise ,     noise ~ N(0, 1/τ)

The first iterations forget the start. After that each gives a sample; the estimate is the mean of what they predict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..completion import StopReason
from ..iterating import Solver
from ..numerics.threads import share_pieces
from ..observed import ObservedTensor
from .entries import GroupedEntries
from .footprints import find_footprints
from .priors import RowPrior
from .rows import draw_rows
from .samples import Sample, SampledModel, bytes_of_sample
from .terms import Factor, Interactions, Term, make_terms


@dataclass(frozen=True, kw_only=True)
class GibbsSettings:
    """What is sampled, and how long."""

    rank: int = 8
    interactions: Interactions = "pairs"
    samples: int = 80
    forgotten: int = 20
    """Iterations before the first sample."""
    footprints: int = 30
    """Numbers that tell where an index is known at all; 0: they are not looked at."""


@dataclass(frozen=True, kw_only=True)
class Internals:
    """What steers the chain besides."""

    start: float = 0.1  # size of factors, where the data has a standard deviation of 1
    start_product: float = 0.3  # the same in a product of three modes or more, but for its shortest mode,
    around_one: float = 0.1  # which starts at 1, and so much around it: as if it brought nothing
    start_precision: float = 2.0
    noise_shape: float = 1.0  # of the prior of τ
    least_noise: float = 1e-6  # variance: below, rounding in single precision counts for more
    most_bytes: float = 1e9  # of all samples that are kept


class GibbsSolver(Solver):
    """The state of the chain, and the samples it has given."""

    def __init__(
        self,
        data: ObservedTensor,
        settings: GibbsSettings,
        rng: np.random.Generator,
        internals: Internals = Internals(),
    ) -> None:
        self._settings, self._internals, self._rng = settings, internals, rng
        self._shape = data.shape
        self._entries = GroupedEntries.of(data)
        counts = self._entries.counts
        self._terms = make_terms(data.order, settings.rank, settings.interactions)
        self._offsets = [term.offsets(counts) for term in self._terms]
        values = data.values
        self._level = float(values.mean())
        self._unit = float(values.std()) or 1.0
        self._residuals = ((values - self._level) / self._unit).astype(np.float32)
        self._level /= self._unit
        self._precision = internals.start_precision
        self._priors = self._make_priors()
        self._factors = [self._start(term) for term in self._terms]
        self._iteration = 0
        self._samples: list[Sample] = []
        self._kept_every = 1 + int(settings.samples * bytes_of_sample(self._terms, counts) / internals.most_bytes)
        self._remove_start()
        self._measure()

    def step(self) -> None:
        self._iteration += 1
        self._draw_level()
        for number, term in enumerate(self._terms):
            for mode in term.modes:
                self._draw_factor(number, mode)
                if len(term.modes) == 1:
                    self._shift_effects(mode)
                elif len(term.modes) == 2:
                    self._shift_factor(number, mode)
        self._measure()
        self._draw_precision()
        drawn = self._iteration - self._settings.forgotten
        if drawn > 0 and drawn % self._kept_every == 0:
            self._samples.append(self._sample())

    @property
    def measures(self) -> Mapping[str, float]:
        return {"noise": self._unit / float(np.sqrt(self._precision)), "samples": float(len(self._samples))}

    def estimate(self) -> SampledModel:
        counts = tuple(count + 1 for count in self._entries.counts)
        samples = tuple(self._samples) or (self._sample(),)
        return SampledModel(self._shape, self._terms, self._entries.rows, counts, samples)

    def finished(self) -> StopReason | None:
        if self._iteration < self._settings.forgotten + self._settings.samples:
            return None
        return StopReason(
            "done",
            f"Done: the mean of {len(self._samples)} samples, after {self._settings.forgotten} iterations to forget "
            "the start.",
        )

    def _make_priors(self) -> dict[tuple[int, int], RowPrior]:
        """One for every mode of every term."""
        count = self._settings.footprints
        seen = [find_footprints(self._entries, mode, count, self._rng) for mode in range(self._entries.order)]
        return {
            (number, mode): RowPrior(seen[mode], term.rank, centred=len(term.modes) == 1)
            for number, term in enumerate(self._terms)
            for mode in term.modes
        }

    def _start(self, term: Term) -> Factor:
        counts = self._entries.counts
        shape = term.rows(counts), term.rank
        if len(term.modes) == 1:
            return np.zeros(shape, dtype=np.float32)
        drawn = self._rng.standard_normal(shape)
        if len(term.modes) == 2:
            return (self._internals.start * drawn).astype(np.float32)
        shortest = sorted(term.modes, key=lambda mode: counts[mode])[:-2]
        offsets = term.offsets(counts)
        for mode in term.modes:
            part = drawn[offsets[mode] : offsets[mode] + counts[mode]]
            part *= self._internals.around_one if mode in shortest else self._internals.start_product
            part += 1.0 if mode in shortest else 0.0
        return drawn.astype(np.float32)

    def _remove_start(self) -> None:
        """Subtract what the start predicts from the residuals."""
        at_start = SampledModel(
            self._shape,
            self._terms,
            self._entries.rows,
            self._entries.counts,
            (Sample(0.0, tuple(self._factors), 0.0),),
        )
        self._residuals -= at_start.at_rows(self._entries.indices).astype(np.float32)

    def _draw_level(self) -> None:
        count = len(self._residuals)
        mean = float(self._residuals.mean(dtype=np.float64))
        moved = mean + float(self._rng.standard_normal()) / np.sqrt(self._precision * count)
        self._level += moved
        self._residuals -= np.float32(moved)

    def _draw_factor(self, number: int, mode: int) -> None:
        """The prior of the rows of a mode, then the rows."""
        term, offsets, prior = self._terms[number], self._offsets[number], self._priors[number, mode]
        factor, known = self._factors[number], self._entries
        rows = self._rows(number, mode)
        if (
            self._iteration > 1 or len(term.modes) > 1
        ):  # effects start at 0, and a prior learned of that would keep them there
            prior.draw(rows.astype(np.float64), self._rng)
        kernel = partial(
            draw_rows,
            starts=known.starts[mode],
            order=known.orders[mode],
            indices=known.indices,
            offsets=offsets,
            mode=mode,
            others=np.array([other for other in term.modes if other != mode], dtype=np.int64),
            factor=factor,
            residuals=self._residuals,
            precision=prior.precision,
            noise=self._precision,
            pulls=prior.means() @ prior.precision,
            normals=self._rng.standard_normal(rows.shape),
        )
        share_pieces(kernel, known.pieces(mode))

    def _shift_effects(self, mode: int) -> None:
        """Add a number to all effects of a mode, and take it from the level: the fit stays as it is.

        Each of the two hardly moves as long as the other is held, so without this the chain would forget slowly.
        """
        prior, effects = self._priors[mode, mode], self._rows(mode, mode)
        count, mean = len(effects), float((effects - prior.means()).mean())
        shift = mean + float(self._rng.standard_normal()) / np.sqrt(count * prior.precision[0, 0])
        effects -= np.float32(shift)
        self._level += shift

    def _shift_factor(self, number: int, mode: int) -> None:
        """Add a vector d to all rows v of one mode of a pair, and take uᵀd from the other mode's effects: likewise."""
        other = next(other for other in self._terms[number].modes if other != mode)
        prior, effect_prior = self._priors[number, mode], self._priors[other, other]
        rows, others, effects = self._rows(number, mode), self._rows(number, other), self._rows(other, other)
        across = others.astype(np.float64)
        trust = float(effect_prior.precision[0, 0])
        precision = len(rows) * prior.precision + trust * across.T @ across
        pull = trust * across.T @ (effects - effect_prior.means())[:, 0]
        pull -= prior.precision @ (rows - prior.means()).sum(axis=0)
        root = np.linalg.cholesky(precision)
        shift = np.linalg.solve(root.T, np.linalg.solve(root, pull) + self._rng.standard_normal(len(pull)))
        rows += shift.astype(np.float32)
        effects -= (across @ shift).astype(np.float32)[:, None]

    def _rows(self, number: int, mode: int) -> Factor:
        """The rows of a mode in the factor of a term, to be written over; main effects come first, in order."""
        first = self._offsets[number][mode]
        return self._factors[number][first : first + self._entries.counts[mode]]

    def _measure(self) -> None:
        """What is left of the known entries; the cost is its size."""
        self._left = float(np.square(self._residuals, dtype=np.float64).sum())
        self.cost = self._unit * float(np.sqrt(self._left / len(self._residuals)))

    def _draw_precision(self) -> None:
        shape = self._internals.noise_shape
        drawn = self._rng.gamma(shape + 0.5 * len(self._residuals), 1.0 / (0.5 * self._left + shape * self._least))
        self._precision = float(drawn)

    @property
    def _least(self) -> float:
        return self._internals.least_noise * len(self._residuals)

    def _sample(self) -> Sample:
        """The state in the units of the data; what is not seen is where the prior expects it."""
        factors: list[Factor] = []
        for number, term in enumerate(self._terms):
            parts: list[Factor] = []
            for mode in term.modes:
                first = self._offsets[number][mode]
                parts.append(self._factors[number][first : first + self._entries.counts[mode]])
                parts.append(self._priors[number, mode].mean_of_unseen()[None, :].astype(np.float32))
            whole = np.concatenate(parts)
            last = term.rows(tuple(count + 1 for count in self._entries.counts))
            size = self._entries.counts[term.modes[-1]] + 1
            whole[last - size :] *= np.float32(self._unit)  # of one mode, so that products are in units of the data
            factors.append(whole)
        return Sample(self._unit * self._level, tuple(factors), self._unit**2 / self._precision)
