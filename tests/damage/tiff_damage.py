"""Damaged .tif files."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import numpy as np
import tifffile
from damaged import Damaged, Sound, content_of, one, packed, whole
from pickles import Marker
from picture_damage import CLIP, COLOUR, GRAY, drawn, saved
from vast import GIGABYTES, zlib_zeros

from tensorfill.formats import Metadata

_PAGES = np.moveaxis(CLIP, 2, 0)
_DEFLATE = (8, 32946)


def tiff_sounds() -> tuple[Sound, ...]:
    """Of what deflate packed, every bit counts; so do the first bytes."""
    big = {"tile": (16, 16), "photometric": "rgb", "compression": "zlib", "bigtiff": True}
    contents = {
        "clip": saved("a.tif", CLIP, Metadata(kind="video")),
        "of floats": saved("a.tif", (CLIP / 255).astype(np.float32)),
        "plain pages": content_of("a.tif", lambda path: tifffile.imwrite(path, _PAGES, photometric="minisblack")),
        "of ImageJ": content_of("a.tif", lambda path: tifffile.imwrite(path, _PAGES, imagej=True, truncate=True)),
        "big with tiles": content_of("a.tif", lambda path: tifffile.imwrite(path, COLOUR, **big)),
        "by LZW": drawn("a.tif", COLOUR, compression="tiff_lzw"),
        "of 16 bits": content_of("a.tif", lambda path: tifffile.imwrite(path, GRAY.astype(">u2"), byteorder=">")),
    }
    # Behind the last page of plain ones there are 16 bytes that mean nothing.
    ends = {"plain pages": len(contents["plain pages"]) - 16}
    return tuple(
        whole(f"tiff {what}", "a.tif", each, (0, 4), *_deflated(each), cut=ends.get(what))
        for what, each in contents.items()
    )


def _deflated(content: bytes) -> Iterator[tuple[int, int, int]]:
    with tifffile.TiffFile(BytesIO(content)) as file:
        for page in file.pages:
            if page.compression in _DEFLATE:
                for offset, length in zip(page.dataoffsets, page.databytecounts, strict=True):
                    yield packed(offset, offset + length)


def tiff(tags: dict[int, tuple[int, int, int]], strip: bytes = b"", following: int = 0) -> bytes:
    """A file of one page: tags as (type, count, value), and a strip at byte 1000."""
    entries = b"".join(struct.pack("<HHII", tag, *entry) for tag, entry in sorted(tags.items()))
    directory = struct.pack("<H", len(tags)) + entries + struct.pack("<I", following)
    return (b"II*\0" + struct.pack("<I", 8) + directory).ljust(1000, b"\0") + strip


def tags(**changes: Any) -> dict[int, tuple[int, int, int]]:
    """Those of a plain gray picture of 24 × 32, with changes by name."""
    names = {"columns": 256, "rows": 257, "bits": 258, "packing": 259, "colours": 262, "places": 273, "samples": 277}
    names |= {"strip_rows": 278, "lengths": 279, "planes": 284, "predictor": 317, "tile": 322, "format": 339}
    plain = {"columns": 32, "rows": 24, "bits": 8, "packing": 1, "colours": 1, "places": 1000, "samples": 1}
    plain |= {"strip_rows": 24, "lengths": 768}
    return {
        names[name]: value if isinstance(value, tuple) else (4, 1, value)
        for name, value in {**plain, **changes}.items()
    }


def tiff_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Fields that are wrong, chains of pages that do not end, bombs, nothing known."""
    side = int(rng.integers(70_000, 2**32))
    changes: dict[str, dict[str, Any]] = {
        "too large": {"columns": side, "rows": side, "strip_rows": side},
        "of many rows": {"rows": side},
        "without rows": {"rows": 0},
        "without columns": {"columns": 0},
        "without samples": {"samples": 0},
        "of 60000 samples": {"samples": 60_000},
        "of 3 bits": {"bits": 3},
        "of 1000 bits": {"bits": 1000},
        "beyond the end": {"places": 2**31},
        "of no bytes": {"lengths": 0},
        "of too many bytes": {"lengths": 2**31},
        "of too few bytes": {"lengths": 700},
        "packed by nobody knows what": {"packing": 4242},
        "packed by LZW": {"packing": 5},
        "packed by PackBits": {"packing": 32773, "lengths": 9},
        "packed by deflate": {"packing": 8},
        "packed by zstd": {"packing": 50_000},
        "packed as JPEG": {"packing": 7},
        "with a value of 16 GB": {"places": (4, 2**32 - 1, 1000)},
        "with values beyond the end": {"lengths": (4, 5000, 900)},
        "of an unknown type": {"rows": (99, 1, 24)},
        "of colours nobody knows": {"colours": 4242},
        "of numbers nobody knows": {"format": 9},
        "of complex numbers": {"format": 6, "bits": 64},
        "with a predictor for floats": {"predictor": 3, "packing": 8},
        "of 1000000 strips": {"strip_rows": 1, "rows": 1_000_000},
    }
    noise = rng.bytes(768)
    for what, change in changes.items():
        yield one(f"tiff {what}", "a.tif", tiff(tags(**change), noise))
    yield one("tiff whose pages go in a circle", "a.tif", tiff(tags(), noise, following=8))
    yield one("tiff whose next page is beyond the end", "a.tif", tiff(tags(), noise, following=2**31))
    yield one("tiff of no pages", "a.tif", b"II*\0" + bytes(4))
    yield one("tiff with 65535 tags", "a.tif", b"II*\0" + struct.pack("<IH", 8, 65_535) + noise)
    yield one("tiff that is big, and its page far off", "a.tif", b"II+\0\x08\0\0\0" + struct.pack("<Q", 2**63) + noise)
    large = {"columns": 60_000, "rows": 60_000, "strip_rows": 60_000, "packing": 8}
    bomb = zlib_zeros(GIGABYTES // 2)
    yield one("tiff bomb", "a.tif", tiff(tags(**large, lengths=len(bomb)), bomb))
    yield one("tiff bomb in a small picture", "a.tif", tiff(tags(packing=8, lengths=len(bomb)), bomb))
    nothing = np.full((24, 32, 3), np.nan, np.float32)
    yield one("tiff all nan", "a.tif", saved("a.tif", nothing, Metadata(kind="volume")))
    clear = Metadata(kind="picture", alpha=np.zeros(GRAY.shape, np.uint8))
    yield one("tiff all transparent", "a.tif", saved("a.tif", COLOUR, clear))
    for said in ("ImageJ=1.11a\nimages=1000000\nslices=1000000\n", '{"shape": [1000000, 24, 32], "truncated": true}'):
        stack = content_of(
            "a.tif", lambda path, said=said: tifffile.imwrite(path, GRAY, description=said, metadata=None)
        )
        yield one(f"tiff said to be {said[:12]} of 1000000 pages", "a.tif", stack)
