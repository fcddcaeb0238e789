"""Windows of a tensor: parts of it, where things are tried at a fraction of the cost; and a race on one of them.

Methods that are clearly beaten on a part of the data are not tried on all of it. The part is a window like the whole:
the leader, which has run already, is about as far off at held-out entries there as everywhere. The others see the
window only, which makes it harder for them, so that a little worse is good enough.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..missingness import Missingness
from ..observed import ObservedTensor
from ..tensor import SHORT, Array
from .judge import Judge, typical_error

Mask = NDArray[np.bool_]
Window = tuple[slice, ...]


@dataclass(frozen=True, kw_only=True)
class Racing:
    """Which window is raced in, and who is close."""

    part: int = 8  # the window has so many times fewer entries
    larger_part: int = 4  # the same if modes are too short for it
    smallest: int = 2**15  # entries of a window
    shortest: int = 32  # modes that are not cut
    enough: int = 50  # held-out entries in the window
    close: float = 1.1  # times the leader's error in the window, up to which a method is tried on everything


RACING = Racing()


def window_sizes(shape: tuple[int, ...], modes: Collection[int], most: float, shortest: int) -> list[int] | None:
    """The longest of these modes halved until at most so many entries are left, none below `shortest`.

    None if that cannot be done.
    """
    sizes = list(shape)
    while math.prod(sizes) > most:
        longest = max(modes, key=sizes.__getitem__, default=None)
        if longest is None or sizes[longest] < 2 * shortest:
            return None
        sizes[longest] //= 2
    return sizes


def windows(shape: tuple[int, ...], sizes: list[int]) -> Iterator[Window]:
    """At the beginning, in the middle and at the end of every mode."""
    places = (sorted({0, (n - size) // 2, n - size}) for n, size in zip(shape, sizes, strict=True))
    for place in product(*places):
        yield tuple(slice(at, at + size) for at, size in zip(place, sizes, strict=True))


@dataclass(frozen=True, eq=False)
class Race:
    """Where methods are compared first, and what the leader's errors are there."""

    window: Window
    inside: NDArray[np.bool_]
    """Which of the held-out entries lie in the window."""
    judge: Judge
    misses: Array
    """The leader's, at all held-out entries."""
    settings: Racing = RACING

    @classmethod
    def of(
        cls, pattern: Missingness, held: Mask, judge: Judge, misses: Array, settings: Racing = RACING
    ) -> Race | None:
        """None if there is no window that tells about the whole."""
        sizes = _sizes(pattern, settings)
        if sizes is None:
            return None
        rows = np.argwhere(held)
        usual = float(np.mean(misses**2))
        best, smallest = None, math.inf
        for window in windows(held.shape, sizes):
            place = [part.start for part in window]
            inside = np.all((rows >= place) & (rows < np.add(place, sizes)), axis=1)
            if np.count_nonzero(inside) >= settings.enough and usual > 0:
                here = float(np.mean(misses[inside] ** 2))
                odd = abs(math.log(here / usual)) if here > 0 else math.inf
                if odd < smallest:
                    best, smallest = cls(window, np.asarray(inside), judge, misses, settings), odd
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
                close = self.settings.close * typical_error(self.misses[self.inside][kind], holes)
                if typical_error(misses[kind], holes) <= close:
                    return True
        return False


def _sizes(pattern: Missingness, settings: Racing) -> list[int] | None:
    """A smaller shape: the longest modes halved, but none with lost slices, which are judged by others of theirs."""
    shape = pattern.mask.shape
    modes = [mode for mode, size in enumerate(shape) if size > SHORT and not len(pattern.lost_indices[mode])]
    # Of holes a small tensor has few, and a quarter of those would tell next to nothing.
    for part in (settings.part,) if pattern.structured else (settings.part, settings.larger_part):
        sizes = window_sizes(shape, modes, max(math.prod(shape) // part, settings.smallest), settings.shortest)
        if sizes is not None:
            return sizes if sizes != list(shape) else None
    return None
