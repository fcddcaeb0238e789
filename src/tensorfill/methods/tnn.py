"""Low rank after a transform: a Fourier transform along the third mode, and every slice of it a matrix of low rank.

Minimises the tensor nuclear norm over tensors with X_Ω = Y: the nuclear norms of all slices over modes 1 and 2, after a
transform along the others, divided by the number of slices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np

from ..completion import Completion, Watch
from ..cost import Cost
from ..iterating import Progress
from ..method import Question, Stroke
from ..numerics.slice_transform import Transform
from ..observed import ObservedTensor
from .baseline import complete_by, too_large_to_fill
from .setting_checks import check_choice
from .slice_admm import check_schedule, copies_of_eight_bytes, iterations, precision
from .tnn_iteration import TNNIteration

_ARRAYS = 7  # of full size that are there at a time


@dataclass(frozen=True, kw_only=True)
class TNN:
    """Tensor nuclear norm minimisation (t-SVD), by ADMM with a growing penalty.

    The cost in the history is the tensor nuclear norm, on data scaled to a largest value of 1. It is zero while the
    penalty is small.

    Parameters
    ----------
    transform
        "fft" (Fourier, the t-SVD) or "dct" (cosine; quicker, and often better), along modes 3, 4, …
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

    name: ClassVar[str] = "tnn"
    stroke: ClassVar[Stroke] = Stroke("#3c8dbc", "H")
    summary: ClassVar[str] = "Slices of low rank after a Fourier transform along the third mode; may go negative"
    reference: ClassVar[str] = "Zhang & Aeron, IEEE TSP 2017; Lu et al., IJCAI 2018"
    nonnegative: ClassVar[bool] = False
    costs: ClassVar[tuple[Cost, Cost]] = Cost(95, 4.5), Cost(125, 6)

    transform: Transform = "fft"
    penalty: float = 1e-4
    penalty_growth: float = 1.1
    tolerance: float = 1e-4
    max_iter: int = 500

    def __post_init__(self) -> None:
        check_choice(self.name, "transform", self.transform, ("dct", "fft"))
        check_schedule(self.name, self.penalty, self.penalty_growth, self.tolerance, self.max_iter)

    def candidate(self, question: Question) -> int | None:
        """Among the few that small tensors are tried with."""
        return question.place(60, when=question.small)

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Refuses what does not fit into memory."""
        return too_large_to_fill(self.name, observed, copies_of_eight_bytes(_ARRAYS, self.tolerance))

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""

        def algorithm(data: ObservedTensor) -> Iterator[Progress]:
            penalties = float(self.penalty), float(self.penalty_growth)
            return iterations(TNNIteration(data, self.transform, *penalties, precision(self.tolerance)), self.tolerance)

        return complete_by(self, observed, algorithm, asdict(self), watch=watch)
