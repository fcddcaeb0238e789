"""Borders that do not belong: outermost rows, columns or frames that are nothing like those beside them.

Cameras, scanners and conversions leave such lines. A smooth prior would ring along them, and learn from the jump that
neighbours are less alike than they are. So they stand alone: cosines go over the other indices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from ..deadline import look_at_clock
from ..tensor import SHORT, Array
from .bases import BasisKind, Numbers, analyse_cosines, growing_starts, synthesise_cosines
from .data import KnownData

_MOST = 3  # indices at either end that may stand alone
_SHORTEST = 16  # modes in which borders are looked for
_PER_WINDOW = 4.0  # known entries that are averaged before slices are compared
_PLACES = 8  # at which slices are compared, at least
_ROUNDING = 5e-4  # of the mean count: less is what moving sums leave where nothing is known
_LARGE, _THREES = 2**22, 48  # entries from which on not all slices inside are compared, but so many threes
_INSIDE = 8  # slices that tell what is usual, at least
_THAN_ALL, _THAN_USUAL = 1.5, 4.0  # times the largest and the usual difference of neighbours make a stranger

Borders = tuple[tuple[int, int], ...]
"""For every mode, how many indices stand alone at its beginning and at its end."""


@dataclass(frozen=True)
class CosinesWithin:
    """Cosines over the indices between the borders; each index of a border is a column of its own, after them."""

    size: int
    first: int
    last: int
    kind: BasisKind = "dct"
    kept: float = 1.0

    @property
    def alone(self) -> int:
        """How many columns belong to a border."""
        return self.first + self.last

    def analyse(self, x: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """By a fast cosine transform between the borders."""
        start, inner, end = self._parts(x, axis, self.first, self.size - self.last)
        return np.concatenate([analyse_cosines(inner, (axis,)), start, end], axis=axis)

    def synthesise(self, c: Numbers, axis: int, *, overwrite: bool = False) -> Numbers:
        """By a fast cosine transform between the borders."""
        inner, start, end = self._parts(c, axis, self.size - self.alone, self.size - self.last)
        return np.concatenate([start, synthesise_cosines(inner, (axis,)), end], axis=axis)

    def bin_starts(self) -> NDArray[np.int64]:
        """As for cosines, and one bin for every index of a border."""
        inner = self.size - self.alone
        return np.concatenate([growing_starts(inner), np.arange(inner, self.size)])

    @staticmethod
    def _parts(x: Numbers, axis: int, one: int, two: int) -> tuple[Numbers, Numbers, Numbers]:
        before = (slice(None),) * axis
        return x[(*before, slice(None, one))], x[(*before, slice(one, two))], x[(*before, slice(two, None))]


def strange_borders(data: KnownData) -> Borders:
    """What stands alone, as far as known entries tell."""
    sums, counts = data.filled(data.values), data.mask.astype(np.float32)
    found = []
    for mode in range(sums.ndim):
        look_at_clock()
        found.append(_ends(sums, counts, mode, data.share))
    return tuple(found)


def _ends(sums: Numbers, counts: Numbers, mode: int, share: float) -> tuple[int, int]:
    """How many indices are strange at the beginning and at the end of a mode."""
    long = [other for other, size in enumerate(sums.shape) if other != mode and size > SHORT]
    if sums.shape[mode] < _SHORTEST or not long:
        return 0, 0
    side = int(np.ceil((_PER_WINDOW / share) ** (1 / len(long))))
    window = [side if other in long else 1 for other in range(sums.ndim)]
    looked_at = _sample(sums.shape[mode], sums.size)
    near = [np.moveaxis(uniform_filter(np.take(x, looked_at, mode), window), mode, 0) for x in (sums, counts)]
    return _at_start(_to_next_two(*near)), _at_start(_to_next_two(*(x[::-1] for x in near)))


def _sample(size: int, entries: int) -> NDArray[np.intp]:
    """Which slices of a mode are compared: all, or those at the ends and some threes inside, if there is much data."""
    ends, inside = _MOST + 3, size - 2 * (_MOST + 3)
    if entries < _LARGE or inside < 6 * _THREES:
        return np.arange(size)
    starts = ends + np.linspace(0, inside - 3, _THREES).astype(np.intp)
    return np.concatenate([np.arange(ends), np.add.outer(starts, np.arange(3)).ravel(), np.arange(size - ends, size)])


def _at_start(differences: Array) -> int:
    """How many of the first ones are strange, next to those inside."""
    inside = differences[_MOST : len(differences) - _MOST - 2]
    inside = inside[np.isfinite(inside)]
    if len(inside) < _INSIDE:
        return 0
    limit = max(_THAN_ALL * float(inside.max()), _THAN_USUAL * float(np.median(inside)))
    strange = np.flatnonzero(differences[:_MOST] > limit)  # not if it is not known
    return int(strange[-1]) + 1 if len(strange) else 0


def _to_next_two(sums: Numbers, counts: Numbers) -> Array:
    """By how much slices differ from the two after them, root mean square; NaN where that cannot be told."""
    differences: Array = np.full(len(sums), np.nan)
    least = _ROUNDING * float(counts.mean())
    for index in range(len(sums) - 2):
        nearby = counts[index + 1] + counts[index + 2]
        there = (counts[index] > least) & (nearby > least)
        if np.count_nonzero(there) >= _PLACES:
            here = sums[index][there] / counts[index][there]
            beside = (sums[index + 1] + sums[index + 2])[there] / nearby[there]
            differences[index] = np.sqrt(np.mean(np.square(here - beside, dtype=np.float64)))
    return differences
