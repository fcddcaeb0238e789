"""Holes that a person describes in words rather than in a mask: a value, a colour, dead frames or bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from .contents import Contents

CHANNELS = 4  # a last mode of at most this many indices is one of channels


def frame_mode(contents: Contents) -> int:
    """The mode of frames or bands: the last one that is not of channels; a picture has none."""
    kind, shape = contents.metadata.kind, contents.shape
    colour = kind in ("picture", "video") and len(shape) == (3 if kind == "picture" else 4)
    if kind == "array" and len(shape) > 2:
        colour = shape[-1] <= CHANNELS
    mode = len(shape) - (2 if colour else 1)
    if mode < 2:
        raise InvalidInput(
            f"There are no frames or bands in data of shape {shape}: they need a mode after rows and columns, and a "
            f"last one of at most {CHANNELS} is one of channels."
        )
    return mode


def without_frames(contents: Contents, frames: Sequence[int]) -> Contents:
    """The same with these frames or bands missing, counted from 0."""
    mode = frame_mode(contents)
    count = contents.shape[mode]
    beyond = [frame for frame in frames if not 0 <= frame < count]
    if beyond:
        raise InvalidInput(f"The frames or bands are 0 … {count - 1}. Got {beyond[0]} as a missing one instead.")
    known = np.ones(contents.shape, dtype=bool)
    known[(slice(None),) * mode + (list(frames),)] = False
    return _also_missing(contents, known)


def without_value(contents: Contents, value: Sequence[float]) -> Contents:
    """The same with every entry of this value missing, or every pixel whose channels have these values."""
    data = contents.data
    if len(value) == 1:
        return _also_missing(contents, data != value[0])
    if data.ndim < 3 or data.shape[-1] != len(value):
        raise InvalidInput(
            f"{len(value)} values stand for a colour, so the last mode must be one of {len(value)} channels. "
            f"Got data of shape {data.shape} instead."
        )
    hole = (data == np.asarray(value)).all(axis=-1, keepdims=True)
    return _also_missing(contents, np.broadcast_to(~hole, data.shape))


def _also_missing(contents: Contents, known: NDArray[np.bool_]) -> Contents:
    both = known if contents.observed is None else contents.observed & known
    # A NaN is missing whatever else is said about it.
    return replace(contents, observed=both & contents.known())
