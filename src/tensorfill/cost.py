"""Cost: what a method needs per entry of a tensor, in memory and time, as a method says of itself.

Figures are measured by benchmarks/forecast.py on two cores. Time depends on the data: it is good to about a factor of
two, memory is closer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .tensor import entries

FIXED_SECONDS = 0.2
"""What a completion takes in any case, whatever the method."""


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
        """In all, on a tensor of this shape of which this share is missing."""
        return entries(shape) * (self.bytes + missing * self.bytes_if_missing)

    def seconds_for(self, shape: Sequence[int], missing: float) -> float:
        """One run, on a tensor of this shape of which this share is missing."""
        side = sorted(shape)[-2] if len(shape) > 1 else 1
        each = self.microseconds + missing * self.microseconds_if_missing + side * self.microseconds_per_side
        return self.seconds + 1e-6 * entries(shape) * each


UNMEASURED = Cost(250, 30), Cost(250, 30)
"""Of a method that has no figures of its own."""
