"""The posterior variance of every entry, from a few draws: a law of how much is known around it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..selection.variance_law import Evidence, VarianceLaw
from .bases import Numbers
from .prior import Prior
from .surroundings import Surroundings, at, per_mean, slices

_LOOKED_AT = 20_000  # entries that the law is fitted to

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PosteriorVariance:
    """The variance of a value: that of the entry, and the noise."""

    law: VarianceLaw
    usual: float
    """The logarithm of the posterior variance, on average."""
    along: tuple[Numbers, ...]
    """How it varies from slice to slice, for every mode."""
    noise: float
    surroundings: Surroundings

    @classmethod
    def fitted(cls, squares: Numbers, known: Mask, prior: Prior, seed: int) -> PosteriorVariance:
        """From the squared errors of drawn data, of which these entries were known."""
        surroundings = Surroundings(prior.transform.bases)
        missing = np.flatnonzero(~known)
        if len(missing) > _LOOKED_AT:
            missing = np.random.default_rng([seed, 4]).choice(missing, _LOOKED_AT, replace=False)
        ones = np.broadcast_to(squares.dtype.type(1), known.shape)
        along = tuple(slices(per_mean(squares, ~known), ones, ~known, few=1))
        usual = float(np.log(_mean(squares, ~known)))
        seen = Evidence(
            np.full(len(missing), usual),
            at(chain(surroundings.count_known_around(known, squares.dtype), along), missing),
            squares.reshape(-1)[missing].astype(np.float64),
        )
        return cls(VarianceLaw.fitted(seen), usual, along, prior.noise, surroundings)

    def logarithms(self, known: Mask) -> Numbers:
        """log(posterior variance + σ²) of every entry if these are known."""
        dtype = self.along[0].dtype
        guess = np.broadcast_to(dtype.type(self.usual), known.shape)
        found = self.law.logarithms(guess, chain(self.surroundings.count_known_around(known, dtype), self.along))
        np.exp(found, out=found)
        found += dtype.type(self.noise)
        return np.log(found, out=found)


def _mean(values: Numbers, where: Mask) -> float:
    total = float(values.sum(where=where, dtype=np.float64))
    return max(total / max(int(np.count_nonzero(where)), 1), float(np.finfo(values.dtype).tiny))
