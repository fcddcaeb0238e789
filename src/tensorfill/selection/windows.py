"""Windows of a tensor: parts of it, where things are tried at a fraction of the cost."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from itertools import product

Window = tuple[slice, ...]


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
