"""Clips as arrays (row, column, frame[, channel]): which can be written as videos, and how one grows frame by frame."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidSetting, UnreadableFile, must_be
from .. import limits
from ..contents import Contents, describe_loss
from ..limits import check_room
from ..reading import Reading

USUAL_RATE = Fraction(25)
"""Frames per second where none is known."""

MOST_PIXELS = 2**26
"""Of one frame, twice as many as 8K video has."""

_SLOWEST, _FASTEST = Fraction(1, 1000), Fraction(100_000)
_FINEST = 10_000  # what a frame rate is a whole number of parts of; libav has 31 bits for it
_ELSEWHERE = "write .npy, .npz or .tif"
_FIRST_GUESS = 64  # frames, where a file does not say how many there are
_BATCH, _BATCH_BYTES = 32, 2**26  # frames that are copied together, so that the array is walked through less often


def find_refusal(contents: Contents, extension: str, *, deep: bool) -> str | None:
    """Why an array cannot be written as a video, in one sentence; `deep`: 16 bits can be."""
    data = contents.data
    if contents.metadata.kind == "picture" or data.ndim < 3:
        return f"A {extension} video holds frames, and this is a single picture or table; write .png, .npy or .npz."
    held = data.dtype == np.uint8 or data.dtype.kind == "f" or (deep and is_deep(data))
    if not held or data.ndim > 4 or (data.ndim == 4 and data.shape[3] != 3):
        kinds = "8- or 16-bit" if deep else "8-bit"
        better = f"write .mkv to keep 16 bits, or {_ELSEWHERE[6:]}" if not deep and is_deep(data) else _ELSEWHERE
        return (
            f"A {extension} video holds {kinds} arrays (or floating point in [0, 1]) of shape (rows, columns, frames) "
            f"or (rows, columns, frames, 3). Got {data.dtype} of shape {data.shape} instead; {better}."
        )
    if not data.size or data.shape[0] * data.shape[1] > MOST_PIXELS:
        return (
            f"A {extension} video needs at least one frame of 1 to {MOST_PIXELS:,} pixels. "
            f"Got shape {data.shape} instead; {_ELSEWHERE}."
        )
    rate = contents.metadata.frame_rate
    if rate is not None and not _SLOWEST <= rate <= _FASTEST:
        return f"A {extension} video has 0.001 to 100000 frames per second. Got {float(rate):g} instead; {_ELSEWHERE}."
    known = data[~np.isnan(data)] if data.dtype.kind == "f" else np.zeros(1)
    if known.size and not 0 <= known.min() <= known.max() <= 1:
        return (
            f"Floating-point values must lie between 0 and 1 to become a {extension} video. "
            f"Got {known.min():g} to {known.max():g} instead; {_ELSEWHERE}."
        )
    return None


def is_deep(data: NDArray[Any]) -> bool:
    """Whether an array has whole numbers of 16 bits."""
    return data.dtype.newbyteorder("=") == np.uint16


def find_losses(contents: Contents, extension: str, *, exact: bool, rate: bool) -> Iterator[str]:
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
    yield from describe_loss(
        contents, f"a {extension} video", "alpha", "frame_rate", "band_names", "wavelengths", "affine"
    )
    if not exact and contents.ndim == 4 and bool((contents.data == contents.data[..., :1]).all()):
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
    batch = max(1, min(_BATCH, _BATCH_BYTES // max(1, data[:, :, 0].nbytes)))
    for start in range(0, data.shape[2], batch):
        frames = np.moveaxis(data[:, :, start : start + batch], 2, 0)
        if frames.dtype.kind == "f":
            frames = np.rint(np.nan_to_num(frames.astype(np.float64), nan=0.0) * 255).astype(np.uint8)
        yield from np.ascontiguousarray(frames, dtype=frames.dtype.newbyteorder("="))


def choose_frames(how: Reading) -> range:
    """The frames that are asked for, counted from 0; without end if all are."""
    if how.frames is None:
        return range(sys.maxsize)
    first, last = how.frames
    if not 0 <= first <= last:
        raise InvalidSetting(
            must_be("frames", "be the first and the last frame to read, counted from 0", f"{first}-{last}")
        )
    return range(first, last + 1)


def check_frames(how: Reading, there: int, path: Path) -> None:
    """Refuse frames that a video of so many does not have."""
    if how.frames is not None and how.frames[1] >= there:
        first, last = how.frames
        raise InvalidSetting(must_be("frames", f"lie within 0-{there - 1}, all that {path} has", f"{first}-{last}"))


class FrameStack:
    """Collects frames; there is room for `expected` of them at first, and never for more than memory allows.

    Gray frames and frames in colour may be mixed: then all become colour.
    """

    def __init__(self, path: Path, expected: int = 0) -> None:
        self._path = path
        self._expected = expected
        self._waiting: list[NDArray[Any]] = []
        self._array: NDArray[Any] | None = None
        self._stored = 0

    def add(self, frame: NDArray[Any]) -> None:
        """One more frame, (row, column) or (row, column, channel), of the size and dtype of those before."""
        before = self._waiting[0] if self._waiting else self._array
        if before is not None and (before.shape[:2] != frame.shape[:2] or before.dtype != frame.dtype):
            number = self._stored + len(self._waiting)
            raise UnreadableFile(
                f"{self._path} changes its size or its depth at frame {number}, from {_describe(before)} to "
                f"{_describe(frame)}; read the part before it with --frames 0-{number - 1}."
            )
        self._waiting.append(frame)
        if len(self._waiting) == _BATCH or len(self._waiting) * frame.nbytes > _BATCH_BYTES:
            self._store()

    def finish(self) -> NDArray[Any]:
        """All of them as one array. At least one must have been added."""
        self._store()
        assert self._array is not None
        return self._array if self._array.shape[2] == self._stored else self._array[:, :, : self._stored].copy()

    def _store(self) -> None:
        if not self._waiting:
            return
        frames, self._waiting = self._waiting, []
        colour = any(frame.ndim == 3 for frame in frames) or (self._array is not None and self._array.ndim == 4)
        self._make_room(len(frames), frames[0], colour=colour)
        if colour:
            frames = [
                frame if frame.ndim == 3 else np.broadcast_to(frame[..., None], (*frame.shape, 3)) for frame in frames
            ]
        assert self._array is not None
        self._array[:, :, self._stored : self._stored + len(frames)] = np.stack(frames, axis=2)
        self._stored += len(frames)

    def _make_room(self, count: int, like: NDArray[Any], *, colour: bool) -> None:
        """Make the array larger or coloured where needed."""
        needed, old = self._stored + count, self._array
        if old is not None and old.shape[2] >= needed and (old.ndim == 4) == colour:
            return
        doubled = _FIRST_GUESS if old is None else 2 * old.shape[2]
        length = self._expected if self._expected >= needed else max(needed, doubled)
        shape = (*like.shape[:2], length, 3) if colour else (*like.shape[:2], length)
        check_room(self._path, shape, like.dtype.itemsize)
        limits.allow(int(np.prod(shape, dtype=object)) * like.dtype.itemsize)
        self._array = np.empty(shape, dtype=like.dtype)
        if old is not None:
            kept = old[:, :, : self._stored]
            self._array[:, :, : self._stored] = kept[..., None] if colour and kept.ndim == 3 else kept


def _describe(frame: NDArray[Any]) -> str:
    return f"{frame.shape[1]} × {frame.shape[0]} pixels of {8 * frame.dtype.itemsize} bits"
