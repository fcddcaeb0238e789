"""Damaged .npy and .npz files."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from damaged import Damaged, Sound, one, packed, whole
from numpy.lib import format as npy
from numpy.typing import NDArray
from pickles import Marker
from vast import GIGABYTES, MEGABYTES, deflated_zeros

NUMBERS = np.random.default_rng(5).random((6, 5, 4))


def npy_bytes(array: NDArray[Any], version: tuple[int, int] = (1, 0), *, pickled: bool = False) -> bytes:
    """The array as it stands in a .npy file."""
    file = io.BytesIO()
    npy.write_array(file, array, version=version, allow_pickle=pickled)
    return file.getvalue()


def with_header(text: str, values: bytes = bytes(960)) -> bytes:
    """A .npy file with any header."""
    header = text.encode("latin-1").ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values


def npy_sounds() -> tuple[Sound, ...]:
    """Of several dtypes. All of the header counts but the last comma, and the dtype: a big-endian array is one, too."""
    arrays = {
        "float64": NUMBERS,
        "uint8 by columns": np.asfortranarray((255 * NUMBERS).astype(np.uint8)),
        "big-endian": NUMBERS.astype(">f4"),
    }
    sounds = []
    for what, array in arrays.items():
        content = npy_bytes(array)
        place, comma = content.index(array.dtype.str.encode()), content.index(b"), }") + 1
        checked = ((0, place), (place + 3, comma), (comma + 1, len(content) - array.nbytes))
        sounds.append(whole(f"npy {what}", "a.npy", content, *checked))
    return tuple(sounds)


def npy_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Absurd headers, objects, nothing known."""
    header = "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}"
    big = int(rng.integers(2**33, 2**40))
    shapes = {
        "too large": f"({big}, {big})",
        "one long mode": f"({big},)",
        "overflowing": "(4294967296, 4294967296, 4294967296)",
        "negative": f"(-{rng.integers(1, 9)}, 5, 4)",
        "no whole numbers": "(6.0, 5, 4)",
        "a number": "120",
        "too short": f"({rng.integers(2, 6)}, 5, 4)",
        "too long": f"({rng.integers(7, 99)}, 5, 4)",
        "a hundred modes": str((1,) * 99 + (120,)),
        "a program": "__import__('os').getpid()",
        "nested": "(" * 200,
    }
    for what, shape in shapes.items():
        yield one(f"npy with a shape that is {what}", "a.npy", with_header(header.format("<f8", shape)))
    for dtype in ("U2", "c16", "M8[s]", "V8", "S8", "m8[s]"):
        yield one(f"npy of dtype {dtype}", "a.npy", npy_bytes(np.zeros((4, 4), dtype)))
    yield one("npy of records", "a.npy", npy_bytes(np.zeros((4, 4), "i4,f8")))
    yield one("npy of objects", "a.npy", npy_bytes(marker.objects(), pickled=True))
    records = np.zeros((2, 2), [("a", "f8"), ("b", "O")])
    records["b"] = marker.objects()
    yield one("npy of records with objects", "a.npy", npy_bytes(records, pickled=True))
    yield one("npy of objects called float64", "a.npy", npy_bytes(marker.objects(), pickled=True).replace(b"|O", b"f8"))
    yield one("npy with a header of 4 GB", "a.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(500))
    yield one("npy with bytes after the end", "a.npy", npy_bytes(NUMBERS) + bytes(int(rng.integers(1, 99))))
    yield one("npy all nan", "a.npy", npy_bytes(np.full((6, 5, 4), np.nan)))
    yield one("npy all infinite", "a.npy", npy_bytes(np.full((6, 5, 4), np.inf)))
    yield one("npy without entries", "a.npy", npy_bytes(np.empty((0, 5))))


def zipped(members: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=how)
    return file.getvalue()


def payloads(content: bytes, *names: str) -> tuple[tuple[int, int, int], ...]:
    """Where the bytes of members of a zip file are; each has a checksum, elsewhere."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [entry for entry in archive.infolist() if entry.filename in names or not names]
    found = []
    for entry in members:
        name, extra = struct.unpack_from("<HH", content, entry.header_offset + 26)
        start = entry.header_offset + 30 + name + extra
        found.append(packed(start, start + entry.compress_size))
    return tuple(found)


def bomb(name: str, start: bytes, count: int, declared: int) -> bytes:
    """A zip file whose only member is `start` and then `count` zeros, said to be `declared` bytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH) + deflated_zeros(count)
    wide = struct.pack("<HHQQ", 1, 16, declared, len(body))
    known = name.encode()
    shared = struct.pack("<HHHHHIIIHH", 45, 0, 8, 0, 0x21, 0, 2**32 - 1, 2**32 - 1, len(known), len(wide))
    local = b"PK\x03\x04" + shared + known + wide + body
    central = b"PK\x01\x02" + struct.pack("<H", 45) + shared + struct.pack("<HHHII", 0, 0, 0, 0, 0) + known + wide
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + end


