"""Samples of a multilinear model, and the tensor that is their mean, with its deviations, entry by entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..estimates.estimate import OnePart
from ..estimates.factored import KruskalTensor
from ..numerics.threads import cut, share
from ..tensor import Array
from .entries import Indices
from .terms import Factor, Term

_AT_ONCE = 2**14  # coordinates that are evaluated at a time


@dataclass(frozen=True, eq=False)
class Sample:
    """One draw of everything: a level, a factor per term, and the variance of the noise."""

    level: float
    factors: tuple[Factor, ...]
    """One per term: rows of its modes, one mode after the other, each with one more row for what is not seen."""
    noise: float


@dataclass(frozen=True, eq=False)
class SampledModel(OnePart):
    """The mean of samples of a multilinear model."""

    shape: tuple[int, ...]
    terms: tuple[Term, ...]
    rows: tuple[Indices, ...]
    """For every mode, the row of every index."""
    counts: tuple[int, ...]
    """How many rows every mode has, with that for what is not seen."""
    samples: tuple[Sample, ...]
    predicts_unseen: ClassVar[bool] = True

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        return np.asarray(self._sums_at(coordinates)[0] / len(self.samples))

    def variances_at(self, coordinates: NDArray[np.int64]) -> Array:
        """The variance of what would be observed at rows of coordinates: that of the samples and that of the noise."""
        sums, squares = self._sums_at(coordinates) / len(self.samples)
        return np.asarray(np.maximum(squares - sums**2, 0.0) + self.noise)

    @property
    def noise(self) -> float:
        """The mean variance of the noise."""
        return float(np.mean([sample.noise for sample in self.samples]))

    def dense(self) -> Array:
        count = len(self.samples)
        whole = np.full(self.shape, sum(sample.level for sample in self.samples) / count)
        for number, term in enumerate(self.terms):
            parts = [self._parts(number, sample) for sample in self.samples]
            first, *others = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
            _add_along(whole, term, (first / count, *others))
        return whole

    def dense_variances(self) -> Array:
        """`variances_at` everywhere."""
        mean = self.dense()
        squares = np.full(self.shape, self.noise)
        for sample in self.samples:
            drawn = np.full(self.shape, sample.level)
            for number, term in enumerate(self.terms):
                _add_along(drawn, term, self._parts(number, sample))
            squares += (drawn - mean) ** 2 / len(self.samples)
        return squares

    def _parts(self, number: int, sample: Sample) -> tuple[Array, ...]:
        """The factor of a term, as one matrix per mode with a row per index."""
        term, factor = self.terms[number], sample.factors[number]
        offsets = term.offsets(self.counts)
        return tuple(factor[offsets[mode] + self.rows[mode]].astype(np.float64) for mode in term.modes)

    def at_rows(self, where: Indices) -> Array:
        """Values at columns of rows, one per mode, where these are known already."""
        return np.asarray(self._sums_at_rows(where)[0] / len(self.samples))

    def _sums_at(self, coordinates: NDArray[np.int64]) -> Array:
        """The sums of values and of squared values over all samples: 2 × coordinates."""
        columns = zip(self.rows, self.counts, coordinates.T, strict=True)
        # -1 is an index of which nothing was ever known: the last row.
        where = [np.where(indices < 0, count - 1, rows[indices]) for rows, count, indices in columns]
        return self._sums_at_rows(np.stack(where))

    def _sums_at_rows(self, where: Indices) -> Array:
        size = where.shape[1]
        sums = np.zeros((2, size))
        offsets = [term.offsets(self.counts) for term in self.terms]
        modes = [np.array(term.modes) for term in self.terms]
        cuts = cut(size, -(-size // _AT_ONCE)) if size else [0]

        def work(piece: int) -> None:
            here = slice(cuts[piece], cuts[piece + 1])
            columns = where[:, here]
            for sample in self.samples:
                values = np.full(columns.shape[1], sample.level)
                for own, offset, factor in zip(modes, offsets, sample.factors, strict=True):
                    add_term(own, offset, columns, factor, values)
                sums[0, here] += values
                sums[1, here] += values**2

        share(work, len(cuts) - 1)
        return sums


def _add_along(whole: Array, term: Term, factors: Sequence[Array]) -> None:
    """Add a term to a full tensor, the same for all indices of modes that it is not about."""
    part = factors[0].sum(axis=1) if len(factors) == 1 else KruskalTensor(tuple(factors)).dense()
    whole += part.reshape([size if mode in term.modes else 1 for mode, size in enumerate(whole.shape)])


@compiled(nogil=True, fastmath=True)
def add_term(modes, offsets, where, factor, values):  # type: ignore[no-untyped-def]
    """values += the term at each column of `where`."""
    rank = factor.shape[1]
    product = np.empty(rank)  # doubles, as in the full tensor: both are to agree
    for e in range(len(values)):
        product[:] = 1.0
        for mode in modes:
            row = offsets[mode] + where[mode, e]
            for a in range(rank):
                product[a] *= factor[row, a]
        total = 0.0
        for a in range(rank):
            total += product[a]
        values[e] += total


def bytes_of_sample(terms: Sequence[Term], counts: Sequence[int]) -> int:
    """What one sample takes."""
    return sum(4 * term.rank * term.rows(counts) for term in terms)
