"""Which part of a tensor is shown as a picture: all of it, or one slice, in gray or in colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Index = tuple[slice | int, ...]
_COLOURS = 3
_MOST_CHANNELS = 4
_BRIGHT = 99.5
_LOOKED_AT = 200_000


@dataclass(frozen=True)
class View:
    """An index that leaves rows and columns, or rows, columns and three colours; and what to say about it."""

    index: Index
    caption: str

    def of(self, tensor: NDArray[Any]) -> NDArray[Any]:
        """The part of a tensor."""
        return tensor[self.index]


def view_of(known: NDArray[np.bool_]) -> View:
    """The view of a tensor with this mask.

    The first two modes are rows and columns, a last one of 3 or 4 is the channels. Of every other mode the middle index
    is shown; of the third, if nothing is missing there, the nearest one where something is.
    """
    channels = known.shape[-1] if known.ndim > 2 else 0
    colour = channels in (_COLOURS, _MOST_CHANNELS)
    between = known.shape[2:-1] if colour else known.shape[2:]
    last: Index = (slice(_COLOURS),) if colour else ()
    index: Index = (slice(None), slice(None), *(size // 2 for size in between), *last)
    where = "the middle"
    if between and known[index].all():
        others = tuple(mode for mode in range(known.ndim) if mode != 2)
        holes = np.flatnonzero(~known.all(axis=others))
        if len(holes):
            nearest = int(holes[np.argmin(np.abs(holes - between[0] // 2))])
            index = (*index[:2], nearest, *index[3:])
            where = "the slice with holes nearest to the middle" if len(between) == 1 else "near the middle"
    if max(between, default=1) == 1:
        where = ""
    if channels == _MOST_CHANNELS:
        where = ", ".join(part for part in (where, "its first three channels as red, green and blue") if part)
    return View(index, f"tensor[{_written(index, channels)}]: {where}" if where else "")


def _written(index: Index, channels: int) -> str:
    """An index as it is written in Python."""
    shown = [":" if isinstance(part, slice) else str(part) for part in index]
    return ", ".join([*shown[:-1], ":3"] if channels == _MOST_CHANNELS else shown)


def shades_of(part: NDArray[Any]) -> tuple[float, float]:
    """The values shown as black and as white.

    0 and 255 of 8 bits; else 0 and the one that 99.5 % of the entries do not exceed. Of data that goes below zero, the
    one that 99.5 % do not fall below is black.
    """
    if part.dtype == np.uint8:
        return 0.0, 255.0
    some = part.reshape(-1)[:: max(1, part.size // _LOOKED_AT)].astype(np.float64)
    if part.dtype.kind in "if" and part.min() < 0:
        black, white = (float(np.percentile(some, share)) for share in (100 - _BRIGHT, _BRIGHT))
        return black, white if white > black else black + 1.0
    white = float(np.percentile(some, _BRIGHT)) or float(part.max())
    return 0.0, white if white > 0 else 1.0
