"""What Ctrl-C does to the command: while it is loaded, while it works, and when it is done.

Python's own way, an exception wherever it happens to be, is right only while a verb works: libraries that are being
loaded may catch it, and what is done by then cannot be stopped.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
NOTHING_WRITTEN = "Stopped; nothing was written."


def leave_when_pressed() -> None:
    """From here on Ctrl-C ends the process at once, with its sentence; not where it was ignored, as after `nohup`."""
    if _is(signal.default_int_handler):
        signal.signal(signal.SIGINT, _leave)


@contextmanager
def interruptible() -> Iterator[None]:
    """In the block Ctrl-C is a KeyboardInterrupt, and after it nothing: all is done by then, and said."""
    if not _is(_leave):
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def stay_until_the_end() -> None:
    """From here on Ctrl-C does nothing: Python tidies up."""
    if _is(_leave):
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _is(handler: object) -> bool:
    return threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is handler


def _leave(number: int, frame: FrameType | None) -> None:
    os.write(2, f"{NOTHING_WRITTEN}\n".encode())
    os._exit(INTERRUPTED)
