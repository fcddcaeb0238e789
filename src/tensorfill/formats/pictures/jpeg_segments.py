"""The segments of a .jpg file that are not about its pixels: EXIF, colour profile, XMP, density, comments and others.

Format: ITU-T T.81, annex B; ITU-T T.871 (JFIF); JEITA CP-3451, section 4.7; ICC.1, annex B.4; Adobe, XMP part 3.
"""

from __future__ import annotations

import struct
from typing import Any, BinaryIO

from ..metadata import Density, Metadata
from .density import in_unit, sound
from .tag_directory import exif_tags

_START, _SCAN, _END = 0xD8, 0xDA, 0xD9
_APP0, _APP1, _APP2, _APP14, _APP15, _COMMENT = 0xE0, 0xE1, 0xE2, 0xEE, 0xEF, 0xFE
_WITHOUT_LENGTH = (0x01, *range(0xD0, 0xD8))
_JFIF, _JFXX, _EXIF, _ICC, _MPF = b"JFIF\0", b"JFXX\0", b"Exif\0\0", b"ICC_PROFILE\0", b"MPF\0"
_XMP = b"http://ns.adobe.com/xap/1.0/\0"
_LONGEST = 65_533  # bytes of a segment
_UNITS = {0: "", 1: "inch", 2: "centimetre"}
_RESOLUTION_UNITS = {1: "", 2: "inch", 3: "centimetre"}

Segment = tuple[int, bytes]


def read_about(file: BinaryIO) -> dict[str, Any]:
    """Fields of `Metadata`, from the segments in front of the pixels."""
    fields: dict[str, Any] = {}
    exif, xmp, others = b"", b"", []
    profile: dict[int, bytes] = {}
    for marker, body in _segments(file):
        if marker == _APP0 and body.startswith(_JFIF):
            fields |= _jfif_density(body)
        elif marker == _APP1 and body.startswith(_EXIF):
            exif += body[len(_EXIF) :]
        elif marker == _APP1 and body.startswith(_XMP):
            xmp = body[len(_XMP) :]
        elif marker == _APP2 and body.startswith(_ICC) and len(body) > len(_ICC) + 2:
            profile[body[len(_ICC)]] = body[len(_ICC) + 2 :]
        elif not _is_about_pixels(marker, body):
            others.append((marker, body))
    fields |= {"exif": exif, "xmp": xmp, "icc": b"".join(profile[number] for number in sorted(profile))}
    if "density" not in fields:
        fields |= density_in_exif(exif)
    return fields | ({"header": {"segments": tuple(others)}, "header_of": "jpeg"} if others else {})


def with_about(plain: bytes, metadata: Metadata, icc: bytes) -> bytes:
    """A .jpg file as the encoder made it, with what the metadata tells in front of its pixels."""
    end = 2
    while plain[end : end + 2] == bytes((0xFF, _APP0)):
        end += 2 + struct.unpack_from(">H", plain, end + 2)[0]
    others: tuple[Segment, ...] = ()
    if metadata.header_of == "jpeg":
        others = tuple(metadata.header.get("segments", ()))
    segments = [(_APP0, _jfif(metadata.density))]
    if metadata.exif and fits(metadata.exif, _EXIF):
        segments.append((_APP1, _EXIF + metadata.exif))
    if metadata.xmp and fits(metadata.xmp, _XMP):
        segments.append((_APP1, _XMP + metadata.xmp))
    segments += [*_icc_segments(icc), *others]
    packed = (struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body for marker, body in segments)
    return plain[:2] + b"".join(packed) + plain[end:]


def too_long(metadata: Metadata, icc: bytes) -> tuple[str, ...]:
    """What does not fit into a .jpg file, in words."""
    long = {"EXIF data": not fits(metadata.exif, _EXIF), "XMP": not fits(metadata.xmp, _XMP)}
    long["the colour profile"] = len(_icc_segments(icc)) > 255
    return tuple(name for name, is_so in long.items() if is_so)


def fits(body: bytes, front: bytes = _EXIF) -> bool:
    """Whether this goes into one segment."""
    return len(front) + len(body) <= _LONGEST


def density_in_exif(exif: bytes) -> dict[str, Density]:
    """What EXIF data says about density, for files that say nothing else."""
    found = exif_tags(exif)
    if found is None:
        return {}
    order, tags = found
    by_code = {tag.code: tag for tag in tags}
    if not all(code in by_code and len(by_code[code].value) == 8 for code in (282, 283)):
        return {}
    across, down = (struct.unpack(f"{order}II", by_code[code].value) for code in (282, 283))
    unit: Any = _RESOLUTION_UNITS.get((by_code[296].number(order) if 296 in by_code else 2) or 0, "")
    density = Density(across, down, unit)
    return {"density": density} if sound(density) else {}


def _segments(file: BinaryIO) -> list[Segment]:
    """All segments up to the first scan; what comes after something odd is left to the decoder."""
    found: list[Segment] = []
    if file.read(2) != bytes((0xFF, _START)):
        return found
    while (lead := file.read(2)) and lead[0] == 0xFF:
        marker = lead[1]
        while marker == 0xFF:  # filling
            marker = (file.read(1) or bytes((_END,)))[0]
        if marker in (_SCAN, _END):
            break
        if marker in _WITHOUT_LENGTH:
            continue
        size = file.read(2)
        length = int.from_bytes(size) - 2 if len(size) == 2 else -1
        body = file.read(length) if length >= 0 else b""
        if length < 0 or len(body) < length:
            break
        if _APP0 <= marker <= _APP15 or marker == _COMMENT:
            found.append((marker, body))
    return found


def _is_about_pixels(marker: int, body: bytes) -> bool:
    """How they are coded, small copies of them, and where further pictures lie in the file."""
    thumbnail = marker == _APP0 and body.startswith((_JFIF, _JFXX))
    return thumbnail or marker == _APP14 or (marker == _APP2 and body.startswith((_MPF, _ICC)))


def _jfif_density(body: bytes) -> dict[str, Density]:
    if len(body) < 12:
        return {}
    unit, across, down = struct.unpack_from(">BHH", body, 7)
    name: Any = _UNITS.get(unit, "")
    density = Density((across, 1), (down, 1), name)
    plain = name == "" and across == down  # that pixels are square is nothing to tell
    return {"density": density} if sound(density) and not plain else {}


def _jfif(density: Density | None) -> bytes:
    unit, across, down = 0, 1, 1
    if density is not None:
        unit = {"": 0, "centimetre": 2}.get(density.unit, 1)
        wide, high = in_unit(density, density.unit if density.unit in ("", "centimetre") else "inch")
        across, down = (min(max(1, round(value)), 65_535) for value in (wide, high))
    return _JFIF + struct.pack(">BBBHHBB", 1, 1, unit, across, down, 0, 0)


def _icc_segments(icc: bytes) -> list[Segment]:
    size = _LONGEST - len(_ICC) - 2
    parts = [icc[start : start + size] for start in range(0, len(icc), size)]
    if len(parts) > 255:
        return []
    return [(_APP2, _ICC + bytes((number + 1, len(parts))) + part) for number, part in enumerate(parts)]
