"""The chunks of a PNG file: every one whole, its checksum right, before anybody believes what is in it.

Format: W3C, Portable Network Graphics (PNG) Specification, section 5.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..damage import damaged

SIGNATURE = b"\x89PNG\r\n\x1a\n"
FIRST_CHUNK_END = 33
"""The signature and the first chunk are always that long."""
_PIECE = 2**20


@dataclass(frozen=True)
class Header:
    """What the first chunk declares."""

    width: int
    height: int
    bits: int
    colour: int
    """0 gray, 2 RGB, 3 palette, 4 gray with alpha, 6 RGB with alpha."""
    interlaced: bool


@dataclass(frozen=True)
class Chunk:
    """Where a chunk's bytes are."""

    kind: bytes
    start: int
    length: int


def checked_chunks(file: BinaryIO, path: Path, kind: str) -> tuple[Header, tuple[Chunk, ...]]:
    """The header and all chunks up to the end; a damaged file is refused."""
    if file.read(8) != SIGNATURE:
        raise damaged(path, kind)
    chunks: list[Chunk] = []
    while not chunks or chunks[-1].kind != b"IEND":
        chunk = _next_chunk(file)
        if chunk is None:
            raise damaged(path, kind)
        chunks.append(chunk)
    if chunks[0].kind != b"IHDR" or chunks[0].length != 13:
        raise damaged(path, kind)
    file.seek(chunks[0].start)
    width, height, bits, colour, compression, filtering, interlace = struct.unpack(">IIBBBBB", file.read(13))
    if not width or not height or compression or filtering or interlace > 1:
        raise damaged(path, kind)
    return Header(width, height, bits, colour, bool(interlace)), tuple(chunks)


def _next_chunk(file: BinaryIO) -> Chunk | None:
    """The chunk that starts here, None if it is not whole; afterwards the file stands behind it."""
    lead = file.read(8)
    if len(lead) < 8:
        return None
    length, kind = struct.unpack(">I4s", lead)
    start = file.tell()
    checksum, left = zlib.crc32(kind), length
    while left:
        piece = file.read(min(left, _PIECE))
        if not piece:
            return None
        checksum = zlib.crc32(piece, checksum)
        left -= len(piece)
    return Chunk(kind, start, length) if file.read(4) == struct.pack(">I", checksum) else None


def packed(kind: bytes, body: bytes) -> bytes:
    """A chunk as it stands in a file."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
