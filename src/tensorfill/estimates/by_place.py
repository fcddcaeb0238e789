"""Two estimates side by side: one in slices of which nothing is known, and one everywhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .blend import Estimate


@dataclass(frozen=True, eq=False)
class EstimateByPlace:
    """An estimate for the rest, and one for entries with a lost index in some mode."""

    rest: Estimate
    lost: Estimate
    lost_indices: Sequence[tuple[int, NDArray[np.int64]]]
    """Modes, and the indices of each with nothing known."""

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        lost = self._are_lost(coordinates[:, mode] for mode, _ in self.lost_indices)
        found: Array = np.empty(len(coordinates))
        found[~lost] = self.rest.at(coordinates[~lost])
        found[lost] = self.lost.at(coordinates[lost])
        return found

    def dense(self) -> Array:
        """The full tensor."""
        return self._put_together(self.rest.dense(), self.lost.dense())

    def components(self) -> tuple[Array, ...]:
        """What each of the two adds."""
        rest, lost = self.rest.dense(), self.lost.dense()
        nothing = np.zeros_like(rest)
        return self._put_together(rest, nothing), self._put_together(nothing, lost)

    def _put_together(self, rest: Array, lost: Array) -> Array:
        whole = rest.copy()
        for mode, indices in self.lost_indices:
            np.moveaxis(whole, mode, 0)[indices] = np.moveaxis(lost, mode, 0)[indices]
        return whole

    def _are_lost(self, columns: Iterable[NDArray[np.int64]]) -> NDArray[np.bool_]:
        found = [np.isin(column, indices) for column, (_, indices) in zip(columns, self.lost_indices, strict=True)]
        return np.asarray(np.any(found, axis=0))
