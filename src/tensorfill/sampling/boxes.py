"""Blocks and boxes: connected holes, whose inside has no known neighbour.

One after the other is hidden, at random places, overlapping, cut off at the border, each side between 1/16 and 1/6 of
its mode, until the number of hidden entries is round((1 − keep) · entries). The last one is cut short for that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .checks import MOST_CHANNELS, check_picture

_SMALLEST, _LARGEST = 16, 6
"""A side is between n/16 and n/6 long."""


def blocks(shape: Sequence[int], keep: float, seed: int) -> NDArray[np.bool_]:
    """Hide rectangles of modes 1 and 2, in all channels and frames alike: what is behind them is never seen."""
    whole = check_picture("blocks", shape, keep, seed)
    kept = _mask_outside(whole[:2], keep, seed)
    return np.array(np.broadcast_to(kept.reshape(*whole[:2], *[1] * (len(whole) - 2)), whole))


def boxes(shape: Sequence[int], keep: float, seed: int) -> NDArray[np.bool_]:
    """Hide rectangles of modes 1 and 2 for a stretch of frames or bands, all channels alike.

    Channels are modes after the second of at most 4 indices. Of a picture they are the same as `blocks`.
    """
    whole = check_picture("boxes", shape, keep, seed)
    sides = tuple(1 if mode > 2 and size <= MOST_CHANNELS else size for mode, size in enumerate(whole, start=1))
    return np.array(np.broadcast_to(_mask_outside(sides, keep, seed), whole))


def to_hide(size: int, keep: float) -> int:
    """How many of a number of entries are to be hidden; never all."""
    return min(round((1 - keep) * size), size - 1)


def _mask_outside(shape: tuple[int, ...], keep: float, seed: int) -> NDArray[np.bool_]:
    rng = np.random.default_rng(seed)
    kept = np.ones(shape, dtype=np.bool_)
    missing = to_hide(kept.size, keep)
    while missing > 0:
        box = kept[tuple(_stretch(size, rng) for size in shape)]
        places = np.nonzero(box)
        box[tuple(place[:missing] for place in places)] = False
        missing -= len(places[0])
    return kept


def _stretch(size: int, rng: np.random.Generator) -> slice:
    """A side of a box. It may begin before the first index, so that no entry is likelier to be hidden than others."""
    shortest = max(1, round(size / _SMALLEST))
    length = int(rng.integers(shortest, max(shortest, round(size / _LARGEST)), endpoint=True)) if size > 1 else 1
    start = int(rng.integers(1 - length, size))
    return slice(max(start, 0), start + length)
