"""A deadline that long work looks at while it is under way, not only between two iterations.

Whoever calls a method sets it with `time_limited`. Loops that take long call `look_at_clock`; so does everything that
is shared between threads. When the time is over it raises `TimeIsUp`, once: the loop of the method catches that, and
may still take what it needs to hand over what it has.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import local


class TimeIsUp(Exception):
    """The time limit is over: stop, and give back what is there."""


class _Current(local):
    """The end of the work of one thread, by its performance counter."""

    end: float | None = None


_current = _Current()


@contextmanager
def time_limited(seconds: float) -> Iterator[None]:
    """Let `look_at_clock` raise after so many seconds, in this thread and within this block."""
    before, _current.end = _current.end, time.perf_counter() + seconds
    try:
        yield
    finally:
        _current.end = before


def look_at_clock() -> None:
    """Raise `TimeIsUp` if a deadline was set here and is over, the first time only."""
    if _current.end is not None and time.perf_counter() >= _current.end:
        _current.end = None
        raise TimeIsUp


def seconds_left() -> float:
    """How long there is until the deadline; infinity without one."""
    return float("inf") if _current.end is None else _current.end - time.perf_counter()


def postpone(seconds: float) -> None:
    """Move the deadline: what a watcher takes does not count."""
    if _current.end is not None:
        _current.end += seconds
