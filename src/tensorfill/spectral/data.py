"""What the spectral model is given, and what is seen in it before anything is learned.

Borders that are nothing like what is beside them; which modes are places and which are repetitions; and a window of a
large tensor, where learning starts at a fraction of the cost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from ..interrupting import look_at_clock
from ..selection.windows import Window, window_sizes, windows
from ..tensor import SHORT, Array
from .bases import Basis, Borders, Cosines, Numbers


@dataclass(frozen=True, eq=False)
class KnownData:
    """A mask, and the values where it is True, in order, less their mean."""

    mask: NDArray[np.bool_]
    values: Numbers

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor."""
        return self.mask.shape

    @property
    def count(self) -> int:
        """How many entries are known."""
        return len(self.values)

    @property
    def share(self) -> float:
        """Which part of all entries is known."""
        return self.count / self.mask.size

    def filled(self, values: Numbers) -> Numbers:
        """A full array with these values at known entries and zero elsewhere."""
        whole: Numbers = np.zeros(self.shape, values.dtype)
        whole[self.mask] = values
        return whole

    def without(self, held: NDArray[np.bool_]) -> KnownData:
        """What is left when some are held out."""
        return KnownData(self.mask & ~held, self.values[~held[self.mask]])

    def within(self, window: Window) -> KnownData:
        """What is known in a window."""
        mask = np.ascontiguousarray(self.mask[window])
        return KnownData(mask, self.filled(self.values)[window][mask])


# Borders


@dataclass(frozen=True, kw_only=True)
class BorderSettings:
    """When an index at the end of a mode is taken for a stranger."""

    most: int = 3  # indices at either end that may stand alone: more is no border, but something in the picture
    shortest: int = 16  # modes in which borders are looked for: in shorter ones nothing tells what is usual
    per_window: float = 4.0  # known entries that are averaged before slices are compared, against noise and texture
    places: int = 8  # at which slices are compared, at least
    rounding: float = 5e-4  # of the mean count: less is what moving sums leave where nothing is known
    large: int = 2**22  # entries from which on not all slices inside are compared …
    threes: int = 48  # … but so many times three neighbours, which takes a moment and tells as much
    inside: int = 8  # slices that tell what is usual, at least
    than_all: float = 1.5  # times the largest difference of neighbours inside make a stranger …
    than_usual: float = 4.0  # … if it is also so many times the median


def find_borders(data: KnownData, settings: BorderSettings) -> Borders:
    """What stands alone, as far as known entries tell."""
    sums, counts = data.filled(data.values), data.mask.astype(np.float32)
    found = []
    for mode in range(sums.ndim):
        look_at_clock()
        found.append(_ends(sums, counts, mode, data.share, settings))
    return tuple(found)


def _ends(sums: Numbers, counts: Numbers, mode: int, share: float, settings: BorderSettings) -> tuple[int, int]:
    """How many indices are strange at the beginning and at the end of a mode."""
    long = [other for other, size in enumerate(sums.shape) if other != mode and size > SHORT]
    if sums.shape[mode] < settings.shortest or not long:
        return 0, 0
    side = int(np.ceil((settings.per_window / share) ** (1 / len(long))))
    window = [side if other in long else 1 for other in range(sums.ndim)]
    looked_at = _sample(sums.shape[mode], sums.size, settings)
    sums, counts = (np.moveaxis(uniform_filter(np.take(x, looked_at, mode), window), mode, 0) for x in (sums, counts))
    first, last = (_at_start(_to_next_two(sums[::step], counts[::step], settings), settings) for step in (1, -1))
    return first, last


def _sample(size: int, entries: int, settings: BorderSettings) -> NDArray[np.intp]:
    """Which slices of a mode are compared: all, or those at the ends and some threes inside, if there is much data."""
    ends = settings.most + 3
    inside = size - 2 * ends
    if entries < settings.large or inside < 6 * settings.threes:
        return np.arange(size)
    starts = ends + np.linspace(0, inside - 3, settings.threes).astype(np.intp)
    return np.concatenate([np.arange(ends), np.add.outer(starts, np.arange(3)).ravel(), np.arange(size - ends, size)])


