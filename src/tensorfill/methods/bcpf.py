"""BCPF: a sum of rank-one tensors whose number is found from the data, by variational Bayesian inference.

Y = [[A_1, …, A_K]] + noise of variance 1/τ at the known entries, and column r of every factor is Gaussian with variance
1/λ_r: a component that explains nothing gets a large λ_r and vanishes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..method import Stroke
from ..observed import ObservedTensor
from .baseline import Baseline, refuse_memory
from .bcpf_solver import BCPFSolver, Internals
from .setting_checks import Count, Tolerance

_LARGEST_DEFAULT = 100  # components; an iteration takes time in proportion to the square of their number
_COPIES = 4  # arrays of second moments that are held at a time


@dataclass(frozen=True, kw_only=True)
class BCPF(Baseline):
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
    summary: ClassVar[str] = "Sum of rank-one tensors, as many as the data asks for (Bayesian CP); may go negative"
    reference: ClassVar[str] = "Zhao, Zhang & Cichocki, TPAMI 2015"
    stroke: ClassVar[Stroke] = Stroke("#7f6bb3", "2", size=6.5)
    needs_known_only: ClassVar[bool] = True
    internals: ClassVar[Internals] = Internals()

    max_rank: Count | None = None
    tolerance: Tolerance = 1e-4
    max_iter: Count = 100

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        """The rank to start with: no tensor needs more than all modes but its longest have entries."""
        longest = max(observed.shape)
        return {"max_rank": int(self.max_rank or min(_LARGEST_DEFAULT, longest, observed.size // longest))}

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Why the second moments would not fit into memory, if so; refuses nothing else."""
        rank = self.resolve(observed)["max_rank"]
        rows = sum(min(size, observed.count) for size in observed.shape)
        return refuse_memory(
            rows * rank * (rank + 1) // 2 * 8 * _COPIES + sum(observed.shape) * rank * 8,
            f"{self.name} with max_rank {rank} would need {{needed}} GiB for the covariances of a tensor of shape "
            f"{observed.shape} and this machine has {{there}}; a smaller max_rank needs less.",
        )

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> BCPFSolver:
        return BCPFSolver(data, settings, rng, self.internals)
