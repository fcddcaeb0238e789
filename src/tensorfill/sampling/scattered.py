"""Scattered holes: entries, pixels or fibres, each hidden on its own, and whole lines, frames or slices.

Of n lines, frames or slices round(keep · n) are kept, at least one and, unless `keep` is 1, not all. Where that leaves
a slice of the tensor without any entry, low rank alone cannot bring it back: methods that look at neighbours can.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidSetting
from .checks import MOST_CHANNELS, check_mode, check_picture, check_shape, count_kept


def uniform(shape: Sequence[int], keep: float, seed: int) -> NDArray[np.bool_]:
    """Keep each entry independently with probability `keep`; True means kept.

    >>> uniform((2, 3), keep=0.5, seed=0).sum()
    np.int64(3)
    """
    whole = check_shape(shape, keep, seed)
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
    whole = check_shape(shape, keep, seed)
    axis = check_mode("fibres", whole, mode)
    kept = uniform((*whole[:axis], *whole[axis + 1 :]), keep, seed)
    return np.array(np.broadcast_to(np.expand_dims(kept, axis), whole))


def lines(shape: Sequence[int], keep: float, seed: int) -> NDArray[np.bool_]:
    """Hide rows of every frame, other rows in each, with all their columns and channels.

    Modes from the third on are frames or bands, or channels if they have at most 4 indices. A picture has one frame:
    its rows are gone in all colours. In a video each frame lacks rows that others have.

    >>> lines((4, 2, 3), keep=0.5, seed=0)[:, 0].astype(int).tolist()
    [[0, 0, 0], [0, 0, 0], [1, 1, 1], [1, 1, 1]]
    """
    whole = check_picture("lines", shape, keep, seed)
    count = count_kept("lines", "rows", whole[0], keep)
    frames = tuple(1 if size <= MOST_CHANNELS else size for size in whole[2:])
    kept = _ranks((whole[0], *frames), seed) < count
    return np.array(np.broadcast_to(np.expand_dims(kept, 1), whole))


def frames(shape: Sequence[int], keep: float, seed: int) -> NDArray[np.bool_]:
    """Hide whole frames or bands: slices along the last mode that is not one of channels.

    Channels are modes of at most 4 indices. The frames of a picture would be its colours: that is refused, and `slices`
    does it.
    """
    whole = check_picture("frames", shape, keep, seed)
    modes = [mode for mode, size in enumerate(whole, start=1) if mode > 2 and size > MOST_CHANNELS]
    if not modes:
        raise InvalidSetting(
            f"The pattern 'frames' needs frames or bands: a mode after the second with more than {MOST_CHANNELS} "
            f"indices, for fewer are taken for colours. Got shape {whole} instead."
        )
    return slices(whole, keep, seed, modes[-1])


def slices(shape: Sequence[int], keep: float, seed: int, mode: int | None = None) -> NDArray[np.bool_]:
    """Hide whole slices along a mode: all entries that have an index there. Modes count from 1, None is the last.

    >>> slices((2, 4), keep=0.5, seed=0)[0].astype(int).tolist()
    [0, 0, 1, 1]
    """
    whole = check_shape(shape, keep, seed)
    axis = check_mode("slices", whole, mode)
    kept = _ranks((whole[axis],), seed) < count_kept("slices", "slices", whole[axis], keep)
    return np.array(np.broadcast_to(kept.reshape(-1, *[1] * (len(whole) - axis - 1)), whole))


def _ranks(shape: tuple[int, ...], seed: int) -> NDArray[np.int64]:
    """A random order along the first mode, another one for every index of the others."""
    return np.random.default_rng(seed).random(shape).argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
