"""Entries to check predictions on: known ones, held out so that what is left is missing in the same way as before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, label

from ..deadline import look_at_clock
from ..missingness import Missingness, collapse, find_enclosed, measure_depths
from ..tensor import SHORT

Mask = NDArray[np.bool_]

_LEAST, _MOST, _ENOUGH = 0.05, 0.2, 500  # shares of the known entries, and how many are enough to compare by
_PART, _LARGEST_PART = (
    0.1,
    0.3,
)  # the same if missingness is structured: wanted, and of one hole at most
_SOME_FIBRES, _ENOUGH_FIBRES = 50, 200  # known ones, to hold out some of them; held-out ones, to compare by
_SHIFTS, _MORE_SHIFTS, _SMALL = 3, 12, 2**12  # places of the mask that are compared; more, if it has few entries
_AT_ENDS = 0.2  # share of the known indices that are held out at most where ends are empty, of all such ends
_FEWER = 0.05  # how much an e-th of the entries that are wanted counts, next to an e-fold depth


def hold_out(pattern: Missingness, rng: np.random.Generator) -> Mask:
    """Some of the known entries: one by one, or in holes like those that are there.

    Where whole slices are lost, or large holes are there, and other entries are missing too, some are held out of
    either kind.
    """
    mask = pattern.mask
    if pattern.mixed:
        left, indices = pattern.left
        slices = _slices_held_out(mask, rng)
        if left.mask.all() and slices.any():
            return slices
        held = np.zeros_like(mask)
        held[np.ix_(*indices)] = hold_out(left, rng)
        return held | slices
    if pattern.any_deep:
        inside = _hold_out_deep(mask, pattern.deep, rng)
        return inside | _hold_out_scattered(mask & ~inside, rng)
    if pattern.structured:
        small = collapse(mask)
        if _are_scattered_fibres(pattern, small):
            return mask & _hold_out_fibres(small, rng)
        found = _holes_held_out(small, rng)
        if found is None:
            found = _one_slice(small if small.sum() > 1 else mask, rng)
        return np.array(np.broadcast_to(found, mask.shape))
    return _hold_out_scattered(mask, rng)


def _hold_out_scattered(mask: Mask, rng: np.random.Generator) -> Mask:
    """A few here and there."""
    together = _together(mask)  # such as all colours of a pixel
    places = np.flatnonzero(together)
    share = float(np.clip(_ENOUGH / mask.sum(), _LEAST, _MOST))
    few = min(max(1, round(share * len(places))), len(places) - 1)
    chosen = np.zeros(together.shape, dtype=bool)
    chosen.reshape(-1)[rng.choice(places, few, replace=False)] = True
    return mask & chosen


def _are_scattered_fibres(pattern: Missingness, small: Mask) -> bool:
    """Whether whole fibres, or slices of several modes, are missing here and there, by chance.

    Slices of a single mode are no such thing: how many neighbours are lost with a slice decides how it is filled.
    """
    modes = sum(size > 1 for size in small.shape)
    if small.size == pattern.mask.size or modes < 2 or pattern.any_lost or np.count_nonzero(small) < _SOME_FIBRES:
        return False
    return not Missingness(small).structured


def _hold_out_fibres(small: Mask, rng: np.random.Generator) -> Mask:
    """One by one, as they are missing: each is a thing of its own to judge by, where neighbours together are one."""
    places = np.flatnonzero(small)
    share = float(np.clip(_ENOUGH_FIBRES / len(places), _PART, _MOST))
    held = np.zeros_like(small)
    held.reshape(-1)[rng.choice(places, round(share * len(places)), replace=False)] = True
    return held


def _hold_out_deep(mask: Mask, deep: Mask, rng: np.random.Generator) -> Mask:
    """What is known where the holes would be if they were elsewhere: at the place where most is, and little is lost."""
    best, most = np.zeros_like(mask), 0
    for _ in range(_MORE_SHIFTS):
        look_at_clock()
        held = _shift(deep, rng) & mask
        count = int(np.count_nonzero(held))
        if most < count <= _LARGEST_PART * np.count_nonzero(mask):
            best, most = held, count
    return best


def _holes_held_out(mask: Mask, rng: np.random.Generator) -> Mask | None:
    """Holes of the mask itself, shifted in a circle, so that what is held out is not little, and about as deep.

    Where a mode begins or ends with nothing, what comes next to it too: within, nothing tells how well that is met.
    """
    ends, all_at_ends = _next_to_empty_ends(mask)
    if all_at_ends:
        return ends
    depth, enough = _mean_depth(mask, ~mask), _PART * float(mask.sum())
    beyond = _share_beyond(mask, ~mask)
    best, smallest = None, np.inf
    for inside in _candidates(mask, rng):
        look_at_clock()
        held = inside | ends
        off = abs(np.log(_mean_depth(mask & ~held, held) / depth)) + _FEWER * max(0.0, np.log(enough / held.sum()))
        off += abs(_share_beyond(mask & ~held, held) - beyond)
        if off < smallest:
            best, smallest = held, off
    return best


def _next_to_empty_ends(mask: Mask) -> tuple[Mask, bool]:
    """What is known next to ends of modes at which all is missing, as far as those reach; whether that is all holes."""
    held, elsewhere = np.zeros_like(mask), ~mask
    ends: list[tuple[int, NDArray[np.intp], int]] = []  # mode, indices with something known from the end on, empty ones
    for mode, size in enumerate(mask.shape):
        alive = np.flatnonzero(mask.any(axis=tuple(np.delete(np.arange(mask.ndim), mode))))
        if size > SHORT:  # channels have no order
            first, after = int(alive[0]), int(alive[-1]) + 1
            both = (mode, alive, first), (mode, alive[::-1], size - after)
            ends += [end for end in both if end[2]]
            by_index = np.moveaxis(elsewhere, mode, 0)
            by_index[:first] = by_index[after:] = False
    for mode, alive, empty in ends:
        few = min(empty, int(_AT_ENDS * len(alive) / len(ends)) or 1)
        np.moveaxis(held, mode, 0)[alive[:few]] = True
    held &= mask
    if held.sum() > _LARGEST_PART * mask.sum():
        return np.zeros_like(mask), False
    return held, bool(held.any()) and not elsewhere.any()


def _slices_held_out(mask: Mask, rng: np.random.Generator) -> Mask:
    """Known slices of every mode that has lost ones: runs as long as those, at ends if those are there."""
    held = np.zeros_like(mask)
    for mode, size in enumerate(mask.shape):
        others = tuple(other for other in range(mask.ndim) if other != mode)
        known = np.asarray(mask.any(axis=others))
        most = int(_AT_ENDS * known.sum()) or 1
        if size == 1 or known.all() or known.sum() < 3:
            continue
        alive = np.flatnonzero(known)
        wanted = np.zeros(size, dtype=bool)
        if not known[alive[0] : alive[-1] + 1].all():  # some are lost inside
            shifts = [np.roll(~known, int(rng.integers(1, size))) for _ in range(_SHIFTS)]
            wanted = max(shifts, key=lambda shifted: min(int((shifted & known).sum()), most))
        inside = np.flatnonzero(wanted & known)
        inside = inside[(inside > alive[0]) & (inside < alive[-1])]  # ends are held out where ends are lost
        if len(inside):  # neighbours stay together, as far as they are lost together
            inside = np.roll(inside, -int(rng.integers(len(inside))))
        ends = [*alive[: alive[0]], *alive[::-1][: size - 1 - alive[-1]]]
        chosen = list(dict.fromkeys([*ends, *inside]))[:most]
        np.moveaxis(held, mode, 0)[chosen or rng.choice(alive[1:-1], 1)] = True
    return held & mask


def _candidates(mask: Mask, rng: np.random.Generator) -> Iterator[Mask]:
    if mask.mean() < 0.5:  # what is known are islands: fewer of them
        yield from _parts(mask, mask, rng)
        return
    near = ~mask
    for mode, size in enumerate(mask.shape):
        if size > SHORT:  # channels are not next to each other
            near |= binary_dilation(near, np.moveaxis(np.ones([3] + [1] * (mask.ndim - 1), dtype=bool), 0, mode))
    for _ in range(_MORE_SHIFTS if mask.size <= _SMALL else _SHIFTS):
        holes = ~_shift(mask, rng)
        yield from _parts(holes & mask, mask, rng)
        parts = label(holes)[0]
        yield from _parts(holes & ~np.isin(parts, np.unique(parts[near & holes])), mask, rng)


def _parts(held: Mask, mask: Mask, rng: np.random.Generator) -> Iterator[Mask]:
    """Some of the connected parts, about as many as are wanted; cut by further shifts if they are too large."""
    known = int(mask.sum())
    for _ in range(10):
        parts, count = label(held)
        sizes = np.bincount(parts.reshape(-1), minlength=count + 1)
        order = 1 + rng.permutation(count)
        order = order[sizes[order] <= _LARGEST_PART * known]
        if len(order):
            before = np.cumsum(sizes[order]) - sizes[order]
            yield np.isin(parts, order[before < _PART * known])
            return
        if not count:
            return
        shifted = _shift(mask, rng)
        held = held & (shifted if mask.mean() < 0.5 else ~shifted)


def _shift(mask: Mask, rng: np.random.Generator) -> Mask:
    return np.roll(mask, [int(rng.integers(size)) for size in mask.shape], axis=tuple(range(mask.ndim)))


def _mean_depth(known: Mask, where: Mask) -> float:
    """How many steps to a neighbour lie between entries and what is known, on average."""
    return float(measure_depths(known)[where].mean())


def _share_beyond(known: Mask, where: Mask) -> float:
    """The share of entries that have something known on both sides in no mode: those are extrapolated."""
    return 1 - float(find_enclosed(known)[where].mean())


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
        alive = known[mode]
        at_an_end = alive[0] > 0 or alive[-1] < mask.shape[mode] - 1
        index = (slice(None),) * mode + (int(rng.choice(alive if at_an_end or len(alive) < 3 else alive[1:-1])),)
        held[index] = mask[index]
    return held
