"""Machines of a Dask cluster that complete tiles; nothing of Dask is loaded before one is used."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from importlib import import_module
from threading import Event, Thread, Timer
from typing import Any
from uuid import uuid4

from ..errors import InvalidSetting, WorkersLost
from ..interrupting import TimeIsUp, ended_by, look_at_clock, seconds_left, time_limited
from ..numerics.threads import threads_limited
from .answer import TileAnswer
from .run import WAITING, Workers

_PATIENCE = 10  # seconds until a scheduler that does not answer counts as one that is not there
_FAREWELL = 30  # seconds that what is under way may take to end when the run is stopped
_GLANCE = 2.0  # seconds between two looks at whether it is


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
        distributed = import_module("distributed")
    except ImportError:
        raise InvalidSetting(
            f"The scheduler {address} needs distributed, which is not installed: pip install 'tensorfill[cluster]'."
        ) from None
    try:
        return distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WorkersLost(f"No Dask scheduler answers at {address} ({_first_line(error)}).") from error


class Cluster(Workers):
    """All workers that a scheduler has: those that come and go, too. One that dies is not asked again, but another."""

    def __init__(self, client: Any, *, closes: bool = False) -> None:
        self._client = client
        self._closes = closes
        self._asked: set[Any] = set()
        self._stopped = False
        self._name = f"tensorfill-{uuid4().hex}"
        self._called_off = import_module("distributed").Event(self._name, client=client)
        self._giving_up: Timer | None = None

    @property
    def in_flight(self) -> int:
        """By how many threads there are now."""
        return WAITING * max(1, sum(map(int, self._client.nthreads().values())))

    def submit(self, work: Callable[..., TileAnswer], *given: Any) -> Future[TileAnswer]:
        future: Future[TileAnswer] = Future()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")  # a question is what there is to send
            end = time.time() + seconds_left()
            asked = self._client.submit(_work, self._name, end, work, given, pure=False)
        self._asked.add(asked)
        asked.add_done_callback(lambda done: self._hand_over(done, future))
        return future

    def stop(self) -> None:
        """What does not come to an end soon is given up."""
        if not self._stopped:
            self._stopped = True
            with suppress(Exception):  # the cluster may be gone
                self._called_off.set()
            self._giving_up = Timer(_FAREWELL, self._give_up)
            self._giving_up.daemon = True
            self._giving_up.start()

    def close(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
        self._give_up()
        if self._closes:
            self._client.close()

    def _give_up(self) -> None:
        with suppress(Exception):
            self._client.cancel(list(self._asked), force=True)

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


def _work(name: str, end: float, work: Callable[..., TileAnswer], given: tuple[Any, ...]) -> TileAnswer:
    """On a machine of the cluster, where threads are what it shares its work between."""
    run_called_off, called_off, done = import_module("distributed").Event(name), Event(), Event()

    def look() -> None:
        with suppress(Exception):  # without a connection the tile is computed in vain, no worse
            while not called_off.is_set() and not done.wait(_GLANCE):
                if run_called_off.is_set():
                    called_off.set()

    if run_called_off.is_set():
        raise TimeIsUp
    Thread(target=look, daemon=True).start()
    try:
        with time_limited(end - time.time()), ended_by(called_off), threads_limited(1):
            look_at_clock()
            return work(*given)
    finally:
        done.set()
