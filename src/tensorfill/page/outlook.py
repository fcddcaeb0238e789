"""Outlook: whether a run is cut into tiles, and about how much memory and time it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..bounds import Bounds
from ..large.planning import ALWAYS_WHOLE, TileForecast, forecast_tiles, plan, plan_wished
from ..memory import available_memory
from ..methods.forecast import forecast, method_seconds
from ..methods.task import Asked
from ..tensor import entries
from ..tiles.run import TILE
from ..tiles.tiling import Tiling

_SHORTEST = 2  # what `tile=` takes for a mode that is shorter still


@dataclass(frozen=True)
class Outlook:
    """About what a run will need."""

    bytes: int
    seconds: float
    seconds_of: Callable[[str], float]
    """From the name of a part of the work, such as a method, how long it takes."""
    tile: tuple[int, ...] | None = None
    """The size of tiles, to be asked for by anybody who wants the same result; None: it is completed whole."""
    tiles: int = 1

    @property
    def fits(self) -> bool:
        """Whether that much memory is free now."""
        return self.bytes <= available_memory()


def look_ahead(
    shape: Sequence[int],
    method: str,
    settings: Mapping[str, Any],
    *,
    structured: bool,
    missing: float,
    listed: bool = False,
) -> Outlook:
    """What completing a tensor of this shape takes of which this share is missing.

    One that is `listed`, as a long table is, is never cut.
    """
    asked = Asked.of(method, settings, Bounds(), "raise")
    name, effort = asked.method.name, settings.get("effort", "normal")
    if not listed and entries(shape) > ALWAYS_WHOLE:
        tiling = plan(shape, asked, 1 - missing, "auto")
        if tiling is not None:
            return _in_tiles(tiling, asked, structured=structured, missing=missing)
    whole = forecast(shape, name, effort=effort, structured=structured, missing=missing)
    return Outlook(
        whole.bytes,
        whole.seconds,
        lambda what: method_seconds(shape, what, structured=structured, missing=missing),
    )


def _in_tiles(tiling: Tiling, asked: Asked, *, structured: bool, missing: float) -> Outlook:
    """Cut evenly into as many tiles, by a size that can be told."""
    shape = tiling.shape
    sizes = [max(_SHORTEST, -(-size // count)) for size, count in zip(shape, tiling.counts, strict=True)]
    told = plan_wished(shape, sizes)
    expected: TileForecast = forecast_tiles(told, asked, 1 - missing, structured=structured)
    return Outlook(
        expected.bytes,
        expected.seconds,
        lambda what: expected.each if what == TILE else expected.learning,
        tuple(sizes),
        told.count,
    )
