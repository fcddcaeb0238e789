"""The iteration of `halrtc`: every unfolding to small trace norm, then one tensor for all that has the known entries.

That of `lrtc-tnn` is the same with r_n > 0, the number of singular values that SVT leaves as they are, the largest.

    Y_n = SVT_{α_n/β}(X_(n) − M_n/β),   X = mean of Y_n + M_n/β, and X_Ω = Y_Ω,   M_n ← M_n + β(Y_n − X),   β ← 1.05 β

What is soft-thresholded is T_n = X_(n) − M_n/β, and D_n = T_n − Y_n is T_n with its singular values cut off at α_n/β.
In these, X_new = X − mean D_n where nothing is known, and T_n = X_new + (D_n + X_new − X)·(β/β_new): neither Y_n nor
M_n is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..completion import StopReason
from ..estimates.dense import DenseEstimate
from ..iterating import Progress
from ..numerics.singular_values import nuclear_norm
from ..numerics.spectral_ball import project_onto_balls
from ..numerics.threads import share
from ..observed import ObservedTensor
from .halrtc_kernels import settle

_LARGEST_PENALTY = 1e15  # nothing moves by then
_PIECE = 2**15  # entries that are worth a call of a kernel


class HaLRTCIteration:
    """Where the iteration stands; `weights` are the α_n, one per mode, adding up to 1, and `free` the r_n.

    Kept with the modes in the order of their sizes, the largest last, where `axis[n]` is the place of mode n: products
    along any mode are then products of large matrices, with nothing to copy.
    """

    def __init__(
        self,
        data: ObservedTensor,
        weights: Sequence[float],
        penalty: float,
        penalty_growth: float,
        dtype: DTypeLike,
        free: Sequence[int] | None = None,
    ) -> None:
        self._order = order = tuple(sorted(range(data.order), key=lambda mode: data.shape[mode]))
        self.axis = tuple(order.index(mode) for mode in range(data.order))
        self._growth = penalty_growth
        self._weights = np.array([weights[mode] for mode in order])
        filled = np.full(data.size, data.values.mean())
        filled[data.positions] = data.values
        self.values = np.ascontiguousarray(filled.reshape(data.shape).transpose(order))
        self._known = np.ascontiguousarray(data.mask().transpose(order)).reshape(-1)
        self._duals: Any = np.empty((data.order, *self.values.shape), dtype)
        self.restart(penalty, [0] * data.order if free is None else free)
        self.cost = float(self._weights @ [nuclear_norm(self.values, mode) for mode in range(data.order)])
        self.change = np.inf
        self.under_way = False
        """Whether no Y_n is zero any more. While the penalty is small they are, and X may stand still meanwhile."""

    def restart(self, penalty: float, free: Sequence[int]) -> None:
        """Go on from X as it is, with M_n = 0, this β, and these r_n."""
        self.penalty = penalty
        self._free = [free[mode] for mode in self._order]
        self._duals[...] = self.values

    def step(self) -> None:
        """One iteration: all Y_n, then X and M_n, then β."""
        norms = project_onto_balls(self._duals, self._weights / self.penalty, self._free)
        self.under_way = all(norm > 0 or free > 0 for norm, free in zip(norms, self._free, strict=True))
        self.cost = float(self._weights @ norms)
        larger = min(self._growth * self.penalty, max(_LARGEST_PENALTY, self.penalty))
        self.change = self._settle(self.penalty / larger)
        self.penalty = larger

    def estimate(self) -> DenseEstimate:
        """X with the modes in the order of the data; the array is never written to again."""
        return DenseEstimate(self.values.transpose(self.axis))

    def _settle(self, weaker: float) -> float:
        """The new X and T_n from D_n; returns ‖X_new − X‖/‖X_new‖."""
        new = np.empty(self.values.shape)
        whole, duals, size = self.values.reshape(-1), self._duals.reshape(len(self._duals), -1), self.values.size
        lengths = np.zeros((-(-size // _PIECE), 2))

        def work(piece: int) -> None:
            here = piece * _PIECE, min((piece + 1) * _PIECE, size)
            lengths[piece] = settle(whole, self._known, duals, weaker, new.reshape(-1), *here)

        share(work, len(lengths))
        self.values = new
        changed, length = np.sqrt(lengths.sum(axis=0))
        return float(changed / length)


def iterations(state: HaLRTCIteration, tolerance: float) -> Iterator[Progress]:
    """The states of the method; the cost is Σ α_n ‖Y_n‖_*, for the start with Y_n = X_(n)."""
    stop: StopReason | None = None
    while True:
        yield Progress(state.cost, state.estimate(), stop=stop)
        state.step()
        if state.under_way and state.change < tolerance:
            stop = StopReason(
                "change", f"Converged: the last iteration changed the tensor by a share of {state.change:.1e}."
            )
