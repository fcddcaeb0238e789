"""Forecast: about how much memory and time a method will take, before it starts.

The figures were measured by benchmarks/forecast.py on two cores. Time depends on the data: a forecast is good to about
a factor of two, memory is closer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..memory import available_memory
from ..tensor import entries
from .auto_phases import runs_again
from .candidates import holdings, methods_tried

_FIXED_BYTES = 3e8  # the interpreter, libraries and compiled code
_FIXED_SECONDS = 0.2


@dataclass(frozen=True)
class Cost:
    """What a method needs per entry of the tensor, in bytes and microseconds."""

    bytes: float
    microseconds: float
    bytes_if_missing: float = 0.0
    """On top of that, times the share of entries that is missing."""
    microseconds_if_missing: float = 0.0
    microseconds_per_side: float = 0.0
    """On top of that, times the shorter side of a slice: singular values."""
    seconds: float = 0.03
    """For each run, however small the tensor."""

    def bytes_for(self, shape: Sequence[int], missing: float) -> float:
        """In all, on a tensor of this shape."""
        return entries(shape) * (self.bytes + missing * self.bytes_if_missing)

    def seconds_for(self, shape: Sequence[int], missing: float) -> float:
        """One run, on a tensor of this shape."""
        side = sorted(shape)[-2] if len(shape) > 1 else 1
        each = self.microseconds + missing * self.microseconds_if_missing + side * self.microseconds_per_side
        return self.seconds + 1e-6 * entries(shape) * each


# With entries missing one by one, and with holes that have a shape.
COSTS: dict[str, tuple[Cost, Cost]] = {
    "spectral": (Cost(80, 2.8, seconds=0.3), Cost(70, 2, 100, 50, seconds=0.3)),
    "scaled-spectral": (Cost(80, 2.8, seconds=0.3), Cost(70, 2, 100, 50, seconds=0.3)),
    "t-ctv": (Cost(80, 3.3, microseconds_per_side=0.0085), Cost(95, 3.3, microseconds_per_side=0.0085)),
    "spc": (Cost(210, 4), Cost(210, 8)),
    "tnn": (Cost(95, 4.5), Cost(125, 6)),
    "ncpc": (Cost(250, 4.5), Cost(250, 4.5)),
    "lrtc-tnn": (Cost(75, 10), Cost(75, 10)),
    "nonneg-dual": (Cost(140, 40), Cost(200, 60)),
    "dual": (Cost(100, 20), Cost(140, 30)),
    "nearest-slices": (Cost(120, 2), Cost(120, 2)),
    "linear": (Cost(240, 7), Cost(35, 0.5, 100, 2)),
    "zero-fill": (Cost(60, 0.1), Cost(60, 0.1)),
    "mean-fill": (Cost(60, 0.1), Cost(60, 0.1)),
}
_USUAL = (Cost(250, 30), Cost(250, 30))
_STANDING = 40  # bytes per entry for the answer that auto has, while it tries others
_SOME = 0.3  # of the entries are missing, where nobody says how many


@dataclass(frozen=True)
class Forecast:
    """About what a completion will need."""

    bytes: int
    seconds: float

    @property
    def fits(self) -> bool:
        """Whether that much memory is free now."""
        there = available_memory()
        return there is None or self.bytes <= there


def method_seconds(shape: Sequence[int], method: str, *, shaped_holes: bool, missing: float = _SOME) -> float:
    """How long one run of a method takes on a tensor of this shape of which this share is missing."""
    return COSTS.get(method, _USUAL)[shaped_holes].seconds_for(shape, missing)


def forecast(
    shape: Sequence[int],
    method: str,
    *,
    effort: str = "normal",
    shaped_holes: bool = False,
    missing: float = _SOME,
) -> Forecast:
    """What this method will need on a tensor of this shape of which this share is missing."""
    size = entries(shape)
    names = methods_tried(effort, shape, shaped_holes=shaped_holes) if method == "auto" else (method,)
    first, *others = (COSTS.get(name, _USUAL)[shaped_holes] for name in names)
    memory = max(
        first.bytes_for(shape, missing), *(_STANDING * size + cost.bytes_for(shape, missing) for cost in others), 0
    )
    runs = [cost.seconds_for(shape, missing) for cost in others]
    seconds = first.seconds_for(shape, missing) + (1 + runs_again(len(others), shape)) * sum(runs)
    if others:
        seconds += (holdings(size) - 1) * sum(cost.seconds for cost in others)
    return Forecast(round(_FIXED_BYTES + memory), _FIXED_SECONDS + seconds)
