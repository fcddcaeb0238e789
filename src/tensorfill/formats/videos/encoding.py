"""Encoding: an array as a video file, frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..contents import Contents
from ..damage import needed
from .clip_array import frame_of, written_rate
from .colour import Planes
from .running_time import COUNT_TAG, RATE_TAG


@dataclass(frozen=True)
class Coding:
    """A codec of libav, its settings, and how a frame becomes the planes of its pixel format."""

    codec: str
    pixel_format: str
    planes: Callable[[NDArray[Any]], Planes]
    options: Mapping[str, str] = field(default_factory=dict)
    colour_space: int | None = None
    """Of libav's AVColorSpace, with levels 16 to 235; None where the planes are RGB or gray."""


def write_video(path: Path, contents: Contents, container: str, coding: Coding) -> None:
    """Write a new file; whatever stops that is an OSError."""
    av = needed("av", "video", path)
    with path.open("xb") as file:
        watched = _Watched(file)
        try:
            with av.open(watched, "w", format=container) as output:
                _encode(av, output, contents, coding)
        except av.error.FFmpegError as error:
            raise watched.failure or OSError(error.errno, f"libav could not encode it ({error.strerror})") from error
        if watched.failure is not None:
            raise watched.failure


def _encode(av: Any, output: Any, contents: Contents, coding: Coding) -> None:
    data = contents.data
    rate = written_rate(contents)
    stream = _stream(output, coding, rate, rows=data.shape[0], columns=data.shape[1])
    stream.metadata.update({RATE_TAG: str(rate), COUNT_TAG: str(data.shape[2])})
    for number in range(data.shape[2]):
        frame = av.VideoFrame(data.shape[1], data.shape[0], coding.pixel_format)
        for plane, values in zip(frame.planes, coding.planes(frame_of(data, number)), strict=True):
            _put(plane, values)
        frame.pts, frame.time_base = number, 1 / rate
        if coding.colour_space is not None:
            frame.colorspace, frame.color_range = coding.colour_space, 1
        output.mux(stream.encode(frame))
    output.mux(stream.encode(None))


def _stream(output: Any, coding: Coding, rate: Fraction, *, rows: int, columns: int) -> Any:
    stream = output.add_stream(coding.codec, rate=rate)
    stream.height, stream.width, stream.pix_fmt = rows, columns, coding.pixel_format
    context = stream.codec_context
    context.options = dict(coding.options)
    context.thread_count = 2
    if coding.colour_space is not None:
        context.colorspace = context.color_primaries = context.color_trc = coding.colour_space
        context.color_range = 1
    return stream


def _put(plane: Any, values: NDArray[Any]) -> None:
    """The numbers of a plane; libav leaves room between its rows."""
    raw = np.frombuffer(plane, dtype=np.uint8).reshape(values.shape[0], plane.line_size)
    bytes_ = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).view(np.uint8)
    raw[:, : values.nbytes // values.shape[0]] = bytes_.reshape(values.shape[0], -1)


class _Watched:
    """A file that remembers what went wrong: libav may not say so until it is too late, and then not what."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.failure: OSError | None = None

    def write(self, data: bytes) -> int:
        if self.failure is None:
            try:
                return self._file.write(data)
            except OSError as error:
                self.failure = error
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        try:
            return self._file.seek(offset, whence)
        except OSError as error:  # what was not written yet
            self.failure = self.failure or error
            return 0

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True
