"""The tags of a .tif file that are not about its pixels: EXIF, colour profile, XMP, density, and all others.

Format: Adobe, TIFF Revision 6.0; ISO 12234-2 and JEITA CP-3451 (EXIF); Adobe, XMP part 3; ICC.1, annex B.4.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

from ..metadata import Density, Metadata
from .density import in_unit, sound
from .orientation import ORIENTATION
from .tag_directory import ORDERS, Tag, directory_bytes, exif_bytes, exif_tags, read_directory

DESCRIPTION = 270
_XMP, _ICC, _LAYERS, _NO_DATA = 700, 34675, 37724, 42113
_ACROSS, _DOWN, _UNIT = 282, 283, 296
_UNITS = {1: "", 2: "inch", 3: "centimetre"}
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
_UNDEFINED, _BYTE, _SHORT, _RATIONAL = 7, 1, 3, 5


class About(NamedTuple):
    """What a directory tells beside pixels: fields of `Metadata`, notes for the user, and the description as it is."""

    fields: dict[str, Any]
    notes: tuple[str, ...] = ()
    text: bytes = b""


def read_about(file: BinaryIO, offset: int) -> About:
    """All that the directory at this place of a .tif file tells."""
    file.seek(0)
    front = file.read(4)
    order = ORDERS[front[:2]]
    try:
        tags = read_directory(_reader(file), offset, order, big=front[2:].strip(b"\0") == b"+")[0]
    except ValueError:
        return About({}, ("What the file tells beside its pixels, such as EXIF data, is damaged; it is left out.",))
    by_code = {tag.code: tag for tag in tags}
    camera = tuple(tag for tag in tags if tag.code in _CAMERA)
    told = [tag for tag in camera if tag.code != ORIENTATION or tag.number(order) != 1]
    taken = (*_CAMERA, *_OF_PIXELS, DESCRIPTION, _XMP, _ICC, _ACROSS, _DOWN, _UNIT)
    others = tuple((tag.code, tag.kind, tag.value) for tag in tags if tag.code not in taken)
    fields: dict[str, Any] = {
        "exif": exif_bytes(camera, order) if told else b"",
        "xmp": by_code[_XMP].value if _XMP in by_code else b"",
        "icc": by_code[_ICC].value if _ICC in by_code else b"",
        **_density(by_code, order),
    }
    notes: tuple[str, ...] = ()
    if _LAYERS in by_code:
        notes += ("The layers of an editor are in this file, too; only the picture itself is read, and written.",)
    if _NO_DATA in by_code:
        value = by_code[_NO_DATA].value.strip(b"\0 ").decode("latin-1")
        notes += (f"The file has {value} for no data; if that marks what is missing here, say --missing {value}.",)
    text = by_code[DESCRIPTION].value.rstrip(b"\0") if DESCRIPTION in by_code else b""
    return About(fields | ({"header": {"tags": others, "order": order}} if others else {}), notes, text)


def byte_order(metadata: Metadata) -> Literal["<", ">"]:
    """The order that values came in, so that they need not be turned round; little end first if nobody cares."""
    header = metadata.header if metadata.header_of == "tiff" else {}
    found = exif_tags(metadata.exif)
    return ">" if (found[0] if found else header.get("order")) == ">" else "<"


def add_about(path: Path, metadata: Metadata, icc: bytes, description: bytes) -> None:
    """Put tags into the first directory of a file that has just been written: it is written anew behind everything."""
    with path.open("r+b") as file:
        front = file.read(16)
        order = ORDERS[front[:2]]
        big = front[2:4].strip(b"\0") == b"+"
        place, link = (8, "Q") if big else (4, "I")
        (offset,) = struct.unpack_from(order + link, front, place)
        tags, following = read_directory(_reader(file), offset, order, big=big)
        new = {tag.code: tag for tag in (*tags, *_told(metadata, icc, description, order))}
        end = file.seek(0, 2)
        start = end + end % 2
        file.write(bytes(start - end) + directory_bytes(new.values(), start, order, big=big, following=following))
        file.seek(place)
        file.write(struct.pack(order + link, start))


def _told(metadata: Metadata, icc: bytes, description: bytes, order: str) -> list[Tag]:
    found: list[Tag] = []
    if metadata.header_of == "tiff" and metadata.header.get("order") == order:
        found += [Tag(*stored) for stored in metadata.header.get("tags", ())]
    if (camera := exif_tags(metadata.exif)) and camera[0] == order:
        found += [tag for tag in camera[1] if tag.code not in _OF_PIXELS]
    if metadata.density is not None:
        found += _density_tags(metadata.density, order)
    if icc:
        found.append(Tag(_ICC, _UNDEFINED, icc))
    if metadata.xmp:
        found.append(Tag(_XMP, _BYTE, metadata.xmp))
    return [*found, Tag(DESCRIPTION, 2, description + b"\0")]


def _density(by_code: dict[int, Tag], order: str) -> dict[str, Density]:
    if not all(code in by_code and len(by_code[code].value) == 8 for code in (_ACROSS, _DOWN)):
        return {}
    across, down = (struct.unpack(f"{order}II", by_code[code].value) for code in (_ACROSS, _DOWN))
    number = by_code[_UNIT].number(order) if _UNIT in by_code else 2
    unit: Any = _UNITS.get(number or 0)
    density = Density(across, down, unit or "")
    # tifffile writes 1 pixel per nothing where nobody knows.
    unknown = unit is None or not sound(density) or (unit == "" and (across, down) == ((1, 1), (1, 1)))
    return {} if unknown else {"density": density}


def _density_tags(density: Density, order: str) -> list[Tag]:
    across, down, unit = density
    if unit == "metre":
        (wide, high), unit = in_unit(density, "centimetre"), "centimetre"
        across, down = wide.as_integer_ratio(), high.as_integer_ratio()
    pairs = [(code, struct.pack(f"{order}II", *value)) for code, value in ((_ACROSS, across), (_DOWN, down))]
    unit_tag = Tag(_UNIT, _SHORT, struct.pack(f"{order}H", {"": 1, "inch": 2, "centimetre": 3}[unit]))
    return [*(Tag(code, _RATIONAL, value) for code, value in pairs), unit_tag]


def _reader(file: BinaryIO) -> Any:
    def read_at(place: int, length: int) -> bytes:
        file.seek(place)
        return file.read(length)

    return read_at
