"""Worker: a process of its own for every run, so that one that crashes or never ends takes nothing else with it."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path

from .runs import Run

LOGS = "logs"


@dataclass(frozen=True)
class Task:
    """What a worker is told."""

    run: Run
    data: Path | None
    rows: Path
    files: tuple[Path, ...]
    """Of one's own, to be run first."""
    threads: int
    versions: Mapping[str, str] = field(default_factory=dict)
    """What the row says about these files if the worker cannot."""

    @property
    def log(self) -> Path:
        """Where what the run prints goes, and where it crashed, if it does."""
        return self.rows / LOGS / f"{self.run.id}.log"


def work(task: Task, answer: Connection) -> None:
    """The whole life of a worker: send the card of the data, in case the run crashes, then the row as JSON."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    _end_with_parent()
    _print_to(task.log)
    _use_threads(task.threads)
    from .extras import extras
    from .measuring import Place, measure

    with extras(task.files) as found:
        versions = found.versions_for(task.run.method, task.run.data.name)
        place = Place(task.data, task.rows, task.threads, versions)
        row = measure(
            task.run,
            found.known[task.run.data.name],
            place,
            loaded=answer.send,
        )
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
    from threadpoolctl import threadpool_limits

    from ..numerics.threads import thread_count

    os.environ["TENSORFILL_THREADS"] = str(count)
    thread_count.cache_clear()
    import numpy  # noqa: F401 - BLAS has to be loaded to be told

    threadpool_limits(count)
