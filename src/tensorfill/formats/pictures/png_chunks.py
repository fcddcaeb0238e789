"""The chunks of a .png file: pixels, and EXIF, colour profile, density, XMP, text and others beside them.

By hand, because Pillow neither looks at the checksums of pixels nor keeps all other chunks byte for byte.

Format: W3C, Portable Network Graphics (PNG) Specification, sections 5, 11.3 and 14.2.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from ..metadata import Metadata
from .density import density_field, to_unit

SIGNATURE = b"\x89PNG\r\n\x1a\n"
FIRST_CHUNK_END = 33
"""The signature and the first chunk are always that long."""
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_PALETTE = 3
_PASSES = ((0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2))
"""First column and step, first row and step, of the seven pictures that an interlaced one is made of."""
_XMP = b"XML:com.adobe.xmp\0"
_OF_PIXELS = (b"tRNS", b"sBIT", b"bKGD", b"hIST", b"sPLT", b"acTL", b"fcTL", b"fdAT")
_FOR_ANY_PIXELS = (b"gAMA", b"cHRM", b"sRGB", b"cICP", b"mDCV", b"cLLI", b"tIME", b"oFFs", b"sCAL")
_LARGEST = 2**26  # bytes that are kept, or unpacked, of one chunk
_PIECE = 2**20


class Chunk(NamedTuple):
    """Where a chunk's bytes are."""

    kind: bytes
    start: int
    length: int


class Chunks:
    """All chunks of an open file, their checksums right; ValueError if it is damaged."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        if file.read(8) != SIGNATURE:
            raise ValueError("no signature")
        self._chunks = [_find_next(file)]
        while self._chunks[-1].kind != b"IEND":
            self._chunks.append(_find_next(file))
        head = self.body(b"IHDR") if self._chunks[0].kind == b"IHDR" else b""
        self.width, self.height, self.bits, self.colour, packing, filtering, self.interlaced = struct.unpack(
            ">IIBBBBB", head
        )
        self.channels = _CHANNELS.get(self.colour, 0)
        odd_palette = self.colour == _PALETTE and (self.bits > 8 or not self.body(b"PLTE"))
        empty = not (self.width and self.height and self.channels)
        if empty or odd_palette or packing or filtering or self.interlaced > 1:
            raise ValueError("no such picture")

    def body(self, kind: bytes) -> bytes:
        """The first chunk of a kind; nothing, if there is none."""
        return next((self._read(chunk) for chunk in self._chunks if chunk.kind == kind), b"")

    def inflate(self, most: int) -> Iterator[bytes]:
        """Pixels as they are filtered, piece by piece, up to one byte more than `most` in all."""
        inflate, left = zlib.decompressobj(), most + 1
        for chunk in (chunk for chunk in self._chunks if chunk.kind == b"IDAT"):
            packed = self._read(chunk)
            while packed and left:
                piece = inflate.decompress(packed, min(left, _PIECE))
                left -= len(piece)
                yield piece
                packed = inflate.unconsumed_tail
        if left == 1 and not inflate.eof:
            raise ValueError("no checksum")

    @property
    def size(self) -> int:
        """How many bytes the pixels take: every row begins with one for its filter."""
        bits = self.channels * self.bits
        sides = [
            (len(range(top, self.height, down)), len(range(left, self.width, right)))
            for left, right, top, down in (_PASSES if self.interlaced else ((0, 1, 0, 1),))
        ]
        return sum(rows * (1 + -(-columns * bits // 8)) for rows, columns in sides if columns)

    def read_about(self) -> dict[str, Any]:
        """Fields of `Metadata`."""
        fields: dict[str, Any] = {}
        header: dict[str, Any] = {}
        others = []
        for chunk in self._chunks:
            if not chunk.kind[:1].islower() or chunk.length > _LARGEST:
                continue
            body = self._read(chunk)
            if chunk.kind == b"eXIf":
                fields["exif"] = body
            elif chunk.kind == b"iCCP":
                name, _, rest = body.partition(b"\0")
                fields["icc"], header["icc_name"] = _inflate_text(rest[1:]), name
            elif chunk.kind == b"pHYs" and len(body) == 9:
                across, down, unit = struct.unpack(">IIB", body)
                fields |= density_field((across, 1), (down, 1), "metre" if unit == 1 else "")
            elif chunk.kind == b"iTXt" and body.startswith(_XMP):
                fields["xmp"] = _read_xmp(body[len(_XMP) :])
            elif _fits_other_pixels(chunk.kind):
                others.append((chunk.kind, body))
        if others:
            header["chunks"] = tuple(others)
        return fields | ({"header": header, "header_of": "png"} if header else {})

    def _read(self, chunk: Chunk) -> bytes:
        self._file.seek(chunk.start)
        return self._file.read(chunk.length)


def _find_next(file: BinaryIO) -> Chunk:
    """The chunk that starts here; afterwards the file stands behind it."""
    length, kind = struct.unpack(">I4s", file.read(8))
    start = file.tell()
    checksum, left = zlib.crc32(kind), length
    while left:
        piece = file.read(min(left, _PIECE))
        if not piece:
            raise ValueError("cut short")
        checksum = zlib.crc32(piece, checksum)
        left -= len(piece)
    if file.read(4) != struct.pack(">I", checksum):
        raise ValueError("wrong checksum")
    return Chunk(kind, start, length)


def to_chunk(kind: bytes, body: bytes) -> bytes:
    """A chunk as it stands in a file."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def about_chunks(metadata: Metadata, icc: bytes) -> bytes:
    """The metadata as chunks to be put behind the first one."""
    header = metadata.header if metadata.header_of == "png" else {}
    found: list[tuple[bytes, bytes]] = []
    if icc:
        found.append((b"iCCP", header.get("icc_name", b"ICC profile") + b"\0\0" + zlib.compress(icc)))
    if metadata.density is not None:
        across, down = (min(max(1, round(value)), 2**31 - 1) for value in to_unit(metadata.density, "metre"))
        found.append((b"pHYs", struct.pack(">IIB", across, down, int(metadata.density.unit != ""))))
    if metadata.exif:
        found.append((b"eXIf", metadata.exif))
    if metadata.xmp:
        found.append((b"iTXt", _XMP + b"\0\0\0\0" + metadata.xmp))
    return b"".join(to_chunk(kind, body) for kind, body in (*found, *header.get("chunks", ())))


def _fits_other_pixels(kind: bytes) -> bool:
    """Whether a chunk still holds when pixels change: those that say so in their name, and some known ones."""
    return kind not in _OF_PIXELS and (kind[3:].islower() or kind in _FOR_ANY_PIXELS)


def _read_xmp(body: bytes) -> bytes:
    """What follows two bytes about packing, a language and a translated keyword."""
    text = body[2:].split(b"\0", 2)[-1]
    return _inflate_text(text) if body[0] else text


def _inflate_text(body: bytes) -> bytes:
    """Unpacked; nothing, if that fails or is endless."""
    inflate = zlib.decompressobj()
    try:
        plain = inflate.decompress(body, _LARGEST)
    except zlib.error:
        return b""
    return plain if inflate.eof else b""
