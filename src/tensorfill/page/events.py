"""Events: what happens on the desk, sent to every tab that listens, as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.exceptions import HTTPException

MOST_STREAMS = 32
_MOST_BEHIND = 2_000
_HEARTBEAT = 5.0


class Events:
    """Hands on what is told to all that listen."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Queue[str | None]] = set()
        self._closed = False

    def tell(self, kind: str, about: dict[str, Any]) -> None:
        """Send an event to all; one who does not keep up is sent away, and asks again."""
        text = f"event: {kind}\ndata: {json.dumps(about)}\n\n"
        for listener in list(self._listeners):
            if listener.qsize() >= _MOST_BEHIND:
                self._listeners.discard(listener)
                listener.put_nowait(None)
            else:
                listener.put_nowait(text)

    def listen(self, first: Callable[[], dict[str, Any]]) -> AsyncIterator[str]:
        """A stream that begins with the state of the desk."""
        if len(self._listeners) >= MOST_STREAMS:
            raise HTTPException(503, "Too many tabs listen already; close one.")
        return self._stream(first)

    async def _stream(self, first: Callable[[], dict[str, Any]]) -> AsyncIterator[str]:
        if len(self._listeners) >= MOST_STREAMS:  # several came at once
            return
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._listeners.add(queue)  # not before it is read from: nobody would take it out again
        try:
            yield f"event: state\ndata: {json.dumps(first())}\n\n"
            while not self._closed:
                try:
                    text = await asyncio.wait_for(queue.get(), _HEARTBEAT)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                if text is None:
                    return
                yield text
        finally:
            self._listeners.discard(queue)

    def close(self) -> None:
        """End all streams."""
        self._closed = True
        for listener in list(self._listeners):
            listener.put_nowait(None)
