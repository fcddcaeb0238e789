"""Nonneg-dual: the paper's method — low-rank components whose sum is nonnegative.

minimise  C ‖W_Ω − Y_Ω‖² + Σ_k 1/(2λ_k) ‖W^(k)_k‖_*²      over W = Σ_k W^(k) ≥ 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..completion import Completion, Watch
from ..cost import Cost
from ..dual.problem import DualProblem, Enforced
from ..dual.solve import Inner
from ..method import Stroke
from ..observed import ObservedTensor, check_coordinates, positions_of
from .dual_family import LARGEST_SCAN, DualSettings, complete_by_dual
from .setting_checks import check_choice, check_flag, check_positive, wrong

_WHERE = ("everywhere", "observed")


@dataclass(frozen=True, kw_only=True)
class NonnegDual(DualSettings):
    """The method of Sinha, Naram and Kumar, exact; settings as in `DualSettings`, and these.

    Parameters
    ----------
    inner
        How S ≥ 0 is found: "active-set" (ours) or "alternating" (the paper's, slower).
    two_stages
        Whether U is learned without S first; False: S is found in every iteration, as in the paper.
    nonnegative_on
        Where W ≥ 0 is enforced: "everywhere" (the default up to 10⁹ entries), "observed" (the default beyond), or
        an array of coordinates (entries × modes). What is returned is clipped at zero everywhere in any case. Where
        there is no lower bound it is enforced nowhere.
    negativity_tolerance
        Largest −W left where it is enforced, as a share of the largest observed value, before clipping.
    """

    name: ClassVar[str] = "nonneg-dual"
    stroke: ClassVar[Stroke] = Stroke("#d55e00", "o", width=1.4, size=4.5)
    summary: ClassVar[str] = "Sum of low-rank components, one per mode, that is nonnegative everywhere"
    reference: ClassVar[str] = "Sinha, Naram & Kumar, nonnegative low-rank tensor completion via dual formulation"
    nonnegative: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Cost(140, 40), Cost(200, 60)

    gradient_tolerance: float = 0.1
    inner: Inner = "active-set"
    two_stages: bool = True
    nonnegative_on: Literal["everywhere", "observed"] | ArrayLike | None = None
    negativity_tolerance: float = 5e-6

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.name, "inner", self.inner, ("active-set", "alternating"))
        check_flag(self.name, "two_stages", self.two_stages)
        check_positive(self.name, "negativity_tolerance", self.negativity_tolerance)
        if isinstance(self.nonnegative_on, str):
            check_choice(self.name, "nonnegative_on", self.nonnegative_on, _WHERE)

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Raises for settings that do not fit the tensor; refuses nothing else."""
        if self.nonnegative_on is not None and not isinstance(self.nonnegative_on, str):
            check_coordinates(self.nonnegative_on, observed.shape)
        if self.nonnegative_on is not None and observed.floor != 0:
            requirement = "not be given where there is no lower bound to enforce"
            raise wrong(self.name, "nonnegative_on", requirement, self.nonnegative_on)
        return super().refuses(observed)

    def used_on(self, observed: ObservedTensor) -> dict[str, Any]:
        """The settings as they are used on a tensor, nothing left open."""
        where: Any = self.nonnegative_on
        if where is None and observed.floor == 0:
            where = "everywhere" if observed.size <= LARGEST_SCAN else "observed"
        elif where is not None and not isinstance(where, str):
            where = f"{len(np.asarray(where))} chosen coordinates"
        used = super().used_on(observed)
        if observed.floor != 0:  # There is no second stage, and the first goes on to where S would join.
            used["gradient_tolerance"] = min(self.gradient_tolerance, DualSettings.gradient_tolerance)
        return {
            **used,
            "inner": self.inner,
            "two_stages": self.two_stages,
            "nonnegative_on": where,
            "negativity_tolerance": self.negativity_tolerance,
        }

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        settings = self.used_on(observed)
        enforced: Enforced = "chosen"
        chosen = None
        if settings["nonnegative_on"] is None:
            enforced = "nowhere"
        elif settings["nonnegative_on"] in _WHERE:
            enforced = settings["nonnegative_on"]
        else:
            rows = check_coordinates(self.nonnegative_on, observed.shape)  # type: ignore[arg-type]
            chosen = np.unique(positions_of(rows, observed.shape))
        notes: tuple[str, ...] = ()
        if self.nonnegative_on is None and enforced == "observed":
            notes = (
                f"With {observed.size:.1e} entries the tensor is too large to be gone through: the lower bound was "
                "enforced on the observed entries only, and predictions elsewhere are clipped at it.",
            )
        problem = DualProblem(
            observed.shape,
            observed.positions,
            observed.values,
            settings["C"],
            settings["lam"],
            enforced,
            chosen,
        )
        return complete_by_dual(
            observed,
            self.name,
            problem,
            settings,
            inner=self.inner,
            two_stages=self.two_stages,
            negativity_tolerance=self.negativity_tolerance,
            rng=rng,
            watch=watch,
            notes=notes,
            outer=self.outer,
        )
