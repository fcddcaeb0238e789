"""What a .tif file says beside its pixels: tags such as EXIF and the colour profile, and a text about its pages.

Three kinds of text are understood: JSON with `shape` and `axes`, as tifffile writes it and this package too; the lines
of ImageJ; and the attributes of OME-XML, of which only the sizes are looked at. Not by tifffile, which fills pages that
such a text promises and the file lacks with zeros, and opens other files that it names.

Format: Adobe, TIFF Revision 6.0; ISO 12234-2 and JEITA CP-3451 (EXIF); Adobe, XMP part 3; ICC.1, annex B.4.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, get_args

import numpy as np

from ..contents import Contents, Density, Kind, Metadata
from .tags import ACROSS, DOWN, ORIENTATION, UNIT, Directory, Tag, read_directory, read_exif, to_bytes, to_exif, to_unit

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

_KINDS: dict[str, Kind] = {"T": "video", "Z": "volume", "C": "cube"}
_IMAGEJ = {"frames": "T", "slices": "Z", "channels": "C"}
"""What its pages are, from the slowest mode to the fastest."""
_FINEST = 1_001_000  # so that 30000/1001 comes back from a decimal fraction
_FIELDS: dict[str, Callable[[Any], Any]] = {
    "band_names": lambda value: tuple(map(str, value)),
    "wavelengths": lambda value: tuple(map(float, value)),
    "wavelength_unit": str,
    "affine": lambda value: np.array(value, dtype=np.float64).reshape(4, 4),
}
"""Fields of `Metadata` that JSON has by the same name, and how they are read."""


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
        notes += (f"The file has {value} for no data; if that marks what is missing here, say missing={value}.",)
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
        found += _to_density_tags(metadata.density, order)
    if icc:
        found.append(Tag(_ICC, _UNDEFINED, icc))
    if metadata.xmp:
        found.append(Tag(_XMP, _BYTE, metadata.xmp))
    return [*found, Tag(_DESCRIPTION, _ASCII, description + b"\0")]


def _to_density_tags(density: Density, order: str) -> list[Tag]:
    across, down, unit = density
    if unit == "metre":
        wide, high = to_unit(density, "centimetre")
        across, down, unit = wide.as_integer_ratio(), high.as_integer_ratio(), "centimetre"
    return [
        Tag(ACROSS, _RATIONAL, struct.pack(f"{order}II", *across)),
        Tag(DOWN, _RATIONAL, struct.pack(f"{order}II", *down)),
        Tag(UNIT, _SHORT, struct.pack(f"{order}H", _UNITS[unit])),
    ]


@dataclass(frozen=True)
class Description:
    """The modes that the pages make up, and what is known about them."""

    modes: tuple[int, ...] | None = None
    """The sizes of the modes beside rows, columns and channels; None if undeclared."""
    kind: Kind | None = None
    axes: str = ""
    """A letter for each of several modes, T, Z, C or any other; empty if undeclared."""
    frame_rate: Fraction | None = None
    text: str = ""
    """What people wrote about the picture, without what is understood here."""
    notes: tuple[str, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)
    """Bands, wavelengths and affine, by the names that `Metadata` has for them."""


def parse_text(text: str, samples: int = 1, pages: int = 1) -> Description:
    """What the text says, or nothing if it is about something else or does not make sense.

    `samples` is how many numbers a pixel has, `pages` how many pages there are.
    """
    try:
        if text.startswith("{"):
            return _parse_json(json.loads(text), samples)
        if text.startswith("ImageJ="):
            return _parse_imagej(text)
        if "<OME" in text[:2000]:
            return _parse_ome(text, samples, pages)
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError):
        pass
    return Description(text=text)


def _parse_json(said: Any, samples: int) -> Description:
    axes = str(said.get("axes", ""))
    shape = tuple(int(size) for size in said["shape"])
    if not axes and said.get("truncated") and min(shape) > 0:  # tifffile left out entries of pages, not their pixels
        return Description(shape[: -3 if samples > 1 else -2])
    pixel_modes = 3 if axes.endswith("S") else 2
    if "YX" not in axes or len(axes) != len(shape) or min(shape) < 1:
        return Description()
    modes = axes[:-pixel_modes]
    kind = said.get("kind", _find_kind(modes) or _KINDS.get(axes[0]))
    rate = Fraction(said["frame_rate"]) if "frame_rate" in said else None
    return Description(
        shape[:-pixel_modes],
        kind if kind in get_args(Kind) else None,
        modes if len(modes) > 1 else "",
        rate if rate and rate > 0 else None,
        str(said.get("description", "")),
        fields={name: read(said[name]) for name, read in _FIELDS.items() if name in said},
    )


def _parse_imagej(text: str) -> Description:
    said = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    count = int(said.get("images", 1))
    sizes = {letter: int(said.get(name, 1)) for name, letter in _IMAGEJ.items()}
    axes = "".join(letter for letter, size in sizes.items() if size > 1)
    modes = tuple(sizes[letter] for letter in axes)
    if count > 1 and math.prod(modes) != count:
        words = ", ".join(f"{sizes[letter]} {name}" for name, letter in _IMAGEJ.items() if letter in axes)
        note = f"ImageJ says that there are {count} images, and also {words}: they do not fit, and are read one by one."
        return Description((count,), notes=(note,) if axes else ())
    rate = None
    if "T" in axes and float(said.get("fps", 0)) > 0:
        rate = Fraction(said["fps"])
    elif "T" in axes and float(said.get("finterval", 0)) > 0:
        rate = (1 / Fraction(said["finterval"])).limit_denominator(_FINEST)
    return Description(modes or None, _find_kind(axes), axes if len(axes) > 1 else "", rate)


def _parse_ome(text: str, samples: int, pages: int) -> Description:
    """The modes, slowest first; only a kind, where sizes and pages do not fit together."""
    found = {mode: re.search(rf'\bSize{mode}="(\d{{1,6}})"', text) for mode in "TZC"}
    sizes = {mode: int(match[1]) for mode, match in found.items() if match}
    if samples > 1 and "C" in sizes:
        sizes["C"] = max(1, sizes["C"] // samples)
    order = re.search(r'\bDimensionOrder="XY([TZC]{3})"', text)
    axes = "".join(mode for mode in (order[1][::-1] if order else "TZC") if sizes.get(mode, 1) > 1)
    modes = tuple(sizes[mode] for mode in axes)
    if math.prod(modes) != pages:
        note = f"OME-XML says that there are {math.prod(modes)} pages, and here are {pages}; they are read one by one."
        return Description(kind=_KINDS[axes] if len(axes) == 1 else None, notes=(note,))
    return Description(modes or None, _find_kind(axes), axes if len(axes) > 1 else "")


def _find_kind(axes: str) -> Kind | None:
    """What pages of these modes are: one mode says it; where there is depth they are volumes, else clips."""
    if len(axes) == 1:
        return _KINDS.get(axes)
    return "volume" if "Z" in axes else "video" if "T" in axes else None


def keep_text(contents: Contents, text: bytes, said: Description, *, whole: bool = True) -> Contents:
    """The same, remembering a text that others wrote, and of which array; of a part, not what is about the whole."""
    kept = said.text.encode() if text.startswith(b"{") else text
    if not kept or not (whole or said.text):
        return contents
    header = {**contents.metadata.header, "text": kept, "shape": contents.shape, "dtype": contents.dtype.str}
    header["plain"] = bool(said.text)
    return replace(contents, metadata=replace(contents.metadata, header=header, header_of="tiff"))


def compose_text(contents: Contents, stored: tuple[int, ...], axes: str) -> bytes:
    """The text for these pages, of which `stored` and `axes` are the modes as they are in the file.

    What ImageJ, OME and others wrote is written again, if the array is still of the shape and type that it is about. A
    text that is for people stays with a picture in any case, and goes into the one of this package otherwise.
    """
    metadata = contents.metadata
    header = metadata.header if metadata.header_of == "tiff" else {}
    text: bytes = header.get("text", b"")
    same = (header.get("shape"), header.get("dtype")) == (contents.shape, contents.dtype.str)
    plain = bool(header.get("plain", True))
    if text and (same or (plain and metadata.kind == "picture")):
        return text
    return _to_json(metadata, stored, axes, text.decode("utf-8", "replace") if plain else "").encode()


def _to_json(metadata: Metadata, stored: tuple[int, ...], axes: str, text: str) -> str:
    said: dict[str, Any] = {"shape": list(stored), "axes": axes, "kind": metadata.kind}
    if text:
        said["description"] = text
    if metadata.frame_rate is not None:
        said["frame_rate"] = str(metadata.frame_rate)
    for name in _FIELDS:
        value = getattr(metadata, name)
        if value is not None and len(value):
            said[name] = value.tolist() if isinstance(value, np.ndarray) else value
    return json.dumps(said)
