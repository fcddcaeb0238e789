"""AdditiveEstimate: a mean, and an effect of every index of every mode; nothing that two modes do together."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array


@dataclass(frozen=True, eq=False)
class AdditiveEstimate:
    """W[i_1, …, i_K] = mean + Σ_k effects[k][i_k], or `lower` where that is below it."""

    mean: float
    effects: tuple[Array, ...]
    """One array per mode, with a number for each of its indices."""
    lower: float = -math.inf
    predicts_unseen: ClassVar[bool] = True

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole."""
        return tuple(len(effect) for effect in self.effects)

    @property
    def smallest(self) -> float:
        """The smallest sum of all, before anything is raised to `lower`: where every mode is at its smallest effect."""
        return self.mean + sum(float(effect.min()) for effect in self.effects)

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates; -1, an index of which nothing was ever known, has no effect."""
        found = np.full(len(coordinates), self.mean)
        for effect, indices in zip(self.effects, coordinates.T, strict=True):
            found += np.where(indices < 0, 0.0, effect[indices])
        return np.asarray(np.maximum(found, self.lower, out=found))

    def dense(self) -> Array:
        """The full tensor."""
        whole = np.full(self.shape, self.mean)
        for mode in range(len(self.shape)):
            whole += self._spread(mode)
        return np.asarray(np.maximum(whole, self.lower, out=whole))

    def between(self, mode: int, first: int, end: int) -> AdditiveEstimate:
        """The same of some indices of a mode."""
        effects = [effect[first:end] if other == mode else effect for other, effect in enumerate(self.effects)]
        return replace(self, effects=tuple(effects))

    def components(self) -> tuple[Array, ...]:
        """One tensor per mode, its effects and an equal share of the mean; and what raising to `lower` adds."""
        modes = len(self.shape)
        parts = tuple(np.full(self.shape, self.mean / modes) + self._spread(mode) for mode in range(modes))
        return parts if self.smallest >= self.lower else (*parts, self.dense() - replace(self, lower=-math.inf).dense())

    def _spread(self, mode: int) -> Array:
        """The effects of a mode, in a shape that can be added to the whole."""
        return self.effects[mode].reshape([-1 if other == mode else 1 for other in range(len(self.shape))])
