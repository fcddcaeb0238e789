"""Known entries in an ADMM that completes slices: what they should be, and the multiplier that makes them so.

With X_Ω = Y written as X + E = Y (E is zero on Ω, anything elsewhere) and a multiplier Λ, one step of E and Λ at
penalty μ gives E = −X and Λ = 0 outside of Ω, and E = 0 and Λ ← Λ + μ(Y − X) on it. So Λ lives on Ω only, and what the
next X is drawn to, Y − E + Λ/μ, is the last X outside of Ω and Y + Λ/μ on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..estimates.refilled import RefilledEstimate
from ..observed import ObservedTensor

Numbers = NDArray[Any]


class KnownEntries:
    """Y and Λ/μ, in the layout of the slices: modes 3, …, K, 1, 2."""

    def __init__(self, data: ObservedTensor, dtype: DTypeLike) -> None:
        self._data = data
        order = (*range(2, data.order), 0, 1)
        self._back = tuple(order.index(mode) for mode in range(data.order))
        self.shape = tuple(data.shape[mode] for mode in order)
        coordinates = np.unravel_index(data.positions, data.shape)
        positions = np.ravel_multi_index([coordinates[mode] for mode in order], self.shape)
        sorting = np.argsort(positions)
        self._positions = positions[sorting]
        self._values: Numbers = data.values[sorting].astype(dtype)
        self._multiplier: Numbers = np.zeros_like(self._values)

    def place(self, mode: int) -> int:
        """Which axis a mode is, counted from 0."""
        return self._back[mode]

    def mean_filled(self) -> Numbers:
        """Known entries, and their mean everywhere else."""
        whole: Numbers = np.full(self.shape, self._values.mean(), self._values.dtype)
        whole.reshape(-1)[self._positions] = self._values
        return whole

    def settle(self, new: Numbers, weaker: float) -> float:
        """Λ/μ for the penalty of the next step, `weaker` = μ/μ_next; returns the largest |Y − X| on Ω."""
        missed = self._values - new.reshape(-1)[self._positions]
        self._multiplier += missed
        self._multiplier *= weaker
        return float(np.abs(missed).max())

    def put_targets(self, whole: Numbers) -> None:
        """Overwrite the entries of Ω with Y + Λ/μ."""
        whole.reshape(-1)[self._positions] = self._values + self._multiplier

    def estimate(self, values: Numbers) -> RefilledEstimate:
        """An array in the order of the data, with the known entries as they are."""
        return RefilledEstimate(values.transpose(self._back), self._data.positions, self._data.values)
