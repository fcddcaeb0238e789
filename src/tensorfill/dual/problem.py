"""The problem of the paper: data, weights, and where W ≥ 0 is asked for.

minimise   C ‖W_Ω − Y_Ω‖² + Σ_k 1/(2λ_k) ‖W^(k)_k‖_*²    subject to   W = Σ_k W^(k) ≥ 0
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .positions import sorted_difference

Enforced = Literal["everywhere", "observed", "chosen", "nowhere"]


@dataclass(frozen=True, eq=False)
class DualProblem:
    """Y on Ω (sorted `positions`), C, λ, and where nonnegativity is enforced."""

    shape: tuple[int, ...]
    positions: NDArray[np.int64]
    values: Array
    C: float
    lam: tuple[float, ...]
    enforced: Enforced = "everywhere"
    chosen: NDArray[np.int64] | None = None
    """With enforced="chosen": the sorted positions where W ≥ 0 is asked for."""

    @cached_property
    def largest(self) -> float:
        """The largest observed value: what 'small' is measured against."""
        return float(self.values.max())

    @cached_property
    def squared_norm(self) -> float:
        """‖Y_Ω‖²."""
        return float(self.values @ self.values)

    @cached_property
    def share(self) -> float:
        """|Ω|/Πn."""
        return len(self.positions) / float(np.prod(self.shape, dtype=np.float64))

    def without_nonnegativity(self) -> DualProblem:
        """The same problem, W free to be negative."""
        return replace(self, enforced="nowhere", chosen=None)

    def is_enforced_at(self, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Where among these positions W ≥ 0 is asked for."""
        if self.enforced == "everywhere":
            return np.ones(len(positions), dtype=bool)
        if self.enforced == "nowhere":
            return np.zeros(len(positions), dtype=bool)
        wanted = self.positions if self.enforced == "observed" else self.chosen
        assert wanted is not None
        return ~sorted_difference(positions, wanted)
