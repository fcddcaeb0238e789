"""Entries to check predictions on: known ones, held out so that what is left is missing in the same way as before."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .bases import SHORT

Mask = NDArray[np.bool_]

_LEAST, _MOST, _ENOUGH = 0.05, 0.2, 500  # shares of the known entries, and how many are enough to compare by
_LARGEST_PART = 0.3  # of the known entries are held out if holes have a shape
_STRUCTURE = 0.2  # correlation of neighbours in the mask from which on holes have a shape


def has_holes(mask: Mask) -> bool:
    """Whether known entries come in blocks, lines or frames, rather than one by one."""
    spread = mask.mean() * (1 - mask.mean())
    if spread == 0:
        return False
    for mode, size in enumerate(mask.shape):
        if size > SHORT:
            first, second = (np.moveaxis(mask, mode, 0)[part] for part in (slice(None, -1), slice(1, None)))
            if abs((first & second).mean() - first.mean() * second.mean()) > _STRUCTURE * spread:
                return True
    return False


def hold_out(mask: Mask, rng: np.random.Generator) -> Mask:
    """Some of the known entries: one by one, or where the mask, shifted in a circle, has its own holes."""
    count = int(mask.sum())
    if not has_holes(mask):
        share = float(np.clip(_ENOUGH / count, _LEAST, _MOST))
        held = np.zeros(mask.shape, dtype=bool)
        held.reshape(-1)[rng.choice(np.flatnonzero(mask), max(1, round(share * count)), replace=False)] = True
        return held
    held = mask.copy()
    for _ in range(10):
        shifts = [int(rng.integers(size)) for size in mask.shape]
        shifted = np.roll(mask, shifts, axis=tuple(range(mask.ndim)))
        fewer = held & (shifted if mask.mean() < 0.5 else ~shifted)
        if fewer.any():
            held = fewer
        if held.sum() <= _LARGEST_PART * count:
            break
    return held if held.sum() < count else np.zeros_like(held)
