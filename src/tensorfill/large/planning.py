"""Whether to cut a tensor, where, and about what all of its tiles will need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..errors import InvalidSetting, must_be
from ..memory import available_memory
from ..method import Method
from ..methods.forecast import FIXED_BYTES, Forecast, forecast_tile, most_bytes, most_bytes_of_tile
from ..methods.task import Asked
from ..numerics.threads import thread_count
from ..tensor import entries
from ..tiles.tensors import window_entries
from ..tiles.tiling import Tiling, given_tiles, plan_tiles

TileWish = Literal["auto"] | int | Sequence[int] | None
"""What `tile=` takes: "auto", the sizes of tiles, one for all long modes, or None for no tiles."""

ALWAYS_WHOLE = 2**22
"""Entries up to which nobody has to ask whether they fit."""

_BUDGET = 3.2e9  # bytes for the tiles that are worked on at a time: more makes them little quicker
_MOST_OF_FREE = 0.5  # of the memory that is free
_LAYER_BYTES = 2 * np.dtype(np.float32).itemsize  # of a layer of finished tiles, for every entry
_MOSTLY_KNOWN = 0.6  # share from which on holes are likelier than entries that are missing one by one
_LEARNING = 2.0  # times as long as a tile takes, for each entry of a window


def plan(shape: Sequence[int], asked: Asked, share: float, tile: TileWish, *, leading: int = 0) -> Tiling | None:
    """Where to cut; None if it is completed whole."""
    if tile is None:
        return None
    if tile != "auto":
        return plan_wished(shape, tile, leading=leading)
    effort = asked.settings.get("effort", "normal")
    if most_bytes(shape, asked.method.name, effort=effort, missing=1 - share) <= available_memory():
        return None
    return plan_for(shape, asked.method, share, leading=leading)


def plan_for(shape: Sequence[int], method: Method, share: float, *, leading: int = 0, at_a_time: int = 1) -> Tiling:
    """Tiles that a method has room for, if it completes so many at a time."""
    size = max(1, entries(shape))
    each = (most_bytes_of_tile(shape, size, method.name, missing=1 - share) - FIXED_BYTES) / size
    room = (min(_BUDGET, _MOST_OF_FREE * available_memory()) - FIXED_BYTES) / at_a_time
    return plan_tiles(shape, room / each, layer_weight=_LAYER_BYTES / each, leading=leading)


@dataclass(frozen=True)
class TileForecast:
    """About what a run over all tiles will need."""

    tiles: int
    bytes: int
    """At the peak, with so many tiles at a time as was asked."""
    seconds: float
    """Learning and all tiles, one after the other."""
    learning: float
    """Seconds of these before the first tile."""

    @property
    def fits(self) -> bool:
        """Whether that much memory is free now."""
        return self.bytes <= available_memory()

    @property
    def each(self) -> float:
        """Seconds of a tile."""
        return (self.seconds - self.learning) / self.tiles


def forecast_tiles(
    tiling: Tiling, asked: Asked, share: float, *, structured: bool | None = None, at_a_time: int = 1
) -> TileForecast:
    """What completing all tiles will need, if this share is known.

    Where nobody says whether what is missing is `structured`, it is taken to be if most is known: as lost frames,
    scratches and writing leave it.
    """
    holes = share > _MOSTLY_KNOWN if structured is None else structured
    effort = asked.settings.get("effort", "normal")

    def forecast_one(structured: bool) -> Forecast:
        return forecast_tile(
            tiling.largest, tiling.work, asked.method.name, effort=effort, structured=structured, missing=1 - share
        )

    kinds = (False, True) if structured is None else (structured,)
    tile = max(forecast_one(kind).bytes for kind in kinds) - FIXED_BYTES
    others = entries(tiling.shape) // max(1, tiling.shape[tiling.leading])
    layer = _LAYER_BYTES * others * tiling.largest[tiling.leading] if tiling.count > 1 else 0
    seconds = forecast_one(holes).seconds
    learned = min(window_entries(tiling.shape) * _LEARNING / max(1, tiling.work), 1.0) if tiling.count > 1 else 0.0
    return TileForecast(
        tiling.count, round(FIXED_BYTES + at_a_time * tile + layer), (1 + learned) * seconds, learned * seconds
    )


def plan_wished(shape: Sequence[int], tile: object, *, leading: int = 0) -> Tiling:
    """Tiles of the size that is asked for: one number for all modes, or one for each."""
    numbers: Any = tile if isinstance(tile, Sequence | np.ndarray) else [tile] * len(shape)
    whole = all(type(size) is not bool and isinstance(size, int | np.integer) and size > 1 for size in numbers)
    if not whole or len(numbers) != len(shape):
        requirement = f"be 'auto', None, a whole number above 1, or one for each of the {len(shape)} modes"
        raise InvalidSetting(must_be("tile", requirement, tile))
    return given_tiles(shape, [int(size) for size in numbers], leading=leading)


def tiles_at_a_time(tiling: Tiling, asked: Asked, share: float) -> int:
    """How many there is memory for, up to the number of cores."""
    room = min(_BUDGET, _MOST_OF_FREE * available_memory())
    fitting = [
        count
        for count in range(1, min(thread_count(), tiling.count) + 1)
        if forecast_tiles(tiling, asked, share, at_a_time=count).bytes <= room
    ]
    return max(fitting, default=1)
