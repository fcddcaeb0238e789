"""Workers: who completes tiles, chosen by one word: this thread, threads, processes, or machines of a Dask cluster.

Whoever does it, answers have the same bits. Cores are shared: with N workers on this machine each has one Nth of them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any

from ..errors import InvalidSetting, must_be
from ..interrupting import ended_by, look_at_clock, seconds_left, time_limited
from ..numerics.threads import MOST_THREADS, thread_count, threads_limited
from .answer import TileAnswer
from .cluster import Cluster, client_here, connect
from .processes import Processes
from .run import WAITING, ThisThread, Workers

_LOCAL = re.compile(r"(threads|processes)(?::([1-9]\d{0,5}))?")
_ADDRESS = re.compile(r"(?:tcp|tls|ucx|ws|wss)://\S+")
_WAITING = (
    2  # tiles that are asked for at a time, for each worker: none has to wait until an answer is put in its place
)


def workers_at(scheduler: object = None, at_a_time: int = 1) -> Workers:
    """Workers for the length of a `with` block.

    `scheduler` is None, "threads" or "processes", each with ":" and how many if that is to be so, the address of a Dask
    scheduler, or a client of one. Where no number is given, there are as many as cores, and at most `at_a_time`, for
    which there is memory. None means the client that this process works with, if it has one, or else threads; or this
    thread alone, if there is memory for one tile at a time.
    """
    if scheduler is None:
        client = client_here()
        if client is not None:
            return Cluster(client)
        return Threads(_count(None, at_a_time)) if at_a_time > 1 else ThisThread()
    if callable(getattr(scheduler, "scheduler_info", None)):
        return Cluster(scheduler)
    text = scheduler if isinstance(scheduler, str) else ""
    if _ADDRESS.fullmatch(text):
        return Cluster(connect(text), closes=True)
    found = _LOCAL.fullmatch(text)
    if not found or int(found[2] or 1) > MOST_THREADS:
        raise InvalidSetting(
            must_be(
                "scheduler",
                f"be 'threads' or 'processes', alone or with a number up to {MOST_THREADS}, as in 'processes:2', or "
                "the address of a Dask scheduler, like 'tcp://host:8786'",
                scheduler,
            )
        )
    count = _count(found[2], at_a_time)
    each = max(1, thread_count() // count)
    return Threads(count) if found[1] == "threads" else Processes(count, each)


def _count(wish: str | None, at_a_time: int) -> int:
    return int(wish) if wish else max(1, min(thread_count(), at_a_time))


class Threads(Workers):
    """Threads of this process, each with its part of the cores."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._each = max(1, thread_count() // count)
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="tensorfill-tile")
        self._called_off = Event()

    @property
    def in_flight(self) -> int:
        return WAITING * self._count

    def submit(self, work: Callable[..., TileAnswer], *given: Any) -> Future[TileAnswer]:
        return self._pool.submit(self._work, time.perf_counter() + seconds_left(), work, given)

    def stop(self) -> None:
        self._called_off.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        self._pool.shutdown(wait=True)

    def _work(self, end: float, work: Callable[..., TileAnswer], given: tuple[Any, ...]) -> TileAnswer:
        limit = time_limited(end - time.perf_counter())
        with limit, ended_by(self._called_off), threads_limited(self._each):
            look_at_clock()
            return work(*given)
