"""A quick interpolation: what is missing is the mean of what is known around it, as near as there is any.

Known entries are averaged over boxes of 2, 4, 8, … entries, along modes long enough to have an order, until every box
has some. On the way back a box without a known entry takes its value from those around it on the coarser level. It
takes as long as reading the tensor a few times, whatever is missing.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..memory import physical_memory
from ..tensor import SHORT, Array, entries
from .estimate import OnePart

_BYTES = 24  # per entry, at the most
_ORDINARY = 1e-30, 1e30  # scales at which single precision will do

Numbers = NDArray[Any]


def can_interpolate(shape: tuple[int, ...]) -> bool:
    """Whether there is room for it: it works on the whole tensor."""
    return _BYTES * entries(shape) <= physical_memory()


class InterpolatedEstimate(OnePart):
    """Made when it is first asked for."""

    def __init__(self, shape: tuple[int, ...], positions: NDArray[np.int64], known: Numbers) -> None:
        """`known` are the values at `positions` of the flattened tensor."""
        self._shape = shape
        self._positions = positions
        self._known = known

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        values: Array = self._entries[tuple(coordinates.T)].astype(np.float64)
        return values

    def dense(self) -> Array:
        return self._entries.astype(np.float64)

    @cached_property
    def _entries(self) -> Numbers:
        largest = float(self._known.max()) or 1.0
        sums, counts = (np.zeros(self._shape, np.float32) for _ in range(2))
        sums.reshape(-1)[self._positions] = self._known / largest
        counts.reshape(-1)[self._positions] = 1
        found = _interpolate(sums, counts)
        if not _ORDINARY[0] < largest < _ORDINARY[1]:
            found = found.astype(np.float64)
        found *= found.dtype.type(largest)
        return found


def _interpolate(sums: Numbers, counts: Numbers) -> Numbers:
    """Means where something is known, and those of the next coarser level elsewhere."""
    known = counts > 0
    if known.all():
        return sums / counts
    modes = [mode for mode, size in enumerate(sums.shape) if size > SHORT]  # not over channels, at first
    if not modes:
        modes = [mode for mode, size in enumerate(sums.shape) if size > 1]
    if not modes:
        return np.zeros_like(sums)  # nothing is known at all, which is refused long before
    coarse_sums, coarse_counts = sums, counts
    for mode in modes:
        coarse_sums, coarse_counts = _halve(coarse_sums, mode), _halve(coarse_counts, mode)
    whole = _interpolate(coarse_sums, coarse_counts)
    for mode in reversed(modes):
        whole = _double(whole, mode, sums.shape[mode])
    np.divide(sums, counts, out=whole, where=known)
    return whole


def _halve(x: Numbers, mode: int) -> Numbers:
    """Sums of pairs of neighbours along a mode; the last stays alone if their number is odd."""
    size = x.shape[mode]
    halved = x[_along(mode, slice(0, None, 2))].copy()
    halved[_along(mode, slice(0, size // 2))] += x[_along(mode, slice(1, None, 2))]
    return halved


def _double(x: Numbers, mode: int, size: int) -> Numbers:
    """Linear between the middles of pairs, along a mode that had this many indices."""
    found = np.repeat(x, 2, axis=mode)[_along(mode, slice(size))]
    towards = x[_along(mode, slice(1, None))] - x[_along(mode, slice(-1))]
    towards *= towards.dtype.type(0.25)
    found[_along(mode, slice(2, None, 2))] -= towards
    # The last pair may have no second one.
    found[_along(mode, slice(1, 2 * (x.shape[mode] - 1), 2))] += towards
    return found


def _along(mode: int, part: slice) -> tuple[slice, ...]:
    return (*(slice(None),) * mode, part)
