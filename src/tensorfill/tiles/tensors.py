"""Where a tensor is that is completed in tiles: parts of it are read when they are needed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..bounds import Bounds
from ..errors import InvalidInput
from ..observed import Negatives, ObservedTensor
from ..tensor import entries
from .tiling import Region

Part = tuple[NDArray[Any], NDArray[np.bool_]]
"""Values, anything where nothing is known, and what is known."""

_LOOKED_AT = 2**24  # entries at a time
_SAMPLED = 2**20  # entries of a window to learn from: of fewer, more looks like noise than is
_PART = 8  # the tensor has so many times as many entries as all windows, or there is one window
_SHORTEST = 32  # sides of windows, unless the tensor has shorter ones
_COMPARED = 64  # windows, at most, of which some are chosen
_PLACES = 4  # along every mode where windows are looked for, at most
_LIKE_ALL = 2.0  # the known share of a window may be so many times larger or smaller than that of the whole
WINDOWS = 3


class LargeTensor(Protocol):
    """A tensor of which parts can be read."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the modes."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the values."""
        ...

    def part(self, region: Region) -> Part:
        """A copy of a part."""
        ...


@dataclass(frozen=True, eq=False)
class InMemory:
    """All of it is in memory."""

    values: NDArray[Any]
    known: NDArray[np.bool_]

    @classmethod
    def of(cls, observed: ObservedTensor) -> InMemory:
        """Known entries as a full array."""
        values = np.zeros(observed.shape, observed.dtype)
        values.reshape(-1)[observed.positions] = observed.known
        return cls(values, observed.mask())

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.values.dtype

    def part(self, region: Region) -> Part:
        return self.values[region].copy(), self.known[region].copy()


# What is seen before the work begins


@dataclass(frozen=True, eq=False)
class Survey:
    """What a look at all of it has told."""

    count: int
    """How many entries are known."""
    smallest: Any
    largest: Any
    mean: float
    clipped: int
    """How many known values lie outside of the bounds, and are put on them."""

    def share(self, shape: Sequence[int]) -> float:
        """Which share of the entries is known."""
        return self.count / max(1, entries(shape))


def survey(tensor: LargeTensor, bounds: Bounds, negatives: Negatives, leading: int) -> Survey:
    """Read everything once, refuse what no method could be given, and say where in the whole it is."""
    count, clipped, total = 0, 0, 0.0
    smallest = largest = None
    for region in slabs(tensor.shape, leading, _LOOKED_AT):
        values, known = tensor.part(region)
        there = values[known]
        if not len(there):
            continue
        if there.dtype.kind == "f" and not np.isfinite(there).all():
            where = _place(region, known & ~np.isfinite(values))
            raise InvalidInput(
                f"Entries marked observed are NaN or infinite, the first at {where}; mark them as missing instead."
            )
        positions = np.flatnonzero(known)

        def place(number: int, at: Region = region, rows: NDArray[np.intp] = positions) -> object:
            inside = np.unravel_index(rows[number], [part.stop - part.start for part in at])
            return tuple(int(index) + part.start for index, part in zip(inside, at, strict=True))

        kept, notes = bounds.kept_by(there, place, clip=negatives == "clip")
        clipped += int(np.count_nonzero(kept != there)) if notes else 0
        count += len(kept)
        total += float(kept.sum(dtype=np.float64))
        low, high = kept.min(), kept.max()
        smallest = low if smallest is None else min(smallest, low)
        largest = high if largest is None else max(largest, high)
    if not count:
        raise InvalidInput(
            "Nothing is observed: every entry is marked missing, so there is nothing to complete from. "
            "(True in 'observed' means known.)"
        )
    return Survey(count, smallest, largest, total / count, clipped)


def slabs(shape: Sequence[int], leading: int, most: int) -> Iterator[Region]:
    """The whole, cut along one mode into parts of about so many entries at most."""
    others = max(1, entries(shape) // max(1, shape[leading]))
    step = max(1, most // others)
    for start in range(0, shape[leading], step):
        region = [slice(0, size) for size in shape]
        region[leading] = slice(start, min(shape[leading], start + step))
        yield tuple(region)


def _place(region: Region, bad: NDArray[np.bool_]) -> tuple[int, ...]:
    first = np.unravel_index(int(np.argmax(bad)), bad.shape)
    return tuple(int(index) + part.start for index, part in zip(first, region, strict=True))


# Windows to learn from


def choose_windows(tensor: LargeTensor, share: float) -> list[Part]:
    """Windows where about as much is known as in all of it: the one that varies most, and others that vary less.

    A window of sky would teach that nothing varies; that with most edges alone, that everything does.
    """
    regions = list(candidates(tensor.shape, most=_COMPARED))
    ranked = rank_windows((tensor.part(region) for region in regions), share, count_windows(tensor.shape))
    return [tensor.part(regions[place]) for place in ranked]


def count_windows(shape: tuple[int, ...]) -> int:
    """How many windows to learn from: fewer where they would be a good part of the whole."""
    return min(max(1, entries(shape) // (_PART * math.prod(_window_sizes(shape)))), WINDOWS)


def window_entries(shape: tuple[int, ...]) -> int:
    """How many entries these have together."""
    return count_windows(shape) * math.prod(_window_sizes(shape))


def rank_windows(parts: Iterable[Part], share: float, count: int = WINDOWS) -> list[int]:
    """Which of these windows to learn from."""
    alike: list[tuple[float, int]] = []
    others: list[tuple[float, int]] = []
    for number, (values, known) in enumerate(parts):
        there = values[known]
        if len(there) > 1:
            like_all = share > 0.5 or share / _LIKE_ALL <= known.mean() <= share * _LIKE_ALL
            (alike if like_all else others).append((-float(there.std(dtype=np.float64)), number))
    ranked = [number for _, number in sorted(alike or others)]
    # From the one that varies most to one in the middle.
    places = np.linspace(0, max(0, len(ranked) - 1) / 2, min(count, len(ranked))).round().astype(int)
    return [ranked[place] for place in dict.fromkeys(places.tolist())]


def _window_sizes(shape: tuple[int, ...]) -> list[int]:
    """The longest side is shortened until few enough entries are left."""
    sizes = list(shape)
    while math.prod(sizes) > _SAMPLED:
        longest = int(np.argmax(sizes))
        if sizes[longest] <= _SHORTEST:
            break
        sizes[longest] = max(_SHORTEST, -(-sizes[longest] * 3 // 4))
    return sizes


def candidates(shape: tuple[int, ...], most: int | None = None) -> Iterator[Region]:
    """Windows all over the tensor, at most so many."""
    sizes = _window_sizes(shape)
    along = []
    for length, size in zip(shape, sizes, strict=True):
        places = min(_PLACES, -(-length // size))
        along.append([round((length - size) * index / max(1, places - 1)) for index in range(places)])
    corners = list(product(*along))
    step = 1 if most is None else max(1, -(-len(corners) // most))
    for corner in corners[step // 2 :: step]:
        yield tuple(slice(at, at + size) for at, size in zip(corner, sizes, strict=True))
