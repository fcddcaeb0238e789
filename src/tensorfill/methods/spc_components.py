"""The components of `spc`, and the completed tensor they make: Z = Σ_r g_r u_1r ∘ … ∘ u_Kr where nothing is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..estimates.kruskal import KruskalTensor
from ..observed import ObservedTensor
from ..tensor import Array, entries

_AT_ONCE = 2**22  # values held at a time while the full tensor is built


@dataclass(frozen=True, eq=False)
class Component:
    """A rank-one tensor: its weight g, and the unit vectors of all modes one behind the other."""

    weight: float
    vectors: Array
    rough: Array
    """ρ_n ‖L u_n‖^p, one number per mode."""


@dataclass(frozen=True, eq=False)
class SmoothSum:
    """Known entries as they are, and the sum of the components everywhere else."""

    data: ObservedTensor
    parts: tuple[Component, ...]

    def model(self) -> KruskalTensor:
        """The sum of the components, known entries not put back."""
        columns = np.stack([part.vectors for part in self.parts], axis=1)
        rows = np.concatenate(([0], np.cumsum(self.data.shape)))
        first, *others = (columns[start:end] for start, end in pairwise(rows))
        return KruskalTensor((first * [part.weight for part in self.parts], *others))

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        positions = self.data.positions
        wanted = np.ravel_multi_index(tuple(coordinates.T), self.data.shape)
        nearest = np.searchsorted(positions, wanted).clip(max=len(positions) - 1)
        return np.where(positions[nearest] == wanted, self.data.values[nearest], self.model().at(coordinates))

    def dense(self) -> Array:
        """The full tensor, from some components at a time, for there can be thousands of them."""
        shape, factors = self.data.shape, self.model().factors
        cut = min(range(1, len(shape)), key=lambda mode: entries(shape[:mode]) + entries(shape[mode:]))
        whole = np.zeros((entries(shape[:cut]), entries(shape[cut:])))
        step = max(1, _AT_ONCE // sum(whole.shape))
        for first in range(0, len(self.parts), step):
            some = [factor[:, first : first + step] for factor in factors]
            whole += reduce(_khatri_rao, some[:cut]) @ reduce(_khatri_rao, some[cut:]).T
        whole.reshape(-1)[self.data.positions] = self.data.values
        return whole.reshape(shape)

    def components(self) -> tuple[Array, ...]:
        """The full tensor: there is only one part."""
        return (self.dense(),)


def _khatri_rao(left: Array, right: Array) -> Array:
    """Column by column, all products of an entry on the left with one on the right."""
    return np.asarray((left[:, None, :] * right).reshape(-1, left.shape[1]))
