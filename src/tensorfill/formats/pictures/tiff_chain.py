"""The pages of a TIFF file, counted by following the chain from one to the next until it says that it ends.

Format: Adobe, TIFF Revision 6.0, section 2. A library that stops at the first broken link would read a file that was
cut short as one with fewer pages.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from ..damage import damaged

KIND = "a .tif file"
_PLAIN, _BIG = 42, 43
_VALUE_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}


def page_count(file: BinaryIO, path: Path) -> int:
    """How many pages there are; a chain, or a value in it, that leaves the file is damage, and so is a circle."""
    size = file.seek(0, 2)
    file.seek(0)
    start = file.read(16)
    order = {b"II": "<", b"MM": ">"}.get(start[:2])
    if order is None or len(start) < 8:
        raise damaged(path, KIND)
    (version,) = struct.unpack_from(f"{order}H", start, 2)
    if version not in (_PLAIN, _BIG) or (version == _BIG and len(start) < 16):
        raise damaged(path, KIND)
    link, counter, entry = ("I", "H", 12) if version == _PLAIN else ("Q", "Q", 20)
    place = 4 if version == _PLAIN else 8
    (offset,) = struct.unpack_from(order + link, start, place)
    seen: set[int] = set()
    while offset:
        if offset in seen:
            raise damaged(path, KIND)
        seen.add(offset)
        (count,) = struct.unpack(order + counter, _at(file, offset, struct.calcsize(counter), size, path))
        tags = _at(file, offset + struct.calcsize(counter), count * entry + struct.calcsize(link), size, path)
        for _, kind, values, place in struct.iter_unpack(f"{order}HH{link}{link}", tags[: count * entry]):
            length = _VALUE_BYTES.get(kind, 0) * values
            if length > struct.calcsize(link) and place + length > size:
                raise damaged(path, KIND)
        (offset,) = struct.unpack(order + link, tags[count * entry :])
    return len(seen)


def _at(file: BinaryIO, offset: int, length: int, size: int, path: Path) -> bytes:
    if offset + length > size:
        raise damaged(path, KIND)
    file.seek(offset)
    return file.read(length)
