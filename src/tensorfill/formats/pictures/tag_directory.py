"""Tag directories: numbered fields with values, as TIFF files and EXIF data hold them, read from bytes and written.

Format: Adobe, TIFF Revision 6.0, section 2; Aldus and AWare Systems, BigTIFF; JEITA CP-3451, Exif 2.3, section 4.5.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass

ORDERS = {b"II": "<", b"MM": ">"}
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
_LONG, _LONG8 = 4, 16
_DIRECTORIES = (34665, 34853, 40965)
"""EXIF, GPS and interoperability: tags whose value is where a further directory is."""
_DEEPEST = 3
_MOST_TAGS = 4096
_LARGEST = 2**26  # bytes of a value

ReadAt = Callable[[int, int], bytes]
"""The bytes from a place, as many as asked for; fewer, if there are no more."""


@dataclass(frozen=True)
class Tag:
    """A field: its number, the type of its values, their bytes in the order of the directory, or a directory."""

    code: int
    kind: int
    value: bytes = b""
    inside: tuple[Tag, ...] | None = None

    def number(self, order: str) -> int | None:
        """The first value, if it is a whole number of 1 to 4 bytes."""
        letter = {1: "B", 3: "H", 4: "I"}.get(self.kind)
        size = _SIZES.get(self.kind, 0)
        return None if letter is None or len(self.value) < size else struct.unpack_from(order + letter, self.value)[0]


def read_directory(read_at: ReadAt, offset: int, order: str, *, big: bool = False) -> tuple[tuple[Tag, ...], int]:
    """All fields of the directory at a place, and where the next one is; ValueError if something lies outside."""
    return _read(read_at, offset, order, big, _DEEPEST)


def _read(read_at: ReadAt, offset: int, order: str, big: bool, deeper: int) -> tuple[tuple[Tag, ...], int]:
    counter, link, entry = ("Q", "Q", 20) if big else ("H", "I", 12)
    width = struct.calcsize(link)
    (count,) = struct.unpack(order + counter, _exactly(read_at, offset, struct.calcsize(counter)))
    if count > _MOST_TAGS:
        raise ValueError("too many tags")
    raw = _exactly(read_at, offset + struct.calcsize(counter), count * entry + width)
    found = []
    for at in range(0, count * entry, entry):
        code, kind, values = struct.unpack_from(f"{order}HH{link}", raw, at)
        field = raw[at + entry - width : at + entry]
        length = _SIZES.get(kind, 0) * values
        if not length:
            continue
        (place,) = struct.unpack(order + link, field)
        if code in _DIRECTORIES and kind in (4, 13, 16, 18) and values == 1:
            if deeper and width == _SIZES[kind]:
                found.append(Tag(code, kind, inside=_read(read_at, place, order, big, deeper - 1)[0]))
            continue
        if length > _LARGEST:
            raise ValueError("too large a value")
        found.append(Tag(code, kind, field[:length] if length <= width else _exactly(read_at, place, length)))
    (following,) = struct.unpack(order + link, raw[count * entry :])
    return tuple(found), following


def _exactly(read_at: ReadAt, place: int, length: int) -> bytes:
    got = read_at(place, length)
    if len(got) < length:
        raise ValueError("cut short")
    return got


def directory_bytes(tags: Iterable[Tag], start: int, order: str, *, big: bool = False, following: int = 0) -> bytes:
    """The directory as it stands in a file from the byte `start` on, its values and inner directories behind it."""
    counter, link, entry = ("Q", "Q", 20) if big else ("H", "I", 12)
    width = struct.calcsize(link)
    listed = sorted(tags, key=lambda tag: tag.code)
    front = bytearray(struct.pack(order + counter, len(listed)))
    behind = bytearray()
    place = start + struct.calcsize(counter) + len(listed) * entry + width
    for tag in listed:
        kind, values = tag.kind, len(tag.value) // _SIZES[tag.kind]
        field = tag.value.ljust(width, b"\0")
        if tag.inside is not None or len(tag.value) > width:
            behind += bytes(-(place + len(behind)) % 2)  # values begin at even places
            at = place + len(behind)
            field = struct.pack(order + link, at)
            if tag.inside is None:
                behind += tag.value
            else:
                kind, values = _LONG8 if big else _LONG, 1
                behind += directory_bytes(tag.inside, at, order, big=big)
        front += struct.pack(f"{order}HH{link}", tag.code, kind, values) + field
    return bytes(front + struct.pack(order + link, following) + behind)


def exif_tags(exif: bytes) -> tuple[str, tuple[Tag, ...]] | None:
    """The order of bytes and the fields of EXIF data, as it stands in a .jpg; None if it cannot be understood."""
    order = ORDERS.get(exif[:2])
    if order is None or len(exif) < 8:
        return None
    try:
        (offset,) = struct.unpack_from(f"{order}I", exif, 4)
        return order, read_directory(lambda place, length: exif[place : place + length], offset, order)[0]
    except (ValueError, struct.error):
        return None


def exif_bytes(tags: Iterable[Tag], order: str) -> bytes:
    """EXIF data with these fields."""
    front = (b"II" if order == "<" else b"MM") + struct.pack(f"{order}HI", 42, 8)
    return front + directory_bytes(tags, len(front), order)
