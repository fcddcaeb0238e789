"""The prior of the rows of a factor, learned with them: Gaussian, around a linear function of what is seen of the rows.

    u_i ~ N(Bᵀ x_i, Λ⁻¹) ,   Λ ~ Wishart ,   row f of B ~ N(0, Λ⁻¹ / λ_f) ,   λ_f ~ Gamma for all features but the first

x_i begins with a 1 where rows may have a mean that is not zero. What explains nothing is shrunk: features by λ, and
whole components by Λ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..tensor import Array


@dataclass(frozen=True, kw_only=True)
class PriorSettings:
    """What the priors of priors are; all weak, in units in which the data has a standard deviation of 1."""

    mean_weight: float = 2.0  # as how many rows the guess counts that the mean of rows is 0
    scale: float = 1.0  # sum of squares that is added to the rows' own, of a term with several modes
    effect_scale: float = 0.1  # the same for main effects
    feature_shape: float = 1.0  # both parameters of the Gamma prior of λ


PRIORS = PriorSettings()


class RowPrior:
    """B, Λ and λ, drawn given the rows."""

    def __init__(self, features: Array, rank: int, *, centred: bool, settings: PriorSettings = PRIORS) -> None:
        ones = np.ones((len(features), 0 if centred else 1))
        self._features = np.concatenate([ones, features], axis=1)
        self._squares = self._features.T @ self._features
        self._learned = np.arange(self._features.shape[1]) >= ones.shape[1]
        self._weights = np.where(self._learned, 1.0, settings.mean_weight)  # λ
        self._scale = settings.effect_scale if centred else settings.scale
        self._shape = settings.feature_shape
        self._rank = rank
        self.precision = np.eye(rank)
        self._coefficients = np.zeros((self._features.shape[1], rank))

    def draw(self, rows: Array, rng: np.random.Generator) -> None:
        """New B, Λ and λ."""
        precision = self._squares + np.diag(self._weights)
        fitted: Array = np.linalg.solve(precision, self._features.T @ rows)
        spread = rows.T @ rows - fitted.T @ precision @ fitted + self._scale * np.eye(self._rank)
        self.precision = draw_wishart(spread, len(rows) + self._rank, rng)
        noise: Array = np.asarray(rng.standard_normal(fitted.shape))
        root, inner = np.linalg.cholesky(precision), np.linalg.cholesky(self.precision)
        across: Array = np.linalg.solve(inner.T, noise.T).T
        self._coefficients = fitted + np.linalg.solve(root.T, across)
        learned = self._coefficients[self._learned]
        squares = np.einsum("fr,rs,fs->f", learned, self.precision, learned)
        shape = self._shape + 0.5 * self._rank
        self._weights[self._learned] = rng.gamma(shape, 1.0 / (self._shape + 0.5 * squares))

    def means(self) -> Array:
        """The prior mean of every row."""
        return np.asarray(self._features @ self._coefficients)

    def mean_of_unseen(self) -> Array:
        """That of a row of which nothing is seen."""
        return np.asarray(np.where(self._learned[:, None], 0.0, self._coefficients).sum(axis=0))


def draw_wishart(spread: Array, freedom: float, rng: np.random.Generator) -> Array:
    """A matrix from the Wishart distribution with mean freedom · spread⁻¹, by Bartlett's decomposition."""
    rank = len(spread)
    root = np.linalg.cholesky(np.linalg.inv(0.5 * (spread + spread.T)))
    triangle = np.tril(rng.standard_normal((rank, rank)), -1)
    triangle[np.diag_indices(rank)] = np.sqrt(rng.chisquare(freedom - np.arange(rank)))
    found = root @ triangle
    return np.asarray(found @ found.T)
