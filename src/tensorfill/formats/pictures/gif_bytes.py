"""GIF blocks as bytes, ready to be written.

Format: CompuServe, Graphics Interchange Format, Version 89a, 1990.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

EXTENSION, IMAGE, TRAILER = b"!", b",", b";"
CONTROL, COMMENT, APPLICATION = b"\xf9", b"\xfe", b"\xff"
_FULL_TABLE = 0x87  # a table follows, of 256 colours
_FIRST_BITS = 8


def head(height: int, width: int, table: NDArray[np.uint8] | None) -> bytes:
    """The signature, the canvas, and the colours that all images share."""
    start = struct.pack("<6sHHBBB", b"GIF89a", width, height, 0x70 | (_FULL_TABLE if table is not None else 0), 0, 0)
    return start + (table.tobytes() if table is not None else b"")


def loop() -> bytes:
    """Play again and again."""
    return EXTENSION + APPLICATION + b"\x0bNETSCAPE2.0" + b"\x03\x01\x00\x00" + b"\x00"


def comment(text: bytes) -> bytes:
    """A remark of at most 255 bytes."""
    return EXTENSION + COMMENT + bytes([len(text)]) + text + b"\x00"


def image(
    indices: NDArray[np.uint8], table: NDArray[np.uint8] | None, hundredths: int, transparent: int | None
) -> bytes:
    """An image as large as the canvas; where something is transparent, nothing of the one before shines through."""
    from .lzw import encode

    flags = (1 << 2) if transparent is None else (2 << 2) | 1
    control = struct.pack("<BHB", flags, hundredths, transparent or 0)
    height, width = indices.shape
    place = struct.pack("<HHHHB", 0, 0, width, height, 0 if table is None else _FULL_TABLE)
    packed = np.empty(2 * indices.size + 16, dtype=np.uint8)
    length = encode(np.ascontiguousarray(indices).reshape(-1), packed, _FIRST_BITS)
    data = packed[:length].tobytes()
    pieces = [data[start : start + 255] for start in range(0, len(data), 255)]
    return b"".join(
        [
            *(EXTENSION, CONTROL, b"\x04", control, b"\x00"),
            *(IMAGE, place, b"" if table is None else table.tobytes(), bytes([_FIRST_BITS])),
            *(bytes([len(piece)]) + piece for piece in pieces),
            b"\x00",
        ]
    )
