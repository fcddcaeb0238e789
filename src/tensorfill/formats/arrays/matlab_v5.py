"""MATLAB's file format of version 5 to 7: elements of a tag and data, each variable packed on its own or not at all.

Its description is "MAT-File Format" by The MathWorks. It is read here because SciPy's reader crashes on some damaged
files; cells, structures and objects are listed and never unpacked.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ...tensor import entries
from ..damage import damaged
from ..room import check_room
from .matlab_variable import KIND, Variable

HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_FRONT = 4096  # bytes; sizes and name of a variable, and the tag of its values, come within
_COMPLEX, _LOGICAL = 0x0800, 0x0200
_STORED = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_CLASSES = {
    6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8",
}  # fmt: skip
_OTHERS = {1: "a cell array", 2: "a structure", 3: "an object", 4: "text", 5: "a sparse matrix"}


def variables(file: BinaryIO, path: Path) -> Iterator[Variable]:
    """Every variable, in the order of the file."""
    size = os.fstat(file.fileno()).st_size
    header = file.read(HEADER)
    order = {b"IM": "<", b"MI": ">"}[header[126:]]
    place = HEADER
    while place < size:
        file.seek(place)
        kind, length = (int(word) for word in np.frombuffer(file.read(8), dtype=f"{order}u4", count=2))
        if kind not in (_MATRIX, _COMPRESSED) or place + 8 + length > size:
            raise damaged(path, KIND)
        variable = _variable(file, path, order, place, length, kind == _COMPRESSED)
        if variable.name:  # MATLAB keeps what belongs to objects in one without a name
            yield variable
        place += 8 + length


def _variable(file: BinaryIO, path: Path, order: str, place: int, length: int, packed: bool) -> Variable:
    front = file.read(min(length, _FRONT))
    if packed:
        front = zlib.decompressobj().decompress(front, _FRONT)
        kind, _ = np.frombuffer(front, dtype=f"{order}u4", count=2)
        if kind != _MATRIX:
            raise damaged(path, KIND)
        front = front[8:]
    flags, at = _element(front, 0, order)
    sizes, at = _element(front, at, order)
    letters, at = _element(front, at, order)
    code, shape = int(flags[0]) & 0xFF, tuple(int(size) for size in sizes)
    dtype = np.dtype(_CLASSES[code]) if code in _CLASSES else None
    what = _OTHERS.get(code, "an object")
    if code > 15:  # function handles and objects of newer kinds name themselves otherwise
        return Variable(letters.tobytes().decode("latin-1"), (), None, what, _nothing)
    if len(shape) < 2 or min(shape) < 0:
        raise damaged(path, KIND)
    name = letters.tobytes().decode("latin-1")
    if dtype is None or flags[0] & _COMPLEX:
        return Variable(name, shape, None, what if dtype is None else "complex numbers", _nothing)
    logical = bool(flags[0] & _LOGICAL)
    load = partial(_values, path, order, place + 8, length, packed, at, shape, dtype, logical)
    return Variable(name, shape, np.dtype(bool) if logical else dtype, what, load)


def _element(content: bytes, at: int, order: str) -> tuple[NDArray[Any], int]:
    """The numbers of the element there, and where the next begins."""
    kind, length, start = _tag(content, at, order)
    dtype = np.dtype(f"{order}{_STORED[kind]}")
    values = np.frombuffer(content, dtype, count=length // dtype.itemsize, offset=start)
    return values, at + 8 if start == at + 4 else start + -(-length // 8) * 8


def _tag(content: bytes, at: int, order: str) -> tuple[int, int, int]:
    """Type and length of an element, and where its data begins; up to 4 bytes of data fit into the tag."""
    first, second = (int(word) for word in np.frombuffer(content, dtype=f"{order}u4", count=2, offset=at))
    if first >> 16:
        return first & 0xFFFF, min(first >> 16, 4), at + 4
    return first, second, at + 8


def _values(
    path: Path,
    order: str,
    place: int,
    length: int,
    packed: bool,
    at: int,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    logical: bool,
) -> NDArray[Any]:
    check_room(path, shape, dtype.itemsize, length)
    with path.open("rb") as file:
        file.seek(place)
        content = file.read(length)
    if packed:
        most = 8 + at + 16 + entries(shape) * 8
        content = _unpacked(content, most, path)[8:]
    kind, count, start = _tag(content, at, order)
    stored = np.dtype(f"{order}{_STORED[kind]}")
    if count != entries(shape) * stored.itemsize:
        raise damaged(path, KIND)
    values = np.frombuffer(content, stored, entries(shape), start)
    native = values != 0 if logical else values.astype(dtype, copy=False)
    return native.reshape(shape, order="F")


def _unpacked(content: bytes, most: int, path: Path) -> bytes:
    """All of it, with its checksum; no more than `most` bytes are made."""
    stream = zlib.decompressobj()
    plain = stream.decompress(content, most + 1)
    if not stream.eof and len(plain) <= most:
        plain += stream.decompress(stream.unconsumed_tail, 1)  # the end may take one more call
    if not stream.eof or len(plain) > most:
        raise damaged(path, KIND)
    return plain


def _nothing() -> NDArray[Any]:
    return np.empty(0)
