"""Frames that lie plain in a file, one plane after the other: Y, then Cb and Cr."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .colour import Planes


@dataclass(frozen=True)
class PlaneLayout:
    """The planes of a frame; a colour plane is smaller by `across` and `down`, and there is none if these are 0."""

    rows: int
    columns: int
    across: int = 2
    down: int = 2
    dtype: str = "u1"
    left_out: int = 0
    """Bytes at the end of a frame that are not read: transparency."""

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Rows and columns of every plane, rounded up."""
        luma = (self.rows, self.columns)
        if not self.across:
            return (luma,)
        chroma = (-(-self.rows // self.down), -(-self.columns // self.across))
        return luma, chroma, chroma

    @property
    def length(self) -> int:
        """Bytes of a frame."""
        return sum(rows * columns for rows, columns in self.shapes) * np.dtype(self.dtype).itemsize + self.left_out

    def read(self, file: BinaryIO) -> Planes | None:
        """The next frame; None if the file ends within it."""
        raw = file.read(self.length)
        if len(raw) < self.length:
            return None
        planes: list[NDArray[Any]] = []
        place = 0
        for rows, columns in self.shapes:
            plane = np.frombuffer(raw, dtype=self.dtype, count=rows * columns, offset=place)
            planes.append(plane.reshape(rows, columns).astype(plane.dtype.newbyteorder("="), copy=False))
            place += plane.nbytes
        return tuple(planes)

    def write(self, file: BinaryIO, planes: Planes) -> None:
        """One more frame."""
        for plane in planes:
            file.write(np.ascontiguousarray(plane, dtype=self.dtype).data)
