"""Running the command on many files: a few processes that each take one file after the other, within bounds."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from command_worker import SECONDS

_WORKER = Path(__file__).with_name("command_worker.py")
_SETTINGS = {"TENSORFILL_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "2"}


@dataclass(frozen=True)
class Run:
    """One run of the command, and what became of it; `code` is None if the process did not survive it."""

    what: str
    code: int | None
    out: str
    err: str
    seconds: float
    grown: int
    """How many bytes the memory of the process had ever grown by, up to this run."""


class _Worker:
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **_SETTINGS},
        )
        self._at_first: int = self._told()["memory"]

    def run(self, what: str, arguments: list[str] | None) -> Run:
        """Run the command once."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(arguments) + "\n")
        self._process.stdin.flush()
        told = self._told()
        if told is None:
            return self._death(what)
        return Run(what, told["code"], told["out"], told["err"], told["seconds"], told["memory"] - self._at_first)

    def _told(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def _death(self, what: str) -> Run:
        code = self._process.wait()
        late = code == -signal.SIGALRM
        return Run(what, None, "", f"took more than {SECONDS} s" if late else f"ended by signal {-code}", SECONDS, 0)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()
        self._process.wait()


def run_all(questions: Iterable[tuple[str, list[str] | None]], workers: int) -> list[Run]:
    """Every question is what it is about, and the arguments of `tensorfill complete`."""
    waiting: queue.SimpleQueue[tuple[str, list[str] | None]] = queue.SimpleQueue()
    for question in questions:
        waiting.put(question)
    done: list[Run] = []

    def work() -> None:
        worker = _Worker()
        try:
            while True:
                question = waiting.get_nowait()
                if not worker.alive:
                    worker.close()
                    worker = _Worker()
                done.append(worker.run(*question))
        except queue.Empty:
            worker.close()

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done