def npz_sounds() -> tuple[Sound, ...]:
    """Packed or not, with a mask or without."""
    mask = NUMBERS < 0.7
    both = {"data.npy": npy_bytes(NUMBERS), "observed.npy": npy_bytes(mask)}
    tight, stored = zipped(both), zipped({"scan.npy": npy_bytes((NUMBERS * 255).astype(np.uint8))}, zipfile.ZIP_STORED)
    return (
        whole("npz with a mask", "a.npz", tight, *payloads(tight)),
        whole("npz not packed", "a.npz", stored, *payloads(stored)),
    )


def npz_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Bombs, names that lead elsewhere, objects, masks that do not fit, nothing known."""
    array = npy_bytes(NUMBERS)
    for name in ("../../data.npy", "/etc/data.npy", "..\\data.npy", "C:\\data.npy", "a/../../../data.npy"):
        yield one(f"npz with a member {name}", "a.npz", zipped({name: array}))
    encrypted = bytearray(zipped({"data.npy": array}))
    encrypted[encrypted.index(b"PK\x01\x02") + 8] |= 1
    yield one("npz that is encrypted", "a.npz", bytes(encrypted))
    for method in (1, 9, 14, 93, 99):
        other = bytearray(zipped({"data.npy": array}))
        other[other.index(b"PK\x01\x02") + 10] = method
        other[8] = method
        yield one(f"npz packed by method {method}", "a.npz", bytes(other))
    yield one("npz of nothing", "a.npz", zipped({}))
    yield one("npz of text", "a.npz", zipped({"data.npy": b"hello"}))
    yield one("npz of several arrays", "a.npz", zipped({"a.npy": array, "b.npy": array}))
    yield one("npz of objects", "a.npz", zipped({"data.npy": npy_bytes(marker.objects(), pickled=True)}))
    yield one("npz of a pickle", "a.npz", zipped({"data.npy": marker.pickle(rng), "data.pkl": marker.pickle(rng)}))
    masks = {
        "of another shape": np.ones((5, 6, 4), bool),
        "of numbers": np.ones((6, 5, 4)),
        "of objects": marker.objects(),
        "that knows nothing": np.zeros((6, 5, 4), bool),
    }
    for what, mask in masks.items():
        files = {"data.npy": array, "observed.npy": npy_bytes(mask, pickled=True)}
        yield one(f"npz with a mask {what}", "a.npz", zipped(files))
    side = int(rng.integers(50_000, 200_000))
    vast = with_header(f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({side}, {side}), }}", b"")
    yield one("npz bomb that declares its size", "a.npz", bomb("data.npy", vast, 200 * MEGABYTES, 8 * side**2))
    yield one("npz bomb that declares another size", "a.npz", bomb("data.npy", vast, 200 * MEGABYTES, 1000))
    yield one("npz bomb after a small array", "a.npz", bomb("data.npy", array, 3 * GIGABYTES, len(array)))
    large = with_header("{'descr': '|u1', 'fortran_order': False, 'shape': (5, 1024, 1024, 1024), }", b"")
    yield one("npz bomb that is what it declares", "a.npz", bomb("data.npy", large, 5 * GIGABYTES, 5 * GIGABYTES + 129))
