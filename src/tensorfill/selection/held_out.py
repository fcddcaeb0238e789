"""Entries to check predictions on: known ones, held out so that what is left is missing in the same way as before.

Some known entries are hard to predict: at the ends of modes, and next to outliers. There are few of them, so that
hardly any is among entries that are held out by chance; and yet they can be most of the squared error of a method that
smears an outlier, or does not know how to go on where nothing more is known. So they are asked for by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, label

from ..interrupting import look_at_clock
from ..method import SHORT as SHORT_TENSOR
from ..missingness import Missingness, collapse, find_enclosed, measure_depths
from ..observed import ObservedTensor
from ..tensor import SHORT

Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class HoldingOut:
    """What is held out. Shares are of the known entries, unless said otherwise."""

    # Entries one by one
    least: float = 0.05
    most: float = 0.2  # with less left, methods would be judged on a harder problem
    enough: int = 500  # entries to compare by; more than the least share is taken only up to here

    # Holes
    part: float = 0.1  # wanted; more of them than of scattered entries, for errors within a hole are alike
    largest_part: float = 0.3  # of one hole
    few_known: float = 0.6  # share known up to which fibres are held out one by one; with more, shifted holes are many
    some_fibres: int = 50  # known ones from which on they are held out one by one, where they are missing so
    enough_fibres: int = 200  # to compare by, likewise
    shifts: int = 3  # of the mask that are looked at
    more_shifts: int = 12  # the same where that costs nothing
    small: int = 2**12  # entries of a mask up to which it does not
    at_ends: float = 0.2  # of the indices of a mode with something known, at all of its empty ends
    fewer: float = 0.05  # how much an e-th of the entries that are wanted counts, next to an e-fold depth

    # Hard places
    most_hard: float = 0.1
    outliers: int = 5  # with more, they are no exception
    out: float = 30.0  # times as far from the median as
    usual: float = 0.9  # of the values are: then it is an outlier

    # How often
    tiny: int = 2**10  # entries of a tensor up to which trying again costs next to nothing
    holdings: int = 4  # at high effort, or where that costs little
    tiny_holdings: int = 12


HOLDING_OUT = HoldingOut()
STRATA = 3
"""How many ways there are to predict an entry, see `strata`."""


def holdings(size: int, settings: HoldingOut = HOLDING_OUT) -> int:
    """How often entries of a tensor of this size are held out to compare methods by, at most, at normal effort."""
    return settings.tiny_holdings if size <= settings.tiny else settings.holdings if size <= SHORT_TENSOR else 1


def hold_out(pattern: Missingness, rng: np.random.Generator, settings: HoldingOut = HOLDING_OUT) -> Mask:
    """Some of the known entries: one by one, or in holes like those that are there.

    Where whole slices are lost, or large holes are there, and other entries are missing too, some are held out of
    either kind.
    """
    mask = pattern.mask
    if pattern.mixed:
        left, indices = pattern.left
        slices = _slices_held_out(mask, rng, settings)
        if left.mask.all() and slices.any():
            return slices
        held = np.zeros_like(mask)
        held[np.ix_(*indices)] = hold_out(left, rng, settings)
        return held | slices
    if pattern.any_deep:
        inside = _hold_out_deep(mask, pattern.deep, rng, settings)
        return inside | _hold_out_scattered(mask & ~inside, rng, settings)
    if pattern.structured:
        small = collapse(mask)
        if _are_scattered_fibres(pattern, small, settings):
            return mask & _hold_out_fibres(small, rng, settings)
        found = _holes_held_out(small, rng, settings)
        if found is None:
            found = _one_slice(small if small.sum() > 1 else mask, rng)
        return np.array(np.broadcast_to(found, mask.shape))
    return _hold_out_scattered(mask, rng, settings)


def _hold_out_scattered(mask: Mask, rng: np.random.Generator, settings: HoldingOut) -> Mask:
    """A few here and there."""
    together = _together(mask)  # such as all colours of a pixel
    places = np.flatnonzero(together)
    share = float(np.clip(settings.enough / mask.sum(), settings.least, settings.most))
    few = min(max(1, round(share * len(places))), len(places) - 1)
    chosen = np.zeros(together.shape, dtype=bool)
    chosen.reshape(-1)[rng.choice(places, few, replace=False)] = True
    return mask & chosen


def _are_scattered_fibres(pattern: Missingness, small: Mask, settings: HoldingOut) -> bool:
    """Whether whole fibres, or slices of several modes, are missing here and there, by chance.

    Slices of a single mode are no such thing: how many neighbours are lost with a slice decides how it is filled.
    """
    modes = sum(size > 1 for size in small.shape)
    if (
        small.size == pattern.mask.size
        or modes < 2
        or pattern.any_lost
        or small.mean() > settings.few_known
        or np.count_nonzero(small) < settings.some_fibres
    ):
        return False
    return not Missingness(small).structured


def _hold_out_fibres(small: Mask, rng: np.random.Generator, settings: HoldingOut) -> Mask:
    """One by one, as they are missing: each is a thing of its own to judge by, where neighbours together are one."""
    places = np.flatnonzero(small)
    share = float(np.clip(settings.enough_fibres / len(places), settings.part, settings.most))
    held = np.zeros_like(small)
    held.reshape(-1)[rng.choice(places, round(share * len(places)), replace=False)] = True
    return held


def _hold_out_deep(mask: Mask, deep: Mask, rng: np.random.Generator, settings: HoldingOut) -> Mask:
    """What is known where the holes would be if they were elsewhere: at the place where most is, and little is lost."""
    best, most = np.zeros_like(mask), 0
    for _ in range(settings.more_shifts):
        look_at_clock()
        held = _shift(deep, rng) & mask
        count = int(np.count_nonzero(held))
        if most < count <= settings.largest_part * np.count_nonzero(mask):
            best, most = held, count
    return best


def _holes_held_out(mask: Mask, rng: np.random.Generator, settings: HoldingOut) -> Mask | None:
    """Holes of the mask itself, shifted in a circle, so that what is held out is not little, and about as deep.

    Where a mode begins or ends with nothing, what comes next to it too: within, nothing tells how well that is met.
    """
    ends, all_at_ends = _next_to_empty_ends(mask, settings)
    if all_at_ends:
        return ends
    depth, enough = _mean_depth(mask, ~mask), settings.part * float(mask.sum())
    beyond = _share_beyond(mask, ~mask)
    best, smallest = None, np.inf
    for inside in _candidates(mask, rng, settings):
        look_at_clock()
        held = inside | ends
        off = abs(np.log(_mean_depth(mask & ~held, held) / depth)) + settings.fewer * max(
            0.0, np.log(enough / held.sum())
        )
        off += abs(_share_beyond(mask & ~held, held) - beyond)
        if off < smallest:
            best, smallest = held, off
    return best


def _next_to_empty_ends(mask: Mask, settings: HoldingOut) -> tuple[Mask, bool]:
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
        few = min(empty, int(settings.at_ends * len(alive) / len(ends)) or 1)
        np.moveaxis(held, mode, 0)[alive[:few]] = True
    held &= mask
    if held.sum() > settings.largest_part * mask.sum():
        return np.zeros_like(mask), False
    return held, bool(held.any()) and not elsewhere.any()


def _slices_held_out(mask: Mask, rng: np.random.Generator, settings: HoldingOut) -> Mask:
    """Known slices of every mode that has lost ones: runs as long as those, at ends if those are there."""
    held = np.zeros_like(mask)
    for mode, size in enumerate(mask.shape):
        others = tuple(other for other in range(mask.ndim) if other != mode)
        known = np.asarray(mask.any(axis=others))
        most = int(settings.at_ends * known.sum()) or 1
        if size == 1 or known.all() or known.sum() < 3:
            continue
        alive = np.flatnonzero(known)
        wanted = np.zeros(size, dtype=bool)
        if not known[alive[0] : alive[-1] + 1].all():  # some are lost inside
            shifts = [np.roll(~known, int(rng.integers(1, size))) for _ in range(settings.shifts)]
            wanted = max(shifts, key=lambda shifted: min(int((shifted & known).sum()), most))
        inside = np.flatnonzero(wanted & known)
        inside = inside[(inside > alive[0]) & (inside < alive[-1])]  # ends are held out where ends are lost
        if len(inside):  # neighbours stay together, as far as they are lost together
            inside = np.roll(inside, -int(rng.integers(len(inside))))
        ends = [*alive[: alive[0]], *alive[::-1][: size - 1 - alive[-1]]]
        chosen = list(dict.fromkeys([*ends, *inside]))[:most]
        np.moveaxis(held, mode, 0)[chosen or rng.choice(alive[1:-1], 1)] = True
    return held & mask


def _candidates(mask: Mask, rng: np.random.Generator, settings: HoldingOut) -> Iterator[Mask]:
    if mask.mean() < 0.5:  # what is known are islands: fewer of them
        yield from _parts(mask, mask, rng, settings)
        return
    near = ~mask
    for mode, size in enumerate(mask.shape):
        if size > SHORT:  # channels are not next to each other
            near |= binary_dilation(near, np.moveaxis(np.ones([3] + [1] * (mask.ndim - 1), dtype=bool), 0, mode))
    for _ in range(settings.more_shifts if mask.size <= settings.small else settings.shifts):
        holes = ~_shift(mask, rng)
        yield from _parts(holes & mask, mask, rng, settings)
        parts = label(holes)[0]
        yield from _parts(holes & ~np.isin(parts, np.unique(parts[near & holes])), mask, rng, settings)


def _parts(held: Mask, mask: Mask, rng: np.random.Generator, settings: HoldingOut) -> Iterator[Mask]:
    """Some of the connected parts, about as many as are wanted; cut by further shifts if they are too large."""
    known = int(mask.sum())
    for _ in range(10):
        parts, count = label(held)
        sizes = np.bincount(parts.reshape(-1), minlength=count + 1)
        order = 1 + rng.permutation(count)
        order = order[sizes[order] <= settings.largest_part * known]
        if len(order):
            before = np.cumsum(sizes[order]) - sizes[order]
            yield np.isin(parts, order[before < settings.part * known])
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


def hard_places(observed: ObservedTensor, held: Mask, settings: HoldingOut = HOLDING_OUT) -> Mask:
    """Some of them, of those that are not held out already."""
    mask = observed.mask()
    beside = _around_outliers(observed, mask, settings) & mask
    found = beside | (_at_ends(mask) & mask)
    found &= ~held
    most = settings.most_hard * mask.sum()
    if found.sum() <= most:
        return found
    return beside & ~held if 0 < beside.sum() <= most else np.zeros_like(mask)


def strata(observed: ObservedTensor, known: Mask, settings: HoldingOut = HOLDING_OUT) -> NDArray[np.intp]:
    """How every entry is to be predicted from what is known: 0 as usual, 1 next to an outlier, 2 beyond all that is."""
    found: NDArray[np.intp] = np.where(find_enclosed(known), 0, 2)
    found[_around_outliers(observed, observed.mask(), settings)] = 1
    return found


def _at_ends(mask: Mask) -> Mask:
    """The first and the last slice of the longest mode that have something known."""
    longest = int(np.argmax(mask.shape))
    ends = np.zeros_like(mask)
    known = np.flatnonzero(mask.any(axis=tuple(mode for mode in range(mask.ndim) if mode != longest)))
    np.moveaxis(ends, longest, 0)[known[[0, -1]]] = True
    return ends


def _around_outliers(observed: ObservedTensor, mask: Mask, settings: HoldingOut) -> Mask:
    """Entries next to a few outliers; none if there are none, or many."""
    distance = np.abs(observed.values - np.median(observed.values))
    out = np.flatnonzero(distance > settings.out * np.quantile(distance, settings.usual))
    places = np.zeros_like(mask)
    if not 0 < len(out) <= settings.outliers:
        return places
    places.reshape(-1)[observed.positions[out]] = True
    around = np.asarray(binary_dilation(places, np.ones((5,) * mask.ndim, dtype=bool)))
    return around & ~places
