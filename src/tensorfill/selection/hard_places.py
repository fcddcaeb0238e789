"""Known entries that are hard to predict: at the ends of modes, and next to outliers.

There are few of them, so that hardly any is among entries that are held out by chance; and yet they can be most of the
squared error of a method that smears an outlier, or does not know how to go on where nothing more is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation

from ..missingness import find_enclosed
from ..observed import ObservedTensor

_MOST = 0.1  # share of the known entries that are taken
_OUTLIERS = 5  # at most, of which
_OUT, _USUAL = 30.0, 0.9  # times as far from the median as so many of the values are


def hard_places(observed: ObservedTensor, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Some of them, of those that are not held out already."""
    mask = observed.mask()
    beside = _around_outliers(observed, mask) & mask
    found = beside | (_at_ends(mask) & mask)
    found &= ~held
    if found.sum() <= _MOST * mask.sum():
        return found
    return beside & ~held if 0 < beside.sum() <= _MOST * mask.sum() else np.zeros_like(mask)


def strata(observed: ObservedTensor, known: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How every entry is to be predicted from what is known: 0 as usual, 1 next to an outlier, 2 beyond all that is."""
    found: NDArray[np.intp] = np.where(find_enclosed(known), 0, 2)
    found[_around_outliers(observed, observed.mask())] = 1
    return found


STRATA = 3


def _at_ends(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The first and the last slice of the longest mode that have something known."""
    longest = int(np.argmax(mask.shape))
    ends = np.zeros_like(mask)
    known = np.flatnonzero(mask.any(axis=tuple(mode for mode in range(mask.ndim) if mode != longest)))
    np.moveaxis(ends, longest, 0)[known[[0, -1]]] = True
    return ends


def _around_outliers(observed: ObservedTensor, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Entries next to a few outliers; none if there are none, or many."""
    distance = np.abs(observed.values - np.median(observed.values))
    out = np.flatnonzero(distance > _OUT * np.quantile(distance, _USUAL))
    places = np.zeros_like(mask)
    if not 0 < len(out) <= _OUTLIERS:
        return places
    places.reshape(-1)[observed.positions[out]] = True
    around = np.asarray(binary_dilation(places, np.ones((5,) * mask.ndim, dtype=bool)))
    return around & ~places
