"""Damaged .mat files of versions 4 to 7."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from damaged import Damaged, Sound, one, packed, whole
from numpy_damage import NUMBERS
from pickles import Marker
from scipy.io import savemat
from vast import GIGABYTES, zlib_zeros

_HEADER = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"


def _saved(value: Any, **how: Any) -> bytes:
    file = io.BytesIO()
    savemat(file, {"data": value}, **how)
    return file.getvalue()


def matlab_sounds() -> tuple[Sound, ...]:
    """What is packed has a checksum; of what is not, kinds and sizes count. SciPy ignores lengths that are too long."""
    tight, plain, oldest = _saved(NUMBERS, do_compression=True), _saved(NUMBERS), _saved(NUMBERS[0], format="4")
    return (
        whole("mat packed", "a.mat", tight, (126, 128), packed(136, len(tight))),
        whole("mat not packed", "a.mat", plain, (126, 132), (160, 172)),
        whole("mat of version 4", "a.mat", oldest, (0, 12), (16, 20)),
    )


def _element(kind: int, content: bytes) -> bytes:
    return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)


def matrix(shape: tuple[int, ...], values: bytes, *, kind: int = 6, stored: int = 9, name: bytes = b"data") -> bytes:
    """A variable as it stands in a file, before it is packed."""
    sizes = _element(5, struct.pack(f"<{len(shape)}i", *shape))
    return _element(6, struct.pack("<II", kind, 0)) + sizes + _element(1, name) + _element(stored, values)


def variable(body: bytes, length: int | None = None) -> bytes:
    """A file with one variable that is not packed."""
    return _HEADER + struct.pack("<II", 14, len(body) if length is None else length) + body


def _packed(content: bytes) -> bytes:
    return _HEADER + struct.pack("<II", 15, len(content)) + content


def matlab_crafted(rng: np.random.Generator, marker: Marker) -> Iterator[Damaged]:
    """Sizes and kinds that are wrong, bombs, objects, nothing known."""
    big = int(rng.integers(2**20, 2**31))
    shapes = {
        "too large": (big, big),
        "negative": (-6, 20),
        "of one mode": (120,),
        "of no modes": (),
        "too small": (6, 19),
        "a little too large": (6, 21),
        "of 200 modes": (1,) * 200,
    }
    for what, shape in shapes.items():
        body = matrix(shape, NUMBERS.tobytes())
        yield one(f"mat {what}", "a.mat", variable(body))
        yield one(f"mat packed {what}", "a.mat", _packed(zlib_zeros(0, struct.pack("<II", 14, len(body)) + body)))
    for length in (0, 8):
        yield one(f"mat of length {length}", "a.mat", variable(matrix((6, 20), NUMBERS.tobytes()), length))
    for stored in (0, 8, 15, 99):
        yield one(
            f"mat of numbers of kind {stored}", "a.mat", variable(matrix((6, 20), NUMBERS.tobytes(), stored=stored))
        )
    for kind in (0, 3, 16, 17, 18, 200):
        yield one(f"mat of class {kind}", "a.mat", variable(matrix((6, 20), marker.pickle(rng), kind=kind, stored=1)))
    for declared in (2**17, 40):
        start = matrix((declared, declared), b"")[:-8] + struct.pack("<II", 9, 8 * declared**2 % 2**32)
        content = zlib_zeros(3 * GIGABYTES // 2, struct.pack("<II", 14, 2**32 - 1) + start)
        yield one(f"mat bomb that declares {declared} rows", "a.mat", _packed(content))
    others: dict[str, Any] = {
        "text": "hello",
        "complex": NUMBERS * 1j,
        "a structure": {"a": NUMBERS},
        "cells": np.array([NUMBERS, NUMBERS, "a"], dtype=object),
        "all nan": np.full((6, 5, 4), np.nan),
        "nothing": np.empty((0, 0)),
    }
    for what, value in others.items():
        yield one(f"mat of {what}", "a.mat", _saved(value, do_compression=bool(rng.integers(2))))
    yield one("mat of no variables", "a.mat", _HEADER)
    yield one(
        "mat of version 4, too large", "a.mat", struct.pack("<5i", 0, big, big, 0, 2) + b"a\0" + NUMBERS.tobytes()
    )
    yield one(
        "mat of version 4 with a long name", "a.mat", struct.pack("<5i", 0, 6, 20, 0, big) + b"a\0" + NUMBERS.tobytes()
    )
