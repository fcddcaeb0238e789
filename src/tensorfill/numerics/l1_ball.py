"""The ℓ1 ball: the nearest point of it."""

import numpy as np

from ..tensor import Array


def nearest_in_l1_ball(values: Array, radius: float) -> Array:
    """The point with Σ|x_i| ≤ radius nearest to nonnegative values: all lowered alike, none below zero.

    >>> nearest_in_l1_ball(np.array([3.0, 2.0, 0.5]), 3.0)
    array([2., 1., 0.])
    """
    if values.sum() <= radius:
        return values
    descending = np.sort(values)[::-1]
    lowered = (np.cumsum(descending) - radius) / np.arange(1, len(values) + 1)
    # What stays above zero are the largest values: as many as exceed the amount they would all be lowered by.
    amount = lowered[np.flatnonzero(descending > lowered)[-1]] if radius > 0 else descending[0]
    return np.asarray(np.maximum(values - amount, 0.0))
