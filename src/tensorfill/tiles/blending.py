"""Blending: answers of tiles, added up with their weights in the order of tiles, and given on when they are whole.

Layers of tiles follow each other along the leading mode. Only what the next layer still adds to is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .answer import TileAnswer
from .tiling import Region, Tile, Tiling, sizes_of, within

Numbers = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Rows:
    """A part of the answer that is whole: some indices of the leading mode, all of the others."""

    region: Region
    model: Numbers
    deviations: Numbers | None


Deliver = Callable[[Rows], None]


class Blender:
    """Takes answers in the order of tiles, and delivers rows of the whole."""

    def __init__(self, tiling: Tiling, deliver: Deliver, *, deviations: bool = False) -> None:
        self._tiling = tiling
        self._deliver = deliver
        self._wanted = deviations
        self._sums: dict[str, Numbers] = {}
        self._first = 0  # the index of the leading mode where the sums begin
        self._next = 0  # the tile that is expected
        self._here = tiling.tiles[0]

    def add(self, tile: Tile, answer: TileAnswer) -> None:
        """One more answer; delivers what nobody adds to any more when its layer is complete."""
        assert tile.number == self._next, "tiles come in their order, so that sums have the same bits every time"
        self._next += 1
        self._put("model", tile, answer.model)
        if self._wanted:
            assert answer.deviations is not None
            self._put("deviations", tile, answer.deviations)
        if self._next % self._tiling.layer == 0:
            self._finish_layer(tile)

    def _put(self, name: str, tile: Tile, values: Numbers) -> None:
        share = values[within(tile.share, tile.reach)]
        if self._tiling.count == 1:
            self._sums[name] = share
            return
        weighted: Numbers = share.copy()
        for mode, weights in enumerate(self._tiling.weights(tile)):
            weighted *= _along(weights, mode, weighted)
        sums = self._room(name, tile, weighted.dtype)
        sums[self._place(tile.share)] += weighted

    def _room(self, name: str, tile: Tile, dtype: np.dtype[np.floating[Any]]) -> Numbers:
        """Sums from the first row that is not delivered to the last of this layer."""
        lead, end = self._tiling.leading, tile.share[self._tiling.leading].stop
        sizes = list(self._tiling.shape)
        sizes[lead] = end - self._first
        sums = self._sums.get(name)
        if sums is None or sums.shape[lead] < sizes[lead]:
            larger: Numbers = np.zeros(sizes, dtype)
            if sums is not None:
                larger[self._rows(0, sums.shape[lead])] = sums
            self._sums[name] = sums = larger
        return sums

    def _finish_layer(self, tile: Tile) -> None:
        """Rows up to where the next layer begins to count."""
        lead, blend = self._tiling.leading, self._tiling.blend[self._tiling.leading]
        last = self._next == self._tiling.count
        end = self._tiling.shape[lead] if last else tile.core[lead].stop - blend
        count = end - self._first
        region = [slice(0, size) for size in self._tiling.shape]
        region[lead] = slice(self._first, end)
        parts = {name: sums[self._rows(0, count)] for name, sums in self._sums.items()}
        self._deliver(Rows(tuple(region), parts["model"], parts.get("deviations")))
        self._sums = {} if last else {
            name: sums[self._rows(count, sums.shape[lead])].copy() for name, sums in self._sums.items()
        }  # fmt: skip
        self._first = end

    def _place(self, share: Region) -> Region:
        lead = self._tiling.leading
        place = list(share)
        place[lead] = slice(share[lead].start - self._first, share[lead].stop - self._first)
        return tuple(place)

    def _rows(self, start: int, stop: int) -> Region:
        region = [slice(None)] * len(self._tiling.shape)
        region[self._tiling.leading] = slice(start, stop)
        return tuple(region)


def blend_one(tiling: Tiling, tile: Tile, answers: Iterable[tuple[Tile, Region, Numbers]]) -> Numbers:
    """The core of a tile from its own answer and those of its neighbours, in their order; each with where it lies."""
    found: Numbers | None = None
    for other, place, values in answers:
        if tiling.count == 1:
            return values[within(tile.core, place)]
        meet = tuple(
            slice(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(other.share, tile.core, strict=True)
        )
        if any(part.start >= part.stop for part in meet):
            continue
        weighted: Numbers = values[within(meet, place)].copy()
        for mode, weights in enumerate(tiling.weights(other)):
            here = slice(meet[mode].start - other.share[mode].start, meet[mode].stop - other.share[mode].start)
            weighted *= _along(weights[here], mode, weighted)
        if found is None:
            found = np.zeros(sizes_of(tile.core), values.dtype)
        found[within(meet, tile.core)] += weighted
    assert found is not None, "a tile is among its neighbours"
    return found


def _along(weights: NDArray[np.float64], mode: int, values: Numbers) -> Numbers:
    """Weights of a mode, to multiply values with."""
    shape = [1] * values.ndim
    shape[mode] = -1
    return np.asarray(weights.astype(values.dtype).reshape(shape))
