"""Tag directories: numbered fields with values, as TIFF files and EXIF data hold them, read from bytes and written.

And what pictures say in them: how many pixels there are to a unit of length.

By hand, because Pillow writes values anew when it writes EXIF data (it turns letters beyond ASCII into question marks),
and tifffile writes no directories inside others, such as those of EXIF and GPS. Here every value keeps its bytes.

Format: Adobe, TIFF Revision 6.0, section 2; Aldus and AWare Systems, BigTIFF; JEITA CP-3451, Exif 2.3.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from io import BytesIO
from typing import Any, BinaryIO, Literal

from ..contents import Density

ORIENTATION, ACROSS, DOWN, UNIT = 274, 282, 283, 296
_ORDERS = {b"II": "<", b"MM": ">"}
_UNITS: dict[int | None, Any] = {1: "", 2: "inch", 3: "centimetre"}
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
_WHOLE = {1: "B", 3: "H", 4: "I"}
_LONG, _LONG8 = 4, 16
_INNER = (34665, 34853, 40965)
"""EXIF, GPS and interoperability: tags whose value is where a further directory is."""
_DEEPEST = 3
_MOST_TAGS = 4096
_LARGEST = 2**26  # bytes of a value

Unit = Literal["inch", "centimetre", "metre", ""]
_PER_METRE: dict[Unit, Fraction] = {"inch": Fraction(10_000, 254), "centimetre": Fraction(100), "metre": Fraction(1)}


@dataclass(frozen=True)
class Tag:
    """A field: its number, the type of its values, their bytes in the order of the directory, or a directory."""

    code: int
    kind: int
    value: bytes = b""
    inside: tuple[Tag, ...] | None = None


@dataclass(frozen=True)
class Directory:
    """Fields, the order of the bytes in their values, and where the next directory of a file is."""

    order: str
    tags: tuple[Tag, ...]
    following: int = 0

    def value(self, code: int) -> bytes:
        """The bytes of a field; none, if it is not there."""
        return next((tag.value for tag in self.tags if tag.code == code), b"")

    def number(self, code: int) -> int | None:
        """The first value of a field, if it is a whole number of 1 to 4 bytes."""
        for tag in self.tags:
            if tag.code == code and tag.kind in _WHOLE and len(tag.value) >= _SIZES[tag.kind]:
                return int(struct.unpack_from(self.order + _WHOLE[tag.kind], tag.value)[0])
        return None

    def density(self) -> dict[str, Any]:
        """The field `density` of `Metadata`, if there is one."""
        values = [self.value(code) for code in (ACROSS, DOWN)]
        unit = _UNITS.get(self.number(UNIT) if self.value(UNIT) else 2)
        if unit is None or any(len(value) != 8 for value in values):
            return {}
        across, down = (struct.unpack(f"{self.order}II", value) for value in values)
        # tifffile writes 1 pixel per nothing where it knows no density.
        return {} if unit == "" and across == down == (1, 1) else to_density(across, down, unit)


def read_directory(file: BinaryIO, offset: int, order: str, *, big: bool, deeper: int = _DEEPEST) -> Directory:
    """The directory at a place; ValueError if something lies outside of the file. Very large values are left out."""
    counter, link, entry = ("Q", "Q", 20) if big else ("H", "I", 12)
    width, start = struct.calcsize(link), offset + struct.calcsize(counter)
    (count,) = struct.unpack(order + counter, _read_exactly(file, offset, start - offset))
    if count > _MOST_TAGS:
        raise ValueError("too many tags")
    raw = _read_exactly(file, start, count * entry + width)
    found = []
    for at in range(0, count * entry, entry):
        code, kind, values = struct.unpack_from(f"{order}HH{link}", raw, at)
        field = raw[at + entry - width : at + entry]
        length = _SIZES.get(kind, 0) * values
        (place,) = struct.unpack(order + link, field)
        if code in _INNER and kind in (4, 13, 16, 18) and values == 1:
            if deeper and width == _SIZES[kind]:
                inner = read_directory(file, place, order, big=big, deeper=deeper - 1)
                found.append(Tag(code, kind, inside=inner.tags))
        elif length:
            found.append(Tag(code, kind, field[:length] if length <= width else _read_exactly(file, place, length)))
    return Directory(order, tuple(found), *struct.unpack(order + link, raw[count * entry :]))


def _read_exactly(file: BinaryIO, place: int, length: int) -> bytes:
    if place + length > file.seek(0, 2):
        raise ValueError("cut short")
    file.seek(place)
    return file.read(length) if length <= _LARGEST else b""


def to_bytes(tags: Iterable[Tag], start: int, order: str, *, big: bool = False, following: int = 0) -> bytes:
    """The directory as it stands in a file from the byte `start` on, its values and inner directories behind it."""
    counter, link, entry = ("Q", "Q", 20) if big else ("H", "I", 12)
    width = struct.calcsize(link)
    in_order = sorted(tags, key=lambda tag: tag.code)
    front = bytearray(struct.pack(order + counter, len(in_order)))
    behind = bytearray()
    place = start + struct.calcsize(counter) + len(in_order) * entry + width
    for tag in in_order:
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
                behind += to_bytes(tag.inside, at, order, big=big)
        front += struct.pack(f"{order}HH{link}", tag.code, kind, values) + field
    return bytes(front + struct.pack(order + link, following) + behind)


def read_exif(exif: bytes) -> Directory | None:
    """The directory of EXIF data, as it stands in a .jpg; None if it cannot be understood."""
    order = _ORDERS.get(exif[:2])
    if order is None or len(exif) < 8:
        return None
    try:
        (offset,) = struct.unpack_from(f"{order}I", exif, 4)
        return read_directory(BytesIO(exif), offset, order, big=False)
    except (ValueError, struct.error):
        return None


def to_exif(tags: Iterable[Tag], order: str) -> bytes:
    """EXIF data with these fields."""
    front = (b"II" if order == "<" else b"MM") + struct.pack(f"{order}HI", 42, 8)
    return front + to_bytes(tags, len(front), order)


def to_unit(density: Density, unit: Unit) -> tuple[Fraction, Fraction]:
    """Pixels across and down to another unit of length; a density without a unit stays as it is."""
    across, down = Fraction(*density.across), Fraction(*density.down)
    if density.unit == "" or unit == "":
        return across, down
    times = _PER_METRE[density.unit] / _PER_METRE[unit]
    return across * times, down * times


def to_density(across: tuple[int, int], down: tuple[int, int], unit: Unit) -> dict[str, Any]:
    """The field of `Metadata`; nothing, unless both are positive numbers."""
    sound = min(*across, *down) > 0
    return {"density": Density(across, down, unit)} if sound else {}
