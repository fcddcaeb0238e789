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


def view_of(known: NDArray[np.bool_], *, colour: bool | None = None) -> View:
    """The view of a tensor with this mask.

    The first two modes are rows and columns; `colour` says whether the last one is of channels, which is assumed of 3
    or 4 indices where nobody knows. Of all pictures that the other modes make up, one that is lost altogether is shown,
    or else one with holes: the one in the middle, or the nearest to it.
    """
    channels = known.shape[-1] if known.ndim > 2 else 0
    few = channels in (_COLOURS, _MOST_CHANNELS)
    colour = few and colour is not False
    between = known.shape[2:-1] if colour else known.shape[2:]
    last: Index = (slice(_COLOURS),) if colour else ()
    picked, where = _pick(known, between)
    index: Index = (slice(None), slice(None), *picked, *last)
    if max(between, default=1) == 1:
        where = ""
    if colour and channels == _MOST_CHANNELS:
        where = ", ".join(part for part in (where, "its first three channels as red, green and blue") if part)
    return View(index, f"tensor[{_write(index, channels if colour else 0)}]: {where}" if where else "")


def _pick(known: NDArray[np.bool_], between: tuple[int, ...]) -> tuple[tuple[int, ...], str]:
    """Which picture is shown, and where that is."""
    middle = tuple(size // 2 for size in between)
    if not between:
        return middle, ""
    pixels = (0, 1, *range(2 + len(between), known.ndim))
    lost, damaged = np.asarray(~known.any(axis=pixels)), np.asarray(~known.all(axis=pixels))
    for fits, what in ((lost, "the lost slice"), (damaged, "the slice with holes")):
        if bool(fits[middle]):
            break
        if bool(fits.any()):
            places = np.argwhere(fits)
            nearest = places[np.argmin(np.abs(places - middle).sum(axis=1))]
            return tuple(int(part) for part in nearest), f"{what} nearest to the middle"
    return middle, "the middle"


def _write(index: Index, channels: int) -> str:
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
