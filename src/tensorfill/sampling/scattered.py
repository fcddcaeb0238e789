"""Scattered holes: entries, pixels or fibres, each hidden on its own with the same probability."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .checks import check_mode, check_picture, checked


def uniform(shape: Sequence[int], keep: float, seed: int) -> NDArray[np.bool_]:
    """Keep each entry independently with probability `keep`; True means kept.

    >>> uniform((2, 3), keep=0.5, seed=0).sum()
    np.int64(3)
    """
    whole = checked(shape, keep, seed)
    return np.random.default_rng(seed).random(whole) < keep


def pixels(shape: Sequence[int], keep: float, seed: int) -> NDArray[np.bool_]:
    """Keep each pixel of modes 1 and 2 with probability `keep`, in all channels and frames or in none.

    >>> pixels((2, 3, 4), keep=0.5, seed=0).sum(axis=2).tolist()
    [[0, 4, 4], [4, 0, 0]]
    """
    whole = check_picture("pixels", shape, keep, seed)
    kept = uniform(whole[:2], keep, seed)
    return np.array(np.broadcast_to(kept.reshape(*whole[:2], *[1] * (len(whole) - 2)), whole))


def fibres(shape: Sequence[int], keep: float, seed: int, mode: int | None = None) -> NDArray[np.bool_]:
    """Keep each fibre along a mode with probability `keep`, whole or not at all; modes count from 1, None is the last.

    A fibre holds the entries that differ in one index only: along mode 2 of a picture it is a row of one channel.
    """
    whole = checked(shape, keep, seed)
    axis = check_mode("fibres", whole, mode)
    kept = uniform((*whole[:axis], *whole[axis + 1 :]), keep, seed)
    return np.array(np.broadcast_to(np.expand_dims(kept, axis), whole))
