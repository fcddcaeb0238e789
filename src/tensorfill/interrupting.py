"""What stops work before it is done: Ctrl-C, and a deadline.

Ctrl-C does something else to the command while it is loaded, while it works and when it is done; and while a kernel
compiles. Python's own way, an exception wherever it happens to be, is right only while a verb works: libraries that
are being loaded may catch it, a compiler does not survive it, and what is done by then cannot be stopped.

A deadline is what long work looks at while it is under way, not only between two iterations. Whoever calls a method
sets it with `time_limited`. Loops that take long call `look_at_clock`; so does everything that is shared between
threads. When the time is over it raises `TimeIsUp`, once: the loop of the method catches that, and may still take what
it needs to hand over what it has.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], object] | signal.Handlers

INTERRUPTED = 130
NOTHING_WRITTEN = "Stopped; nothing was written."


def leave_when_pressed() -> None:
    """From here on Ctrl-C ends the process at once, with its sentence; not where it was ignored, as after `nohup`."""
    if _is(signal.default_int_handler):
        signal.signal(signal.SIGINT, _leave)


@contextmanager
def interruptible() -> Iterator[None]:
    """In the block Ctrl-C is a KeyboardInterrupt, and after it nothing: all is done by then, and said."""
    with _remembering(_leave, signal.SIG_IGN):
        yield


@contextmanager
def remembered() -> Iterator[None]:
    """The same for work that is not within such a block; after it Ctrl-C is what it was."""
    with _remembering(signal.default_int_handler, signal.default_int_handler):
        yield


def raise_if_pressed() -> None:
    """Raise the interrupt again after a Ctrl-C that got lost.

    Python raises it wherever it happens to be: in a callback or while a library is imported, some catch everything.
    """
    if _presses.any:
        raise KeyboardInterrupt


@contextmanager
def postponed() -> Iterator[None]:
    """Ctrl-C in the block does after it what it does now; also where somebody else says what that is."""
    handler = signal.getsignal(signal.SIGINT) if _is_main_thread() else None
    if not callable(handler) or isinstance(handler, signal.Handlers):  # ignored, or the system's own way
        yield
        return
    pressed = []
    signal.signal(signal.SIGINT, lambda number, frame: pressed.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if pressed:
            handler(signal.SIGINT, pressed[0])


def stay_until_the_end() -> None:
    """From here on Ctrl-C does nothing: Python tidies up."""
    if _is(_leave):
        signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Presses:
    """Whether Ctrl-C was pressed since it has been remembered."""

    any = False


_presses = _Presses()


@contextmanager
def _remembering(before: object, after: Handler) -> Iterator[None]:
    """Remember presses in the block, if Ctrl-C does `before` now; then it does `after`."""
    if not _is(before):
        yield
        return
    _presses.any = False
    signal.signal(signal.SIGINT, _press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, after)


def _press(number: int, frame: FrameType | None) -> None:
    _presses.any = True
    raise KeyboardInterrupt


def _is(handler: object) -> bool:
    return _is_main_thread() and signal.getsignal(signal.SIGINT) is handler


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _leave(number: int, frame: FrameType | None) -> None:
    os.write(2, f"{NOTHING_WRITTEN}\n".encode())
    os._exit(INTERRUPTED)


# A deadline


class TimeIsUp(Exception):
    """The time limit is over: stop, and give back what is there."""


class _Deadline(threading.local):
    """The end of the work of one thread, by its performance counter, or when another thread says so."""

    end: float | None = None
    called_off: threading.Event | None = None


_deadline = _Deadline()


@contextmanager
def time_limited(seconds: float) -> Iterator[None]:
    """Let `look_at_clock` raise after so many seconds, in this thread and within this block."""
    before, _deadline.end = _deadline.end, time.perf_counter() + seconds
    try:
        yield
    finally:
        _deadline.end = before


@contextmanager
def ended_by(called_off: threading.Event) -> Iterator[None]:
    """Let the time of this thread be over, within this block, as soon as another thread sets the event."""
    before, _deadline.called_off = _deadline.called_off, called_off
    try:
        yield
    finally:
        _deadline.called_off = before


def look_at_clock() -> None:
    """Raise `TimeIsUp` if a deadline was set here and is over, the first time only."""
    if seconds_left() <= 0:
        _deadline.end = _deadline.called_off = None
        raise TimeIsUp


def seconds_left() -> float:
    """How long there is until the deadline; infinity without one."""
    if _deadline.called_off is not None and _deadline.called_off.is_set():
        return 0.0
    return float("inf") if _deadline.end is None else _deadline.end - time.perf_counter()


def postpone(seconds: float) -> None:
    """Move the deadline: what a watcher takes does not count."""
    if _deadline.end is not None:
        _deadline.end += seconds
