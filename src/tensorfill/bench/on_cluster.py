"""Runs on the machines of a Dask cluster. Each is a process of its own there, as it is here, with the same limits.

The folders of the data and of the rows must be there under the same names.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from typing import Any, cast

from ..rows import Row
from ..tiles.workers import workers_at
from .workers import Answer, Task, cores, run_tasks

_GLANCE = 0.25  # seconds between two looks at the clock
_ERRORS = 2000  # characters of what a process says that fails


def run_tasks_on(
    address: str, tasks: Sequence[Task], *, grace: float, started: Callable[[Task], None]
) -> Generator[Answer | None]:
    """Every task's answer as it comes, and None whenever a moment has passed; as many at a time as there are threads.

    When the iterator is closed, by an error or by Ctrl-C, what has not begun is cancelled.
    """
    waiting = deque(tasks)
    asked: dict[Future[Any], tuple[Task, float]] = {}
    with workers_at(address) as workers:
        while waiting or asked:
            while waiting and len(asked) < workers.in_flight:
                task = waiting.popleft()
                asked[workers.submit(cast(Any, answer_apart), task, grace)] = task, time.monotonic()
                started(task)
            done, _ = wait(asked, timeout=_GLANCE, return_when=FIRST_COMPLETED)
            for future in done:
                task, since = asked.pop(future)
                yield Answer(task, Row.from_json(future.result()), time.monotonic() - since)
            yield None


def answer_apart(task: Task, grace: float) -> str:
    """On a machine of the cluster: the row of a task, as JSON.

    By way of a process of its own, because workers of Dask may not have children that Python's own workers are.
    """
    from distributed import get_worker

    threads = max(1, cores() // get_worker().state.nthreads)
    there = replace(task, place=replace(task.place, threads=threads))
    command = [sys.executable, "-c", f"from {__name__} import answer_here; answer_here()"]
    ran = subprocess.run(command, input=pickle.dumps((there, grace)), capture_output=True, check=False)
    if ran.returncode:
        told = ran.stderr.decode(errors="replace")[-_ERRORS:]
        return task.run.row("failed", None, error=told, threads=threads, versions=task.place.versions).as_json()
    return ran.stdout.decode()


def answer_here() -> None:
    """The whole life of that process: a task comes in, and its row goes out."""
    task, grace = pickle.load(sys.stdin.buffer)
    (answer,) = (found for found in run_tasks([task], jobs=1, grace=grace, started=lambda task: None) if found)
    sys.stdout.write(answer.row.as_json())
