"""Clips, (row, column, frame[, channel]), as videos: which of them can be written, what that loses, their frames."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...tensor import entries
from ..contents import Contents, describe_loss
from ..pictures.pixels import has_equal_channels, has_frames, refuse_floats, tell_rounding, to_shades

USUAL_RATE = Fraction(25)
"""Frames per second where none is known."""

MOST_PIXELS = 2**26
"""Of one frame, twice as many as 8K video has."""

_SLOWEST, _FASTEST = Fraction(1, 1000), Fraction(100_000)
_FINEST = 10_000  # what a frame rate is a whole number of parts of; libav has 31 bits for it
_ELSEWHERE = "write .npy, .npz or .tif"
_BATCH, _BATCH_BYTES = 32, 2**26  # frames that are copied together, so that the array is walked through less often


def count_batch(frame_bytes: int) -> int:
    """How many frames of that many bytes are copied together."""
    return max(1, min(_BATCH, _BATCH_BYTES // max(1, frame_bytes)))


def find_refusal(contents: Contents, extension: str, *, deep: bool) -> str | None:
    """Why an array cannot be written as a video, in one sentence; `deep`: 16 bits can be."""
    data, rate = contents.data, contents.metadata.frame_rate
    if contents.metadata.kind == "picture" or data.ndim < 3:
        return f"A {extension} video holds frames, and this is a single picture or table; write .png, .npy or .npz."
    if not entries(data.shape) or data.shape[0] * data.shape[1] > MOST_PIXELS:
        return (
            f"A {extension} video needs at least one frame of 1 to {MOST_PIXELS:,} pixels. "
            f"Got shape {data.shape} instead; {_ELSEWHERE}."
        )
    held = data.dtype == np.uint8 or data.dtype.kind == "f" or (deep and is_deep(data))
    if not held or not has_frames(contents):
        better = f"write .mkv to keep 16 bits, or {_ELSEWHERE[6:]}" if not deep and is_deep(data) else _ELSEWHERE
        return (
            f"A {extension} video holds {'8- or 16-bit' if deep else '8-bit'} arrays (or floating point in [0, 1]) of "
            "shape (rows, columns, frames) or (rows, columns, frames, 3). "
            f"Got {data.dtype} of shape {data.shape} instead; {better}."
        )
    if rate is not None and not _SLOWEST <= rate <= _FASTEST:
        return f"A {extension} video has 0.001 to 100000 frames per second. Got {float(rate):g} instead; {_ELSEWHERE}."
    return refuse_floats(data, f"a {extension} video", holes=True)


def is_deep(data: NDArray[Any]) -> bool:
    """Whether an array has whole numbers of 16 bits."""
    return data.dtype.newbyteorder("=") == np.uint16


def find_losses(contents: Contents, extension: str, *, exact: bool, rate: bool) -> Iterator[str]:
    """What no video keeps; `exact`: colour is stored as RGB, `rate`: a frame rate is needed."""
    metadata = contents.metadata
    yield from tell_rounding(contents, extension)
    if not contents.all_known:
        yield f"A {extension} video cannot say which entries are missing; what is NaN becomes black."
    yield from describe_loss(contents, f"a {extension} video", "frame_rate")
    if not exact and contents.ndim == 4 and has_equal_channels(contents.data):
        yield f"Three channels that are all alike are read back from {extension} as gray."
    if rate and metadata.frame_rate is None:
        yield f"No frame rate is known; {extension} is written with {USUAL_RATE} frames per second."
    elif rate and metadata.frame_rate != round_rate(contents):
        yield f"The frame rate is rounded in {extension}, to {round_rate(contents)} per second."


def round_rate(contents: Contents) -> Fraction:
    """Frames per second, as a fraction that every format can hold."""
    rate = contents.metadata.frame_rate
    return USUAL_RATE if rate is None else rate.limit_denominator(_FINEST)


def iterate_frames(data: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Every frame in 8 or 16 bits, (row, column) or (row, column, channel)."""
    rows, columns, count, *channels = data.shape
    batch = count_batch(entries((rows, columns, *channels)) * data.dtype.itemsize)
    for start in range(0, count, batch):
        yield from to_shades(np.moveaxis(data[:, :, start : start + batch], 2, 0))
