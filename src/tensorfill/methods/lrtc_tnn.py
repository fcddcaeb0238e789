"""LRTC-TNN: every unfolding of the tensor is of low rank, but how large its largest singular values are costs nothing.

minimise  Σ_n α_n Σ_{i > r_n} σ_i(X_(n))      over tensors with X_Ω = Y_Ω, where r_n is a share of the singular values
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ..completion import StopReason
from ..method import Cost, Question, Stroke
from ..observed import ObservedTensor
from .halrtc import Internals, UnfoldingMethod, UnfoldingSolver
from .setting_checks import check_tolerance, require

_WIDE = 5  # columns for every row of an unfolding: with fewer, low rank says little, and is slow to find


@dataclass(frozen=True, kw_only=True)
class LRTCTNN(UnfoldingMethod):
    """Truncated nuclear norms, the method of Chen, Yang and Sun from another start; settings as in `UnfoldingMethod`.

    Weights are all the same by default. The first penalty is such that what the start has besides its largest singular
    values is cut off, max α_n / ‖X‖ with its mean where nothing is known. Each of two stages ends by the tolerance.

    Parameters
    ----------
    truncation
        θ: the largest r_n = ⌈θ · (number of singular values)⌉ of every unfolding are free, the others cost α_n each.
    """

    name: ClassVar[str] = "lrtc-tnn"
    summary: ClassVar[str] = "Low rank of all unfoldings by truncated nuclear norms, for counts; may go negative"
    stroke: ClassVar[Stroke] = Stroke("#117733", "$t$", size=6.5)
    reference: ClassVar[str] = "Chen, Yang & Sun, Transportation Research Part C 2020"
    costs: ClassVar[tuple[Cost, Cost]] = Cost(75, 10), Cost(75, 10)

    truncation: Annotated[float, check_tolerance, require("be a share, 0 to 1", lambda value: value <= 1)] = 0.1

    def candidate(self, question: Question) -> int | None:
        """On small tensors with structured missingness, if unfoldings are wide."""
        wide = question.size >= _WIDE * max(question.shape) ** 2
        return question.place(80, when=question.small and question.structured and wide)

    def default_weights(self, shape: tuple[int, ...]) -> tuple[float, ...]:
        return (1.0,) * len(shape)

    def default_penalty(self, observed: ObservedTensor, largest_weight: float) -> float:
        """No singular value is larger than the norm of the tensor."""
        largest = float(observed.values.max())
        if largest == 0:
            return 1.0  # of no consequence: nothing but zeros is known
        scaled = observed.values / largest
        missing = scaled.mean() * math.sqrt(observed.size - len(scaled))
        return largest_weight / math.hypot(np.linalg.norm(scaled), missing)

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> TruncatedSolver:
        return TruncatedSolver(data, settings, self.internals)


class TruncatedSolver(UnfoldingSolver):
    """First one singular value of every unfolding is free, then r_n.

    What nothing holds back stays where it starts: with r_n free from the beginning, a block of a constant that fills a
    hole can be among them, and then remains for ever. The cost is Σ α_n ‖Y_n‖_{r_n,*}, for the start with r_n = 0.
    """

    def __init__(self, data: ObservedTensor, settings: Mapping[str, Any], internals: Internals) -> None:
        counts = [min(size, data.size // size) for size in data.shape]
        self._later_free = [math.ceil(settings["truncation"] * count) for count in counts]
        self._later_penalty = internals.later_penalty * settings["penalty"]
        self._first_stage = True
        super().__init__(data, settings, internals, [min(1, count) for count in self._later_free])

    def step(self) -> None:
        """One iteration; where the first stage ends, the first one of the second stage as well."""
        super().step()
        if self._first_stage and self.stands_still:
            self._first_stage = False
            self.restart(self._later_penalty, self._later_free)
            super().step()

    def finished(self) -> StopReason | None:
        return None if self._first_stage else super().finished()
