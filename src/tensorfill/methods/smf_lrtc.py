"""SMF-LRTC: low-rank factors of every unfolding, with smooth pictures and smooth profiles along the third mode."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import partial
from typing import ClassVar

import numpy as np

from ..completion import Completion, Watch
from ..method import Stroke
from ..observed import ObservedTensor
from .baseline import complete_by, too_large_to_fill
from .setting_checks import Rank, check_count, check_positive, check_tolerance, resolved_rank, wrong
from .smf_iteration import iterations

_ADVICE = {2: "give a single picture as rows × columns × 1"}
_ADVICE_FOR_MORE = "merge modes by reshaping it, or take a method for any number of modes, such as nonneg-dual"


@dataclass(frozen=True, kw_only=True)
class SMFLRTC:
    """Smooth matrix factorisation of every unfolding, for videos and other stacks of pictures.

    Minimises Σ_n α/2 ‖Y_(n)ᵀ − X_n A_n‖² + α/μ_X ‖W X_3‖_1 + α/μ_A ‖D A_3‖_1 over the factors and over tensors Y that
    have the known entries, with α = 1/3, W a Haar frame of the pictures X_3 (modes 1 and 2) and D the differences along
    mode 3. The cost in the history is this objective.

    Parameters
    ----------
    rank
        r_n to start with, one per mode or one for all (default: 10, or the mode's size if smaller).
    rank_max
        Up to where ranks may grow, one per mode or one for all (default: they don't). The last growth may exceed it by
        up to rank_step − 1.
    rank_step
        By how much a rank grows at a time.
    proximal_weight
        ρ: how much each update stays near the last one.
    image_fit
        μ_X: weight of the data against the sparsity of W X_3.
    image_penalty
        β of the inner ADMM iteration for X_3.
    profile_fit
        μ_A: weight of the data against the sparsity of D A_3.
    profile_penalty
        β of the inner ADMM iteration for A_3.
    inner_iterations
        ADMM iterations for X_3, and for A_3, in every iteration.
    tolerance
        Stop when ‖Y − Y_last‖ ≤ tolerance · ‖Y_last‖.
    max_iter
        Most iterations.
    """

    name: ClassVar[str] = "smf-lrtc"
    stroke: ClassVar[Stroke] = Stroke("#44aa99", ">")
    summary: ClassVar[str] = (
        "Low-rank unfoldings with smooth pictures and profiles, for stacks of pictures; may go negative"
    )
    reference: ClassVar[str] = "Zheng et al., Applied Mathematical Modelling 2019"
    nonnegative: ClassVar[bool] = False

    rank: Rank = None
    rank_max: Rank = None
    rank_step: int = 5
    proximal_weight: float = 0.01
    image_fit: float = 10.0
    image_penalty: float = 1000.0
    profile_fit: float = 100.0
    profile_penalty: float = 1.0
    inner_iterations: int = 5
    tolerance: float = 2e-4
    max_iter: int = 500

    def __post_init__(self) -> None:
        for setting in ("rank_step", "inner_iterations", "max_iter"):
            check_count(self.name, setting, getattr(self, setting))
        for setting in ("proximal_weight", "image_fit", "image_penalty", "profile_fit", "profile_penalty"):
            check_positive(self.name, setting, getattr(self, setting))
        check_tolerance(self.name, "tolerance", self.tolerance)

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Refuses what is not a stack of pictures, and what does not fit into memory."""
        if observed.order != 3:
            return (
                f"{self.name} completes stacks of pictures, tensors with 3 modes (rows × columns × frames), and this "
                f"one has {observed.order}: {_ADVICE.get(observed.order, _ADVICE_FOR_MORE)}."
            )
        _, largest = self._ranks(observed.shape)
        shares = [rank / size for rank, size in zip(largest, observed.shape, strict=True)]
        # Two tensors, three products, the factors, and for the pictures four bands and two right-hand sides.
        return too_large_to_fill(self.name, observed, copies=math.ceil(5 + sum(shares) + 7 * shares[2]))

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        rank, rank_max = self._ranks(observed.shape)
        settings = {field.name: getattr(self, field.name) for field in fields(self)}
        settings |= {"rank": rank, "rank_max": rank_max}
        return complete_by(self, observed, partial(iterations, settings=settings, rng=rng), settings, watch=watch)

    def _ranks(self, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The ranks to start with, and those up to which they may grow."""
        start = resolved_rank(self.name, self.rank, shape)
        if self.rank_max is None:
            return start, start
        largest = resolved_rank(self.name, self.rank_max, shape, setting="rank_max")
        if any(most < first for most, first in zip(largest, start, strict=True)):
            raise wrong(self.name, "rank_max", f"not be smaller than the ranks it starts with, {start}", self.rank_max)
        return start, largest
