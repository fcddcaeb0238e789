"""Holes that a person describes in words rather than in a mask: a value, a colour, dead frames, bands or slices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, InvalidSetting, must_be
from .contents import Contents
from .growth import checked_growth, grown

CHANNELS = 4  # a last mode of at most this many indices is one of channels
_ROWS = 256


def has_channels(contents: Contents) -> bool:
    """Whether the last mode is one of channels, such as colours, rather than of frames, bands or anything else."""
    kind, shape, axes = contents.metadata.kind, contents.shape, contents.metadata.axes
    if axes:
        return axes[-1] == "S" or (axes[-1] == "C" and shape[-1] <= CHANNELS)
    if kind in ("picture", "video"):
        return len(shape) == (3 if kind == "picture" else 4)
    return kind == "array" and len(shape) > 2 and shape[-1] <= CHANNELS


def frame_mode(contents: Contents) -> int:
    """The mode of frames or bands: what the file calls time, or the last one that is not of channels."""
    shape, axes = contents.shape, contents.metadata.axes
    mode = axes.index("T") if "T" in axes else len(shape) - (2 if has_channels(contents) else 1)
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
    return _without(contents, mode, frames)


def without_slices(contents: Contents, mode: int, indices: Sequence[int]) -> Contents:
    """The same with these slices of a mode missing; modes are counted from 1 and slices from 0."""
    if not 1 <= mode <= contents.ndim:
        raise InvalidInput(
            f"The modes of data of shape {contents.shape} are 1 … {contents.ndim}. Got {mode} for missing slices."
        )
    count = contents.shape[mode - 1]
    beyond = [index for index in indices if not 0 <= index < count]
    if beyond:
        raise InvalidInput(f"The slices of mode {mode} are 0 … {count - 1}. Got {beyond[0]} as a missing one instead.")
    return _without(contents, mode - 1, indices)


def checked_tolerance(tolerance: object) -> float:
    """A number of levels, 0 or more."""
    plain = isinstance(tolerance, Real) and not isinstance(tolerance, bool)
    if not plain or not 0 <= float(cast(Any, tolerance)) < math.inf:
        raise InvalidSetting(must_be("tolerance", "be a number of levels, 0 or more", tolerance))
    return float(cast(Any, tolerance))


def without_value(contents: Contents, value: Sequence[float], tolerance: float = 0.0) -> Contents:
    """The same with every entry of this value missing, or every pixel whose channels have these values.

    A value at most `tolerance` away is the same, in each channel. Where there is none, that is refused: a value that
    matches nothing is a slip, and a copy of the file no completion.
    """
    hole = _matches(contents.data, value, checked_tolerance(tolerance))
    if not hole.any():
        raise InvalidInput(_no_match(contents.data, value, tolerance))
    return _also_missing(contents, np.broadcast_to(~hole, contents.shape))


def wider(contents: Contents, grow: int) -> Contents:
    """The same with every hole so many pixels wider in rows and columns."""
    pixels = checked_growth(grow)
    if not pixels:
        return contents
    known = ~grown(~contents.known(), pixels, channels=has_channels(contents))
    if not known.any():
        raise InvalidInput(f"With holes {pixels} pixels wider nothing is known any more; grow them less.")
    return replace(contents, observed=known)


def _matches(data: NDArray[Any], value: Sequence[float], tolerance: float) -> NDArray[np.bool_]:
    """True for the entries of this value, or for all channels of the pixels of this colour."""
    if len(value) == 1:
        return _level_is(data, value[0], tolerance)
    if data.ndim < 3 or data.shape[-1] != len(value):
        raise InvalidInput(
            f"{len(value)} values stand for a colour, so the last mode must be one of {len(value)} channels. "
            f"Got data of shape {data.shape} instead."
        )
    found = np.ones((*data.shape[:-1], 1), dtype=bool)
    for channel, level in enumerate(value):
        found[..., 0] &= _level_is(data[..., channel], level, tolerance)
    return found


def _level_is(data: NDArray[Any], level: float, tolerance: float) -> NDArray[np.bool_]:
    if np.isnan(level):
        return np.isnan(data) if data.dtype.kind == "f" else np.zeros(data.shape, dtype=bool)
    if not tolerance or data.dtype.kind == "b":
        return np.asarray(data == level)
    return (data >= level - tolerance) & (data <= level + tolerance)


def _no_match(data: NDArray[Any], value: Sequence[float], tolerance: float) -> str:
    told = ",".join(f"{level:g}" for level in value)
    within = f" within {tolerance:g}" if tolerance else ""
    sentence = f"No {'pixel' if len(value) > 1 else 'entry'} is {told}{within}, so --missing {told} finds no hole"
    nearest = _nearest(data, value)
    if not np.isfinite(nearest):
        return f"{sentence}."
    shown = f"{nearest:g}" if float(f"{nearest:g}") >= nearest else repr(nearest)
    return f"{sentence}; the nearest one is {shown} off, and --tolerance {shown} would find it."


def _nearest(data: NDArray[Any], value: Sequence[float]) -> float:
    """How far the entry, or the pixel, is from the value that is nearest to it, in the channel furthest off."""
    best = np.inf
    for start in range(0, len(data), _ROWS):  # in pieces, so that no wide copy of the whole is made
        part = data[start : start + _ROWS].astype(np.float64)
        gaps = np.abs(part - np.asarray(value if len(value) > 1 else value[0]))
        gaps = gaps.max(axis=-1) if len(value) > 1 else gaps
        best = min(best, float(np.min(gaps, initial=np.inf, where=~np.isnan(gaps))))
    return best


def _without(contents: Contents, mode: int, indices: Sequence[int]) -> Contents:
    known = np.ones(contents.shape, dtype=bool)
    known[(slice(None),) * mode + (list(indices),)] = False
    return _also_missing(contents, known)


def _also_missing(contents: Contents, known: NDArray[np.bool_]) -> Contents:
    both = known if contents.observed is None else contents.observed & known
    # A NaN is missing whatever else is said about it.
    return replace(contents, observed=both & contents.known())
