"""HeldOutRun: what a method that holds entries out for its own choices tells of that.

Others can then be compared with it on the same entries, and it does not have to run a second time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, Estimate, Watch
from ..observed import ObservedTensor
from ..tensor import Array
from .judge import Judge


class Deviations(Protocol):
    """How sure to be of somebody's estimate. Completions keep it, so that it must be possible to pickle it."""

    def __call__(self, entries: Array, *, errors: Array, more: float) -> Array:
        """The standard deviation of every entry, if these were the errors at held-out ones.

        `more` is added to all variances, in squares of the largest known value.
        """
        ...


def own_deviations(sure: Deviations, estimate: Estimate, errors: Array) -> Array:
    """How sure to be of an estimate with these errors at held-out entries."""
    return sure(estimate.dense(), errors=errors, more=0.0)


@dataclass(frozen=True, eq=False)
class HeldOutRun:
    """What was held out, and predicted there before it was given back, in the units of the data."""

    held: NDArray[np.bool_]
    predictions: Array
    """For every held-out entry, in order."""
    judge: Judge
    deviations: Deviations | None = None
    """None: the method does not know."""


@runtime_checkable
class HoldsOut(Protocol):
    """A method that holds entries out for its own choices, and tells of it."""

    def run(
        self,
        observed: ObservedTensor,
        *,
        rng: np.random.Generator,
        watch: Watch | None = None,
    ) -> tuple[Completion, HeldOutRun | None]:
        """Complete the tensor; also what was predicted where entries were held out, None if none were, or not yet."""
        ...
