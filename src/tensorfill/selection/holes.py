"""Where entries are missing: one by one, or in holes that have a shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_cdt, maximum_filter, uniform_filter

from ..tensor import SHORT

Mask = NDArray[np.bool_]

_FEW = 0.5  # share of missing entries up to which holes are told from chance by their depth
_SOME_SIZE = 32  # entries of a slice, so that all of them are not missing by chance
_DEPTH = 0.05  # share of the missing entries that lie inside of holes, from which on holes have a shape
_BY_CHANCE = 12.0  # known entries expected in a window, so that hardly any is empty by chance
_STRUCTURE = 0.2  # correlation of neighbours in the mask from which on holes have a shape


def dead_indices(missing: Mask, mode: int) -> NDArray[np.intp]:
    """The indices of one mode with nothing known at all."""
    others = tuple(other for other in range(missing.ndim) if other != mode)
    return np.flatnonzero(missing.all(axis=others))


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
        if size > SHORT and missing.size // size >= _SOME_SIZE and len(dead_indices(missing, mode)):
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


def collapsed(mask: Mask) -> Mask:
    """The mask, with one index for modes along which it is the same everywhere."""
    for mode in range(mask.ndim):
        first = np.take(mask, [0], axis=mode)
        if (mask == first).all():
            mask = first
    return mask


def inside_large_holes(mask: Mask) -> Mask:
    """Entries inside of holes far larger than chance makes them.

    A window in which a dozen known entries are to be expected has none: all of it is inside of a hole.
    """
    nothing = np.zeros_like(mask)
    long = [size > SHORT for size in mask.shape]
    share = float(mask.mean())
    if not any(long) or share in (0.0, 1.0):
        return nothing
    side = int(np.ceil((_BY_CHANCE / share) ** (1 / sum(long)))) | 1
    window = [side if is_long else 1 for is_long in long]
    if any(2 * side > size for side, size in zip(window, mask.shape, strict=True) if side > 1):
        return nothing
    if not _has_empty_cell(mask, window):
        return nothing
    known = uniform_filter(mask.astype(np.float32), window, mode="mirror")
    empty = known * np.prod(window) < 0.5
    return np.asarray(maximum_filter(empty, window, mode="constant") & ~mask)


def _has_empty_cell(mask: Mask, window: list[int]) -> bool:
    """Whether half a window of a grid is empty somewhere: one of those is inside of every larger hole."""
    for mode, side in enumerate(window):
        half = (side + 1) // 2
        whole = mask.shape[mode] // half * half
        cells = np.moveaxis(mask, mode, 0)[:whole]
        mask = np.moveaxis(np.asarray(cells.reshape(-1, half, *cells.shape[1:]).any(axis=1)), 0, mode)
    return not bool(mask.all())


def depths(known: Mask) -> NDArray[np.intp]:
    """How many steps to a neighbour lie between every entry and what is known."""
    return np.asarray(distance_transform_cdt(~known, "taxicab"), dtype=np.intp)


def enclosed(known: Mask) -> Mask:
    """Entries with something known on both sides, in the fibre of a mode that can have an order."""
    found = known.copy()
    for mode, size in enumerate(known.shape):
        if size > SHORT:  # channels are not next to each other
            by_index = np.moveaxis(known, mode, 0)
            before = np.logical_or.accumulate(by_index, axis=0)
            after = np.logical_or.accumulate(by_index[::-1], axis=0)[::-1]
            found |= np.moveaxis(before & after, 0, mode)
    return found
