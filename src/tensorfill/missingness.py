"""Missingness: which entries of a tensor are missing, and all that is asked about that, each answered once.

Entries are missing one by one (scattered), or structured: in lines, blocks or whole slices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_cdt, maximum_filter, uniform_filter

from .tensor import SHORT

Mask = NDArray[np.bool_]

_FEW = 0.5  # share of missing entries up to which holes are told from chance by their depth
_SOME_SIZE = 32  # entries of a slice, so that all of them are not missing by chance
_DEPTH = 0.05  # share of the missing entries that lie inside of holes, from which on missingness is structured
_BY_CHANCE = 12.0  # known entries expected in a window, so that hardly any is empty by chance
_STRUCTURE = 0.2  # correlation of neighbours in the mask from which on missingness is structured
_SOME_DEEP = 0.05  # share of the missing entries that lie inside of large holes, from which on those are a kind


@dataclass(frozen=True, eq=False)
class Missingness:
    """Where entries are missing. True means known, as everywhere.

    Many ask the same questions of one mask, and some answers take a pass over several arrays of its size; so whoever
    has a pattern passes it on.
    """

    mask: Mask

    def without(self, held: Mask) -> Missingness:
        """What is left when some entries are held out."""
        return Missingness(self.mask & ~held)

    @cached_property
    def structured(self) -> bool:
        """Whether known entries come in blocks, lines or frames, rather than one by one."""
        return is_structured(self.mask)

    @cached_property
    def lost_indices(self) -> tuple[NDArray[np.intp], ...]:
        """For every mode, its indices with nothing known at all."""
        return tuple(find_lost_indices(~self.mask, mode) for mode in range(self.mask.ndim))

    @cached_property
    def lost(self) -> Mask:
        """Entries of slices of which nothing is known, such as lost frames."""
        lost = np.zeros_like(self.mask)
        for mode, size in enumerate(self.mask.shape):
            if size > 1:
                np.moveaxis(lost, mode, 0)[self.lost_indices[mode]] = True
        return lost

    @cached_property
    def any_lost(self) -> bool:
        """Whether there are such slices."""
        return bool(self.lost.any())

    @cached_property
    def only_lost(self) -> bool:
        """Whether nothing else is missing."""
        return bool((self.mask | self.lost).all())

    @cached_property
    def mixed(self) -> bool:
        """Whether lost slices are a kind of their own: other entries are missing too, or the slices are too small or
        too many to be noticed as holes.
        """
        return self.any_lost and not (self.only_lost and self.structured)

    @cached_property
    def inside_large_holes(self) -> Mask:
        """Entries inside of holes far larger than chance makes them."""
        return find_large_holes(self.mask)

    @cached_property
    def deep(self) -> Mask:
        """Entries inside of large holes, where others are missing one by one; none where they are not."""
        nothing = np.zeros_like(self.mask)
        if self.structured or self.any_lost:
            return nothing
        inside = self.inside_large_holes
        return inside if np.count_nonzero(inside) > _SOME_DEEP * np.count_nonzero(~self.mask) else nothing

    @cached_property
    def any_deep(self) -> bool:
        """Whether there are such entries."""
        return bool(self.deep.any())

    @property
    def apart(self) -> Mask:
        """Entries that are a kind of their own where others are missing too: those of lost slices, or of deep holes."""
        return self.lost if self.any_lost else self.deep

    @cached_property
    def left(self) -> tuple[Missingness, tuple[NDArray[np.intp], ...]]:
        """The pattern without slices of which nothing is known, and the indices that are left of every mode."""
        indices = tuple(
            np.setdiff1d(np.arange(size), lost) for size, lost in zip(self.mask.shape, self.lost_indices, strict=True)
        )
        return Missingness(self.mask[np.ix_(*indices)]), indices


def find_lost_indices(missing: Mask, mode: int) -> NDArray[np.intp]:
    """The indices of one mode with nothing known at all."""
    others = tuple(other for other in range(missing.ndim) if other != mode)
    return np.flatnonzero(missing.all(axis=others))


def is_structured(mask: Mask) -> bool:
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
        if size > SHORT and missing.size // size >= _SOME_SIZE and len(find_lost_indices(missing, mode)):
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


def collapse(mask: Mask) -> Mask:
    """The mask, with one index for modes along which it is the same everywhere."""
    for mode in range(mask.ndim):
        first = np.take(mask, [0], axis=mode)
        if (mask == first).all():
            mask = first
    return mask


def find_large_holes(mask: Mask) -> Mask:
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


def measure_depths(known: Mask) -> NDArray[np.intp]:
    """How many steps to a neighbour lie between every entry and what is known."""
    return np.asarray(distance_transform_cdt(~known, "taxicab"), dtype=np.intp)


def find_enclosed(known: Mask) -> Mask:
    """Entries with something known on both sides, in the fibre of a mode that can have an order."""
    found = known.copy()
    for mode, size in enumerate(known.shape):
        if size > SHORT:  # channels are not next to each other
            by_index = np.moveaxis(known, mode, 0)
            before = np.logical_or.accumulate(by_index, axis=0)
            after = np.logical_or.accumulate(by_index[::-1], axis=0)[::-1]
            found |= np.moveaxis(before & after, 0, mode)
    return found
