"""Judging predictions of held-out entries: how far they are off, each kind of hole by itself.

A method that holds entries out for its own choices tells of that with a `HeldOutRun`. Others can then be compared with
it on the same entries, and it does not have to run a second time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

from ..completion import Completion, Estimate, Watch
from ..missingness import Missingness, collapse, measure_depths
from ..observed import ObservedTensor
from ..tensor import Array

Mask = NDArray[np.bool_]
Numbers = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class Judging:
    """What it takes to judge by."""

    some: int = 3  # known entries, or indices of a mode with some, from which on there is something to learn
    deeper: float = 2.0  # times as deep is far deeper
    few_pieces: int = 5  # holes, which do not tell one prediction from another
    large: int = 2**10  # entries from which on lost slices are cut into pieces: errors far apart are no longer alike
    tile: int = 16  # entries of such a piece along a mode


JUDGING = Judging()


@dataclass(frozen=True, eq=False)
class Judge:
    """Says how far predictions of held-out entries are off, each kind of hole by itself."""

    holes: NDArray[np.intp]
    """For every held-out entry, in order, which of the held-out holes it is in; 0 for all that are scattered."""
    structured: bool
    """Whether entries that are not judged apart are missing in holes."""
    mixed: bool
    """Whether some are judged apart: lost slices by slices that are held out whole, deep holes by deep holes."""
    apart: NDArray[np.bool_]
    """Which held-out entries are in those, if there are any other."""
    apart_share: float
    """The share of those in what is missing, likewise."""
    tiles: NDArray[np.intp] | None = None
    """For every held-out entry, in order, in which part of a lost slice it is (default: none is in any)."""

    @classmethod
    def of(cls, pattern: Missingness, held: Mask) -> Judge:
        """For some of the known entries, held out."""
        if pattern.mixed:
            structured = pattern.left[0].structured
            rest = pattern.without(held)
            whole = rest.lost & held
            pieces = _lost_runs(pattern, rest)
        elif pattern.any_deep:
            structured = False
            inside = pattern.without(held).inside_large_holes
            whole = inside & held
            pieces = np.asarray(label(inside)[0], dtype=np.intp)
        else:
            structured = pattern.structured
            numbers = hole_numbers(held, holes=structured)
            return cls(numbers, structured, False, np.zeros(len(numbers), dtype=bool), 0.0, _tiles(pattern, held))
        apart = whole[held]
        numbers = np.zeros(len(apart), dtype=np.intp)
        numbers[~apart] = hole_numbers(held & ~whole, holes=structured)
        numbers[apart] = numbers.max(initial=0) + pieces[whole]
        share = float(np.count_nonzero(pattern.apart) / np.count_nonzero(~pattern.mask))
        return cls(numbers, structured, True, apart, share, _tiles(pattern, held))

    def joined(self, other: Judge) -> Judge:
        """For the entries of both, one after the other."""
        more = self.holes.max(initial=0) + 1 + other.holes
        if not self.structured:
            more = np.where(other.apart, more, 0)  # scattered entries are all in one
        tiles = None if self.tiles is None or other.tiles is None else np.append(self.tiles, other.tiles)
        return replace(self, holes=np.append(self.holes, more), apart=np.append(self.apart, other.apart), tiles=tiles)

    def error(self, misses: Numbers) -> float:
        """The typical error of every kind, each counted by what is missing of it."""
        kinds = [(self.apart, self.apart_share), (~self.apart, 1 - self.apart_share)]
        found = [(typical_error(misses[kind], self.holes[kind]), share) for kind, share in kinds if kind.any()]
        if len(found) < 2:
            return found[0][0] if found else math.nan
        return sum(error * share for error, share in found)

    def odds(self, misses: Numbers, others: Numbers) -> float:
        """By how many standard errors the squares of misses are larger than those of others."""
        in_holes = np.ones_like(self.apart) if self.structured else self.apart
        if not in_holes.any():
            return standard_errors(misses, others)
        more = np.square(misses, dtype=np.float64) - np.square(others, dtype=np.float64)
        pieces = np.bincount(self._pieces[in_holes], more[in_holes])
        more = np.append(more[~in_holes], pieces[np.bincount(self._pieces[in_holes]) > 0])
        return _in_standard_errors(more) if len(more) >= JUDGING.few_pieces else 0.0  # else luck would decide

    @property
    def divides_holes(self) -> bool:
        """Whether pieces of one hole are compared, which are less independent than holes are."""
        return len(np.unique(self._pieces)) > len(np.unique(self.holes))

    @cached_property
    def _pieces(self) -> NDArray[np.intp]:
        """Numbers of holes, in which errors are alike; lost slices that are large are several."""
        if self.tiles is None or not (self.structured or self.mixed):
            return self.holes
        in_holes = self.apart | self.structured
        tiles = np.where(in_holes & (np.bincount(self.holes)[self.holes] > JUDGING.large), self.tiles, 0)
        return np.unique(self.holes * (tiles.max(initial=0) + 1) + tiles, return_inverse=True)[1]


def _tiles(pattern: Missingness, held: Mask) -> NDArray[np.intp] | None:
    """For every held-out entry, in order, in which tile of the tensor it is; 0 if it is in no lost slice.

    Other holes are not cut: the errors of a block that is missing in all frames are alike from frame to frame.
    """
    if not pattern.any_lost:
        return None
    places = [index // JUDGING.tile for index in np.nonzero(held)]
    tiles = 1 + np.ravel_multi_index(places, [-(-size // JUDGING.tile) for size in held.shape])
    return np.where(pattern.without(held).lost[held], tiles, 0).astype(np.intp)


def _lost_runs(pattern: Missingness, rest: Missingness) -> NDArray[np.intp]:
    """Which slices an entry is in of those that are lost in the rest only, numbered from 1: those next to each other
    are one thing to judge by, however many of their entries are known.
    """
    numbers: NDArray[np.intp] = np.zeros(pattern.mask.shape, dtype=np.intp)
    count = 0
    for mode, size in enumerate(numbers.shape):
        if size > 1:
            new = np.setdiff1d(rest.lost_indices[mode], pattern.lost_indices[mode])
            for run in np.split(new, np.flatnonzero(np.diff(new) > 1) + 1) if len(new) else ():
                count += 1
                np.moveaxis(numbers, mode, 0)[run] = count
    return numbers


def can_judge_lost(pattern: Missingness, held: Mask) -> bool:
    """Whether something tells about lost slices: one of that mode was held out, or parts of those beside it were."""
    if np.count_nonzero(pattern.mask) < JUDGING.some:
        return False
    rest = pattern.without(held)
    for mode, size in enumerate(held.shape):
        lost = len(pattern.lost_indices[mode])
        if lost > 0 and size - lost < JUDGING.some and len(rest.lost_indices[mode]) == lost:
            return False
    return True


def find_unjudged_entries(pattern: Missingness, held: Mask) -> Mask:
    """Entries of lost slices of a mode of which no slice could be held out; all, if next to nothing is known."""
    if np.count_nonzero(pattern.mask) < JUDGING.some:
        return np.ones_like(held)
    found = np.zeros_like(held)
    rest = pattern.without(held)
    for mode, size in enumerate(held.shape):
        lost = pattern.lost_indices[mode]
        if size > 1 and len(lost) and len(rest.lost_indices[mode]) == len(lost):
            np.moveaxis(found, mode, 0)[lost] = True
    return found


def goes_deeper(pattern: Missingness, held: Mask) -> bool:
    """Whether what is missing, but for lost slices, lies far deeper inside of holes than anything held out."""
    rest = pattern.without(held)
    missing = ~pattern.mask & ~pattern.lost
    apart = held & ~rest.lost
    if not missing.any() or not apart.any():
        return False
    return bool(measure_depths(pattern.mask)[missing].max() > JUDGING.deeper * measure_depths(rest.mask)[apart].max())


def hole_numbers(held: Mask, *, holes: bool) -> NDArray[np.intp]:
    """For every held-out entry, in order, which of the held-out holes it is in; 0 for all if there are no holes."""
    if not holes:
        return np.zeros(np.count_nonzero(held), dtype=np.intp)
    numbers = np.asarray(label(collapse(held))[0], dtype=np.intp) - 1
    return np.asarray(np.broadcast_to(numbers, held.shape)[held])


def standard_errors(misses: Numbers, others: Numbers) -> float:
    """By how many standard errors the squares of misses are larger than those of others, if all are independent."""
    return _in_standard_errors(np.square(misses, dtype=np.float64) - np.square(others, dtype=np.float64))


def hole_standard_errors(misses: Numbers, others: Numbers, holes: NDArray[np.intp]) -> float:
    """By how many standard errors the typical error of misses is larger than that of others, if holes are independent.

    One hole in which nobody can be right does not decide, but one in three in which somebody is better does not either.
    """
    counts = np.bincount(holes)
    first, second = (np.sqrt(counts * np.bincount(holes, np.square(of, dtype=np.float64))) for of in (misses, others))
    return _in_standard_errors((first - second)[counts > 0])


def _in_standard_errors(differences: Numbers) -> float:
    deviation = float(differences.std())
    return float(differences.mean()) / deviation * math.sqrt(len(differences)) if deviation > 0 else 0.0


def typical_error(misses: Numbers, holes: NDArray[np.intp]) -> float:
    """The root mean square of a hole, averaged over holes, each counted by its entries.

    Within a hole errors are alike, and there are few holes: one in which nobody can be right must not decide.
    """
    if not len(misses):
        return math.nan
    counts = np.bincount(holes)
    squares = np.bincount(holes, np.square(misses, dtype=np.float64))
    return float(np.sqrt(counts * squares).sum() / len(misses))


class Deviations(Protocol):
    """How sure to be of somebody's estimate. Completions keep it, so that it must be possible to pickle it."""

    def __call__(self, entries: Array, *, errors: Array, more: float) -> Array:
        """The standard deviation of every entry, if these were the errors at held-out ones.

        `more` is added to all variances, in squares of the largest known value.
        """
        ...


def own_deviations(sure: Deviations, estimate: Estimate, errors: Array) -> Array:
    """How sure to be of an estimate with these errors at held-out entries."""
    return sure(estimate.dense(), errors=errors, more=0.0)


@dataclass(frozen=True, eq=False)
class HeldOutRun:
    """What was held out, and predicted there before it was given back, in the units of the data."""

    held: NDArray[np.bool_]
    predictions: Array
    """For every held-out entry, in order."""
    judge: Judge
    deviations: Deviations | None = None
    """None: the method does not know."""


@runtime_checkable
class HoldsOut(Protocol):
    """A method that holds entries out for its own choices, and tells of it."""

    def run(
        self,
        observed: ObservedTensor,
        *,
        rng: np.random.Generator,
        watch: Watch | None = None,
    ) -> tuple[Completion, HeldOutRun | None]:
        """Complete the tensor; also what was predicted where entries were held out, None if none were, or not yet."""
        ...
