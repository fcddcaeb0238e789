"""Workers: a process of its own for every run, a few at a time. One that dies or never ends is an answer too."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from ..numerics.threads import thread_count
from ..rows import DataCard, Row, Status
from .extras import load_extras
from .measuring import Place, measure
from .plan import Run

LOGS = "logs"
_GLANCE = 0.25  # seconds between two looks at the clock
_LONGEST_PLACE = 60  # bytes; the name of a socket has 104 at most, and part of that is Python's
_FAREWELL = 10.0  # seconds a worker that has answered may take to end


@dataclass(frozen=True)
class Task:
    """What a worker is told."""

    run: Run
    place: Place
    """With the versions of files that the row tells if the worker cannot."""
    files: tuple[Path, ...] = ()
    """Of one's own, to be run first."""

    @property
    def log(self) -> Path:
        """Where what the run prints goes, and where it crashed, if it does."""
        return self.place.rows / LOGS / f"{self.run.id}.log"


@dataclass(frozen=True)
class Answer:
    """The row of a task, and how long its worker took in all."""

    task: Task
    row: Row
    seconds: float


def cores() -> int:
    """How many this process may run on."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


# In the parent


def run_tasks(
    tasks: Sequence[Task], *, jobs: int, grace: float, started: Callable[[Task], None]
) -> Generator[Answer | None]:
    """Every task's answer as it comes, and None whenever a moment has passed without one.

    A worker is killed when it has taken `grace` seconds on top of twice the time limit of its run. When the iterator is
    closed, by an error or by Ctrl-C, the workers are killed too.
    """
    context = _choose_context()
    waiting = deque(tasks)
    workers: list[_Worker] = []
    try:
        while waiting or workers:
            while waiting and len(workers) < jobs:
                with _delay_interrupts():
                    workers.append(_Worker(context, waiting.popleft(), grace))
                started(workers[-1].task)
            wait([worker.answer for worker in workers], timeout=_GLANCE)
            for worker in list(workers):
                row = worker.take_row()
                if row is not None:
                    workers.remove(worker)
                    yield Answer(worker.task, row, time.monotonic() - worker.since)
            yield None
    finally:
        for worker in workers:
            worker.end()


class _Worker:
    """A process at a task."""

    def __init__(self, context: Any, task: Task, grace: float) -> None:
        self.task = task
        self.answer, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=work, args=(task, theirs), daemon=True)
        self._process.start()
        theirs.close()  # so that the worker's end is the last one, and its death is noticed
        self.since = time.monotonic()
        self._limit = task.run.time_limit
        self._deadline = None if self._limit is None else self.since + 2 * self._limit + grace
        self._data: DataCard | None = None  # what the worker told about the data before it began

    def take_row(self) -> Row | None:
        """The answer, if there is one by now."""
        while self.answer.poll():
            try:
                message = self.answer.recv()
            except (EOFError, OSError):
                self.end(patience=_FAREWELL)
                return self._answer_for("crashed", _tell_death(self._process.exitcode))
            if isinstance(message, str):
                self.end(patience=_FAREWELL)
                return Row.from_json(message)
            self._data = message
        if self._deadline is not None and time.monotonic() > self._deadline:
            self.end()
            spent = time.monotonic() - self.since
            told = f"It was ended after {spent:.0f} s, its time limit being {self._limit:g} s."
            return self._answer_for("timed out", told)
        return None

    def _answer_for(self, status: Status, error: str) -> Row:
        """The row of a run that could not answer itself."""
        place = self.task.place
        return self.task.run.row(status, self._data, error=error, threads=place.threads, versions=place.versions)

    def end(self, patience: float = 0.0) -> None:
        """See the worker off; it may end by itself for so many seconds."""
        self._process.join(patience)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
        self.answer.close()


@contextmanager
def _delay_interrupts() -> Iterator[None]:
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


def _choose_context() -> Any:
    """Workers fork from a server that has everything loaded, where that is possible; else they start from nothing."""
    if "forkserver" not in multiprocessing.get_all_start_methods() or not _has_place_for_socket():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tensorfill.bench.workers"])
    return context


def _has_place_for_socket() -> bool:
    """Whether there is a folder for the socket of a server, with a name short enough for one."""
    try:
        return len(os.fsencode(tempfile.gettempdir())) <= _LONGEST_PLACE
    except FileNotFoundError:  # no folder can be written
        return False


def _tell_death(code: int | None) -> str:
    if code is None or code >= 0:
        return f"Its process ended without an answer, with exit code {code}."
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = "; perhaps the machine ran out of memory" if name == "SIGKILL" else ""
    return f"Its process was ended by {name}{hint}."


# In a worker


def work(task: Task, answer: Connection) -> None:
    """The whole life of a worker: send the card of the data, in case the run crashes, then the row as JSON."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    _end_with_parent()
    _print_to(task.log)
    _use_threads(task.place.threads)
    with load_extras(task.files) as found:
        place = replace(task.place, versions=found.versions_for(task.run.method, task.run.data.name))
        row = measure(task.run, found.known[task.run.data.name], place, loaded=answer.send)
    answer.send(row.as_json())
    answer.close()


def _end_with_parent() -> None:
    """Nobody is left to read the answer when the parent is gone, however it went."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def _print_to(log: Path) -> None:
    """Whatever is printed, even by a crash, would break the table that the parent shows."""
    log.parent.mkdir(exist_ok=True)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    for descriptor in (1, 2):
        os.dup2(file, descriptor)
    os.close(file)
    faulthandler.enable(file=2)
    warnings.simplefilter("default")


def _use_threads(count: int) -> None:
    """As many as the run may have, for our own kernels and for BLAS."""
    os.environ["TENSORFILL_THREADS"] = str(count)
    thread_count.cache_clear()
    threadpool_limits(count)
