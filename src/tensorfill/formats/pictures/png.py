"""PNG pictures: gray or colour, 8 or 16 bits, with or without alpha, every bit kept.

Chunks are read by hand, because Pillow neither looks at the checksums of pixels nor keeps all other chunks byte for
byte; and so are pictures of 16 bits, because Pillow cuts those in colour or with alpha down to 8.

Format: W3C, Portable Network Graphics (PNG) Specification, sections 5, 11.3 and 14.2.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..contents import Contents, Metadata, Reading
from ..damage import check_room, damaged, open_source, readable
from .pixels import StillPicture, fit_profile, open_picture, split_alpha, to_contents, to_stored_samples
from .tags import to_density, to_unit

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_FIRST_CHUNK_END = 33
"""The signature and the first chunk are always that long."""
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_PALETTE = 3
_PASSES = ((0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2))
"""First column and step, first row and step, of the seven pictures that an interlaced one is made of."""
_XMP = b"XML:com.adobe.xmp\0"
_OF_PIXELS = (b"tRNS", b"sBIT", b"bKGD", b"hIST", b"sPLT", b"acTL", b"fcTL", b"fdAT")
_FOR_ANY_PIXELS = (b"gAMA", b"cHRM", b"sRGB", b"cICP", b"mDCV", b"cLLI", b"tIME", b"oFFs", b"sCAL")
_LARGEST = 2**26  # bytes that are unpacked of one chunk
_PIECE = 2**20
_COLOUR = {channels: colour for colour, channels in _CHANNELS.items() if colour != _PALETTE}
_ROWS = 64  # filtered at a time


class Png(StillPicture):
    """.png files, which keep every bit."""

    name: ClassVar[str] = "png"
    extensions: ClassVar[tuple[str, ...]] = (".png",)
    kind: ClassVar[str] = "a .png picture"
    holds_alpha: ClassVar[bool] = True
    most_bits: ClassVar[int] = 16

    def decode(self, path: Path, how: Reading) -> Contents:
        """Gray as 2-D, colour as rows × columns × 3, fully transparent pixels marked as missing.

        Palettes become RGB, and 1, 2 or 4 bits of gray become 8.
        """
        with open_source(path) as file, readable(path, self.kind):
            chunks = _Chunks(file)
            about = chunks.read_about()
            if chunks.bits == 16 and not chunks.interlaced:
                check_room(path, (chunks.height, chunks.width, chunks.channels), 2, path.stat().st_size)
                return to_contents(*_read_sixteen_bit(chunks), how, about=about)
            if chunks.bits == 16 and (chunks.colour != 0 or chunks.body(b"tRNS")):
                raise UnreadableFile(
                    f"{path} is an interlaced 16-bit picture in colour or with alpha, which cannot be read; "
                    "save it without interlacing."
                )
            data, alpha, notes = self._decode_by_pillow(path, chunks)
        return to_contents(data, alpha, how, notes, about)

    def _decode_by_pillow(
        self, path: Path, chunks: _Chunks
    ) -> tuple[NDArray[Any], NDArray[Any] | None, tuple[str, ...]]:
        notes = []
        with open_picture(path, self.kind, "PNG") as image:
            size = chunks.size
            if sum(map(len, chunks.inflate(size))) < size:  # Pillow would take what is missing for black
                raise damaged(path, self.kind)
            if getattr(image, "n_frames", 1) > 1:
                notes.append(f"{path} is animated; only its first frame is read.")
            image.load()
            if chunks.colour == 0 and chunks.bits < 8:
                notes.append(f"{path} has {chunks.bits}-bit grays; they are read as 8-bit ones, from 0 to 255.")
                key, top = image.info.pop("transparency", None), 2**chunks.bits - 1
                image = image.convert("L")
                if isinstance(key, int):
                    # Pillow scales pixels of 2 and 4 bits to 8, but not the value that means transparent.
                    image.info["transparency"] = min(key, top) * (255 // top)
            data, alpha = split_alpha(image)
        return data, alpha, tuple(notes)

    def write(self, path: Path, contents: Contents) -> None:
        """The array as a picture, with its alpha and metadata; the mask is not kept."""
        samples = to_stored_samples(contents)
        about = _make_chunks(contents.metadata, fit_profile(contents.metadata, 3 if contents.ndim == 3 else 1))
        if samples.dtype == np.uint16:
            _write_sixteen_bit(path, samples, about)
        else:
            _write_bytes(path, samples, about)


def _write_bytes(path: Path, data: NDArray[Any], about: bytes) -> None:
    from PIL import Image

    plain = io.BytesIO()
    Image.fromarray(data).save(plain, format="PNG")
    packed = plain.getbuffer()
    with path.open("xb") as file:
        for part in (packed[:_FIRST_CHUNK_END], about, packed[_FIRST_CHUNK_END:]):
            file.write(part)


def _read_sixteen_bit(chunks: _Chunks) -> tuple[NDArray[np.uint16], NDArray[np.uint16] | None]:
    """The values, (rows, columns) or (rows, columns, 3), and alpha if there is any; ValueError if it is damaged."""
    from .png_filters import undo_filters

    channels = chunks.channels
    raw = np.frombuffer(b"".join(chunks.inflate(chunks.size)), dtype=np.uint8)
    rows = raw.reshape(chunks.height, 1 + 2 * channels * chunks.width)  # fails if there is too much, or too little
    values = rows[:, 1:].copy()
    if not undo_filters(rows[:, 0].copy(), values, 2 * channels):
        raise ValueError("no such filter")
    samples = values.view(">u2").astype(np.uint16).reshape(chunks.height, chunks.width, channels)
    key = np.frombuffer(chunks.body(b"tRNS"), dtype=">u2")
    alpha: NDArray[np.uint16] | None = None
    if channels in (2, 4):
        alpha = np.ascontiguousarray(samples[..., -1])
    elif len(key) == channels:  # the one colour that is transparent
        alpha = np.where((samples == key).all(axis=2), 0, 65535).astype(np.uint16)
    return np.ascontiguousarray(samples[..., 0] if channels < 3 else samples[..., :3]), alpha


def _write_sixteen_bit(path: Path, data: NDArray[Any], about: bytes) -> None:
    """Gray, gray with alpha, RGB or RGB with alpha, told apart by their number; `about` are further chunks."""
    from .png_filters import filter_rows

    samples = data[..., None] if data.ndim == 2 else data
    height, width, channels = samples.shape
    squeeze = zlib.compressobj(6)
    with path.open("xb") as file:
        file.write(_SIGNATURE)
        file.write(_to_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, _COLOUR[channels], 0, 0, 0)))
        file.write(about)
        for start in range(0, height, _ROWS):
            before = min(start, 1)  # the row above is needed, not written
            part = np.ascontiguousarray(samples[start - before : start + _ROWS], dtype=">u2")
            rows = part.reshape(len(part), -1).view(np.uint8)
            if body := squeeze.compress(filter_rows(rows, 2 * channels)[before:].tobytes()):
                file.write(_to_chunk(b"IDAT", body))
        file.write(_to_chunk(b"IDAT", squeeze.flush()) + _to_chunk(b"IEND", b""))


class _Chunks:
    """All chunks of a file, their checksums right; ValueError if it is damaged."""

    def __init__(self, file: BinaryIO) -> None:
        if file.read(8) != _SIGNATURE:
            raise ValueError("no signature")
        self._chunks = list(_read_chunks(file))
        head = self.body(b"IHDR") if self._chunks[0][0] == b"IHDR" else b""
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
        return next((body for name, body in self._chunks if name == kind), b"")

    def inflate(self, most: int) -> Iterator[bytes]:
        """Pixels as they are filtered, piece by piece, up to one byte more than `most` in all."""
        inflate, left = zlib.decompressobj(), most + 1
        for packed in (body for kind, body in self._chunks if kind == b"IDAT"):
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
        for kind, body in self._chunks:
            if kind == b"eXIf":
                fields["exif"] = body
            elif kind == b"iCCP":
                name, _, rest = body.partition(b"\0")
                fields["icc"], header["icc_name"] = _inflate_text(rest[1:]), name
            elif kind == b"pHYs" and len(body) == 9:
                across, down, unit = struct.unpack(">IIB", body)
                fields |= to_density((across, 1), (down, 1), "metre" if unit == 1 else "")
            elif kind == b"iTXt" and body.startswith(_XMP):
                fields["xmp"] = _read_xmp(body[len(_XMP) :])
            elif _fits_other_pixels(kind):
                others.append((kind, body))
        if others:
            header["chunks"] = tuple(others)
        return fields | ({"header": header, "header_of": "png"} if header else {})


def _read_chunks(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """Kind and body of each chunk up to the last one."""
    kind = b""
    while kind != b"IEND":
        length, kind = struct.unpack(">I4s", file.read(8))
        body = file.read(length)
        if len(body) < length or file.read(4) != struct.pack(">I", zlib.crc32(kind + body)):
            raise ValueError("cut short, or a wrong checksum")
        yield kind, body


def _to_chunk(kind: bytes, body: bytes) -> bytes:
    """A chunk as it stands in a file."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _make_chunks(metadata: Metadata, icc: bytes) -> bytes:
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
    return b"".join(_to_chunk(kind, body) for kind, body in (*found, *header.get("chunks", ())))


def _fits_other_pixels(kind: bytes) -> bool:
    """Whether a chunk still holds when pixels change: those that say so in their name, and some known ones."""
    return kind[:1].islower() and kind not in _OF_PIXELS and (kind[3:].islower() or kind in _FOR_ANY_PIXELS)


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
