"""Forecast: about how much memory and time a method will take, before it starts.

The figures were measured by benchmarks/forecast.py on two cores. Time depends on the data: a forecast is good to about
a factor of two or three, memory is closer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..memory import available_memory
from ..tensor import entries
from .candidates import holdings, methods_tried

_FIXED_BYTES = 3e8  # the interpreter, libraries and compiled code
_FIXED_SECONDS = 1.0
_RUN_SECONDS = 0.03  # one method on a tensor so small that it is tried several times


@dataclass(frozen=True)
class Cost:
    """What a method needs per entry of the tensor, in bytes and microseconds."""

    bytes: float
    microseconds: float


# With entries missing one by one, and with holes that have a shape.
COSTS: dict[str, tuple[Cost, Cost]] = {
    "spectral": (Cost(80, 8), Cost(100, 18)),
    "scaled-spectral": (Cost(80, 8), Cost(100, 18)),
    "t-ctv": (Cost(80, 10), Cost(95, 10)),
    "spc": (Cost(210, 15), Cost(210, 20)),
    "tnn": (Cost(95, 8), Cost(125, 10)),
    "lrtc-tnn": (Cost(75, 10), Cost(75, 10)),
    "nonneg-dual": (Cost(140, 40), Cost(200, 60)),
    "dual": (Cost(100, 20), Cost(140, 30)),
    "nearest-slices": (Cost(120, 2), Cost(120, 2)),
    "linear": (Cost(240, 7), Cost(60, 1)),
    "zero-fill": (Cost(60, 0.1), Cost(60, 0.1)),
    "mean-fill": (Cost(60, 0.1), Cost(60, 0.1)),
}
_USUAL = (Cost(250, 30), Cost(250, 30))
_STANDING = 40  # bytes per entry for the answer that auto has, while it tries others
_TWICE = 0.5  # of the other methods get a weight, and run again


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


def forecast(shape: Sequence[int], method: str, *, effort: str = "normal", shaped_holes: bool = False) -> Forecast:
    """What this method will need on a tensor of this shape."""
    size = entries(shape)
    names = methods_tried(effort, shape, shaped_holes=shaped_holes) if method == "auto" else (method,)
    costs = [COSTS.get(name, _USUAL)[shaped_holes] for name in names]
    memory = max(cost.bytes for cost in costs) + (_STANDING if len(costs) > 1 else 0)
    others = sum(cost.microseconds for cost in costs[1:])
    seconds = 1e-6 * size * (costs[0].microseconds + (1 + _TWICE) * others)
    if len(names) > 1:
        seconds += _RUN_SECONDS * len(names) * (holdings(size) - 1)
    return Forecast(round(_FIXED_BYTES + memory * size), _FIXED_SECONDS + seconds)
