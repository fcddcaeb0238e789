"""Painting, in a worker: the ways to make holes that need the data or the library: by colour, wider, at random."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import sampling
from ..formats import Contents
from ..formats.missing_values import declare_value_missing, grow_mask
from .planes import Layout, pack, unpack
from .reading import Teller

_LEVELS = 255


def match(
    outlet: Teller,
    *,
    folder: str,
    shape: list[int],
    channels: int,
    plane: int,
    row: int,
    column: int,
    tolerance: float,
    levels: float,
    everywhere: bool,
) -> dict[str, Any]:
    """All sites as alike to one as `tolerance` says, of 255 levels; of its plane alone, or of all."""
    del outlet
    layout = Layout(tuple(shape), channels)
    data = np.load(Path(folder) / "data.npy", mmap_mode="r")
    here = np.atleast_1d(np.asarray(data[layout.index(plane)])[row, column].astype(np.float64))
    width = tolerance * levels / _LEVELS
    if everywhere:
        found = layout.planes_first(_match(data, here, width, channels))
    else:
        found = _match(data[layout.index(plane)], here, width, channels)[None]
    (Path(folder) / "answer.bin").write_bytes(pack(found))
    return {"value": here.tolist(), "tolerance": width, "count": int(found.sum())}


def _match(data: NDArray[Any], value: NDArray[np.float64], width: float, channels: int) -> NDArray[np.bool_]:
    """Sites in the tensor's own order."""
    declared = declare_value_missing(Contents(np.asarray(data)), value.tolist(), width)
    assert declared.observed is not None
    missing = ~declared.observed
    return np.asarray(missing.all(axis=-1)) if channels else missing


def grow(outlet: Teller, *, folder: str, shape: list[int], channels: int, pixels: int) -> dict[str, Any]:
    """The sites in `asked.bin`, wider."""
    del outlet
    layout, place = Layout(tuple(shape), channels), Path(folder)
    sites = unpack((place / "asked.bin").read_bytes(), layout.sites)
    wide = grow_mask(np.moveaxis(sites, 0, -1), pixels, channels=False)
    (place / "answer.bin").write_bytes(pack(np.moveaxis(wide, -1, 0)))
    return {}


def scatter(
    outlet: Teller, *, folder: str, shape: list[int], channels: int, pattern: str, keep: float, seed: int
) -> dict[str, Any]:
    """Sites missing at random, as `tensorfill hide` hides them."""
    del outlet
    layout = Layout(tuple(shape), channels)
    kept = sampling.mask(pattern, (*layout.shape[:2], *layout.between), keep, seed)
    (Path(folder) / "answer.bin").write_bytes(pack(layout.planes_first(~kept)))
    return {}
