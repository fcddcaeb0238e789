"""Entries to check predictions on: known ones, held out so that what is left is missing in the same way as before."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, distance_transform_cdt, label

from ..deadline import look_at_clock
from .bases import SHORT, Numbers
from .dead_slices import dead_indices
from .holes import collapsed, has_holes, is_mixed, lost_entries, without_lost

Mask = NDArray[np.bool_]

_LEAST, _MOST, _ENOUGH = 0.05, 0.2, 500  # shares of the known entries, and how many are enough to compare by
_PART, _LARGEST_PART = 0.1, 0.3  # the same if holes have a shape: how much is wanted, and how large one may be at most
_SHIFTS = 3  # places of the mask that are compared
_AT_ENDS = 0.2  # share of the known indices that are held out at most where ends are empty, of all such ends
_SOME = 3  # known entries from which on there is something to learn
_DEEPER = 2.0  # times as deep is far deeper
_FEWER = 0.05  # how much an e-th of the entries that are wanted counts, next to an e-fold depth


def hold_out(mask: Mask, rng: np.random.Generator) -> Mask:
    """Some of the known entries: one by one, or in holes like those that are there.

    Where whole slices are lost and other entries are missing too, some are held out of either kind.
    """
    if is_mixed(mask):
        left, indices = without_lost(mask)
        slices = _slices_held_out(mask, rng)
        if left.all() and slices.any():
            return slices
        held = np.zeros_like(mask)
        held[np.ix_(*indices)] = hold_out(left, rng)
        return held | slices
    if has_holes(mask):
        small = collapsed(mask)
        found = _holes_held_out(small, rng)
        if found is None:
            found = _one_slice(small if small.sum() > 1 else mask, rng)
        return np.array(np.broadcast_to(found, mask.shape))
    together = _together(mask)  # such as all colours of a pixel
    places = np.flatnonzero(together)
    share = float(np.clip(_ENOUGH / mask.sum(), _LEAST, _MOST))
    few = min(max(1, round(share * len(places))), len(places) - 1)
    chosen = np.zeros(together.shape, dtype=bool)
    chosen.reshape(-1)[rng.choice(places, few, replace=False)] = True
    return mask & chosen


@dataclass(frozen=True, eq=False)
class Judge:
    """Says how far predictions of held-out entries are off, each kind of hole by itself."""

    holes: NDArray[np.intp]
    """For every held-out entry, in order, which of the held-out holes it is in; 0 for all that are scattered."""
    shaped: bool
    """Whether entries that are not in lost slices are missing in holes."""
    mixed: bool
    """Whether slices are lost, and judged by slices that are held out whole."""
    lost: NDArray[np.bool_]
    """Which held-out entries are in such slices, if there are any other."""
    lost_share: float
    """The share of lost slices in what is missing, likewise."""

    @classmethod
    def of(cls, mask: Mask, held: Mask) -> Judge:
        """For some of the known entries, held out."""
        if not is_mixed(mask):
            shaped = has_holes(mask)
            numbers = hole_numbers(held, holes=shaped)
            return cls(numbers, shaped, False, np.zeros(len(numbers), dtype=bool), 0.0)
        shaped = has_holes(without_lost(mask)[0])
        whole = lost_entries(mask & ~held) & held
        lost = whole[held]
        numbers = np.zeros(len(lost), dtype=np.intp)
        numbers[~lost] = hole_numbers(held & ~whole, holes=shaped)
        if lost.any():
            numbers[lost] = numbers.max() + 1 + hole_numbers(whole, holes=True)
        share = float(np.count_nonzero(lost_entries(mask)) / np.count_nonzero(~mask))
        return cls(numbers, shaped, True, lost, share)

    def joined(self, other: Judge) -> Judge:
        """For the entries of both, one after the other."""
        more = self.holes.max(initial=0) + 1 + other.holes
        if not self.shaped:
            more = np.where(other.lost, more, 0)  # scattered entries are all in one
        return replace(self, holes=np.append(self.holes, more), lost=np.append(self.lost, other.lost))

    def error(self, misses: Numbers) -> float:
        """The typical error of every kind, each counted by what is missing of it."""
        kinds = [(self.lost, self.lost_share), (~self.lost, 1 - self.lost_share)]
        found = [(typical_error(misses[kind], self.holes[kind]), share) for kind, share in kinds if kind.any()]
        if len(found) < 2:
            return found[0][0] if found else math.nan
        return sum(error * share for error, share in found)


def unjudged_entries(mask: Mask, held: Mask) -> Mask:
    """Entries of lost slices of a mode of which no slice could be held out; all, if next to nothing is known."""
    if np.count_nonzero(mask) < _SOME:
        return np.ones_like(mask)
    found = np.zeros_like(mask)
    left = mask & ~held
    for mode, size in enumerate(mask.shape):
        lost = dead_indices(~mask, mode)
        if size > 1 and len(lost) and len(dead_indices(~left, mode)) == len(lost):
            np.moveaxis(found, mode, 0)[lost] = True
    return found


def goes_deeper(mask: Mask, held: Mask) -> bool:
    """Whether what is missing, but for lost slices, lies far deeper inside of holes than anything held out."""
    missing = ~mask & ~lost_entries(mask)
    apart = held & ~lost_entries(mask & ~held)
    if not missing.any() or not apart.any():
        return False
    return bool(_depths(mask, missing).max() > _DEEPER * _depths(mask & ~held, apart).max())


def hole_numbers(held: Mask, *, holes: bool) -> NDArray[np.intp]:
    """For every held-out entry, in order, which of the held-out holes it is in; 0 for all if there are no holes."""
    if not holes:
        return np.zeros(np.count_nonzero(held), dtype=np.intp)
    numbers = np.asarray(label(collapsed(held))[0], dtype=np.intp) - 1
    return np.asarray(np.broadcast_to(numbers, held.shape)[held])


def typical_error(misses: Numbers, holes: NDArray[np.intp]) -> float:
    """The root mean square of a hole, averaged over holes, each counted by its entries.

    Within a hole errors are alike, and there are few holes: one in which nobody can be right must not decide.
    """
    if not len(misses):
        return math.nan
    counts = np.bincount(holes)
    squares = np.bincount(holes, np.square(misses, dtype=np.float64))
    return float(np.sqrt(counts * squares).sum() / len(misses))


def _holes_held_out(mask: Mask, rng: np.random.Generator) -> Mask | None:
    """Holes of the mask itself, shifted in a circle, so that what is held out is not little, and about as deep.

    Where a mode begins or ends with nothing, what comes next to it too: within, nothing tells how well that is met.
    """
    ends, all_at_ends = _next_to_empty_ends(mask)
    if all_at_ends:
        return ends
    depth, enough = _mean_depth(mask, ~mask), _PART * float(mask.sum())
    best, smallest = None, np.inf
    for inside in _candidates(mask, rng):
        look_at_clock()
        held = inside | ends
        off = abs(np.log(_mean_depth(mask & ~held, held) / depth)) + _FEWER * max(0.0, np.log(enough / held.sum()))
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
        if len(inside):  # neighbours stay together, as far as they are lost together
            inside = np.roll(inside, -int(rng.integers(len(inside))))
        ends = [*alive[: alive[0]], *alive[::-1][: size - 1 - alive[-1]]]
        chosen = list(dict.fromkeys([*ends, *inside]))[:most]
        np.moveaxis(held, mode, 0)[chosen or rng.choice(alive, 1)] = True
    return held & mask


def _candidates(mask: Mask, rng: np.random.Generator) -> Iterator[Mask]:
    if mask.mean() < 0.5:  # what is known are islands: fewer of them
        yield from _parts(mask, mask, rng)
        return
    near = ~mask
    for mode, size in enumerate(mask.shape):
        if size > SHORT:  # channels are not next to each other
            near |= binary_dilation(near, np.moveaxis(np.ones([3] + [1] * (mask.ndim - 1), dtype=bool), 0, mode))
    for _ in range(_SHIFTS):
        holes = ~_shifted(mask, rng)
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
        shifted = _shifted(mask, rng)
        held = held & (shifted if mask.mean() < 0.5 else ~shifted)


def _shifted(mask: Mask, rng: np.random.Generator) -> Mask:
    return np.roll(mask, [int(rng.integers(size)) for size in mask.shape], axis=tuple(range(mask.ndim)))


def _mean_depth(known: Mask, where: Mask) -> float:
    """How many steps to a neighbour lie between entries and what is known, on average."""
    return float(_depths(known, where).mean())


def _depths(known: Mask, where: Mask) -> NDArray[np.intp]:
    return np.asarray(distance_transform_cdt(~known, "taxicab"), dtype=np.intp)[where]


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
