"""Entries to check predictions on: known ones, held out so that what is left is missing in the same way as before."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .bases import SHORT

Mask = NDArray[np.bool_]

_LEAST, _MOST, _ENOUGH = 0.05, 0.2, 500  # shares of the known entries, and how many are enough to compare by
_LARGEST_PART = 0.3  # of the known entries are held out if holes have a shape
_FEW = 0.5  # share of missing entries up to which holes are told from chance by their depth
_SOME_SIZE = 32  # entries of a slice, so that all of them are not missing by chance
_DEPTH = 0.05  # share of the missing entries that lie inside of holes, from which on holes have a shape
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
    missing = ~mask
    # With more missing, chance makes holes too.
    return bool(missing.mean() <= _FEW) and (_has_dead_slice(missing) or _has_depth(missing))


def _has_dead_slice(missing: Mask) -> bool:
    """Whether all is missing in a row, a column or a frame of some size: a thin hole among scattered ones."""
    for mode, size in enumerate(missing.shape):
        others = tuple(other for other in range(missing.ndim) if other != mode)
        if size > SHORT and missing.size // size >= _SOME_SIZE and missing.all(axis=others).any():
            return True
    return False


def _has_depth(missing: Mask) -> bool:
    """Whether a good part of what is missing lies inside of holes, next to nothing known, and not by chance.

    So one large hole is noticed among many entries that are missing here and there.
    """
    inside = missing
    neighbours = 1
    for mode, size in enumerate(missing.shape):
        if size > SHORT:
            before = np.take(inside, range(size - 2), axis=mode)
            between = np.take(inside, range(1, size - 1), axis=mode)
            inside = before & between & np.take(inside, range(2, size), axis=mode)
            neighbours *= 3
    share = float(missing.mean())
    by_chance = share**neighbours
    return bool(inside.any()) and bool(inside.mean() - by_chance > _DEPTH * share * (1 - by_chance))


def hold_out(mask: Mask, rng: np.random.Generator) -> Mask:
    """Some of the known entries: one by one, or where the mask, shifted in a circle, has its own holes."""
    count = int(mask.sum())
    if not has_holes(mask):
        together = _together(mask)  # such as all colours of a pixel
        places = np.flatnonzero(together)
        share = float(np.clip(_ENOUGH / count, _LEAST, _MOST))
        few = min(max(1, round(share * len(places))), len(places) - 1)
        chosen = np.zeros(together.shape, dtype=bool)
        chosen.reshape(-1)[rng.choice(places, few, replace=False)] = True
        return mask & chosen
    held = mask.copy()
    for _ in range(10):
        shifts = [int(rng.integers(size)) for size in mask.shape]
        shifted = np.roll(mask, shifts, axis=tuple(range(mask.ndim)))
        fewer = held & (shifted if mask.mean() < 0.5 else ~shifted)
        if fewer.any():
            held = fewer
        if held.sum() <= _LARGEST_PART * count:
            break
    return held if held.sum() < count else _one_slice(mask, rng)


def _together(mask: Mask) -> Mask:
    """The mask, with one index for modes along which it is the same everywhere."""
    for mode in range(mask.ndim):
        first = np.take(mask, [0], axis=mode)
        if (mask == first).all() and first.sum() > 1:
            mask = first
    return mask


def _one_slice(mask: Mask, rng: np.random.Generator) -> Mask:
    """All that is known at one index of a mode, of the mode with the fewest such indices; nothing if there is none."""
    held = np.zeros_like(mask)
    known = [np.flatnonzero(mask.any(axis=tuple(np.delete(np.arange(mask.ndim), m)))) for m in range(mask.ndim)]
    modes = [mode for mode in range(mask.ndim) if len(known[mode]) > 1]
    if modes:
        mode = min(modes, key=lambda mode: len(known[mode]))
        index = (slice(None),) * mode + (int(rng.choice(known[mode])),)
        held[index] = mask[index]
    return held
