"""Processes that complete tiles: each is asked through a pipe, replaced when it dies, and ends when its parent does.

A thread of the parent sees to each of them, so that answers come back while others are under way.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
import traceback
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, Self

from ..errors import InvalidSetting, WorkersLost
from ..interrupting import ended_by, look_at_clock, seconds_left, time_limited
from ..numerics.threads import use_threads
from .answer import TileAnswer
from .run import WAITING, Workers

ASKED_AGAIN = 3
"""How often a tile is asked again whose worker has died."""
_READY = b"ready"
_STOP = b"stop"
_WORK = b"w"
_QUESTION = b"q"
_FAREWELL = 5.0  # seconds that a process which was killed may take to be gone


@dataclass(eq=False)
class _Job:
    """A question, and who waits for its answer."""

    work: bytes
    given: tuple[Any, ...]
    end: float
    future: Future[TileAnswer] = field(default_factory=Future)


class _Died(Exception):
    """The process has ended without an answer."""


# In the parent


class Processes(Workers):
    """So many processes, started when they are asked first."""

    def __init__(self, count: int, threads: int) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._packed: tuple[object, bytes] = (None, b"")
        self._seats = [_Seat(self._jobs, threads) for _ in range(count)]

    @property
    def in_flight(self) -> int:
        return WAITING * len(self._seats)

    def submit(self, work: Callable[..., TileAnswer], *given: Any) -> Future[TileAnswer]:
        if self._packed[0] is not work:
            self._packed = (work, _pack(work))
        job = _Job(self._packed[1], given, time.perf_counter() + seconds_left())
        self._jobs.put(job)
        return job.future

    def stop(self) -> None:
        with suppress(Empty):
            while True:
                job = self._jobs.get_nowait()
                if job is not None:
                    job.future.cancel()
        for seat in self._seats:
            seat.stop()

    def __enter__(self) -> Self:
        for seat in self._seats:
            seat.thread.start()
        return self

    def close(self) -> None:
        for seat in self._seats:
            seat.end()
            self._jobs.put(None)
        for seat in self._seats:
            seat.thread.join()

    @property
    def process_ids(self) -> list[int]:
        """Of those that are there now."""
        return [seat.process.pid for seat in self._seats if seat.process is not None and seat.process.pid is not None]


def _pack(work: object) -> bytes:
    try:
        return pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidSetting(
            f"This method cannot be sent to other processes ({error}); scheduler='threads' stays in this one."
        ) from error


class _Seat:
    """The place of one process at a time, and the thread that sees to it."""

    def __init__(self, jobs: SimpleQueue[_Job | None], threads: int) -> None:
        self.thread = Thread(target=self._serve, name="tensorfill-process", daemon=True)
        self.process: Any = None
        self._jobs = jobs
        self._threads = threads
        self._pipe: Connection | None = None
        self._ready = False  # whether the process has begun
        self._sent = b""  # the work that it has
        self._lock = Lock()  # held by who sends, or begins or ends a process
        self._stopped = False
        self._ended = False

    def stop(self) -> None:
        """Tell the process that the time is over."""
        with self._lock:
            self._stopped = True
            if self._pipe is not None:
                with suppress(OSError):
                    self._pipe.send_bytes(_STOP)

    def end(self) -> None:
        """No process from here on."""
        with self._lock:
            self._stopped = self._ended = True
            if self.process is not None:
                self.process.kill()

    def _serve(self) -> None:
        _keep_ctrl_c_from_children()
        while (job := self._jobs.get()) is not None:
            if job.future.set_running_or_notify_cancel():
                try:
                    job.future.set_result(self._answer(job))
                except BaseException as error:
                    job.future.set_exception(error)
            del job  # with what it holds
        self._bury()

    def _answer(self, job: _Job) -> TileAnswer:
        for _ in range(1 + ASKED_AGAIN):
            try:
                return self._ask(job)
            except _Died:
                code, was_ready = self._bury()
                if self._stopped:
                    raise CancelledError from None
                if not was_ready and code is not None and code >= 0:
                    raise WorkersLost(
                        f"A worker process ended before it could begin, with exit code {code}. In a script, what "
                        "completes belongs under if __name__ == '__main__', for every process begins by loading it."
                    ) from None
        raise WorkersLost(
            f"A worker process ended {1 + ASKED_AGAIN} times at the same tile, the last time {_tell_death(code)}; "
            "smaller tiles or fewer workers need less."
        )

    def _ask(self, job: _Job) -> TileAnswer:
        """Ask the process, a new one if there is none."""
        try:
            pipe = self._begin()
            if not self._ready:
                self._ready = pipe.recv_bytes() == _READY
            with self._lock:
                if self._stopped:
                    raise CancelledError
                if self._sent != job.work:
                    pipe.send_bytes(_WORK + job.work)
                    self._sent = job.work
                pipe.send_bytes(_QUESTION + pickle.dumps((job.end - time.perf_counter(), job.given)))
            answer, error = pickle.loads(pipe.recv_bytes())
        except (EOFError, OSError) as lost:
            raise _Died from lost
        if error is not None:
            raise error
        found: TileAnswer = answer
        return found

    def _begin(self) -> Connection:
        with self._lock:
            if self._ended:
                raise CancelledError
            if self._pipe is None:
                context = multiprocessing.get_context("spawn")
                self._pipe, theirs = context.Pipe()
                self.process = context.Process(target=serve, args=(theirs, self._threads), daemon=True)
                self.process.start()
                theirs.close()  # so that its death is noticed
                self._ready, self._sent = False, b""
            return self._pipe

    def _bury(self) -> tuple[int | None, bool]:
        """See the process off; its exit code, and whether it had begun."""
        with self._lock:
            process, pipe, was_ready = self.process, self._pipe, self._ready
            self.process = self._pipe = None
            if process is None or pipe is None:
                return None, was_ready
            pipe.close()
            process.join(_FAREWELL)
            if process.exitcode is None:
                process.kill()
                process.join()
            return process.exitcode, was_ready


def _keep_ctrl_c_from_children() -> None:
    """Ctrl-C is for the run. A process inherits what is blocked in the thread that starts it, from its first moment."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])


