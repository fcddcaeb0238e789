"""Dual: trace-norm tensor completion by its fixed-rank dual, without nonnegativity — the first baseline.

minimise  C ‖W_Ω − Y_Ω‖² + Σ_k 1/(2λ_k) ‖W^(k)_k‖_*²      over W = Σ_k W^(k)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..completion import Completion, Watch
from ..cost import Cost
from ..dual.problem import DualProblem
from ..method import Question, Stroke
from ..observed import ObservedTensor
from .dual_family import DualSettings, complete_by_dual


@dataclass(frozen=True, kw_only=True)
class Dual(DualSettings):
    """The method of Nimishakavi, Jawanpuria and Mishra; settings as in `DualSettings`."""

    name: ClassVar[str] = "dual"
    # Its curve often lies on that of nonneg-dual: wider and drawn first, so that both can be seen.
    stroke: ClassVar[Stroke] = Stroke("#0072b2", "s", width=2.8, size=6.5)
    summary: ClassVar[str] = "Sum of low-rank components, one per mode; may go negative"
    reference: ClassVar[str] = "Nimishakavi, Jawanpuria & Mishra, NeurIPS 2018"
    nonnegative: ClassVar[bool] = False
    costs: ClassVar[tuple[Cost, Cost]] = Cost(100, 20), Cost(140, 30)

    def candidate(self, question: Question) -> int | None:
        """Never: nonneg-dual is the same, and nowhere negative."""
        return None

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        settings = self.used_on(observed)
        problem = DualProblem(
            observed.shape, observed.positions, observed.values, settings["C"], settings["lam"], "nowhere"
        )
        return complete_by_dual(
            observed,
            self.name,
            problem,
            settings,
            inner="active-set",
            negativity_tolerance=1e-6,
            rng=rng,
            watch=watch,
            outer=self.outer,
        )
