"""Crew: workers at their runs, a few at a time. One that dies or never ends is an answer too."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from ..rows import DataCard, Row, Status
from .worker import Task, work

_GLANCE = 0.25  # seconds between two looks at the clock
_LONGEST_PLACE = 60  # bytes; the name of a socket has 104 at most, and part of that is Python's
_FAREWELL = 10.0  # seconds a worker that has answered may take to end


@dataclass(frozen=True)
class Answer:
    """The row of a task, and how long its worker took in all."""

    task: Task
    row: Row
    seconds: float


def answers(
    tasks: Sequence[Task], *, jobs: int, grace: float, started: Callable[[Task], None]
) -> Generator[Answer | None]:
    """Every task's answer as it comes, and None whenever a moment has passed without one.

    A worker is killed when it has taken `grace` seconds on top of twice the time limit of its run. When the iterator is
    closed, by an error or by Ctrl-C, the workers are killed too.
    """
    context = _context()
    waiting = deque(tasks)
    seats: list[_Seat] = []
    try:
        while waiting or seats:
            while waiting and len(seats) < jobs:
                with _ctrl_c_later():
                    seats.append(_seat(context, waiting.popleft(), grace))
                started(seats[-1].task)
            wait([seat.answer for seat in seats], timeout=_GLANCE)
            for seat in list(seats):
                row = _row(seat)
                if row is not None:
                    seats.remove(seat)
                    yield Answer(seat.task, row, time.monotonic() - seat.since)
            yield None
    finally:
        for seat in seats:
            _end(seat)


@dataclass
class _Seat:
    """A worker at a task."""

    task: Task
    process: Any
    answer: Connection
    since: float
    deadline: float | None
    data: DataCard | None = None
    """What the worker told about the data before it began."""

    def row(self, status: Status, error: str) -> Row:
        """The row of a run that could not answer itself."""
        task = self.task
        return task.run.row(status, self.data, error=error, threads=task.threads, versions=task.versions)


def _seat(context: Any, task: Task, grace: float) -> _Seat:
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(task, theirs), daemon=True)
    process.start()
    theirs.close()  # so that the worker's end is the last one, and its death is noticed
    now = time.monotonic()
    limit = task.run.time_limit
    return _Seat(task, process, ours, now, None if limit is None else now + 2 * limit + grace)


@contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Hold Ctrl-C back until a worker has all it needs: nobody would end one that is left half started.

    Not by a signal mask: that is one thread's, and any other one of the process may take the signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        signal.raise_signal(signal.SIGINT)


def _row(seat: _Seat) -> Row | None:
    """The answer, if there is one by now."""
    while seat.answer.poll():
        try:
            message = seat.answer.recv()
        except (EOFError, OSError):
            _end(seat, patience=_FAREWELL)
            return seat.row("crashed", _death(seat.process.exitcode))
        if isinstance(message, str):
            _end(seat, patience=_FAREWELL)
            return Row.from_json(message)
        seat.data = message
    if seat.deadline is not None and time.monotonic() > seat.deadline:
        _end(seat)
        spent = time.monotonic() - seat.since
        limit = seat.task.run.time_limit
        return seat.row("timed out", f"It was ended after {spent:.0f} s, its time limit being {limit:g} s.")
    return None


def _context() -> Any:
    """Workers fork from a server that has everything loaded, where that is possible; else they start from nothing."""
    if "forkserver" not in multiprocessing.get_all_start_methods() or not _can_be_called():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tensorfill.bench.measuring", "tensorfill.bench.worker"])
    return context


def _can_be_called() -> bool:
    """Whether there is a folder for the socket of a server, with a name short enough for one."""
    try:
        return len(os.fsencode(tempfile.gettempdir())) <= _LONGEST_PLACE
    except FileNotFoundError:  # no folder can be written
        return False


def _end(seat: _Seat, patience: float = 0.0) -> None:
    """See the worker off; it may end by itself for so many seconds."""
    seat.process.join(patience)
    if seat.process.exitcode is None:
        seat.process.kill()
        seat.process.join()
    seat.answer.close()


def _death(code: int | None) -> str:
    if code is None or code >= 0:
        return f"Its process ended without an answer, with exit code {code}."
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = "; perhaps the machine ran out of memory" if name == "SIGKILL" else ""
    return f"Its process was ended by {name}{hint}."