def _at_start(differences: Array, settings: BorderSettings) -> int:
    """How many of the first ones are strange, next to those inside."""
    inside = differences[settings.most : len(differences) - settings.most - 2]
    inside = inside[np.isfinite(inside)]
    if len(inside) < settings.inside:
        return 0
    limit = max(settings.than_all * float(inside.max()), settings.than_usual * float(np.median(inside)))
    strange = np.flatnonzero(differences[: settings.most] > limit)  # not if it is not known
    return int(strange[-1]) + 1 if len(strange) else 0


def _to_next_two(sums: Numbers, counts: Numbers, settings: BorderSettings) -> Array:
    """By how much slices differ from the two after them, root mean square; NaN where that cannot be told."""
    differences: Array = np.full(len(sums), np.nan)
    least = settings.rounding * float(counts.mean())
    for index in range(len(sums) - 2):
        nearby = counts[index + 1] + counts[index + 2]
        there = (counts[index] > least) & (nearby > least)
        if np.count_nonzero(there) >= settings.places:
            here = sums[index][there] / counts[index][there]
            beside = (sums[index + 1] + sums[index + 2])[there] / nearby[there]
            differences[index] = np.sqrt(np.mean(np.square(here - beside, dtype=np.float64)))
    return differences


# Places


@dataclass(frozen=True, kw_only=True)
class PlaceSettings:
    """How modes are compared by how alike distant entries are."""

    places: int = 2  # modes of a picture
    enough: int = 2**20  # entries that are looked at: means of so many products are exact enough
    lags: int = 4  # distances that are looked at, from a third to a half of a mode


def find_places(data: KnownData, settings: PlaceSettings) -> frozenset[int]:
    """The modes of a picture: those along which distant entries are least alike; channels are never among them.

    Along rows and columns entries that are far apart have little in common; along frames, bands or days they do: most
    of what is there stays. What cannot be told is decided by the order of the modes.
    """
    long = [mode for mode, size in enumerate(data.shape) if size > SHORT]
    if len(long) <= settings.places:
        return frozenset(long)
    values = data.filled(data.values)
    alike = {mode: _likeness_far_apart(values, data.mask, mode, settings) for mode in long}
    return frozenset(sorted(long, key=lambda mode: alike[mode])[: settings.places])


def _likeness_far_apart(values: Numbers, known: NDArray[np.bool_], mode: int, settings: PlaceSettings) -> float:
    """The mean product of two values, next to that of their squares, if they are far apart along a mode."""
    size = values.shape[mode]
    longest = max((other for other in range(values.ndim) if other != mode), key=values.shape.__getitem__)
    some = [slice(None)] * values.ndim
    some[longest] = slice(None, None, -(-values.size // settings.enough))
    values, known = (np.moveaxis(x[tuple(some)], mode, 0) for x in (values, known))
    products, squares = 0.0, 0.0
    for lag in np.unique(np.linspace(size / 3, size / 2, settings.lags).astype(int)):
        look_at_clock()
        first, second = (slice(None, -lag), slice(lag, None))
        here, there = values[first], values[second]
        products += _sum(here * there)
        squares += math.sqrt(_sum(here * here * known[second]) * _sum(there * there * known[first]))
    return products / squares if squares > 0 else 0.0


def _sum(values: Numbers) -> float:
    return float(values.sum(dtype=np.float64))


# A window


@dataclass(frozen=True, kw_only=True)
class WindowSettings:
    """When learning starts in a part of the data."""

    large: int = 2**22  # entries from which on a window is worth it
    enough: int = 2**20  # entries of a window, at most: a spectrum of some hundred variances is learned from fewer
    shortest: int = 64  # modes that are not cut, for their low frequencies would be missing
    like_all: float = 2.0  # the share of known entries may be so many times larger or smaller in the window
    rounds: int = 8  # in the window


def find_window(known: NDArray[np.bool_], bases: Sequence[Basis], settings: WindowSettings) -> Window | None:
    """Where about as much is known as in the whole; None if there is no need, or no such place."""
    # Only cosines can be compared between a part and the whole.
    modes = [mode for mode, basis in enumerate(bases) if isinstance(basis, Cosines)]
    sizes = window_sizes(known.shape, modes, settings.enough, settings.shortest)
    if known.size < settings.large or sizes is None:
        return None
    found = list(windows(known.shape, sizes))
    share = float(known.mean())
    odds = [abs(np.log(max(float(known[window].mean()), 1e-9) / share)) for window in found]
    best = int(np.argmin(odds))
    return found[best] if odds[best] < np.log(settings.like_all) else None
