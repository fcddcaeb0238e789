"""The tags of a .tif file that are not about its pixels: EXIF, colour profile, XMP, density, and all others.

Format: Adobe, TIFF Revision 6.0; ISO 12234-2 and JEITA CP-3451 (EXIF); Adobe, XMP part 3; ICC.1, annex B.4.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

from ..contents import Density, Metadata
from .tag_directory import (
    ACROSS,
    DOWN,
    ORIENTATION,
    UNIT,
    Directory,
    Tag,
    read_directory,
    read_exif,
    to_bytes,
    to_exif,
    to_unit,
)

_DESCRIPTION, _XMP, _ICC, _LAYERS, _NO_DATA = 270, 700, 34675, 37724, 42113
_CAMERA = (269, 271, 272, ORIENTATION, 306, 315, 316, 33432, *range(40091, 40096), 34665, 34853)
"""What a .jpg has in its EXIF data: names, times, rights; and the directories of EXIF and GPS."""
_OF_PIXELS = frozenset(
    (
        *range(254, 267),
        *(273, 277, 278, 279, 280, 281, 284, *range(288, 294), 297, 301, 317, 318, 319, 320, 321, 322, 323, 324, 325),
        *(326, 327, 328, 330, *range(332, 348), 400, *range(512, 522), 529, 530, 531, 532, 559, 32781, 32995, 32996),
        *(32997, 32998, 33421, 33422, 34015, 37393, 50674, 50844, _LAYERS),
    )
)
"""How pixels are laid out and packed, where they lie, and smaller copies of them."""
_OF_FIELDS = (*_CAMERA, _DESCRIPTION, _XMP, _ICC, ACROSS, DOWN, UNIT)
_ASCII, _UNDEFINED, _BYTE, _SHORT, _RATIONAL = 2, 7, 1, 3, 5
_UNITS = {"": 1, "inch": 2, "centimetre": 3}


class About(NamedTuple):
    """What a directory says beside pixels: fields of `Metadata`, notes for the user, and the description as it is."""

    fields: dict[str, Any]
    notes: tuple[str, ...] = ()
    text: bytes = b""


def count_pages(file: BinaryIO, first: Any) -> int:
    """How many pages there are, up to the end of their chain; ValueError if that, or a value, leaves the file.

    tifffile stops at the first broken link, and would read a file that was cut short as one with fewer pages. `first`
    is the first page as it sees it.
    """
    offset, seen = first.offset, set[int]()
    while offset:
        if offset in seen:
            raise ValueError("a circle of pages")
        seen.add(offset)
        offset = _read_page_directory(file, first, offset, deeper=0).following
    return len(seen)


def _read_page_directory(file: BinaryIO, page: Any, offset: int, **how: int) -> Directory:
    return read_directory(file, offset, page.parent.byteorder, big=page.parent.is_bigtiff, **how)


def read_about(file: BinaryIO, page: Any) -> About:
    """All that the directory of a page of tifffile says beside pixels."""
    try:
        directory = _read_page_directory(file, page, page.offset)
    except ValueError:
        return About({}, ("The metadata of the file, such as EXIF data, is damaged; it is left out.",))
    tags = directory.tags
    camera = tuple(tag for tag in tags if tag.code in _CAMERA)
    has_camera_data = any(tag.code != ORIENTATION or directory.number(ORIENTATION) != 1 for tag in camera)
    taken = _OF_PIXELS.union(_OF_FIELDS)
    others = tuple((tag.code, tag.kind, tag.value) for tag in tags if tag.code not in taken and tag.value)
    fields: dict[str, Any] = {
        "exif": to_exif(camera, directory.order) if has_camera_data else b"",
        "xmp": directory.value(_XMP),
        "icc": directory.value(_ICC),
        **directory.density(),
    }
    if others:
        fields["header"] = {"tags": others, "order": directory.order}
    notes: tuple[str, ...] = ()
    if any(tag.code == _LAYERS for tag in tags):
        notes += ("The layers of an editor are in this file, too; only the picture itself is read, and written.",)
    if value := directory.value(_NO_DATA).strip(b"\0 ").decode("latin-1"):
        notes += (f"The file has {value} for no data; if that marks what is missing here, say --missing {value}.",)
    return About(fields, notes, directory.value(_DESCRIPTION).rstrip(b"\0"))


def choose_byte_order(metadata: Metadata) -> Literal["<", ">"]:
    """The order that values came in, so that they need not be turned round; little end first if undeclared."""
    header = metadata.header if metadata.header_of == "tiff" else {}
    exif = read_exif(metadata.exif)
    return ">" if (exif.order if exif else header.get("order")) == ">" else "<"


def add_about(path: Path, metadata: Metadata, icc: bytes, description: bytes, *, order: str, big: bool) -> None:
    """Put tags into the first directory of a file that has just been written: it is written anew behind everything."""
    place, link = (8, f"{order}Q") if big else (4, f"{order}I")
    with path.open("r+b") as file:
        (offset,) = struct.unpack_from(link, file.read(16), place)
        directory = read_directory(file, offset, order, big=big)
        tags = {tag.code: tag for tag in (*directory.tags, *_to_tags(metadata, icc, description, order))}
        end = file.seek(0, 2)
        start = end + end % 2
        written = to_bytes(tags.values(), start, order, big=big, following=directory.following)
        file.write(bytes(start - end) + written)
        file.seek(place)
        file.write(struct.pack(link, start))


def _to_tags(metadata: Metadata, icc: bytes, description: bytes, order: str) -> list[Tag]:
    found: list[Tag] = []
    if metadata.header_of == "tiff" and metadata.header.get("order") == order:
        found += [Tag(*stored) for stored in metadata.header.get("tags", ())]
    exif = read_exif(metadata.exif)
    if exif is not None and exif.order == order:
        found += [tag for tag in exif.tags if tag.code not in _OF_PIXELS]
    if metadata.density is not None:
        found += _density_tags(metadata.density, order)
    if icc:
        found.append(Tag(_ICC, _UNDEFINED, icc))
    if metadata.xmp:
        found.append(Tag(_XMP, _BYTE, metadata.xmp))
    return [*found, Tag(_DESCRIPTION, _ASCII, description + b"\0")]


def _density_tags(density: Density, order: str) -> list[Tag]:
    across, down, unit = density
    if unit == "metre":
        wide, high = to_unit(density, "centimetre")
        across, down, unit = wide.as_integer_ratio(), high.as_integer_ratio(), "centimetre"
    return [
        Tag(ACROSS, _RATIONAL, struct.pack(f"{order}II", *across)),
        Tag(DOWN, _RATIONAL, struct.pack(f"{order}II", *down)),
        Tag(UNIT, _SHORT, struct.pack(f"{order}H", _UNITS[unit])),
    ]
