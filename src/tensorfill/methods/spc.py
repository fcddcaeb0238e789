"""SPC: a sum of many smooth rank-one tensors, as few as it takes to meet what is known.

minimise  ½ ‖Z_Ω − Y_Ω‖² + Σ_r ½ g_r² Σ_n ρ_n ‖L u_nr‖^p      over Z = Σ_r g_r u_1r ∘ … ∘ u_Kr with unit vectors u_nr

L takes differences of neighbours. p = 2 is the quadratic variant, p = 1 that of total variation. Components are added
until ‖Z_Ω − Y_Ω‖² ≤ 10^(−snr/10) ‖Y_Ω‖²; the result is Z with the known entries put back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np

from ..completion import Completion, Watch
from ..cost import Cost
from ..errors import InvalidSetting
from ..memory import physical_memory
from ..method import Question, Stroke, lost_slices_are_in
from ..observed import ObservedTensor
from .baseline import complete_by
from .setting_checks import Weights, check_choice, check_count, check_positive, check_tolerance, wrong
from .spc_iteration import Plan, SmoothParafac

Variant = Literal["quadratic", "total-variation"]

_DEFAULTS: dict[str, dict[str, float]] = {
    "quadratic": {"smoothness": 1.0, "snr": 35.0},
    "total-variation": {"smoothness": 0.01, "snr": 25.0},
}
_UNORDERED = 4  # a mode with at most so many indices holds channels: its neighbours are no more alike than others


@dataclass(frozen=True, kw_only=True)
class SPC:
    """Smooth PARAFAC tensor completion, the method of Yokota, Zhao and Cichocki.

    The cost in the history is the objective, on data scaled to a largest value of 1. It never rises.

    Parameters
    ----------
    variant
        "quadratic" (squares of differences; better on nearly everything) or "total-variation" (absolute values).
    smoothness
        ρ_n, how much neighbours along each mode should be alike: one per mode, or one for all modes with more than 4
        indices, where smaller ones, such as the channels of a picture, get 0 (default: 1.0 for quadratic, 0.01 for
        total-variation).
    snr
        Stop when ‖Z_Ω − Y_Ω‖² ≤ 10^(−snr/10) ‖Y_Ω‖²: the ratio of signal to noise on the known entries, in decibels
        (default: 35.0 for quadratic, 25.0 for total-variation).
    updates
        How many components are improved in every iteration; those with the smallest weights.
    growth
        How many components are added after an iteration, at most.
    growth_tolerance
        Components are added when an iteration lowers the squared residual by less than this share of its distance from
        where `snr` stops.
    max_rank
        Most components.
    tolerance
        When there are max_rank components, stop when an iteration lowers the squared residual R by tolerance · R or
        less.
    max_iter
        Most iterations.
    """

    name: ClassVar[str] = "spc"
    stroke: ClassVar[Stroke] = Stroke("#b8860b", "1", size=6.5)
    summary: ClassVar[str] = "Sum of smooth rank-one tensors, added until the data is met; may go negative"
    reference: ClassVar[str] = "Yokota, Zhao & Cichocki, IEEE Transactions on Signal Processing 2016"
    nonnegative: ClassVar[bool] = False
    needs_known_only: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Cost(210, 4), Cost(210, 8)

    variant: Variant = "quadratic"
    smoothness: Weights = None
    snr: float | None = None
    updates: int = 10
    growth: int = 5
    growth_tolerance: float = 0.01
    max_rank: int = 5000
    tolerance: float = 1e-4
    max_iter: int = 1000

    def __post_init__(self) -> None:
        check_choice(self.name, "variant", self.variant, tuple(_DEFAULTS))
        if self.snr is not None:
            check_positive(self.name, "snr", self.snr)
        for setting in ("updates", "growth", "max_rank", "max_iter"):
            check_count(self.name, setting, getattr(self, setting))
        for setting in ("growth_tolerance", "tolerance"):
            check_tolerance(self.name, setting, getattr(self, setting))
        self._smoothness_given()

    def candidate(self, question: Question) -> int | None:
        """Among the few that small tensors are tried with."""
        return question.place(50, when=question.small)

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        smooth = [mode for mode, weight in enumerate(self._smoothness(observed.shape), start=1) if weight > 0]
        return lost_slices_are_in(smooth, observed)

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Raises for a smoothness that does not fit the tensor; refuses what may not fit into memory."""
        self.used_on(observed)
        needed = 8 * sum(observed.shape) * min(self.max_rank, 1 + self.growth * self.max_iter)
        there = physical_memory()
        if there is None or needed <= there:
            return None
        return (
            f"{self.name} may need {needed / 2**30:,.0f} GiB for {self.max_rank} components of shape {observed.shape} "
            f"and this machine has {there / 2**30:,.0f}; a smaller max_rank needs less."
        )

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        settings = self.used_on(observed)
        plan = Plan(
            quadratic=settings["variant"] == "quadratic",
            **{key: value for key, value in settings.items() if key not in ("variant", "max_iter")},
        )
        return complete_by(self, observed, lambda data: SmoothParafac(data, plan, rng).run(), settings, watch=watch)

    def used_on(self, observed: ObservedTensor) -> dict[str, Any]:
        """The settings as they are used on a tensor, nothing left open."""
        return {
            "variant": self.variant,
            "smoothness": self._smoothness(observed.shape),
            "snr": _DEFAULTS[self.variant]["snr"] if self.snr is None else float(self.snr),
            "updates": int(self.updates),
            "growth": int(self.growth),
            "growth_tolerance": float(self.growth_tolerance),
            "max_rank": int(self.max_rank),
            "tolerance": float(self.tolerance),
            "max_iter": int(self.max_iter),
        }

    def _smoothness(self, shape: tuple[int, ...]) -> tuple[float, ...]:
        given = self._smoothness_given()
        if not isinstance(given, tuple):
            return tuple(given if size > _UNORDERED else 0.0 for size in shape)
        if len(given) != len(shape):
            raise wrong(self.name, "smoothness", f"have {len(shape)} entries, one per mode", self.smoothness)
        return given

    def _smoothness_given(self) -> float | tuple[float, ...]:
        """One number, or one per mode, checked as far as it can be without a tensor."""
        given: Any = _DEFAULTS[self.variant]["smoothness"] if self.smoothness is None else self.smoothness
        if isinstance(given, Real):
            check_tolerance(self.name, "smoothness", given)
            return float(given)
        if isinstance(given, str | bytes) or not isinstance(given, Iterable):
            raise wrong(self.name, "smoothness", "be one number or one per mode", given)
        values = tuple(given)
        try:
            for value in values:
                check_tolerance(self.name, "smoothness", value)
        except InvalidSetting:
            raise wrong(self.name, "smoothness", "consist of numbers, 0 or more", given) from None
        return tuple(float(value) for value in values)
