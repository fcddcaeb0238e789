"""Low rank and smooth at once: what is missing follows its neighbours as well as the patterns of the whole.

Variant I minimises Σ_n α_n ‖Z_(n)‖_* + λ Σ_{n smooth} ‖F_n Z_(n)‖_1 over tensors with Z_Ω = Y; α_n = 1/N, and F_n takes
differences of neighbours along mode n. Variant II has Z = G ×_1 V_1 … ×_N V_N, and Σ_n α_n ‖V_n‖_* + λ_2 ‖G‖² for the
first sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ..completion import Completion, Watch
from ..iterating import Progress
from ..method import Stroke, lost_slices_are_in
from ..observed import ObservedTensor
from .baseline import complete_by, too_large_to_fill
from .lrtc_tv_smoothing import Weighting
from .lrtc_tv_trace_norm import by_trace_norm
from .lrtc_tv_tucker import by_smooth_tucker
from .setting_checks import are_modes, check_choice, check_count, check_positive, check_tolerance, wrong

Variant = Literal["I", "II"]

_DEFAULTS: dict[str, dict[str, float]] = {
    "I": {"tv_weight": 0.02, "penalty": 1e-3, "penalty_growth": 1.05, "tolerance": 1e-6},
    "II": {"tv_weight": 0.5, "penalty": 1e-2, "penalty_growth": 1.1, "tolerance": 0.0},
}


@dataclass(frozen=True, kw_only=True)
class LRTCTV:
    """Low-rank tensor completion with total variation, by ADMM with a growing penalty.

    Parameters
    ----------
    variant
        "I" (trace norms of the unfoldings) or "II" (a Tucker tensor; better on pictures, and slower).
    tv_weight
        λ, the weight of the total variation (default: 0.02 for variant I, 0.5 for variant II).
    core_weight
        λ_2, the weight of the core's squared norm; variant II only.
    smooth_modes
        The modes along which neighbours should be alike, counted from 1 (default: the first two, (1, 2)). Empty: none.
    penalty
        ρ of the first iteration (default: 0.001 for variant I, 0.01 for variant II).
    penalty_growth
        What ρ is multiplied by after every iteration (default: 1.05 for variant I, 1.1 for variant II).
    tolerance
        Stop when ‖Z_new − Z‖ < tolerance · ‖Z_new‖ (default: 1e-6 for variant I; 0, never, for variant II).
    max_iter
        Most iterations.
    """

    name: ClassVar[str] = "lrtc-tv"
    stroke: ClassVar[Stroke] = Stroke("#8a63b8", "<")
    summary: ClassVar[str] = "Low rank and small total variation: neighbours are alike; may go negative"
    reference: ClassVar[str] = "Li, Ye & Xu, AAAI 2017"
    nonnegative: ClassVar[bool] = False

    variant: Variant = "I"
    tv_weight: float | None = None
    core_weight: float = 1000.0
    smooth_modes: Sequence[int] | None = None
    penalty: float | None = None
    penalty_growth: float | None = None
    tolerance: float | None = None
    max_iter: int = 301

    def __post_init__(self) -> None:
        check_choice(self.name, "variant", self.variant, ("I", "II"))
        check_positive(self.name, "core_weight", self.core_weight)
        check_count(self.name, "max_iter", self.max_iter)
        for setting in ("tv_weight", "tolerance"):
            if getattr(self, setting) is not None:
                check_tolerance(self.name, setting, getattr(self, setting))
        for setting in ("penalty", "penalty_growth"):
            if getattr(self, setting) is not None:
                check_positive(self.name, setting, getattr(self, setting))
        if self.penalty_growth is not None and self.penalty_growth < 1:
            raise wrong(self.name, "penalty_growth", "be 1 or more", self.penalty_growth)
        if self.smooth_modes is not None and not are_modes(self.smooth_modes):
            requirement = "be different mode numbers, counted from 1, such as (1, 2)"
            raise wrong(self.name, "smooth_modes", requirement, self.smooth_modes)

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return lost_slices_are_in(self._smooth_modes(observed.order), observed)

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Raises for smooth modes that the tensor does not have; refuses what does not fit into memory."""
        copies = 3 * len(self._smooth_modes(observed.order)) + 8
        if self.variant == "I":
            return too_large_to_fill(self.name, observed, copies + observed.order)
        factors = 8 * sum(size**2 for size in observed.shape)  # of variant II, square whatever the other modes are
        return too_large_to_fill(self.name, observed, copies + 3 + factors // observed.size)

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        settings = self.used_on(observed)
        weighting = Weighting(
            smooth_modes=tuple(mode - 1 for mode in settings["smooth_modes"]),
            tv_weight=settings["tv_weight"],
            penalty=settings["penalty"],
            penalty_growth=settings["penalty_growth"],
            core_weight=settings["core_weight"],
        )

        def algorithm(data: ObservedTensor) -> Iterator[Progress]:
            states = by_trace_norm if self.variant == "I" else by_smooth_tucker
            return states(data, weighting, settings["tolerance"], rng)

        return complete_by(self, observed, algorithm, settings, watch=watch)

    def used_on(self, observed: ObservedTensor) -> dict[str, Any]:
        """The settings as they are used on a tensor, nothing left open."""
        chosen = {
            setting: default if getattr(self, setting) is None else float(getattr(self, setting))
            for setting, default in _DEFAULTS[self.variant].items()
        }
        return {
            "variant": self.variant,
            **chosen,
            "core_weight": float(self.core_weight),
            "smooth_modes": self._smooth_modes(observed.order),
            "max_iter": self.max_iter,
        }

    def _smooth_modes(self, order: int) -> tuple[int, ...]:
        if self.smooth_modes is None:
            return (1, 2)
        if max(self.smooth_modes, default=1) > order:
            raise wrong(self.name, "smooth_modes", f"be mode numbers from 1 to {order}", self.smooth_modes)
        return tuple(sorted(int(mode) for mode in self.smooth_modes))
