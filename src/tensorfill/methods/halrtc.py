"""HaLRTC: every unfolding of the tensor has a small trace norm, and known entries stay as they are.

minimise  Σ_n α_n ‖X_(n)‖_*      over tensors with X_Ω = Y_Ω, where α_n ≥ 0 add up to 1
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..completion import Completion, Watch
from ..iterating import Progress
from ..method import Stroke
from ..observed import ObservedTensor
from .baseline import complete_by, too_large_to_fill
from .halrtc_iteration import HaLRTCIteration, iterations
from .setting_checks import check_count, check_positive, check_shares, check_tolerance, resolved_shares, wrong

_SHORT_MODE = 4  # colours, or colours and opacity: their trace norm tells little
_SHORT_WEIGHT = 1e-3
_PENALTY = 1e-2
_LARGE = 100_000  # entries above which single precision is worth having
_SINGLE = 1e-4  # tolerances below cannot be met in single precision: X Xᵀ has too few digits then


@dataclass(frozen=True, kw_only=True)
class HaLRTC:
    """High-accuracy low-rank tensor completion, by ADMM with a growing penalty.

    Parameters
    ----------
    weights
        α_n, one per mode, 0 or more; they are divided by their sum (default: 1, and 0.001 for modes of size 4 or less).
    penalty
        β of the first iteration (default: 0.01, or more if singular values would then all be cut off at the start:
        4 max α_n / (mean √size), with the mean of the known entries and the number of all).
    penalty_growth
        What β is multiplied by after every iteration.
    tolerance
        Stop when ‖X_new − X‖ < tolerance · ‖X_new‖.
    max_iter
        Most iterations.

    Notes
    -----
    Tensors with more than 100,000 entries are worked on in single precision if the tolerance is 1e-4 or more; known
    entries are exact all the same.
    """

    name: ClassVar[str] = "halrtc"
    stroke: ClassVar[Stroke] = Stroke("#7a9e00", "8")
    summary: ClassVar[str] = "Small trace norms of all unfoldings, a convex problem; may go negative"
    reference: ClassVar[str] = "Liu, Musialski, Wonka & Ye, TPAMI 2013"
    nonnegative: ClassVar[bool] = False

    weights: Sequence[float] | None = None
    penalty: float | None = None
    penalty_growth: float = 1.05
    tolerance: float = 1e-4
    max_iter: int = 500

    def __post_init__(self) -> None:
        check_tolerance(self.name, "tolerance", self.tolerance)
        check_count(self.name, "max_iter", self.max_iter)
        check_positive(self.name, "penalty_growth", self.penalty_growth)
        if self.penalty_growth < 1:
            raise wrong(self.name, "penalty_growth", "be 1 or more", self.penalty_growth)
        if self.penalty is not None:
            check_positive(self.name, "penalty", self.penalty)
        if self.weights is not None:
            check_shares(self.name, "weights", self.weights)

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Why the full tensor would not fit into memory, if so; raises for weights that do not fit the tensor."""
        self._weights(observed.shape)
        return too_large_to_fill(self.name, observed, copies=observed.order + 4)

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor; nothing is random."""
        settings = self.used_on(observed)
        single = observed.size > _LARGE and self.tolerance >= _SINGLE

        def algorithm(data: ObservedTensor) -> Iterator[Progress]:
            shares = np.array(settings["weights"]) / sum(settings["weights"])
            dtype = np.float32 if single else np.float64
            state = HaLRTCIteration(data, shares, settings["penalty"], settings["penalty_growth"], dtype)
            return iterations(state, settings["tolerance"])

        return complete_by(self, observed, algorithm, settings, watch=watch)

    def used_on(self, observed: ObservedTensor) -> dict[str, Any]:
        """The settings as they are used on a tensor, nothing left open."""
        weights = self._weights(observed.shape)
        return {
            "weights": weights,
            "penalty": self._starting_penalty(observed, max(weights) / sum(weights)),
            "penalty_growth": float(self.penalty_growth),
            "tolerance": float(self.tolerance),
            "max_iter": int(self.max_iter),
        }

    def _weights(self, shape: tuple[int, ...]) -> tuple[float, ...]:
        if self.weights is None:
            short = [size <= _SHORT_MODE for size in shape]
            return tuple(_SHORT_WEIGHT if is_short else 1.0 for is_short in short)
        return resolved_shares(self.name, "weights", self.weights, len(shape))

    def _starting_penalty(self, observed: ObservedTensor, largest_weight: float) -> float:
        """β at the start. A tensor filled with a mean m has the singular value m √size in every unfolding."""
        if self.penalty is not None:
            return float(self.penalty)
        largest = float(observed.values.max())
        level = float(observed.values.mean()) / largest * math.sqrt(observed.size) if largest > 0 else math.inf
        return max(_PENALTY, 4.0 * largest_weight / level)
