"""The blocks of a GIF file: its canvas, and the images drawn on it one after the other, still compressed.

Format: CompuServe, Graphics Interchange Format, Version 89a, 1990.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from . import gif_bytes

Table = NDArray[np.uint8]


@dataclass(frozen=True)
class ImageBlock:
    """A rectangle to draw, and what becomes of it before the next one."""

    top: int
    left: int
    height: int
    width: int
    interlaced: bool
    table: Table | None
    """The colours of the indices, (256, 3); None: those of the canvas."""
    first_bits: int
    packed: bytes
    hundredths: int = 0
    """How long it is shown, in hundredths of a second."""
    disposal: int = 0
    """Afterwards: 0 or 1, it stays; 2, its rectangle is cleared; 3, what was there before comes back."""
    transparent: int | None = None


@dataclass(frozen=True)
class Blocks:
    """All that is in a file."""

    height: int
    width: int
    table: Table | None
    looped: bool
    """Whether it says how often it is to be played, as animations do."""
    comments: tuple[bytes, ...]
    images: tuple[ImageBlock, ...]


@dataclass
class _Cursor:
    """Reads on from where it stands; past the end, it fails."""

    data: bytes
    at: int = 0
    control: tuple[int, int, int | None] = (0, 0, None)
    looped: bool = False
    comments: list[bytes] = field(default_factory=list)

    def take(self, count: int) -> bytes:
        piece = self.data[self.at : self.at + count]
        if len(piece) < count:
            raise EOFError
        self.at += count
        return piece

    def number(self) -> int:
        return int.from_bytes(self.take(2), "little")

    def table(self, flags: int) -> Table | None:
        if not flags & 0x80:
            return None
        size = 2 << (flags & 7)
        colours = np.zeros((256, 3), dtype=np.uint8)  # an index without a colour is black, as browsers have it
        colours[:size] = np.frombuffer(self.take(3 * size), dtype=np.uint8).reshape(size, 3)
        return colours

    def sub_blocks(self) -> bytes:
        pieces = []
        while length := self.take(1)[0]:
            pieces.append(self.take(length))
        return b"".join(pieces)


def parsed(data: bytes) -> Blocks:
    """The blocks up to the trailer; `EOFError` or `ValueError` if they do not get there."""
    cursor = _Cursor(data)
    if cursor.take(6) not in (b"GIF87a", b"GIF89a"):
        raise ValueError("no signature")
    width, height = cursor.number(), cursor.number()
    flags = cursor.take(3)[0]
    table = cursor.table(flags)
    images: list[ImageBlock] = []
    while (lead := cursor.take(1)) != gif_bytes.TRAILER:
        if lead == gif_bytes.EXTENSION:
            _extension(cursor)
        elif lead == gif_bytes.IMAGE:
            images.append(_image(cursor))
        else:
            raise ValueError("no such block")
    return Blocks(height, width, table, cursor.looped, tuple(cursor.comments), tuple(images))


def _extension(cursor: _Cursor) -> None:
    label = cursor.take(1)
    body = cursor.sub_blocks()
    if label == gif_bytes.CONTROL and len(body) == 4:
        transparent = body[3] if body[0] & 1 else None
        cursor.control = (int.from_bytes(body[1:3], "little"), body[0] >> 2 & 7, transparent)
    elif label == gif_bytes.COMMENT:
        cursor.comments.append(body)
    elif label == gif_bytes.APPLICATION and body[:11] in (b"NETSCAPE2.0", b"ANIMEXTS1.0"):
        cursor.looped = True


def _image(cursor: _Cursor) -> ImageBlock:
    left, top, width, height = (cursor.number() for _ in range(4))
    flags = cursor.take(1)[0]
    table = cursor.table(flags)
    first_bits = cursor.take(1)[0]
    if not 1 <= first_bits <= 8 or not width or not height:
        raise ValueError("no such image")
    hundredths, disposal, transparent = cursor.control
    cursor.control = (0, 0, None)
    packed = cursor.sub_blocks()
    interlaced = bool(flags & 0x40)
    return ImageBlock(
        top, left, height, width, interlaced, table, first_bits, packed, hundredths, disposal, transparent
    )
