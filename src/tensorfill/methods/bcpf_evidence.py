"""What `bcpf` maximises: a lower bound of the logarithm of the evidence, the density of the data under the model.

L = E[ln p(Y | A, τ) + ln p(A | λ) + ln p(λ) + ln p(τ)] + entropies, under the distributions found so far
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import digamma, gammaln

from ..tensor import Array

_PRIOR = 1e-6  # both parameters of the Gamma priors of τ and λ: next to no opinion


class Gamma(NamedTuple):
    """Gamma distributions of precisions, of one shape parameter and with one rate each."""

    shape: float
    rates: Array

    @property
    def mean(self) -> Array:
        """E[x]."""
        return np.asarray(self.shape / self.rates)

    @property
    def mean_log(self) -> Array:
        """E[ln x]."""
        return np.asarray(digamma(self.shape) - np.log(self.rates))

    def bound(self) -> float:
        """Their part in L: E[ln prior] plus the entropies."""
        prior = _PRIOR * np.log(_PRIOR) - gammaln(_PRIOR) + (_PRIOR - 1) * self.mean_log - _PRIOR * self.mean
        entropy = self.shape - np.log(self.rates) + gammaln(self.shape) + (1 - self.shape) * digamma(self.shape)
        return float(np.sum(prior + entropy))


def precisions(count: int, squares: Array) -> Gamma:
    """The distributions of precisions, given the expected sums of squares of `count` Gaussian numbers each."""
    return Gamma(_PRIOR + 0.5 * count, _PRIOR + 0.5 * squares)


def evidence(
    noise: Gamma, known: int, misfit: float, columns: Gamma, rows: int, squares: Array, volume: float
) -> float:
    """L, from the distributions of τ and λ and those of the factors.

    `misfit` is E‖Y − [[A]]‖² over the `known` entries, `squares` Σ_k E‖a_kr‖² for every component r, `rows` Σ_k n_k,
    and `volume` ½ Σ ln det of the covariances of all rows.
    """
    data = 0.5 * known * (noise.mean_log - np.log(2 * np.pi)) - 0.5 * noise.mean * misfit
    factors = 0.5 * rows * (columns.mean_log + 1.0) - 0.5 * columns.mean * squares
    return float(data.sum() + factors.sum()) + volume + noise.bound() + columns.bound()
