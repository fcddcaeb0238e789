"""LRTC-TNN: every unfolding of the tensor is of low rank, but how large its largest singular values are costs nothing.

minimise  Σ_n α_n Σ_{i > r_n} σ_i(X_(n))      over tensors with X_Ω = Y_Ω, where r_n is a share of the singular values
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..completion import Completion, Watch
from ..cost import Cost
from ..iterating import Progress
from ..method import Question
from ..observed import ObservedTensor
from ..tensor import entries
from .baseline import complete_by, too_large_to_fill
from .halrtc_iteration import HaLRTCIteration
from .lrtc_tnn_iteration import iterations
from .setting_checks import check_count, check_positive, check_shares, check_tolerance, resolved_shares, wrong

_WIDE = 5  # columns for every row of an unfolding: with fewer, low rank says little, and is slow to find
_LARGE = 100_000  # entries above which single precision is worth having
_SINGLE = 1e-4  # tolerances below cannot be met in single precision: X Xᵀ has too few digits then


@dataclass(frozen=True, kw_only=True)
class LRTCTNN:
    """Low-rank tensor completion by truncated nuclear norms, the method of Chen, Yang and Sun from another start.

    Parameters
    ----------
    truncation
        θ: the largest r_n = ⌈θ · (number of singular values)⌉ of every unfolding are free, the others cost α_n each.
    weights
        α_n, one per mode, 0 or more; they are divided by their sum (default: all the same).
    penalty
        β of the first iteration, for data divided by its largest value (default: such that what the start has besides
        its largest singular values is cut off, max α_n / ‖X‖ with its mean where nothing is known).
    penalty_growth
        What β is multiplied by after every iteration.
    tolerance
        Each of the two stages ends when ‖X_new − X‖ < tolerance · ‖X_new‖.
    max_iter
        Most iterations, of both stages together.

    Notes
    -----
    Tensors with more than 100,000 entries are worked on in single precision if the tolerance is 1e-4 or more; known
    entries are exact all the same.
    """

    name: ClassVar[str] = "lrtc-tnn"
    summary: ClassVar[str] = "Low rank of all unfoldings by truncated nuclear norms, for counts; may go negative"
    reference: ClassVar[str] = "Chen, Yang & Sun, Transportation Research Part C 2020"
    nonnegative: ClassVar[bool] = False
    costs: ClassVar[tuple[Cost, Cost]] = Cost(75, 10), Cost(75, 10)

    truncation: float = 0.1
    weights: Sequence[float] | None = None
    penalty: float | None = None
    penalty_growth: float = 1.05
    tolerance: float = 1e-4
    max_iter: int = 500

    def __post_init__(self) -> None:
        check_tolerance(self.name, "truncation", self.truncation)
        if self.truncation > 1:
            raise wrong(self.name, "truncation", "be a share, 0 to 1", self.truncation)
        if self.weights is not None:
            check_shares(self.name, "weights", self.weights)
        if self.penalty is not None:
            check_positive(self.name, "penalty", self.penalty)
        check_positive(self.name, "penalty_growth", self.penalty_growth)
        if self.penalty_growth < 1:
            raise wrong(self.name, "penalty_growth", "be 1 or more", self.penalty_growth)
        check_tolerance(self.name, "tolerance", self.tolerance)
        check_count(self.name, "max_iter", self.max_iter)

    def candidate(self, question: Question) -> int | None:
        """On small tensors whose holes have a shape, if unfoldings are wide."""
        wide = question.size >= _WIDE * max(question.shape) ** 2
        return question.place(80, when=question.small and question.structured and wide)

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Why the full tensor would not fit into memory, if so; raises for weights that do not fit the tensor."""
        self._weights(observed.shape)
        return too_large_to_fill(self.name, observed, copies=observed.order + 4)

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor; nothing is random."""
        settings = self.used_on(observed)
        dtype = np.float32 if observed.size > _LARGE and self.tolerance >= _SINGLE else np.float64
        free = [math.ceil(self.truncation * count) for count in _singular_values(observed.shape)]
        one = [min(1, count) for count in free]

        def algorithm(data: ObservedTensor) -> Iterator[Progress]:
            shares = np.array(settings["weights"]) / sum(settings["weights"])
            state = HaLRTCIteration(data, shares, settings["penalty"], settings["penalty_growth"], dtype, one)
            return iterations(state, free, settings["tolerance"])

        return complete_by(self, observed, algorithm, settings, watch=watch)

    def used_on(self, observed: ObservedTensor) -> dict[str, Any]:
        """The settings as they are used on a tensor, nothing left open."""
        weights = self._weights(observed.shape)
        return {
            "truncation": float(self.truncation),
            "weights": weights,
            "penalty": self._starting_penalty(observed, max(weights) / sum(weights)),
            "penalty_growth": float(self.penalty_growth),
            "tolerance": float(self.tolerance),
            "max_iter": int(self.max_iter),
        }

    def _weights(self, shape: tuple[int, ...]) -> tuple[float, ...]:
        weights = (1.0,) * len(shape) if self.weights is None else self.weights
        return resolved_shares(self.name, "weights", weights, len(shape))

    def _starting_penalty(self, observed: ObservedTensor, largest_weight: float) -> float:
        """β at the start: no singular value is larger than the norm of the tensor."""
        if self.penalty is not None:
            return float(self.penalty)
        largest = float(observed.values.max())
        if largest == 0:
            return 1.0  # of no consequence: nothing but zeros is known
        scaled = observed.values / largest
        return largest_weight / math.hypot(
            np.linalg.norm(scaled), scaled.mean() * math.sqrt(observed.size - len(scaled))
        )


def _singular_values(shape: tuple[int, ...]) -> list[int]:
    """How many the unfoldings have."""
    return [min(size, entries(shape) // size) for size in shape]
