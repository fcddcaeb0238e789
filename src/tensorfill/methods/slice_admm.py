"""What `t-ctv` and `tnn` share: an ADMM on slices under a penalty that grows, how precise it is, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..completion import StopReason
from ..iterating import Progress
from .known_entries import KnownEntries
from .setting_checks import check_count, check_positive, check_tolerance, wrong

LARGEST_PENALTY = 1e10
"""Penalties grow up to here; nothing moves by then."""

_SINGLE_PRECISION_FROM = 1e-5  # tolerances, as a share of the largest known value, that are met in single precision


class State(Protocol):
    """Where an ADMM stands: X, the objective at its copies, and the largest change of the last step."""

    known: KnownEntries
    values: NDArray[Any]
    cost: float
    change: float

    def step(self) -> None:
        """One iteration."""


def iterations(state: State, tolerance: float) -> Iterator[Progress]:
    """The states, the start first, until no entry changes by `tolerance` and no known one is missed by as much."""
    stop: StopReason | None = None
    while True:
        yield Progress(state.cost, state.known.estimate(state.values), stop=stop)
        state.step()
        if state.change < tolerance:
            stop = StopReason(
                "change",
                f"Converged: no entry changed by more than {state.change:.1e} of the largest known value in the last "
                "iteration, and no known one was missed by more.",
            )


def grown(penalty: float, growth: float) -> float:
    """The penalty of the next iteration."""
    return min(growth * penalty, max(LARGEST_PENALTY, penalty))


def largest_change(new: NDArray[Any], old: NDArray[Any]) -> float:
    """max |X_new − X|."""
    difference = new - old
    return float(max(difference.max(), -difference.min()))


def precision(tolerance: float) -> DTypeLike:
    """The precision that a tolerance needs."""
    return np.float32 if tolerance >= _SINGLE_PRECISION_FROM else np.float64


def copies_of_eight_bytes(arrays: int, tolerance: float) -> int:
    """What so many full arrays need, as a number of arrays in double precision, and one for the result."""
    return -(-arrays * np.dtype(precision(tolerance)).itemsize // 8) + 1


def check_schedule(method: str, penalty: object, penalty_growth: Any, tolerance: object, max_iter: object) -> None:
    """The settings that both methods have."""
    check_positive(method, "penalty", penalty)
    check_positive(method, "penalty_growth", penalty_growth)
    if penalty_growth < 1:
        raise wrong(method, "penalty_growth", "be 1 or more", penalty_growth)
    check_tolerance(method, "tolerance", tolerance)
    check_count(method, "max_iter", max_iter)