def _tell_death(code: int | None) -> str:
    if code is None or code >= 0:
        return f"with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"by {name}" + (", perhaps because the machine ran out of memory" if name == "SIGKILL" else "")


# In a worker


def serve(pipe: Connection, threads: int) -> None:
    """The whole life of a process: answer what it is asked, until nobody is there to ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    use_threads(threads)
    called_off = Event()
    messages: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(pipe, messages, called_off), daemon=True).start()
    with suppress(OSError):  # the listener ends the process, here and below
        pipe.send_bytes(_READY)
    work: Any = None
    while True:
        message = messages.get()
        answer = error = None
        try:
            if message[:1] == _WORK:
                work = message[1:]
                continue
            if isinstance(work, bytes):
                work = pickle.loads(work)
            seconds, given = pickle.loads(message[1:])
            del message
            with time_limited(seconds), ended_by(called_off):
                look_at_clock()
                answer = work(*given)
        except Exception as failure:
            error = failure
        with suppress(OSError):
            pipe.send_bytes(_pack_answer(answer, error))


def _listen(pipe: Connection, messages: SimpleQueue[bytes], called_off: Event) -> None:
    """Take what the parent says, also while the process works; when it is gone, however it went, end."""
    try:
        while True:
            message = pipe.recv_bytes()
            if message == _STOP:
                called_off.set()
            else:
                messages.put(message)
    except (EOFError, OSError):
        os._exit(1)


def _pack_answer(answer: object, error: Exception | None) -> bytes:
    try:
        packed = pickle.dumps((answer, error))
        pickle.loads(packed) if error is not None else None  # some errors cannot be made again from what they hold
    except Exception:
        told = "".join(traceback.format_exception(error)) if error is not None else "its answer cannot be sent"
        return pickle.dumps((None, RuntimeError(f"In a worker process: {told}")))
    return packed
