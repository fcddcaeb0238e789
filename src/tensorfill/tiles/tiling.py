"""Tiling: where a tensor is cut, how far each tile looks beyond its core, and how overlaps are blended.

Every mode is cut at inner edges. A tile's core lies between two of them; it sees `overlap` more indices to either side
(its reach), and what it says counts a little beyond its core (its share), with weights that fall like cos² and add up
to 1 with those of its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidSetting, must_be
from ..tensor import SHORT, entries

Region = tuple[slice, ...]

OVERLAP = 16  # indices to either side: less shows at borders, more is work done twice
_COUNTS = 24  # of parts of a mode, that are tried
_NEAR = 0.25  # of the shortest core, by which edges are moved to those of chunks, at most
_LEFT_OVER = 4  # what is left at the end belongs to the tile before if it is shorter than one in so many of it


def sizes_of(region: Region) -> tuple[int, ...]:
    """The shape of a region."""
    return tuple(part.stop - part.start for part in region)


def within(inner: Region, outer: Region) -> Region:
    """A region, counted from the first corner of one around it."""
    return tuple(
        slice(part.start - around.start, part.stop - around.start) for part, around in zip(inner, outer, strict=True)
    )


@dataclass(frozen=True)
class Tile:
    """One part of a tensor."""

    number: int
    """Its place in the order in which tiles are completed and added up."""
    at: tuple[int, ...]
    """Its place along every mode."""
    core: Region
    share: Region
    """Where it has a weight."""
    reach: Region
    """What its solver sees."""


@dataclass(frozen=True)
class Tiling:
    """A shape, and where it is cut."""

    shape: tuple[int, ...]
    edges: tuple[tuple[int, ...], ...]
    """For every mode where cores begin, and the end."""
    overlap: tuple[int, ...]
    """How far tiles reach beyond their core, for every mode."""
    blend: tuple[int, ...]
    """How far beyond their core they have a weight: at most half of their core, so that no more than two overlap."""
    leading: int = 0
    """The mode along which tiles are completed layer after layer."""

    @property
    def counts(self) -> tuple[int, ...]:
        """How many tiles there are along every mode."""
        return tuple(len(edges) - 1 for edges in self.edges)

    @property
    def count(self) -> int:
        """How many tiles there are."""
        return math.prod(self.counts)

    @property
    def layer(self) -> int:
        """How many tiles there are side by side at each place along the leading mode."""
        return self.count // self.counts[self.leading]

    @property
    def largest(self) -> tuple[int, ...]:
        """The sizes of the largest tile, its reach included."""
        return tuple(
            max(stop - start for start, stop in (self._span(mode, index, overlap) for index in range(count)))
            for mode, (count, overlap) in enumerate(zip(self.counts, self.overlap, strict=True))
        )

    @property
    def work(self) -> int:
        """How many entries are seen in all: those of overlaps are counted for every tile."""
        return math.prod(
            sum(stop - start for start, stop in (self._span(mode, index, overlap) for index in range(count)))
            for mode, (count, overlap) in enumerate(zip(self.counts, self.overlap, strict=True))
        )

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """All of them, those of one layer after each other."""
        order = [self.leading, *(mode for mode in range(len(self.shape)) if mode != self.leading)]
        places = product(*(range(self.counts[mode]) for mode in order))
        return tuple(
            self._tile(number, tuple(place[order.index(mode)] for mode in range(len(order))))
            for number, place in enumerate(places)
        )

    def __iter__(self) -> Iterator[Tile]:
        return iter(self.tiles)

    def neighbours(self, tile: Tile) -> list[Tile]:
        """All tiles that say something of its core, itself among them, in their order."""
        near = [list(range(max(0, at - 1), min(count, at + 2))) for at, count in zip(tile.at, self.counts, strict=True)]
        wanted = set(product(*near))
        return [other for other in self.tiles if other.at in wanted]

    def weights(self, tile: Tile) -> list[NDArray[np.float64]]:
        """For every mode the weights of a tile over its share; their products add up to 1 over all tiles."""
        return [self._ramp(mode, index) for mode, index in enumerate(tile.at)]

    def _tile(self, number: int, at: tuple[int, ...]) -> Tile:
        core, share, reach = (
            tuple(slice(*self._span(mode, index, beyond[mode])) for mode, index in enumerate(at))
            for beyond in ((0,) * len(at), self.blend, self.overlap)
        )
        return Tile(number, at, core, share, reach)

    def _span(self, mode: int, index: int, beyond: int) -> tuple[int, int]:
        edges = self.edges[mode]
        return max(0, edges[index] - beyond), min(self.shape[mode], edges[index + 1] + beyond)

    def _ramp(self, mode: int, index: int) -> NDArray[np.float64]:
        half, edges = self.blend[mode], self.edges[mode]
        first, end = self._span(mode, index, half)
        weights = np.ones(end - first)
        if half == 0:
            return weights
        falling = np.cos(np.pi / 4 * (1 + (np.arange(2 * half) + 0.5 - half) / half)) ** 2
        if index > 0:
            weights[: 2 * half] = 1 - falling
        if index < len(edges) - 2:
            weights[-2 * half :] = falling
        return weights


def plan_tiles(
    shape: Sequence[int],
    most: float,
    *,
    layer_weight: float = 0.0,
    leading: int = 0,
    overlap: int = OVERLAP,
) -> Tiling:
    """Where to cut so that as few entries as possible are seen twice, and the largest tile has at most so many.

    A layer of finished tiles takes room, too: its entries count as `layer_weight` each. Short modes, such as colours,
    are never cut. Where nothing is small enough, tiles are as small as they get.
    """
    options = [_possible_counts(size, overlap) for size in shape]
    axes = np.meshgrid(*options, indexing="ij", sparse=True)
    sides = [-(-size // counts) for size, counts in zip(shape, axes, strict=True)]
    seen = [side + overlap * np.minimum(counts - 1, 2) for side, counts in zip(sides, axes, strict=True)]
    work = math.prod(
        (size + 2 * overlap * (counts - 1) for size, counts in zip(shape, axes, strict=True)), start=np.ones(())
    )
    others = math.prod(size for mode, size in enumerate(shape) if mode != leading)
    room = math.prod(seen, start=np.ones(())) + layer_weight * others * seen[leading]
    room, work = np.broadcast_arrays(room, work)
    best = np.argmin(np.where(room <= most, work, np.inf)) if (room <= most).any() else np.argmin(room)
    places = np.unravel_index(int(best), room.shape)
    return _cut_evenly(shape, [int(option[at]) for option, at in zip(options, places, strict=True)], leading, overlap)


def _possible_counts(size: int, overlap: int) -> NDArray[np.float64]:
    """Into how many parts a mode may be cut: all small numbers, then ever larger steps."""
    most = max(1, size // max(2 * overlap, 1)) if size > SHORT else 1
    steps = np.round(np.geomspace(1, most, _COUNTS)) if most > _COUNTS else np.arange(1, most + 1)
    return np.unique(steps).astype(np.float64)


def given_tiles(shape: Sequence[int], sizes: Sequence[int], *, leading: int = 0, overlap: int = OVERLAP) -> Tiling:
    """Cores of these sizes; one that is as long as its mode, or longer, leaves it whole."""
    if len(sizes) != len(shape):
        raise InvalidSetting(must_be("tile", f"hold a size for each of the {len(shape)} modes", tuple(sizes)))
    edges = [_merge_last((*range(0, max(length, 1), size), length)) for size, length in zip(sizes, shape, strict=True)]
    return _tiling(shape, edges, leading, overlap)


def align(tiling: Tiling, chunks: Sequence[Sequence[int]]) -> Tiling:
    """Inner edges moved to where chunks meet, if that is not far: then fewer chunks are needed for each tile."""
    edges = []
    for along, sizes in zip(tiling.edges, chunks, strict=True):
        meets = np.cumsum(sizes)[:-1]
        far = min(stop - start for start, stop in pairwise(along)) * _NEAR
        moved = [int(meets[np.argmin(np.abs(meets - edge))]) if len(meets) else edge for edge in along[1:-1]]
        kept = [to if abs(to - edge) <= far else edge for edge, to in zip(along[1:-1], moved, strict=True)]
        edges.append((along[0], *kept, along[-1]))
    return _tiling(tiling.shape, edges, tiling.leading, max(tiling.overlap))


def overhead(tiling: Tiling) -> float:
    """How many times as many entries tiles see as there are."""
    return tiling.work / max(1, entries(tiling.shape))


def _cut_evenly(shape: Sequence[int], counts: Sequence[int], leading: int, overlap: int) -> Tiling:
    edges = [
        tuple(length * index // count for index in range(count + 1))
        for length, count in zip(shape, counts, strict=True)
    ]
    return _tiling(shape, edges, leading, overlap)


def _tiling(shape: Sequence[int], edges: Sequence[tuple[int, ...]], leading: int, overlap: int) -> Tiling:
    whole = [len(along) == 2 for along in edges]
    smallest = [min(stop - start for start, stop in pairwise(along)) for along in edges]
    return Tiling(
        shape=tuple(shape),
        edges=tuple(edges),
        overlap=tuple(0 if alone else overlap for alone in whole),
        blend=tuple(0 if alone else min(overlap, size) // 2 for alone, size in zip(whole, smallest, strict=True)),
        leading=leading,
    )


def _merge_last(edges: tuple[int, ...]) -> tuple[int, ...]:
    """What is left over at the end may be next to nothing, which is no tile of its own."""
    if len(edges) > 2 and _LEFT_OVER * (edges[-1] - edges[-2]) < edges[1] - edges[0]:
        return (*edges[:-2], edges[-1])
    return edges
