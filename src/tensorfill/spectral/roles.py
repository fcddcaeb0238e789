"""Which modes are places and which are repetitions, whatever their order in the tensor.

Along rows and columns of a picture entries that are far apart have little in common; along frames, bands or days they
do: most of what is there stays. Learning starts from different variances for the two. How alike distant entries are can
be seen from those that are known.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..deadline import look_at_clock
from ..tensor import SHORT
from .bases import Numbers
from .data import KnownData

_PLACES = 2  # modes of a picture
_ENOUGH = 2**20  # entries that are looked at
_LAGS = 4  # distances that are looked at, from a third to a half of a mode


def modes_of_places(data: KnownData) -> frozenset[int]:
    """The two modes along which distant entries are least alike; channels are never among them.

    `data` is what is known, less its mean. What cannot be told is decided by the order of the modes.
    """
    long = [mode for mode, size in enumerate(data.shape) if size > SHORT]
    if len(long) <= _PLACES:
        return frozenset(long)
    values = data.filled(data.values)
    alike = {mode: _likeness_far_apart(values, data.mask, mode) for mode in long}
    return frozenset(sorted(long, key=lambda mode: alike[mode])[:_PLACES])


def _likeness_far_apart(values: Numbers, known: NDArray[np.bool_], mode: int) -> float:
    """The mean product of two values, next to that of their squares, if they are far apart along a mode."""
    size = values.shape[mode]
    longest = max((other for other in range(values.ndim) if other != mode), key=values.shape.__getitem__)
    some = [slice(None)] * values.ndim
    some[longest] = slice(None, None, -(-values.size // _ENOUGH))
    values, known = (np.moveaxis(x[tuple(some)], mode, 0) for x in (values, known))
    products, squares = 0.0, 0.0
    for lag in np.unique(np.linspace(size / 3, size / 2, _LAGS).astype(int)):
        look_at_clock()
        first, second = (slice(None, -lag), slice(lag, None))
        here, there = values[first], values[second]
        products += _sum(here * there)
        squares += math.sqrt(_sum(here * here * known[second]) * _sum(there * there * known[first]))
    return products / squares if squares > 0 else 0.0


def _sum(values: Numbers) -> float:
    return float(values.sum(dtype=np.float64))
