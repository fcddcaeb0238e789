"""Forecast: about how much memory and time a method will take, before it starts.

The figures were measured by benchmarks/forecast.py on two cores. Time depends on the data: a forecast is good to about
a factor of two or three, memory is closer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..memory import available_memory
from ..tensor import entries
from .auto_choice import methods_tried

_FIXED_BYTES = 3e8  # the interpreter, libraries and compiled code
_FIXED_SECONDS = 1.0


@dataclass(frozen=True)
class Cost:
    """What a method needs per entry of the tensor: bytes, and microseconds with holes one by one or with a shape."""

    bytes: float
    scattered: float
    shaped: float


COSTS: dict[str, Cost] = {
    "spectral": Cost(60, 6, 20),
    "t-ctv": Cost(72, 12, 12),
    "spc": Cost(50, 6, 6),
    "tnn": Cost(62, 6, 6),
    "nonneg-dual": Cost(130, 4, 10),
    "dual": Cost(70, 3, 8),
    "linear": Cost(28, 2, 2),
    "biharmonic": Cost(60, 15, 15),
    "zero-fill": Cost(20, 0.1, 0.1),
    "mean-fill": Cost(20, 0.1, 0.1),
}
_USUAL = Cost(150, 15, 15)
_TENSORS = 16  # bytes per entry for the model and the completed tensor next to each other


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
    names = methods_tried(effort, size, shaped_holes=shaped_holes) if method == "auto" else (method,)
    costs = [COSTS.get(name, _USUAL) for name in names]
    each = [cost.shaped if shaped_holes else cost.scattered for cost in costs]
    # auto keeps the answer of the first method while others run, and runs what gets a weight twice.
    memory = max(cost.bytes for cost in costs) + _TENSORS * (2 if len(costs) > 1 else 1)
    seconds = sum(each) + (sum(each[1:]) if len(each) > 1 else 0.0)
    return Forecast(round(_FIXED_BYTES + memory * size), _FIXED_SECONDS + 1e-6 * seconds * size)
