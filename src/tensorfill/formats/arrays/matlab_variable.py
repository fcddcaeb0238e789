"""A variable of a .mat file of version 7, packed and written piece by piece: SciPy writes none that is not in memory.

Format: MathWorks, MAT-File Format, Level 5: an element is two numbers of 32 bits, its type and its length in bytes, and
then its content, up to a multiple of 8 bytes; short ones have all of that in 8 bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from math import prod
from typing import Any, BinaryIO

import numpy as np

from ..file_array import cut, take

_MATRIX, _COMPRESSED = 14, 15
_INT8, _INT32, _UINT32 = 1, 5, 6
_TYPES = {"i1": 1, "u1": 2, "i2": 3, "u2": 4, "i4": 5, "u4": 6, "f4": 7, "f8": 9, "i8": 12, "u8": 13, "b1": 2}
"""What the format calls types of numbers."""
_CLASSES = {"f8": 6, "f4": 7, "i1": 8, "u1": 9, "i2": 10, "u2": 11, "i4": 12, "u4": 13, "i8": 14, "u8": 15, "b1": 9}
"""What it calls types of variables."""
_LOGICAL = 0x200


def write_variable(file: BinaryIO, name: str, data: Any) -> None:
    """Append a variable to a file that has its header already."""
    place = file.tell()
    file.write(bytes(8))
    deflate = zlib.compressobj()
    for piece in _pack(name.encode(), data):
        file.write(deflate.compress(piece))
    file.write(deflate.flush())
    length = file.tell() - place - 8
    file.seek(place)
    file.write(struct.pack("<II", _COMPRESSED, length))
    file.seek(0, 2)


def _pack(name: bytes, data: Any) -> Iterator[bytes]:
    dtype = data.dtype.str[1:]
    shape = (1,) * (2 - data.ndim) + tuple(data.shape)
    flags = struct.pack("<II", _CLASSES[dtype] | (_LOGICAL if dtype == "b1" else 0), 0)
    front = _element(_UINT32, flags) + _element(_INT32, struct.pack(f"<{len(shape)}i", *shape)) + _element(_INT8, name)
    length = prod(shape) * data.dtype.itemsize
    yield struct.pack("<II", _MATRIX, len(front) + 8 + length + -length % 8) + front
    yield struct.pack("<II", _TYPES[dtype], length)
    little = data.dtype.newbyteorder("<")
    for region in cut(data.shape, data.dtype.itemsize, range(data.ndim)[::-1]):  # the first index runs fastest
        yield np.ascontiguousarray(take(data, region).T, dtype=little).tobytes()
    yield bytes(-length % 8)


def _element(kind: int, content: bytes) -> bytes:
    if len(content) <= 4:
        return struct.pack("<HH", kind, len(content)) + content.ljust(4, b"\0")
    return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)
