"""Processes: a piece of work has one of its own, which may crash, hang or fill its memory without harm to the server.

What they send is JSON. Nothing that comes from a process that has read a stranger's file is ever unpickled.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from ..errors import TensorfillError
from .allowances import Allowance
from .worker import PRELOADED, work

Told = Callable[[dict[str, Any]], None]

_LONGEST_MESSAGE = 8 * 2**20
_GLANCE = 0.25
_FAREWELL = 5.0


class WorkFailed(TensorfillError):
    """What went wrong, in a sentence for the user."""


class WorkStopped(TensorfillError):
    """It was stopped before there was anything to keep."""


class Working:
    """A process at work."""

    def __init__(self, context: Any, task: str, arguments: Mapping[str, Any], allowance: Allowance) -> None:
        self._pipe, theirs = context.Pipe()
        told = json.dumps({"task": task, "arguments": arguments, **asdict(allowance)})
        self._process = context.Process(target=work, args=(theirs, told), daemon=True)
        self._process.start()
        theirs.close()  # so that the death of the process is noticed
        self._allowance, self._end = allowance, time.monotonic() + allowance.seconds
        self._lock = threading.Lock()

    def listen(self, told: Told) -> dict[str, Any]:
        """Wait for the answer, handing on what is told before; raises a sentence if there will be none."""
        try:
            while True:
                if time.monotonic() > self._end:
                    raise WorkFailed(self._allowance.too_long)
                if not self._pipe.poll(_GLANCE):
                    continue
                message = json.loads(self._pipe.recv_bytes(_LONGEST_MESSAGE))
                if "done" in message:
                    return dict(message["done"])
                if "error" in message:
                    raise (WorkStopped if message.get("stopped") else WorkFailed)(str(message["error"]))
                told(message)
        except (EOFError, OSError, ValueError) as error:
            if isinstance(error, TensorfillError):
                raise
            raise WorkFailed(self._tell_death()) from None
        finally:
            self.end()

    def send(self, message: Mapping[str, Any]) -> None:
        """Tell the process something; one that is gone does not hear it."""
        with suppress(OSError, ValueError), self._lock:
            self._pipe.send_bytes(json.dumps(message).encode())

    def interrupt(self) -> None:
        """As Ctrl-C does: stop and keep the best so far.

        It waits in the pipe until the process can take it: a signal that came before would be lost.
        """
        self.send({"interrupt": True})

    def kill(self) -> None:
        """End it, whatever it is doing; whoever listens hears of it."""
        if self._process.exitcode is None:
            self._process.kill()

    def end(self) -> None:
        """See it off."""
        self.kill()
        self._process.join(_FAREWELL)
        with self._lock:
            self._pipe.close()

    def _tell_death(self) -> str:
        self._process.join(_FAREWELL)
        if self._process.exitcode == -signal.SIGKILL:
            return "The work was ended by the system; perhaps the memory ran out."
        return self._allowance.died


class Processes:
    """Starts processes and ends them all when the server ends."""

    def __init__(self) -> None:
        methods = multiprocessing.get_all_start_methods()
        self._context: Any = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:
            self._context.set_forkserver_preload(list(PRELOADED))
        self._working: set[Working] = set()
        self._closed = False

    async def perform(
        self,
        task: str,
        arguments: Mapping[str, Any],
        allowance: Allowance | None = None,
        *,
        told: Told = lambda message: None,
        started: Callable[[Working], None] = lambda working: None,
    ) -> dict[str, Any]:
        """The answer of a piece of work; `told` and `started` are called in the loop of the caller."""
        loop = asyncio.get_running_loop()
        try:
            working = await asyncio.to_thread(Working, self._context, task, arguments, allowance or Allowance())
        except (OSError, RuntimeError) as error:
            traceback.print_exception(error, file=sys.stderr)  # for whoever started the server, not for the page
            raise WorkFailed("The work could not be begun; the terminal of the server says why.") from None
        if self._closed:
            working.end()
            raise WorkFailed("The server is stopping.")
        self._working.add(working)
        started(working)
        answer: asyncio.Future[dict[str, Any]] = loop.create_future()

        def deliver(found: dict[str, Any] | None, error: Exception | None) -> None:
            if not answer.done():
                answer.set_exception(error) if error else answer.set_result(found or {})

        def listen() -> None:
            try:
                found, error = working.listen(lambda message: _call(loop, told, message)), None
            except TensorfillError as failure:
                found, error = None, failure
            _call(loop, deliver, found, error)

        threading.Thread(target=listen, name=f"page-{task}", daemon=True).start()
        try:
            return await answer
        except asyncio.CancelledError:
            await asyncio.to_thread(working.end)
            raise
        finally:
            self._working.discard(working)

    def close(self) -> None:
        """End all of them."""
        self._closed = True
        for working in list(self._working):
            working.end()


def _call(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *given: Any) -> None:
    """In the loop, unless it is over."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(function, *given)
