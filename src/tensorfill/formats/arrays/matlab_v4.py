"""MATLAB's file format of version 4: matrices one after the other, each with five numbers in front."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..damage import damaged
from .matlab_variable import KIND, Variable

_HEADER = 20
_STORED = {0: "f8", 1: "f4", 2: "i4", 3: "i2", 4: "u2", 5: "u1"}
_OTHERS = {1: "text", 2: "a sparse matrix"}


def variables(file: BinaryIO, path: Path) -> Iterator[Variable]:
    """Every variable, in the order of the file.

    The first number has a decimal digit each for the order of bytes, nothing, the type of numbers, and what they are.
    """
    size = os.fstat(file.fileno()).st_size
    place = 0
    while place < size:
        file.seek(place)
        header = np.frombuffer(file.read(_HEADER), dtype="<i4", count=5)
        order = "<"
        if not 0 <= header[0] < 10_000:
            header, order = header.byteswap(), ">"
        code, rows, columns, imaginary, letters = (int(number) for number in header)
        machine, zero, stored, form = (code // 1000, code // 100 % 10, code // 10 % 10, code % 10)
        fits = machine == (order == ">") and not zero and stored in _STORED and form in (0, 1, 2)
        if not fits or min(rows, columns, imaginary) < 0 or imaginary > 1 or not 0 < letters < 1000:
            raise damaged(path, KIND)
        dtype = np.dtype(f"{order}{_STORED[stored]}")
        start = place + _HEADER + letters
        length = rows * columns * dtype.itemsize
        place = start + length * (1 + imaginary)
        if place > size:
            raise damaged(path, KIND)
        name = file.read(letters).rstrip(b"\0").decode("latin-1")
        what = _OTHERS.get(form, "complex numbers")
        number = dtype.newbyteorder("=") if form == 0 and not imaginary else None
        yield Variable(name, (rows, columns), number, what, partial(_values, path, start, dtype, rows, columns))


def _values(path: Path, start: int, dtype: np.dtype[Any], rows: int, columns: int) -> NDArray[Any]:
    with path.open("rb") as file:
        values = np.fromfile(file, dtype, rows * columns, offset=start)
    return values.astype(dtype.newbyteorder("="), copy=False).reshape((rows, columns), order="F")
