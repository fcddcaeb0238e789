"""Machines of a Dask cluster that complete tiles; nothing of Dask is loaded before one is used."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from ..errors import InvalidSetting, WorkersLost
from ..interrupting import look_at_clock, seconds_left, time_limited
from ..numerics.threads import threads_limited
from .answer import TileAnswer

_PATIENCE = 10  # seconds until a scheduler that does not answer counts as one that is not there
_WAITING = 2  # tiles that are asked for at a time, for each thread of the cluster


def client_here() -> Any | None:
    """The client of a cluster that this process works with, if its user has made one."""
    distributed = sys.modules.get("distributed")
    if distributed is not None:
        with suppress(ValueError):  # there is none
            return distributed.default_client()
    return None


def connect(address: str) -> Any:
    """A client of the scheduler at an address."""
    try:
        from distributed import Client
    except ImportError:
        raise InvalidSetting(
            f"The scheduler {address} needs distributed, which is not installed: pip install 'tensorfill[cluster]'."
        ) from None
    try:
        return Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WorkersLost(f"No Dask scheduler answers at {address} ({_first_line(error)}).") from error


class Cluster:
    """All workers that a scheduler has: those that come and go, too. One that dies is not asked again, but another."""

    def __init__(self, client: Any, *, closes: bool = False) -> None:
        self._client = client
        self._closes = closes
        self._asked: set[Any] = set()
        self._stopped = False

    @property
    def in_flight(self) -> int:
        """By how many threads there are now."""
        return _WAITING * max(1, sum(self._client.nthreads().values()))

    def submit(self, work: Callable[..., TileAnswer], *given: Any) -> Future[TileAnswer]:
        """Ask whoever is free next; the deadline of who asks holds for the answer."""
        future: Future[TileAnswer] = Future()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")  # a question is what there is to send
            asked = self._client.submit(_work, time.time() + seconds_left(), work, given, pure=False)
        self._asked.add(asked)
        asked.add_done_callback(lambda done: self._hand_over(done, future))
        return future

    def stop(self) -> None:
        """Nothing more is waited for."""
        self._stopped = True
        self._client.cancel(list(self._asked), force=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped = True
        with suppress(Exception):  # the cluster may be gone
            self._client.cancel(list(self._asked), force=True)
        if self._closes:
            self._client.close()

    def _hand_over(self, done: Any, future: Future[TileAnswer]) -> None:
        """From a future of Dask to one that anybody can wait for."""
        try:
            answer = done.result()
        except BaseException as error:
            future.set_exception(self._explain(error))
        else:
            future.set_result(answer)
        self._asked.discard(done)

    def _explain(self, error: BaseException) -> BaseException:
        if isinstance(error, CancelledError | TimeoutError) or type(error).__name__ == "FutureCancelledError":
            return CancelledError() if self._stopped else WorkersLost("The connection to the Dask cluster was lost.")
        if type(error).__name__ == "KilledWorker":
            return WorkersLost(
                "Several workers of the Dask cluster ended at the same tile, perhaps because they ran out of memory; "
                "smaller tiles or fewer threads for each worker need less."
            )
        if isinstance(error, ModuleNotFoundError) and str(error.name).startswith("tensorfill"):
            return WorkersLost(
                "The workers of the Dask cluster cannot load tensorfill; install the same version there."
            )
        return error


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _work(end: float, work: Callable[..., TileAnswer], given: tuple[Any, ...]) -> TileAnswer:
    """On a machine of the cluster, where threads are what it shares its work between."""
    with time_limited(end - time.time()), threads_limited(1):
        look_at_clock()
        return work(*given)
