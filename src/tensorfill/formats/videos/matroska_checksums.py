"""The checksums of a .mkv file: libav writes one into every part, and does not look at them when it reads.

A part begins with it: the bytes BF 84, and the CRC-32 of all that follows in 4 bytes, the lowest first (RFC 8794,
section 11.3.1, and RFC 9559). Without this, one wrong bit in the number of columns gives other frames.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import BinaryIO

from ..damage import damaged
from ..source import open_source
from .wholeness import element_size, open_segment

_CHECKSUM = b"\xbf\x84"
_LENGTH = 6
_PIECE = 2**20


def check_checksums(path: Path) -> None:
    """Refuse a .mkv file of which a part is not as it was written; other files and parts without checksum pass."""
    with open_source(path) as file:
        end = open_segment(file)
        while end is not None and file.tell() < end:
            size = _next_part(file)
            if size is None:
                return
            if not _right(file, size):
                raise damaged(path, "a video")


def _next_part(file: BinaryIO) -> int | None:
    """How long the part is that begins here, behind its name of 1 to 4 bytes; None if it does not say."""
    first = file.read(1)
    if not first or first[0] < 0x10:
        return None
    file.seek(8 - first[0].bit_length(), 1)
    return element_size(file)


def _right(file: BinaryIO, size: int) -> bool:
    """Whether a part has the checksum that it tells, if it tells one; afterwards the file stands behind it."""
    end = file.tell() + size
    lead = file.read(min(size, _LENGTH))
    if len(lead) < _LENGTH or not lead.startswith(_CHECKSUM):
        file.seek(end)
        return True
    checksum, left = 0, size - _LENGTH
    while left and (piece := file.read(min(left, _PIECE))):
        checksum = zlib.crc32(piece, checksum)
        left -= len(piece)
    return checksum == int.from_bytes(lead[len(_CHECKSUM) :], "little")
