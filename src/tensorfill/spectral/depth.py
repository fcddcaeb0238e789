"""How deep inside of a hole an entry lies, as a weight for the preconditioner.

What the surroundings leave open grows with the distance from them, at first about in proportion: so does the variance
of a field whose neighbours are alike. The weight is the root of that, from nearly 0 beside a known entry to 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.ndimage import distance_transform_edt

from ..missingness import collapse
from ..tensor import SHORT
from .bases import Numbers

_DEEP = 8.0  # distance, in entries, at which half of the variance is open

Mask = NDArray[np.bool_]


def depth_weights(missing: Mask, dtype: DTypeLike) -> Numbers:
    """√(d/(d + 8)) with d the distance to what is known; 0 there, and 1 if nothing is."""
    differing = collapse(missing)
    weights: Numbers = np.empty(differing.shape, dtype)
    short = [mode for mode, size in enumerate(differing.shape) if size <= SHORT]
    for place in np.ndindex(*(differing.shape[mode] for mode in short)):  # channels are not next to each other
        index: list[int | slice] = [slice(None)] * differing.ndim
        for mode, number in zip(short, place, strict=True):
            index[mode] = number
        weights[tuple(index)] = _weights(differing[tuple(index)])
    return np.array(np.broadcast_to(weights, missing.shape))


def _weights(missing: Mask) -> Numbers:
    if missing.all() or not missing.any():
        return missing.astype(np.float64)
    distance = np.asarray(distance_transform_edt(missing))
    return np.asarray(np.sqrt(distance / (distance + _DEEP)))
