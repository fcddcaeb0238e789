"""TMac: every unfolding of the tensor is close to a product of two thin matrices, and what is missing is their mean.

minimise  Σ_k α_k/2 ‖X_k Y_k − M_k‖²      over X_k (n_k × r_k), Y_k, and M with M_Ω = Y_Ω

The result is Σ_k α_k fold(X_k Y_k); M, which has the known entries, only serves on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ..completion import Completion, Watch
from ..method import Stroke
from ..observed import ObservedTensor
from ..tensor import entries
from .baseline import complete_by, too_large_to_fill
from .setting_checks import (
    Rank,
    check_choice,
    check_count,
    check_tolerance,
    resolved_counts,
    resolved_rank,
    supported_rank,
)
from .tmac_iteration import TMacIteration

Weighting = Literal["fixed", "dynamic"]
Ranks = Literal["fixed", "decreasing", "increasing"]
Start = Literal["mean", "zero"]

_COPIES = 4  # arrays of full size that are held at a time, at most


@dataclass(frozen=True, kw_only=True)
class TMac:
    """Parallel matrix factorisation, the method of Xu, Hao, Yin and Su.

    The cost in the history is the objective, on data scaled to a largest value of 1, with the α that made M.

    Parameters
    ----------
    rank
        r_k, one per mode or one for all (default: 10, or what is smaller: the mode's size, and the rank at which there
        are two known entries for every number of some X_k Y_k).
    weights
        "fixed": α_k = 1/K. "dynamic": α_k ∝ 1/‖X_k Y_k − Y‖² on the known entries, renewed in every iteration. The
        authors' program has "dynamic" by default; see the trap below.
    ranks
        "fixed", "decreasing" (each r_k is cut once, at the first clear gap in the spectrum) or "increasing" (each r_k
        grows while the fit of its mode stands still).
    rank_increment
        By how much a rank grows at a time, one per mode or one for all.
    rank_min
        Where the search for a gap begins, one per mode or one for all.
    rank_max
        How far a rank may grow, one per mode or one for all.
    tolerance
        Stop when R = Σ_k ‖X_k Y_k − Y‖² on the known entries changes by less than tolerance · (R + 1) in three
        iterations in a row, or when Σ_k α_k ‖X_k Y_k − Y‖ < tolerance · ‖Y‖.
    max_iter
        Most iterations.
    start
        What M holds at first where nothing is known: "zero", as in the authors' program, or "mean", the mean of what
        is known (default: "mean" if the rank is left open too).

    Notes
    -----
    A mode with r_k = n_k reproduces M, zeros included, in the first iteration. Dynamic weights then trust nothing but
    that mode: the data comes back with what M began with where nothing was known. Colour images with rank 3 in the
    third mode are the usual case, so the weights are fixed by default.
    """

    name: ClassVar[str] = "tmac"
    stroke: ClassVar[Stroke] = Stroke("#a6611a", "X")
    summary: ClassVar[str] = "Mean of low-rank factorisations of all unfoldings; may go negative"
    reference: ClassVar[str] = "Xu, Hao, Yin & Su, Inverse Problems and Imaging 2015"
    nonnegative: ClassVar[bool] = False

    rank: Rank = None
    weights: Weighting = "fixed"
    ranks: Ranks = "fixed"
    rank_increment: int | Sequence[int] = 1
    rank_min: int | Sequence[int] = 1
    rank_max: int | Sequence[int] = 50
    tolerance: float = 1e-4
    max_iter: int = 500
    start: Start | None = None

    def __post_init__(self) -> None:
        check_choice(self.name, "weights", self.weights, ("fixed", "dynamic"))
        check_choice(self.name, "ranks", self.ranks, ("fixed", "decreasing", "increasing"))
        check_tolerance(self.name, "tolerance", self.tolerance)
        check_count(self.name, "max_iter", self.max_iter)
        if self.start is not None:
            check_choice(self.name, "start", self.start, ("mean", "zero"))

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Why the full tensor would not fit into memory, if so; raises for ranks that do not fit the tensor."""
        self.used_on(observed)
        return too_large_to_fill(self.name, observed, _COPIES)

    def used_on(self, observed: ObservedTensor) -> dict[str, Any]:
        """The settings as they are used on a tensor, nothing left open."""
        return {
            "rank": self._rank(observed),
            "weights": self.weights,
            "ranks": self.ranks,
            "rank_increment": resolved_counts(self.name, "rank_increment", self.rank_increment, observed.order),
            "rank_min": resolved_counts(self.name, "rank_min", self.rank_min, observed.order),
            "rank_max": resolved_counts(self.name, "rank_max", self.rank_max, observed.order),
            "tolerance": float(self.tolerance),
            "max_iter": int(self.max_iter),
            "start": self.start or ("mean" if self.rank is None else "zero"),
        }

    def _rank(self, observed: ObservedTensor) -> tuple[int, ...]:
        shape = observed.shape
        if self.rank is not None:
            return resolved_rank(self.name, self.rank, shape)

        def numbers(ranks: tuple[int, ...]) -> int:
            return min(r * (n + observed.size // n - r) for r, n in zip(ranks, shape, strict=True))

        return supported_rank(lambda most: tuple(min(most, n) for n in shape), numbers, observed.count)

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        settings = self.used_on(observed)
        return complete_by(
            self,
            observed,
            lambda data: TMacIteration(data, settings, rng).run(),
            settings,
            watch=watch,
            notes=self._warnings(settings["rank"], observed.shape, settings["start"]),
        )

    def _warnings(self, ranks: tuple[int, ...], shape: tuple[int, ...], start: Start) -> tuple[str, ...]:
        """A sentence if unknown entries are going to stay where they start."""
        free = [rank >= min(n, entries(shape) // n) for rank, n in zip(ranks, shape, strict=True)]
        if self.ranks == "decreasing" or not (all(free) or (any(free) and self.weights == "dynamic")):
            return ()
        dynamic = "" if all(free) else " and weights='dynamic'"
        return (
            f"With rank {ranks} for shape {shape}{dynamic}, {self.name} can reproduce any tensor, so that unknown "
            f"entries stay at {'zero' if start == 'zero' else 'the mean'}, where they start; give a smaller rank"
            + ("." if all(free) else ", or weights='fixed'."),
        )
