"""Damaged .png, .jpg, .gif, .bmp and .webp pictures."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from damaged import Damaged, Sound, content_of, one, whole
from numpy.typing import NDArray
from pickles import Marker
from PIL import Image
from vast import GIGABYTES, zlib_zeros

from tensorfill import formats
from tensorfill.formats import Contents, Metadata

_ROWS, _COLUMNS = np.mgrid[:24, :32]
GRAY = ((np.sin(_COLUMNS / 5) * np.cos(_ROWS / 7) + 1) * 120).astype(np.uint8)
COLOUR = np.dstack([GRAY, 255 - GRAY, GRAY // 2])
CLIP = np.stack([np.roll(GRAY, shift, axis=1) for shift in range(6)], axis=2)
COLOUR_CLIP = np.stack([np.roll(COLOUR, shift, axis=1) for shift in range(6)], axis=2)
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def saved(name: str, data: NDArray[Any], metadata: Metadata | None = None) -> bytes:
    """The file that tensorfill writes."""
    contents = Contents(data, metadata=metadata or Metadata())
    return content_of(name, lambda path: formats.write(path, contents))


def drawn(name: str, data: NDArray[Any], colours: int = 0, **how: Any) -> bytes:
    """The file that Pillow writes."""
    image = Image.fromarray(data)
    return content_of(name, (image.quantize(colours) if colours else image).save if not how else _saving(image, how))


def _saving(image: Image.Image, how: dict[str, Any]) -> Any:
    return lambda path: image.save(path, **how)


def png_sounds() -> tuple[Sound, ...]:
    """Every byte belongs to a chunk with a checksum."""
    alpha = np.where(GRAY > 60, 255, 0).astype(np.uint8)
    contents = {
        "gray": saved("a.png", GRAY),
        "with alpha": saved("a.png", COLOUR, Metadata(kind="picture", alpha=alpha)),
        "of 16 bits": saved("a.png", COLOUR.astype(np.uint16) * 257),
        "with a palette": drawn("a.png", COLOUR, 60),
        "in black and white": drawn("a.png", GRAY > 99),
    }
    return tuple(whole(f"png {what}", "a.png", each, (0, len(each))) for what, each in contents.items())


def chunk(kind: bytes, body: bytes) -> bytes:
    """A chunk of a .png file, with the right checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int, height: int, body: bytes | None, *, bits: int = 8, colour: int = 0, more: bytes = b"") -> bytes:
    """A .png file of these fields, whatever they are."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0))
    return _SIGNATURE + head + more + (b"" if body is None else chunk(b"IDAT", body)) + chunk(b"IEND", b"")


def png_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Wrong fields under right checksums, bombs, nothing but transparent pixels."""
    rows = zlib.compress(b"".join(b"\0" + row.tobytes() for row in GRAY))
    for bits, colour in ((8, 0), (8, 6), (16, 0), (16, 6), (1, 0), (8, 3)):
        side = int(rng.integers(100_000, 2**31))
        palette = chunk(b"PLTE", bytes(768))
        yield one(
            f"png of side {side} {bits} {colour}",
            "a.png",
            png(side, side, rows, bits=bits, colour=colour, more=palette),
        )
    for bits in (8, 16):
        vast = png(60_000, 60_000, zlib_zeros(GIGABYTES // 4), bits=bits)
        yield one(f"png bomb of {bits} bits", "a.png", vast)
    yield one("png bomb in a small picture of 16 bits", "a.png", png(32, 24, zlib_zeros(GIGABYTES // 2), bits=16))
    for bits, colour in ((3, 0), (8, 1), (8, 5), (32, 0), (16, 3), (0, 0), (8, 7)):
        yield one(f"png of {bits} bits in colour {colour}", "a.png", png(32, 24, rows, bits=bits, colour=colour))
    yield one("png without columns", "a.png", png(0, 24, rows))
    yield one("png without rows", "a.png", png(32, 0, rows))
    yield one("png without pixels", "a.png", png(32, 24, None))
    yield one("png with a palette that is not there", "a.png", png(32, 24, rows, colour=3))
    yield one("png of too few pixels", "a.png", png(32, 25, rows))
    yield one("png of too few pixels of 16 bits", "a.png", png(32, 24, rows, bits=16))
    yield one("png with half the pixels", "a.png", png(32, 24, rows[: len(rows) // 2]))
    yield one("png whose pixels are no deflate", "a.png", png(32, 24, rng.bytes(500)))
    yield one("png that begins with its end", "a.png", _SIGNATURE + chunk(b"IEND", b""))
    yield one("png with a chunk of 2 GB", "a.png", _SIGNATURE + struct.pack(">I4s", 2**31 - 1, b"IHDR") + rng.bytes(99))
    text = chunk(b"zTXt", b"Comment\0\0" + zlib_zeros(GIGABYTES // 2))
    yield one("png bomb in a comment", "a.png", png(60_000, 60_000, rows, more=text))
    filters = zlib.compress(b"".join(b"\x09" + row.tobytes() for row in GRAY.astype(">u2")))
    yield one("png with unknown filters", "a.png", png(32, 24, filters, bits=16))
    alpha = np.zeros(GRAY.shape, np.uint8)
    for what, data in {"8 bits": COLOUR, "16 bits": COLOUR.astype(np.uint16), "gray": GRAY}.items():
        clear = saved("a.png", data, Metadata(kind="picture", alpha=alpha.astype(data.dtype)))
        yield one(f"png of {what}, all transparent", "a.png", clear)


def jpeg_sounds() -> tuple[Sound, ...]:
    """Cut before the end of the last line of blocks, it is noticed."""
    contents = {
        "in colour": saved("a.jpg", COLOUR),
        "gray": saved("a.jpg", GRAY),
        "progressive": drawn("a.jpg", COLOUR, progressive=True, quality=60),
    }
    return tuple(whole(f"jpeg {what}", "a.jpg", each, (0, 3)) for what, each in contents.items())


def jpeg_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Segments missing or with wrong sizes."""
    sound = saved("a.jpg", COLOUR)
    frame = sound.index(b"\xff\xc0")
    for what, rows, columns in (("too large", 65_500, 65_500), ("without rows", 0, 32), ("without columns", 24, 0)):
        content = bytearray(sound)
        struct.pack_into(">HH", content, frame + 5, rows, columns)
        yield one(f"jpeg {what}", "a.jpg", bytes(content))
    for what, mark in {"frame": b"\xff\xc0", "scan": b"\xff\xda"}.items():
        place = sound.index(mark)
        length = 2 + int.from_bytes(sound[place + 2 : place + 4], "big")
        yield one(f"jpeg without {what}", "a.jpg", sound[:place] + sound[place + length :])
        for size in (0, 1, 65_535):
            content = bytearray(sound)
            struct.pack_into(">H", content, place + 2, size)
            yield one(f"jpeg whose {what} has length {size}", "a.jpg", bytes(content))
    for what, place, value in (("of 5 bits", 4, 5), ("of no channels", 9, 0), ("of 200 channels", 9, 200)):
        content = bytearray(sound)
        content[frame + place] = value
        yield one(f"jpeg {what}", "a.jpg", bytes(content))
    yield one("jpeg of nothing", "a.jpg", b"\xff\xd8\xff\xd9")
    rounds = drawn("a.jpg", np.zeros((6000, 6000), np.uint8), progressive=True)
    last = rounds.rindex(b"\xff\xda")
    yield one("jpeg with endless rounds", "a.jpg", rounds[:-2] + rounds[last:-2] * 200 + b"\xff\xd9")


def gif_sounds() -> tuple[Sound, ...]:
    """Cut anywhere, the end is missing."""
    frames = [Image.fromarray(COLOUR_CLIP[:, :, index]) for index in range(6)]
    theirs = content_of("a.gif", lambda path: frames[0].save(path, save_all=True, append_images=frames[1:]))
    contents = {
        "gray": saved("a.gif", CLIP, Metadata(kind="video")),
        "in colour": saved("a.gif", COLOUR_CLIP, Metadata(kind="video")),
        "by Pillow": theirs,
    }
    return tuple(whole(f"gif {what}", "a.gif", each, (0, 6)) for what, each in contents.items())


def gif_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Sizes, codes and blocks that are wrong."""
    side = int(rng.integers(50_000, 65_536))
    head = b"GIF89a" + struct.pack("<HHBBB", 32, 24, 0x80, 0, 0) + bytes((0, 0, 0, 9, 9, 9))
    large = b"GIF89a" + struct.pack("<HHBBB", side, side, 0x80, 0, 0) + bytes((0, 0, 0, 9, 9, 9))
    image = b"," + struct.pack("<HHHHB", 0, 0, 32, 24, 0)
    blank = b"\x02\x02\x4c\x01\x00"
    yield one("gif of a large canvas and many frames", "a.gif", large + (image + blank) * 50 + b";")
    yield one("gif of a large image", "a.gif", large + b"," + struct.pack("<HHHHB", 0, 0, side, side, 0) + blank + b";")
    yield one("gif of too few pixels", "a.gif", head + image + blank + b";")
    yield one("gif without images", "a.gif", head + b";")
    yield one("gif without size", "a.gif", head[:6] + bytes(4) + head[10:] + image + blank + b";")
    yield one("gif of an image without size", "a.gif", head + b"," + bytes(9) + blank + b";")
    for bits in (0, 9, 12, 255):
        yield one(f"gif of codes of {bits} bits", "a.gif", head + image + bytes((bits,)) + blank[1:] + b";")
    yield one("gif with an unknown block", "a.gif", head + b"?" + image + blank + b";")
    for size in (1, 4, 60, 255):
        body = bytes((2, size)) + rng.bytes(size).replace(b"\0", b"\xff") + b"\0"
        yield one(f"gif of {size} random codes", "a.gif", head + image + body + b";")
    clear = Metadata(kind="video", alpha=np.zeros(CLIP.shape, np.uint8))
    yield one("gif all transparent", "a.gif", saved("a.gif", CLIP, clear))


def bmp_sounds() -> tuple[Sound, ...]:
    """Cut anywhere, pixels are missing."""
    contents = {"gray": saved("a.bmp", GRAY), "in colour": saved("a.bmp", COLOUR)}
    return tuple(whole(f"bmp {what}", "a.bmp", each, (0, 2)) for what, each in contents.items())


def bmp_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Sizes, depths and packings that are wrong."""
    sound = saved("a.bmp", COLOUR)
    for what, columns, rows in (("too large", 60_000, 60_000), ("without rows", 32, 0), ("without columns", 0, 24)):
        content = bytearray(sound)
        struct.pack_into("<ii", content, 18, columns, rows)
        yield one(f"bmp {what}", "a.bmp", bytes(content))
    for what, place, value in (("of 5 bits", 28, 5), ("of unknown packing", 30, 99), ("of an odd header", 14, 7)):
        content = bytearray(sound)
        content[place] = value
        yield one(f"bmp {what}", "a.bmp", bytes(content))
    yield one("bmp of nothing", "a.bmp", b"BM" + bytes(12))
    yield one("bmp of noise", "a.bmp", sound[:2] + rng.bytes(len(sound) - 2))


def webp_sounds() -> tuple[Sound, ...]:
    """Cut anywhere, it is shorter than it says."""
    alpha = np.where(GRAY > 60, 255, 0).astype(np.uint8)
    contents = {
        "in colour": saved("a.webp", COLOUR),
        "with alpha": saved("a.webp", COLOUR, Metadata(kind="picture", alpha=alpha)),
        "with loss": drawn("a.webp", COLOUR, quality=70),
    }
    return tuple(whole(f"webp {what}", "a.webp", each, (0, 4), (8, 12)) for what, each in contents.items())


def webp_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Headers without anything behind them."""
    sound = saved("a.webp", COLOUR)
    yield one("webp of nothing", "a.webp", b"RIFF" + struct.pack("<I", 4) + b"WEBP")
    yield one("webp of noise", "a.webp", sound[:20] + rng.bytes(len(sound) - 20))
    yield one("webp of another kind", "a.webp", sound[:8] + b"WAVE" + sound[12:])
    clear = Metadata(kind="picture", alpha=np.zeros(GRAY.shape, np.uint8))
    yield one("webp all transparent", "a.webp", saved("a.webp", COLOUR, clear))
