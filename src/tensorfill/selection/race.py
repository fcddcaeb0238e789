"""A race on a part of the data: methods that are clearly beaten there are not tried on all of it.

The part is a window like the whole: the leader, which has run already, is about as far off at held-out entries there as
everywhere. The others see the window only, which makes it harder for them, so that a little worse is good enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..missingness import Missingness
from ..observed import ObservedTensor
from ..tensor import SHORT, Array
from .judge import Judge, typical_error
from .windows import Window, window_sizes, windows

_PART, _LARGER_PART = 8, 4  # the window has so many times fewer entries; the second if modes are too short for it
_SMALLEST = 2**15  # entries of a window
_SHORTEST = 32  # modes that are not cut
_ENOUGH = 50  # held-out entries in the window
_CLOSE = 1.1  # times the leader's error in the window, up to which a method is tried on everything

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Race:
    """Where methods are compared first, and what the leader's errors are there."""

    window: Window
    inside: NDArray[np.bool_]
    """Which of the held-out entries lie in the window."""
    judge: Judge
    misses: Array
    """The leader's, at all held-out entries."""

    @classmethod
    def of(cls, pattern: Missingness, held: Mask, judge: Judge, misses: Array) -> Race | None:
        """None if there is no window that tells about the whole."""
        sizes = _sizes(pattern)
        if sizes is None:
            return None
        rows = np.argwhere(held)
        usual = float(np.mean(misses**2))
        best, smallest = None, math.inf
        for window in windows(held.shape, sizes):
            place = [part.start for part in window]
            inside = np.all((rows >= place) & (rows < np.add(place, sizes)), axis=1)
            if np.count_nonzero(inside) >= _ENOUGH and usual > 0:
                here = float(np.mean(misses[inside] ** 2))
                odd = abs(math.log(here / usual)) if here > 0 else math.inf
                if odd < smallest:
                    best, smallest = cls(window, np.asarray(inside), judge, misses), odd
        return best

    def part(self, observed: ObservedTensor, held: Mask) -> ObservedTensor:
        """What a method may see: what is known in the window and not held out."""
        whole = np.zeros(observed.shape)
        whole.reshape(-1)[observed.positions] = observed.values
        known = (observed.mask() & ~held)[self.window]
        return ObservedTensor(known.shape, np.flatnonzero(known), whole[self.window][known], observed.floor)

    def rows(self, held: Mask) -> NDArray[np.int64]:
        """Coordinates within the window of the held-out entries there, in order."""
        return np.argwhere(held[self.window])

    def is_close(self, misses: Array) -> bool:
        """Whether a method with these misses in the window may be the best on some kind of entries."""
        for kind in (self.judge.apart[self.inside], ~self.judge.apart[self.inside]):
            if kind.any():
                holes = self.judge.holes[self.inside][kind]
                if typical_error(misses[kind], holes) <= _CLOSE * typical_error(self.misses[self.inside][kind], holes):
                    return True
        return False


def _sizes(pattern: Missingness) -> list[int] | None:
    """A smaller shape: the longest modes halved, but none with lost slices, which are judged by others of theirs."""
    shape = pattern.mask.shape
    modes = [mode for mode, size in enumerate(shape) if size > SHORT and not len(pattern.lost_indices[mode])]
    # Of holes a small tensor has few, and a quarter of those would tell next to nothing.
    for part in (_PART,) if pattern.structured else (_PART, _LARGER_PART):
        sizes = window_sizes(shape, modes, max(math.prod(shape) // part, _SMALLEST), _SHORTEST)
        if sizes is not None:
            return sizes if sizes != list(shape) else None
    return None
