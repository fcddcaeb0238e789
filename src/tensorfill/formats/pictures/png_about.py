"""The chunks of a .png file that are not about its pixels: EXIF, colour profile, density, XMP, text and others.

Format: W3C, Portable Network Graphics (PNG) Specification, sections 11.3 and 14.2.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any, BinaryIO

from ..metadata import Density, Metadata
from .density import in_unit, sound
from .png_chunks import Chunk, packed

_XMP = b"XML:com.adobe.xmp\0"
_OF_PIXELS = (b"tRNS", b"sBIT", b"bKGD", b"hIST", b"sPLT", b"acTL", b"fcTL", b"fdAT")
_MEANT_FOR_ANY_PIXELS = (b"gAMA", b"cHRM", b"sRGB", b"cICP", b"mDCV", b"cLLI", b"tIME", b"oFFs", b"sCAL")
_LARGEST = 2**26  # bytes that are kept, or unpacked, of one chunk


def read_about(file: BinaryIO, chunks: tuple[Chunk, ...]) -> dict[str, Any]:
    """Fields of `Metadata`, from chunks whose checksums have been looked at."""
    fields: dict[str, Any] = {}
    header: dict[str, Any] = {}
    others = []
    for chunk in chunks:
        if not chunk.kind[:1].islower() or chunk.length > _LARGEST:
            continue
        file.seek(chunk.start)
        body = file.read(chunk.length)
        if chunk.kind == b"eXIf":
            fields["exif"] = body
        elif chunk.kind == b"iCCP":
            name, _, rest = body.partition(b"\0")
            fields["icc"], header["icc_name"] = _inflated(rest[1:]), name
        elif chunk.kind == b"pHYs" and len(body) == 9:
            fields |= _density(body)
        elif chunk.kind == b"iTXt" and body.startswith(_XMP):
            fields["xmp"] = _xmp(body)
        elif _goes_with_other_pixels(chunk.kind):
            others.append((chunk.kind, body))
    if others:
        header["chunks"] = tuple(others)
    return fields | ({"header": header, "header_of": "png"} if header else {})


def about_chunks(metadata: Metadata, icc: bytes) -> bytes:
    """All that the metadata tells, as chunks to be put behind the first one."""
    header = metadata.header if metadata.header_of == "png" else {}
    found: list[tuple[bytes, bytes]] = []
    others = header.get("chunks", ())
    if icc:
        found.append((b"iCCP", header.get("icc_name", b"ICC profile") + b"\0\0" + zlib.compress(icc)))
    if metadata.density is not None:
        across, down = (min(max(1, round(value)), 2**31 - 1) for value in in_unit(metadata.density, "metre"))
        found.append((b"pHYs", struct.pack(">IIB", across, down, int(metadata.density.unit != ""))))
    if metadata.exif:
        found.append((b"eXIf", metadata.exif))
    if metadata.xmp:
        found.append((b"iTXt", _XMP + b"\0\0\0\0" + metadata.xmp))
    return b"".join(packed(kind, body) for kind, body in (*found, *others))


def _goes_with_other_pixels(kind: bytes) -> bool:
    """Whether a chunk still holds when pixels change: those that say so in their name, and some known ones."""
    return kind not in _OF_PIXELS and (kind[3:].islower() or kind in _MEANT_FOR_ANY_PIXELS)


def _density(body: bytes) -> dict[str, Density]:
    across, down, unit = struct.unpack(">IIB", body)
    density = Density((across, 1), (down, 1), "metre" if unit == 1 else "")
    return {"density": density} if sound(density) else {}


def _xmp(body: bytes) -> bytes:
    """What follows the keyword, two bytes about packing, a language and a translated keyword."""
    is_packed, _, rest = body[len(_XMP)], body[len(_XMP) + 1], body[len(_XMP) + 2 :]
    text = rest.split(b"\0", 2)[-1]
    return _inflated(text) if is_packed else text


def _inflated(body: bytes) -> bytes:
    """Unpacked; nothing, if that fails or is endless."""
    try:
        inflate = zlib.decompressobj()
        plain = inflate.decompress(body, _LARGEST)
    except zlib.error:
        return b""
    return plain if inflate.eof else b""
