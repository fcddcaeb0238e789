"""Scaled spectral: `spectral` on data whose slices were brought to one size, such as small and large stations.

W = s_i V at index i of a mode, where s_i is the root mean square of what is known in that slice, and V is what
`spectral` finds for data divided by s. In its own units a large slice would be most of what is learned, and small ones
would be noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..completion import Completion, Watch
from ..method import Cost, HeldOutUnits, Method
from ..observed import ObservedTensor
from ..units import SliceUnits
from .setting_checks import are_modes, wrong
from .spectral import Spectral

_ROUGH = 0.4  # root mean square of the differences of neighbouring log s_i: by a factor of 1.5


@dataclass(frozen=True, kw_only=True)
class ScaledSpectral(Method):
    """`spectral`, with the slices of a mode in units of their own.

    Parameters
    ----------
    mode
        Whose slices, counted from 1 (default: the mode along which their sizes jump most from one to the next, for
        where they change slowly the cosines of `spectral` tell that as well).
    """

    name: ClassVar[str] = "scaled-spectral"
    summary: ClassVar[str] = "spectral, with the slices of a mode brought to one size first; nonnegative everywhere"
    reference: ClassVar[str] = "Ours"
    nonnegative: ClassVar[bool] = True
    tells_uncertainty: ClassVar[bool] = True
    interpolates: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Spectral.costs
    place_if_small: ClassVar[int | None] = 30

    mode: int | None = None

    def __post_init__(self) -> None:
        if self.mode is not None and not are_modes([self.mode]):
            raise wrong(self.name, "mode", "be a mode number, counted from 1", self.mode)

    def held_out_units(self, observed: ObservedTensor) -> HeldOutUnits | None:
        """A share of the largest known value of slices that are brought to one size."""
        return "largest"

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return True

    def worth_trying(self, observed: ObservedTensor) -> bool:
        """Whether slices differ enough in size for it to be something else than `spectral`."""
        return max(_roughness(_units(observed))) > _ROUGH

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Raises for a mode that the tensor does not have; refuses what does not fit into memory."""
        if self.mode is not None and self.mode > observed.order:
            raise wrong(self.name, "mode", f"be a mode number from 1 to {observed.order}", self.mode)
        return Spectral().refuses(observed)

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        if self.mode is None:
            units = _units(observed)
            chosen = units[int(np.argmax(_roughness(units)))]
            reasons = {"mode": f"Neighbouring slices of mode {chosen.mode + 1} differ most in size."}
        else:
            chosen, reasons = SliceUnits.of(observed, self.mode - 1), {}
        look = None if watch is None else chosen.watching(watch)
        done = Spectral().complete(chosen.apply(observed), rng=rng, watch=look)
        back = chosen.restore(done, observed)
        return replace(
            back,
            method=self.name,
            settings={"mode": chosen.mode + 1},
            reasons={**back.reasons, **reasons},
            notes=done.notes,
        )


def _units(observed: ObservedTensor) -> list[SliceUnits]:
    """Those of every mode."""
    return [replace(SliceUnits.of(observed, mode), mode=mode) for mode in range(observed.order)]


def _roughness(units: list[SliceUnits]) -> list[float]:
    """How much neighbouring slices differ in size, for every mode."""
    found = []
    for unit in units:
        steps = np.zeros(1) if unit.scales is None else np.diff(np.log(unit.scales))
        found.append(float(np.sqrt(np.mean(steps**2))))
    return found
