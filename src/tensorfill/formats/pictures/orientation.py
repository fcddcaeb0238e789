"""Which way up a picture is stored: arrays are upright, and are turned back when they are written as they came.

EXIF numbers the eight ways (JEITA CP-3451, tag 274); editors may say the same in XMP.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..metadata import Metadata
from .tag_directory import ORIENTATION, read_exif

_IN_XMP = re.compile(rb'tiff:Orientation(?:="|>)([1-8])')
_TURNS = {
    2: (False, False, True),
    3: (False, True, True),
    4: (False, True, False),
    5: (True, False, False),
    6: (True, False, True),
    7: (True, True, True),
    8: (True, True, False),
}
"""How a stored picture becomes upright: rows and columns change places, then rows turn round, then columns."""
_UPRIGHT = (False, False, False)


def find_orientation(metadata: Metadata) -> int:
    """The number that EXIF has for it, or else XMP; 1 if it is stored upright."""
    directory = read_exif(metadata.exif)
    if directory is not None and directory.value(ORIENTATION):
        number = directory.number(ORIENTATION)
        return number if number in _TURNS else 1
    match = _IN_XMP.search(metadata.xmp)
    return int(match[1]) if match else 1


def stores_rows_as_columns(metadata: Metadata) -> bool:
    """Whether rows and columns change places."""
    return _TURNS.get(find_orientation(metadata), _UPRIGHT)[0]


def turn_upright(stored: NDArray[Any], number: int) -> NDArray[Any]:
    """A stored picture, (row, column, …), as it is to be seen.

    >>> turn_upright(np.array([[1, 2, 3]]), 6).tolist()  # the camera was turned
    [[1], [2], [3]]
    """
    swap, rows, columns = _TURNS.get(number, _UPRIGHT)
    turned = stored.swapaxes(0, 1) if swap else stored
    turned = turned[::-1] if rows else turned
    return np.ascontiguousarray(turned[:, ::-1] if columns else turned)


def turn_as_stored(seen: NDArray[Any], number: int) -> NDArray[Any]:
    """An upright picture as it is stored: what `turn_upright` undoes."""
    swap, rows, columns = _TURNS.get(number, _UPRIGHT)
    turned = seen[::-1] if rows else seen
    turned = turned[:, ::-1] if columns else turned
    return np.ascontiguousarray(turned.swapaxes(0, 1) if swap else turned)
