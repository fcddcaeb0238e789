"""The head of a .tns file: what it says of its sizes before the first entry."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..room import check_room

_REMARK = re.compile(rb"#\s*(shape|entries|dtype):\s*([\w ]+?)\s*$")
_DTYPES = re.compile(r"bool|u?int(8|16|32|64)|float(16|32|64)")
_TOOLBOX = b"sptensor"


@dataclass(frozen=True)
class Head:
    """Where the file says so: the sizes of the modes, the number of entries and their dtype."""

    shape: tuple[int, ...] | None = None
    entries: int | None = None
    dtype: str | None = None
    ours: bool = False
    """Whether `entries` is our own remark: then the last line has an end too."""
    length: int = 0
    """How many bytes and lines of the file it takes."""
    lines: int = 0

    def typed(self, values: NDArray[Any], path: Path) -> NDArray[Any]:
        """The values in the dtype that the file names."""
        if self.dtype is None:
            return values
        with np.errstate(all="ignore"):
            typed = values.astype(self.dtype)
        if typed.dtype.kind != "f" and not np.array_equal(typed, values):
            raise UnreadableFile(f"{path} says its values are {self.dtype}, and some of them are not.")
        return typed

    def shape_for(self, coordinates: NDArray[np.int64], path: Path) -> tuple[int, ...]:
        """The sizes the file names, or the largest indices there are."""
        largest = tuple(int(size) + 1 for size in coordinates.max(axis=0))
        if self.shape is not None and any(own > size for own, size in zip(largest, self.shape, strict=True)):
            raise UnreadableFile(
                f"{path} says its shape is {self.shape}, and has indices up to {largest}, counted from 1."
            )
        shape = self.shape or largest
        # Every method keeps vectors as long as the modes are.
        check_room(path, (max(shape),), 8, path.stat().st_size)
        return shape


def read_head(piece: bytes, path: Path) -> Head:
    """What stands before the first entry of a file that begins with `piece`."""
    head, stage, order, start = Head(), 0, 0, 0
    for number, content in enumerate(io.BytesIO(piece), start=1):
        text, mark, _ = content.partition(b"#")
        fields = text.split()
        if not fields:
            head = _remarked(head, content[len(text) :]) if mark else head
        elif stage == 0 and fields == [_TOOLBOX]:
            pass
        elif stage == 0 and len(fields) == 1 and (found := _sizes(fields)):
            order, stage = found[0], 1
        elif stage == 1:
            if len(fields) != order or not (shape := _sizes(fields)):
                raise UnreadableFile(f"Line {number} of {path} must have the sizes of {order} modes, each at least 1.")
            head, stage = replace(head, shape=shape), 2
        elif stage == 2 and len(fields) == 1 and (found := _sizes(fields)):
            head, stage = replace(head, entries=found[0], ours=False), 3
        else:
            break
        start += len(content)
        head = replace(head, length=start, lines=number)
    return head


def _remarked(head: Head, comment: bytes) -> Head:
    found = _REMARK.match(comment)
    if found is None:
        return head
    subject, told = found[1], found[2]
    numbers = _sizes(told.split())
    if subject == b"shape" and numbers:
        return replace(head, shape=numbers)
    if subject == b"entries" and len(numbers) == 1:
        return replace(head, entries=numbers[0], ours=True)
    if subject == b"dtype" and _DTYPES.fullmatch(told.decode()):
        return replace(head, dtype=told.decode())
    return head


def _sizes(fields: list[bytes]) -> tuple[int, ...]:
    """Whole numbers from 1 on; nothing if they are anything else."""
    if not all(field.isdigit() and len(field) < 19 for field in fields):
        return ()
    found = tuple(map(int, fields))
    return found if min(found, default=0) > 0 else ()
