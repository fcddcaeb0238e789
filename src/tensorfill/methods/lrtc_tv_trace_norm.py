"""Variant I of `lrtc-tv`: unfoldings of small trace norm and small total variation.

    minimise   Σ_n α_n ‖M_n‖_* + λ Σ_{n smooth} ‖Q_n‖_1
    subject to M_n = Z_(n), R_n = Z_(n), Q_n = F_n R_n, Z_Ω = Y

by ADMM: every block in turn, then the multipliers Γ_n, Φ_n and Λ_n, under a penalty ρ that grows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..completion import StopReason
from ..iterating import Progress
from ..numerics.singular_values import nuclear_norm, soft_threshold
from ..numerics.threads import share
from ..observed import ObservedTensor
from .lrtc_tv_smoothing import SmoothTensor, Weighting


class TraceNorm:
    """Where variant I stands. `multipliers` are the Γ_n, in the layout of the tensor, one per axis."""

    def __init__(self, data: ObservedTensor, weighting: Weighting, rng: np.random.Generator) -> None:
        self.tensor = SmoothTensor(data, weighting.smooth_modes, rng)
        self.weighting = weighting
        self.penalty = weighting.penalty
        self.multipliers = np.zeros((data.order, *self.tensor.values.shape))
        self._alpha = 1.0 / data.order
        norms = sum(nuclear_norm(self.tensor.values, axis) for axis in range(data.order))
        self.cost = self._alpha * norms + weighting.tv_weight * self.tensor.total_variation()
        self.change = np.inf
        self.under_way = False
        """Whether no M_n is zero any more. While the penalty is small they are, and Z may stand still meanwhile."""

    def step(self) -> None:
        """One iteration: M_n and Γ_n + ρM_n, then Q_n, R_n, Λ_n, then Z, Φ_n and Γ_n + ρM_n − ρZ."""
        norms = np.zeros(len(self.multipliers))

        def shrink(axis: int) -> None:
            norms[axis] = self._shrink(axis)

        share(shrink, len(norms))
        jumps = self.tensor.smooth(self.weighting.tv_weight, self.penalty)
        self.change = self.tensor.agree(self.multipliers, self.penalty)
        self.under_way = bool(norms.all())
        self.cost = float(self._alpha * norms.sum() + self.weighting.tv_weight * jumps)
        self.penalty = self.weighting.grown(self.penalty)

    def _shrink(self, axis: int) -> float:
        """Γ_n += ρ M_n with M_n = SVT_{α_n/ρ}(Z_(n) − Γ_n/ρ); returns ‖M_n‖_*."""
        multiplier = self.multipliers[axis]
        target = multiplier * (-1.0 / self.penalty)
        target += self.tensor.values
        shrunk, norm = soft_threshold(target, self._alpha / self.penalty, axis)
        shrunk *= self.penalty
        multiplier += shrunk
        return norm


def by_trace_norm(
    data: ObservedTensor, weighting: Weighting, tolerance: float, rng: np.random.Generator
) -> Iterator[Progress]:
    """The states of variant I; the cost is Σ α_n ‖M_n‖_* + λ Σ ‖Q_n‖_1, for the start with M_n = R_n = Z_(n)."""
    state = TraceNorm(data, weighting, rng)
    stop: StopReason | None = None
    while True:
        yield Progress(state.cost, state.tensor.estimate(), stop=stop)
        state.step()
        if state.under_way and state.change < tolerance:
            stop = StopReason(
                "change", f"Converged: the last iteration changed the tensor by a share of {state.change:.1e}."
            )
