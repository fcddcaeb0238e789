"""Whether a PNG file has all the pixels that it declares: Pillow takes those that are missing for black.

Format: W3C, Portable Network Graphics (PNG) Specification, sections 4.5.2, 7 and 8.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import BinaryIO

from ..damage import damaged
from .png_chunks import Chunk, Header

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_PALETTE = 3
_PASSES = ((0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2))
"""First column and step, first row and step, of the seven pictures that an interlaced one is made of."""
_PIECE = 2**20


def check_pixels(file: BinaryIO, header: Header, chunks: tuple[Chunk, ...], path: Path, kind: str) -> None:
    """Refuse a file with too few pixels, or with a palette that is not there; nothing is kept in memory."""
    palette = any(chunk.kind == b"PLTE" for chunk in chunks)
    if (header.colour == _PALETTE and not palette) or _too_few(file, header, chunks):
        raise damaged(path, kind)


def _too_few(file: BinaryIO, header: Header, chunks: tuple[Chunk, ...]) -> bool:
    left, inflate = _size(header), zlib.decompressobj()
    for chunk in (chunk for chunk in chunks if chunk.kind == b"IDAT"):
        file.seek(chunk.start)
        packed = file.read(chunk.length)
        while packed and left > 0:
            left -= len(inflate.decompress(packed, min(left, _PIECE)))
            packed = inflate.unconsumed_tail
    return left > 0


def _size(header: Header) -> int:
    """How many bytes the pixels take: every row begins with one for its filter."""
    bits = _CHANNELS[header.colour] * header.bits
    sizes = [
        (len(range(top, header.height, down)), len(range(left, header.width, right)))
        for left, right, top, down in (_PASSES if header.interlaced else ((0, 1, 0, 1),))
    ]
    return sum(rows * (1 + -(-columns * bits // 8)) for rows, columns in sizes if columns)
