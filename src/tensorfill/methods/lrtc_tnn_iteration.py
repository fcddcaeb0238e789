"""The iteration of `lrtc-tnn`: that of `halrtc`, but the largest singular values of every unfolding cost nothing.

First one singular value of every unfolding is free, then r_n. What nothing holds back stays where it starts: with r_n
free from the beginning, a block of a constant that fills a hole can be among them, and then remains for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..completion import StopReason
from ..iterating import Progress
from .halrtc_iteration import HaLRTCIteration

_LATER_PENALTY = 10.0  # times the first one: from a good start on, more is kept from the beginning


def iterations(state: HaLRTCIteration, free: Sequence[int], tolerance: float) -> Iterator[Progress]:
    """The states of both stages; the cost is Σ α_n ‖Y_n‖_{r_n,*}, for the start with Y_n = X_(n) and r_n = 0."""
    later = _LATER_PENALTY * state.penalty
    yield Progress(state.cost, state.estimate())
    yield from _steps(state, tolerance)
    state.restart(later, free)
    yield from _steps(state, tolerance)
    stop = StopReason("change", f"Converged: the last iteration changed the tensor by a share of {state.change:.1e}.")
    yield Progress(state.cost, state.estimate(), stop=stop)


def _steps(state: HaLRTCIteration, tolerance: float) -> Iterator[Progress]:
    """Steps up to the one that changes X by less than `tolerance`, which is made but not told."""
    while True:
        state.step()
        if state.under_way and state.change < tolerance:
            return
        yield Progress(state.cost, state.estimate())
