"""HaLRTC: every unfolding of the tensor has a small trace norm, and known entries stay as they are.

minimise  Σ_n α_n ‖X_(n)‖_*      over tensors with X_Ω = Y_Ω, where α_n ≥ 0 add up to 1
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..compiling import compiled
from ..completion import StopReason
from ..estimates.estimate import DenseEstimate
from ..iterating import Solver
from ..method import Stroke
from ..numerics.singular_values import nuclear_norm, project_onto_balls
from ..observed import ObservedTensor
from .admm import ModeOrder, grow_penalty, relative_change, report_small_change
from .baseline import Baseline, too_large_to_fill
from .setting_checks import Count, Growth, Positive, Shares, Tolerance, resolve_shares

_BLOCK = 1024  # entries that a kernel goes through at a time


@dataclass(frozen=True)
class Internals:
    """What steers `halrtc` and `lrtc-tnn` besides their settings."""

    short_mode: int = 4  # colours, or colours and opacity: their trace norm tells little
    short_weight: float = 1e-3
    penalty: float = 1e-2  # of the authors
    later_penalty: float = 10.0  # times the first one: from a good start on, more is kept from the beginning
    largest_penalty: float = 1e15  # nothing moves by then
    large: int = 100_000  # entries above which single precision is worth having
    single: float = 1e-4  # tolerances below cannot be met in single precision: X Xᵀ has too few digits then


@dataclass(frozen=True, kw_only=True)
class UnfoldingMethod(Baseline):
    """Small norms of all unfoldings, by ADMM with a growing penalty.

    Tensors with more than 100,000 entries are worked on in single precision if the tolerance is 1e-4 or more; known
    entries are exact all the same.

    Parameters
    ----------
    weights
        α_n, one per mode, 0 or more; they are divided by their sum.
    penalty
        β of the first iteration, for data divided by its largest value.
    penalty_growth
        What β is multiplied by after every iteration.
    tolerance
        Stop when ‖X_new − X‖ < tolerance · ‖X_new‖.
    max_iter
        Most iterations.
    """

    internals: ClassVar[Internals] = Internals()

    weights: Shares | None = None
    penalty: Positive | None = None
    penalty_growth: Growth = 1.05
    tolerance: Tolerance = 1e-4
    max_iter: Count = 500

    @abstractmethod
    def default_weights(self, shape: tuple[int, ...]) -> tuple[float, ...]:
        """α_n before they are divided by their sum."""

    @abstractmethod
    def default_penalty(self, observed: ObservedTensor, largest_weight: float) -> float:
        """β of the first iteration."""

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        weights = self._choose_weights(observed.shape)
        penalty = self.penalty or self.default_penalty(observed, max(weights) / sum(weights))
        return {"weights": weights, "penalty": float(penalty)}

    def refuses(self, observed: ObservedTensor) -> str | None:
        """As for all; but values may still be of any size here, too large for a penalty to be found from them."""
        self._choose_weights(observed.shape)
        return too_large_to_fill(self.name, observed, self.count_arrays(observed))

    def count_arrays(self, observed: ObservedTensor) -> int:
        return observed.order + 4

    def _choose_weights(self, shape: tuple[int, ...]) -> tuple[float, ...]:
        weights = self.default_weights(shape) if self.weights is None else self.weights
        return resolve_shares(self.name, "weights", weights, len(shape))


@dataclass(frozen=True, kw_only=True)
class HaLRTC(UnfoldingMethod):
    """High-accuracy low-rank tensor completion; settings as in `UnfoldingMethod`.

    Weights are 1 by default, and 0.001 for modes of size 4 or less. The first penalty is 0.01, or more if singular
    values would then all be cut off at the start: 4 max α_n / (mean √size), with the mean of the known entries and the
    number of all.
    """

    name: ClassVar[str] = "halrtc"
    summary: ClassVar[str] = "Small trace norms of all unfoldings, a convex problem; may go negative"
    stroke: ClassVar[Stroke] = Stroke("#7a9e00", "8")
    reference: ClassVar[str] = "Liu, Musialski, Wonka & Ye, TPAMI 2013"

    def default_weights(self, shape: tuple[int, ...]) -> tuple[float, ...]:
        """Little for modes such as colours."""
        inner = self.internals
        return tuple(inner.short_weight if size <= inner.short_mode else 1.0 for size in shape)

    def default_penalty(self, observed: ObservedTensor, largest_weight: float) -> float:
        """A tensor filled with a mean m has the singular value m √size in every unfolding."""
        largest = float(observed.values.max())
        level = float(observed.values.mean()) / largest * math.sqrt(observed.size) if largest > 0 else math.inf
        return max(self.internals.penalty, 4.0 * largest_weight / level)

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> UnfoldingSolver:
        return UnfoldingSolver(data, settings, self.internals)


class UnfoldingSolver(Solver):
    """Every unfolding to small trace norm, then one tensor for all that has the known entries.

        Y_n = SVT_{α_n/β}(X_(n) − M_n/β),  X = mean of Y_n + M_n/β, and X_Ω = Y_Ω,  M_n ← M_n + β(Y_n − X),  β ← 1.05 β

    `free` are r_n, the numbers of singular values that SVT leaves as they are, the largest. What is soft-thresholded is
    T_n = X_(n) − M_n/β, and D_n = T_n − Y_n is T_n with its singular values cut off at α_n/β. In these,
    X_new = X − mean D_n where nothing is known, and T_n = X_new + (D_n + X_new − X)·(β/β_new): neither Y_n nor M_n is
    kept. The cost is Σ α_n ‖Y_n‖_*, for the start with Y_n = X_(n).
    """

    def __init__(
        self,
        data: ObservedTensor,
        settings: Mapping[str, Any],
        internals: Internals,
        free: Sequence[int] | None = None,
    ) -> None:
        self.order = ModeOrder.by_size(data.shape)
        self.internals = internals
        self._growth, self.tolerance = settings["penalty_growth"], settings["tolerance"]
        shares = np.array(settings["weights"]) / sum(settings["weights"])
        self._weights = np.array([shares[mode] for mode in self.order.modes])
        self.values = self.order.fill(data, data.values.mean())
        self._known = self.order.mask(data).reshape(-1)
        single = data.size > internals.large and self.tolerance >= internals.single
        self._duals: Any = np.empty((data.order, *self.values.shape), np.float32 if single else np.float64)
        self.restart(settings["penalty"], free or [0] * data.order)
        self.cost = float(self._weights @ [nuclear_norm(self.values, mode) for mode in range(data.order)])
        self.change = np.inf
        self._under_way = False  # no Y_n is zero any more: while the penalty is small they are, and X may stand still

    def restart(self, penalty: float, free: Sequence[int]) -> None:
        """Go on from X as it is, with M_n = 0, this β, and these r_n."""
        self.penalty = penalty
        self._free = [free[mode] for mode in self.order.modes]
        self._duals[...] = self.values

    def step(self) -> None:
        norms = project_onto_balls(self._duals, self._weights / self.penalty, self._free)
        self._under_way = all(norm > 0 or free > 0 for norm, free in zip(norms, self._free, strict=True))
        self.cost = float(self._weights @ norms)
        larger = grow_penalty(self.penalty, self._growth, self.internals.largest_penalty)
        new, size = np.empty(self.values.shape), self.values.size
        duals = self._duals.reshape(len(self._duals), -1)
        arrays = self.values.reshape(-1), self._known, duals, self.penalty / larger, new.reshape(-1)
        self.change = relative_change(partial(_settle, *arrays), size)
        self.values, self.penalty = new, larger

    @property
    def stands_still(self) -> bool:
        """Whether the last step changed X by less than the tolerance."""
        return self._under_way and self.change < self.tolerance

    def estimate(self) -> DenseEstimate:
        """X with the modes in the order of the data; the array is never written to again."""
        return DenseEstimate(self.order.restore(self.values))

    def finished(self) -> StopReason | None:
        return report_small_change(self.change) if self.stands_still else None


@compiled(nogil=True, fastmath=True)
def _settle(whole, known, duals, share, new, first, last):  # type: ignore[no-untyped-def]
    """The new X at entries `first` … `last` − 1, and the new T_n in the place of D_n; returns ‖X_new − X‖², ‖X_new‖².

    X_new = X − mean D_n where nothing is known; then T_n = X_new + share · (D_n + X_new − X).
    """
    step = np.empty(_BLOCK)
    mean = 1.0 / len(duals)
    changed, length = 0.0, 0.0
    for start in range(first, last, _BLOCK):
        here = slice(start, min(start + _BLOCK, last))  # slices, for their indices are known not to be negative
        before, fixed, after = whole[here], known[here], new[here]
        count = len(before)
        step[:] = 0.0
        for n in range(len(duals)):
            dual = duals[n, here]
            for i in range(count):
                step[i] -= dual[i]
        for i in range(count):
            step[i] = 0.0 if fixed[i] else mean * step[i]
            after[i] = before[i] + step[i]
            changed += step[i] * step[i]
            length += after[i] * after[i]
        for n in range(len(duals)):
            dual = duals[n, here]
            for i in range(count):
                dual[i] = after[i] + share * (dual[i] + step[i])
    return changed, length
