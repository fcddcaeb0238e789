"""BCPF: a sum of rank-one tensors whose number is found from the data, by variational Bayesian inference.

Y = [[A_1, …, A_K]] + noise of variance 1/τ at the known entries, and column r of every factor is Gaussian with variance
1/λ_r: a component that explains nothing gets a large λ_r and vanishes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from ..completion import Completion, Watch
from ..memory import physical_memory
from ..method import Stroke
from ..observed import ObservedTensor
from .baseline import complete_by
from .bcpf_iteration import iterations
from .setting_checks import check_count, check_tolerance

_LARGEST_DEFAULT = 100  # components; an iteration takes time in proportion to the square of their number
_COPIES = 4  # arrays of second moments that are held at a time


@dataclass(frozen=True, kw_only=True)
class BCPF:
    """Bayesian CP factorisation with automatic rank, the method of Zhao, Zhang and Cichocki.

    The cost in the history is minus the lower bound of the logarithm of the evidence, per known entry.

    Parameters
    ----------
    max_rank
        How many rank-one tensors to start with (default: the size of the largest mode, but 100 at most,
        and no more than the other modes have entries together).
    tolerance
        Stop when the lower bound of the logarithm of the evidence, per known entry, changes by less than this and no
        component has vanished.
    max_iter
        Most iterations, each one update of all factors, λ and τ.
    """

    name: ClassVar[str] = "bcpf"
    stroke: ClassVar[Stroke] = Stroke("#7f6bb3", "2", size=6.5)
    summary: ClassVar[str] = "Sum of rank-one tensors, as many as the data asks for (Bayesian CP); may go negative"
    reference: ClassVar[str] = "Zhao, Zhang & Cichocki, TPAMI 2015"
    nonnegative: ClassVar[bool] = False
    needs_known_only: ClassVar[bool] = True

    max_rank: int | None = None
    tolerance: float = 1e-4
    max_iter: int = 100

    def __post_init__(self) -> None:
        if self.max_rank is not None:
            check_count(self.name, "max_rank", self.max_rank)
        check_tolerance(self.name, "tolerance", self.tolerance)
        check_count(self.name, "max_iter", self.max_iter)

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Why the second moments would not fit into memory, if so; refuses nothing else."""
        rank = self._rank(observed)
        rows = sum(min(size, observed.count) for size in observed.shape)
        needed = rows * rank * (rank + 1) // 2 * 8 * _COPIES + sum(observed.shape) * rank * 8
        there = physical_memory()
        if there is None or needed <= there:
            return None
        return (
            f"{self.name} with max_rank {rank} would need {needed / 2**30:,.0f} GiB for the covariances of a tensor of "
            f"shape {observed.shape} and this machine has {there / 2**30:,.0f}; a smaller max_rank needs less."
        )

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        rank, tolerance = self._rank(observed), float(self.tolerance)
        settings = {"max_rank": rank, "tolerance": tolerance, "max_iter": int(self.max_iter)}
        algorithm = partial(iterations, rank=rank, tolerance=tolerance, rng=rng)
        return complete_by(self, observed, algorithm, settings, watch=watch)

    def _rank(self, observed: ObservedTensor) -> int:
        if self.max_rank is not None:
            return int(self.max_rank)
        # No tensor needs more than all modes but its longest have entries.
        return min(_LARGEST_DEFAULT, max(observed.shape), observed.size // max(observed.shape))
