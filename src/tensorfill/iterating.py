"""Iterating: one loop for all iterative methods, with its clock, its history and its reasons to stop.

A method is a `Solver`, or any iterator of `Progress`: the start first, then the state after every iteration.
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from .completion import Estimate, History, Iteration, Snapshot, StopReason, Watch
from .interrupting import TimeIsUp, look_at_clock, postpone
from .keeping.states import KeptStates

_STALLED = "Stopped because no further step could be made."


class NoFurtherStep(Exception):
    """What a solver raises that cannot go on, with the reason; it is still where it was before the step."""


class Solver(ABC):
    """An iteration whose state is its attributes: made at the start, moved by `step`.

    It can be pickled or copied between two steps, and the copy goes on to the same result, bit for bit.
    """

    cost: float
    """The objective, or what the method takes for it."""

    @property
    def measures(self) -> Mapping[str, float]:
        """What else it measures, by name."""
        return {}

    @abstractmethod
    def step(self) -> None:
        """One iteration."""

    @abstractmethod
    def estimate(self) -> Estimate:
        """The tensor as it stands. The estimate must stay as it is when the iteration goes on."""

    def finished(self) -> StopReason | None:
        """The method's own reason to stop here, if it has one."""
        return None


class Clock:
    """Seconds since the start, without the time spent watching."""

    def __init__(self, already: float = 0.0) -> None:
        self._start = time.perf_counter() - already

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return time.perf_counter() - self._start

    def call_paused(self, watch: Watch, snapshot: Snapshot) -> bool:
        """Whether the watcher wants to stop; the clock stands still while it thinks."""
        before = time.perf_counter()
        try:
            return bool(watch(snapshot))
        finally:
            taken = time.perf_counter() - before
            self._start += taken
            postpone(taken)


@dataclass(frozen=True, eq=False)
class Progress:
    """Where a method stands. The estimate must stay as it is when the method goes on."""

    cost: float
    estimate: Estimate
    measures: Mapping[str, float] = field(default_factory=dict)
    """What else the method measures, by name."""
    stop: StopReason | None = None
    """The method's own reason to stop here, if it has one."""


def follow(solver: Solver) -> Iterator[Progress]:
    """The states of a solver, from where it stands, until it raises `NoFurtherStep`.

    Where states are kept, and this iteration came further before, it goes on from there: what there was to tell about
    states before that is told again.
    """
    if _keeping.states is not None:
        yield from _follow_kept(solver, _keeping.states)
        return
    while True:
        yield Progress(solver.cost, solver.estimate(), solver.measures, solver.finished())
        solver.step()


class _Keeping(threading.local):
    """Who keeps states in this thread."""

    states: KeptStates | None = None


_keeping = _Keeping()


@contextmanager
def keeping_states(states: KeptStates | None) -> Iterator[None]:
    """In the block, solvers that are followed in this thread go on from their states in here, and keep new ones."""
    before, _keeping.states = _keeping.states, states
    try:
        yield
    finally:
        _keeping.states = before


def _follow_kept(solver: Solver, states: KeptStates) -> Iterator[Progress]:
    track = states.begin(solver)
    before = track.go_on(solver)
    if before:
        estimate = solver.estimate()
        for cost, measures in before:
            yield Progress(cost, estimate, measures)
    while True:
        at = Progress(solver.cost, solver.estimate(), solver.measures, solver.finished())
        track.offer(solver, at.cost, at.measures, last=at.stop is not None)
        yield at
        solver.step()


@dataclass(frozen=True, eq=False)
class Outcome:
    """Where an iteration ended, and why."""

    estimate: Estimate
    history: History
    stop: StopReason
    seconds: float


def iterate(
    steps: Iterator[Progress],
    max_iter: int,
    watch: Watch | None,
    *,
    after: Outcome | None = None,
    clock: Clock | None = None,
) -> Outcome:
    """Follow a method until it has a reason to stop, the watcher wants to, or max_iter iterations were made.

    Ctrl-C and a deadline end it with the last state, once there is one. A cost that is not a number ends it with the
    state before. `after` an iteration that is done, another goes on: its history and seconds count, and where it ended
    is the first state; if there are no steps, that is the outcome. `clock` may have been started before.
    """
    history: list[Iteration] = [] if after is None else list(after.history)
    at = None if after is None else Progress(history[-1].cost, after.estimate)
    stop = None if after is None else after.stop
    seconds = 0.0 if after is None else after.seconds
    clock = Clock(seconds) if clock is None else clock
    try:
        for iteration, new in enumerate(steps, len(history)):
            if at is not None and not math.isfinite(new.cost):
                stop = StopReason(
                    "stalled",
                    f"Stopped because values grew beyond all bounds in iteration {iteration}: this is the state before "
                    "it. Smaller ranks or step sizes may help.",
                )
                break
            at, seconds = new, clock.seconds
            history.append(Iteration(iteration, seconds, new.cost, new.measures))
            asked = watch is not None and clock.call_paused(watch, Snapshot(history[-1], new.estimate))
            stop = _choose_reason(new, iteration, max_iter, asked)
            if stop is not None:
                break
            look_at_clock()
    except NoFurtherStep as end:
        stop = stop or StopReason("stalled", str(end) or _STALLED)  # of what went before, if no step was made
    except KeyboardInterrupt:
        if at is None:
            raise
        stop = StopReason(
            "interrupted", f"Interrupted after {history[-1].iteration} iterations: this is the result so far."
        )
        seconds = clock.seconds
    except TimeIsUp:
        if at is None:
            raise
        stop = out_of_time(history[-1].iteration)
        seconds = clock.seconds
    assert at is not None, "a method begins by telling where it starts"
    ended = stop or StopReason("stalled", _STALLED)
    return Outcome(at.estimate, History(history), ended, seconds)


def out_of_time(iterations: int) -> StopReason:
    """What a method says if the deadline is over in the middle of an iteration."""
    return StopReason("time", f"Stopped at the time limit after {iterations} iterations: the result so far.")


def _choose_reason(at: Progress, iteration: int, max_iter: int, asked: bool) -> StopReason | None:
    if asked:
        return StopReason("watch", f"Stopped by the watcher after {iteration} iterations: the result so far.")
    if at.stop is not None:
        return at.stop
    if iteration >= max_iter:
        return StopReason("iterations", f"Stopped at max_iter={max_iter}; raise it to go on.")
    return None
