"""Which arrays can be written as a video, and what is lost at that."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contents import Contents
from ..unkept import unkept

USUAL_RATE = Fraction(25)
"""Frames per second where nobody knows better."""

MOST_PIXELS = 2**26
"""Of one frame, twice as many as 8K video has."""

_SLOWEST, _FASTEST = Fraction(1, 1000), Fraction(100_000)
_FINEST = 10_000  # what a frame rate is a whole number of parts of; libav has 31 bits for it
_ELSEWHERE = "write .npy, .npz or .tif"


def refusal(contents: Contents, extension: str, *, deep: bool) -> str | None:
    """Why an array cannot be written as a video, in one sentence; `deep`: 16 bits can be."""
    data = contents.data
    if contents.metadata.kind == "picture" or data.ndim < 3:
        return f"A {extension} video holds frames, and this is a single picture or table; write .png, .npy or .npz."
    held = data.dtype == np.uint8 or data.dtype.kind == "f" or (deep and data.dtype.newbyteorder("=") == np.uint16)
    if not held or data.ndim > 4 or (data.ndim == 4 and data.shape[3] != 3):
        kinds = "8- or 16-bit" if deep else "8-bit"
        return (
            f"A {extension} video holds {kinds} arrays (or floating point in [0, 1]) of shape (rows, columns, frames) "
            f"or (rows, columns, frames, 3). Got {data.dtype} of shape {data.shape} instead; {_better(data, deep)}."
        )
    if not data.size or data.shape[0] * data.shape[1] > MOST_PIXELS:
        return (
            f"A {extension} video needs at least one frame of 1 to {MOST_PIXELS:,} pixels. "
            f"Got shape {data.shape} instead; {_ELSEWHERE}."
        )
    rate = contents.metadata.frame_rate
    if rate is not None and not _SLOWEST <= rate <= _FASTEST:
        return f"A {extension} video has 0.001 to 100000 frames per second. Got {float(rate):g} instead; {_ELSEWHERE}."
    return _outside(data, extension) if data.dtype.kind == "f" else None


def _better(data: NDArray[Any], deep: bool) -> str:
    return f"write .mkv to keep 16 bits, or {_ELSEWHERE[6:]}" if not deep and data.dtype == np.uint16 else _ELSEWHERE


def _outside(data: NDArray[Any], extension: str) -> str | None:
    known = data[np.isfinite(data) | np.isinf(data)]
    if not known.size or (known.min() >= 0 and known.max() <= 1):
        return None
    return (
        f"Floating-point values must lie between 0 and 1 to become a {extension} video. "
        f"Got {known.min():g} to {known.max():g} instead; {_ELSEWHERE}."
    )


def losses_of_videos(contents: Contents, extension: str, *, exact: bool, rate: bool) -> Iterator[str]:
    """What no video keeps; `exact`: colour is stored as RGB, `rate`: a frame rate is needed."""
    metadata = contents.metadata
    if contents.data.dtype.kind == "f":
        yield f"The floating-point values are scaled by 255 and rounded to 8 bits in {extension}."
    if not contents.known().all():
        yield f"A {extension} video cannot say which entries are missing; what is NaN becomes black."
    if metadata.alpha is not None:
        yield f"Transparency is not kept in {extension}."
    if metadata.band_names or metadata.wavelengths or metadata.affine is not None:
        yield f"Names of bands, wavelengths and coordinates are not kept in {extension}."
    yield from unkept(contents, f"a {extension} video", "alpha", "frame_rate", "band_names", "wavelengths", "affine")
    if not exact and contents.ndim == 4 and bool((contents.data == contents.data[..., :1]).all()):
        yield f"Three channels that are all alike are read back from {extension} as gray."
    if rate and metadata.frame_rate is None:
        yield f"No frame rate is known; {extension} is written with {USUAL_RATE} frames per second."
    elif rate and metadata.frame_rate != written_rate(contents):
        yield f"The frame rate is rounded in {extension}, to {written_rate(contents)} per second."


def written_rate(contents: Contents) -> Fraction:
    """Frames per second, as a fraction that every format can hold."""
    rate = contents.metadata.frame_rate
    return USUAL_RATE if rate is None else rate.limit_denominator(_FINEST)


def frame_of(data: NDArray[Any], number: int) -> NDArray[Any]:
    """One frame in 8 or 16 bits, (row, column) or (row, column, channel)."""
    frame = data[:, :, number]
    if frame.dtype.kind == "f":
        return np.rint(np.nan_to_num(frame.astype(np.float64), nan=0.0) * 255).astype(np.uint8)
    return np.ascontiguousarray(frame, dtype=frame.dtype.newbyteorder("="))
