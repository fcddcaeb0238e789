"""Running a completion for a person: progress while it works, plain notes, and what Ctrl-C does."""

from __future__ import annotations

import logging
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

from .. import library
from ..completion import Completion, Snapshot
from ..errors import TensorfillWarning
from ..interrupting import raise_if_pressed, remembered
from ..telling import listening
from .app import Stopped
from .progress import ProgressLine, seconds_compiling

_WORTH_TELLING = 1.0  # seconds


def run(data: Any, *, progress: ProgressLine | None = None, **arguments: Any) -> tuple[Completion, tuple[str, ...]]:
    """Complete with progress on a terminal; also returns the notes that were not shown on the way.

    Without lines of progress to write on, it makes its own for this one completion.
    """
    shown: list[str] = []
    with ExitStack() as stack:
        line = stack.enter_context(ProgressLine()) if progress is None else progress
        if progress is None:
            line.begin(arguments.get("method", "auto"), 0.0)
        stack.enter_context(_plain_warnings(line, shown))
        stack.enter_context(_plain_log(line))
        stack.enter_context(listening(line.enter))
        stack.enter_context(remembered())

        def watch(snapshot: Snapshot) -> None:
            line.watch(snapshot)
            raise_if_pressed()

        compiled, _ = seconds_compiling()
        try:
            done = library.complete(data, watch=watch, **arguments)
            if (taken := seconds_compiling()[0] - compiled) >= _WORTH_TELLING:
                line.say(f"Compiling took {taken:.0f} s.")
        except KeyboardInterrupt:
            # With iterations done, this was a second Ctrl-C while the library was finishing up after the first.
            when = "before the first iteration" if line.iterations == 0 else "again before the result was ready"
            raise Stopped(f"Stopped {when}; nothing was written.") from None
    return done, tuple(note for note in done.notes if note not in shown)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """A line on a terminal that says what is read, and how far that is, for verbs that have no other progress."""
    with ProgressLine() as line, listening(line.enter):
        line.begin(path.name, 0.0, "reading")
        yield


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Ctrl-C has no effect in the block: files are written whole, all of them, and told about."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _plain_log(progress: ProgressLine) -> Iterator[None]:
    """What the library logs, such as that it is compiling, as plain lines."""

    class Line(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            progress.say(record.getMessage())

    logger, line = logging.getLogger("tensorfill"), Line()
    before = logger.level
    logger.addHandler(line)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(line)
        logger.setLevel(before)


@contextmanager
def _plain_warnings(progress: ProgressLine, shown: list[str]) -> Iterator[None]:
    """Our own warnings as one plain line each, at once; those of others as Python shows them."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", TensorfillWarning)
        warnings.showwarning = _showing(progress, shown, warnings.showwarning)
        yield


def _showing(progress: ProgressLine, shown: list[str], otherwise: Callable[..., None]) -> Callable[..., None]:
    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if not issubclass(category, TensorfillWarning):
            otherwise(message, category, filename, lineno, file, line)
        elif str(message) not in shown:
            shown.append(str(message))
            progress.say(f"Note: {message}")

    return show
