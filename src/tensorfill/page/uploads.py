"""Bodies of requests, within limits of size and time."""

from __future__ import annotations

import asyncio
import json
import os
import time
import zlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from ..formats import known_extensions
from ..telling import harmless

FILES_HEADER = "x-tensorfill-files"
"""Names and sizes of the files in a body, as JSON that is percent-encoded."""
_LONGEST_NAME = 120


@dataclass(frozen=True)
class Limits:
    """What a request may bring, and how long it may take."""

    upload_bytes: int = 512 * 2**20
    message_bytes: int = 64 * 2**10
    silence: float = 15.0
    """Seconds until the next part of a body must have come."""
    slowest: float = 64 * 2**10
    """Bytes per second that a body must reach, once it has had `silence` seconds."""


async def _parts(request: Request, most: int, limits: Limits) -> AsyncIterator[bytes]:
    """The body as it comes; too much and too slow are refused."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared) > most:
        raise _too_large(most)
    began, got = time.monotonic(), 0
    stream = request.stream().__aiter__()
    while True:
        try:
            part = await asyncio.wait_for(anext(stream), limits.silence)
        except StopAsyncIteration:
            return
        except (TimeoutError, ClientDisconnect):
            raise HTTPException(408, "The file came too slowly, or not to its end; send it again.") from None
        if not part:
            continue
        got += len(part)
        if got > most:
            raise _too_large(most)
        if time.monotonic() - began > limits.silence + got / limits.slowest:
            raise HTTPException(408, "The file came too slowly, or not to its end; send it again.")
        yield part


def _too_large(most: int) -> HTTPException:
    size = f"{most / 2**20:,.0f} MB" if most >= 2**20 else f"{most / 2**10:,.0f} kB"
    return HTTPException(413, f"This is more than the {size} that the page takes; use tensorfill complete instead.")


@dataclass(frozen=True)
class Announced:
    """One of the files that make up a body, one after the other."""

    name: str
    size: int


def announced_files(request: Request, most: int = 2_000) -> list[Announced]:
    """The files that a body is said to be made of."""
    try:
        listed = json.loads(unquote(request.headers.get(FILES_HEADER, "")))
        found = [Announced(safe_name(str(name)), int(size)) for name, size in listed]
    except (ValueError, TypeError):
        found = []
    if not found or len(found) > most or any(file.size < 0 for file in found):
        raise HTTPException(400, "The request does not say which files it brings.")
    return found


async def save_files(request: Request, sizes: Sequence[int], targets: Sequence[Path], limits: Limits) -> None:
    """Write the body to new files of these sizes. Whoever calls removes their folder if this is refused."""
    parts = _parts(request, limits.upload_bytes, limits)
    left = memoryview(b"")
    for target, size in zip(targets, sizes, strict=True):
        with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            while size:
                if not left:
                    left = memoryview(await anext(parts, b""))
                    if not left:
                        raise HTTPException(400, "The body is shorter than the files that were announced.")
                taken, left = left[:size], left[size:]
                size -= len(taken)
                await asyncio.to_thread(file.write, taken)
    if left or [part async for part in parts]:
        raise HTTPException(400, "The body is longer than the files that were announced.")


async def read_message(request: Request, limits: Limits) -> bytes:
    """A small body."""
    return b"".join([part async for part in _parts(request, limits.message_bytes, limits)])


async def read_packed(request: Request, size: int, limits: Limits) -> bytes:
    """A body of exactly `size` bytes that was packed with gzip, so that none can unpack to more."""
    most = size + size // 100 + 1024
    whole = b"".join([part async for part in _parts(request, most, limits)])
    unpacker = zlib.decompressobj(31)
    try:
        found = await asyncio.to_thread(unpacker.decompress, whole, size + 1)
    except zlib.error:
        raise HTTPException(400, "The mask that came is damaged.") from None
    if len(found) != size:
        raise HTTPException(400, "The mask that came does not have the size of the data.")
    return found


def safe_name(text: str) -> str:
    """What a client calls a file, as text to show: no folders, no control characters, not endless."""
    name = harmless(text.replace("\\", "/").rsplit("/", 1)[-1]).strip()
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME // 2]}…{name[-_LONGEST_NAME // 2 + 1 :]}"


def extension_of(name: str) -> str | None:
    """The extension under which a file is kept: one that is known, never text of the client's; None for any other."""
    fitting = [known for known in known_extensions() if name.lower().endswith(known)]
    return max(fitting, key=len, default=None)
