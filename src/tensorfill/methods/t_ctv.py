"""Low rank and smooth in one: the differences of neighbours are of low rank, slice by slice after a transform.

Minimises Σ_{k∈Γ} 1/γ ‖∇_k X‖ over tensors with X_Ω = Y, where ∇_k takes differences of neighbours along mode k, in a
circle, γ is the number of directions in Γ, and ‖·‖ is the tensor nuclear norm: the nuclear norms of all slices over
modes 1 and 2, after a transform along the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..completion import Completion, Watch
from ..cost import Cost
from ..iterating import Progress
from ..method import Question, Stroke, lost_slices_are_in
from ..numerics.slice_transform import Transform
from ..observed import ObservedTensor
from .baseline import complete_by, too_large_to_fill
from .setting_checks import are_modes, check_choice, wrong
from .slice_admm import check_schedule, copies_of_eight_bytes, iterations, precision
from .t_ctv_iteration import TCTVIteration

_CHANNELS = 4  # a third or further mode of at most this size is taken for channels, whose order means nothing


@dataclass(frozen=True, kw_only=True)
class TCTV:
    """Tensor correlated total variation, by ADMM with a growing penalty.

    The cost in the history is the objective at the copies of the gradients that ADMM works with, on data scaled to a
    largest value of 1. They are zero while the penalty is small.

    Parameters
    ----------
    transform
        "dct" (cosine) or "fft" (Fourier), along modes 3, 4, …
    directions
        Γ, the modes along which neighbours should be alike, counted from 1 (default: the first two, and of the others
        those with more than 4 indices).
    penalty
        μ of the first iteration.
    penalty_growth
        What μ is multiplied by after every iteration, up to 1e10.
    tolerance
        Stop when |X_new − X| < tolerance in every entry and |X_new − Y| < tolerance in every known one, on data scaled
        to a largest value of 1. Below 1e-5, all is computed in double precision instead of single.
    max_iter
        Most iterations.
    """

    name: ClassVar[str] = "t-ctv"
    stroke: ClassVar[Stroke] = Stroke("#c0392b", "*", size=6.5)
    summary: ClassVar[str] = "Differences of neighbours of low rank, slice by slice after a transform; may go negative"
    reference: ClassVar[str] = "Wang, Peng, Qin, Wang & Meng, IEEE TPAMI 2023"
    nonnegative: ClassVar[bool] = False
    costs: ClassVar[tuple[Cost, Cost]] = (
        Cost(80, 3.3, microseconds_per_side=0.0085),
        Cost(95, 3.3, microseconds_per_side=0.0085),
    )

    transform: Transform = "dct"
    directions: Sequence[int] | None = None
    penalty: float = 1e-4
    penalty_growth: float = 1.1
    tolerance: float = 1e-3
    max_iter: int = 500

    def __post_init__(self) -> None:
        check_choice(self.name, "transform", self.transform, ("dct", "fft"))
        check_schedule(self.name, self.penalty, self.penalty_growth, self.tolerance, self.max_iter)
        if self.directions is not None and not (are_modes(self.directions) and len(self.directions)):
            requirement = "be one or more different mode numbers, counted from 1, such as (1, 2)"
            raise wrong(self.name, "directions", requirement, self.directions)

    def candidate(self, question: Question) -> int | None:
        """On all but the largest tensors, unless only a few scratches have to be filled."""
        return question.place(10, when=not question.large and not question.strokes)

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return lost_slices_are_in(self._directions(observed.shape), observed)

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Raises for directions that the tensor does not have; refuses what does not fit into memory."""
        arrays = 2 * len(self._directions(observed.shape)) + 8
        return too_large_to_fill(self.name, observed, copies_of_eight_bytes(arrays, self.tolerance))

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        settings = {
            "transform": self.transform,
            "directions": self._directions(observed.shape),
            "penalty": float(self.penalty),
            "penalty_growth": float(self.penalty_growth),
            "tolerance": float(self.tolerance),
            "max_iter": self.max_iter,
        }

        def algorithm(data: ObservedTensor) -> Iterator[Progress]:
            directions = [mode - 1 for mode in self._directions(data.shape)]
            penalties = float(self.penalty), float(self.penalty_growth)
            state = TCTVIteration(data, self.transform, directions, *penalties, precision(self.tolerance))
            return iterations(state, self.tolerance)

        return complete_by(self, observed, algorithm, settings, watch=watch)

    def _directions(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        if self.directions is None:
            return tuple(mode for mode, size in enumerate(shape, start=1) if mode <= 2 or size > _CHANNELS)
        if max(self.directions) > len(shape):
            raise wrong(self.name, "directions", f"be mode numbers from 1 to {len(shape)}", self.directions)
        return tuple(sorted(int(mode) for mode in self.directions))
