"""The constant estimate: the same value everywhere, at no cost in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..completion import Certificate, Completion, StopReason
from ..observed import ObservedTensor
from ..tensor import Array


class ConstantEstimate:
    """A tensor with one value."""

    def __init__(self, shape: tuple[int, ...], value: float) -> None:
        self.shape = shape
        self.value = value

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """The value, once per row."""
        return np.full(len(coordinates), self.value)

    def dense(self) -> Array:
        """The value everywhere."""
        return np.full(self.shape, self.value)

    def components(self) -> tuple[Array, ...]:
        """As many equal parts as there are modes."""
        parts = len(self.shape)
        return tuple(np.full(self.shape, self.value / parts) for _ in range(parts))


def all_zero(observed: ObservedTensor, method: str, settings: Mapping[str, Any]) -> Completion:
    """The completion of data that is zero wherever it was observed: W = 0 is the global optimum, with cost 0."""
    return Completion(
        observed=observed,
        method=method,
        estimate=ConstantEstimate(observed.shape, 0.0),
        nonnegative=True,
        stop=StopReason("all zero", "Every observed value is zero, so the completion is zero everywhere."),
        seconds=0.0,
        certificate=Certificate(upper=0.0, lower=0.0, negativity=0.0, complementarity=0.0, stationarity=0.0),
        settings=dict(settings),
        smallest=0.0,
    )
