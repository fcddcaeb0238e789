"""Videos by libav: .mkv and .avi, which keep every value, .y4m, which rounds colour, and .mp4, which is lossy."""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..contents import Contents, Reading
from ..damage import Extra, require
from ..format import Format
from .clip import find_losses, find_refusal, is_deep, iterate_frames, round_rate
from .colour import BT601, BT709, ColourCoding, Planes, choose_weights
from .decoding import read_video
from .wholeness import COUNT_TAG, RATE_TAG, Y4M

_LONGEST_SIDE = 16384  # of H.264
_FASTEST_AVI = 1000  # frames per second; libav takes more for an error
_LIBAV_SPACE = {BT709: 1, BT601: 6}
_LIMITED, _FULL = 1, 2  # of libav's AVColorRange


def _lay_flat(frame: NDArray[Any]) -> Planes:
    """A gray or an RGB frame as one plane, with the channels of a pixel side by side."""
    return (frame.reshape(len(frame), -1),)


@dataclass(frozen=True)
class Coding:
    """A codec of libav, its settings, and how a frame becomes the planes of a pixel format."""

    codec: str
    pixel_format: str
    planes: Callable[[NDArray[Any]], Planes] = _lay_flat
    options: Mapping[str, str] = field(default_factory=dict)
    stored_format: str = ""
    """What libav turns it into without a loss, where the codec does not know the other one."""
    colour_space: int | None = None
    """Of libav's AVColorSpace; None where the file does not say."""
    colour_range: int | None = None
    """Of libav's AVColorRange: 1 for levels 16 to 235, 2 for all; None where the file does not say."""

    def declare(self, target: Any) -> None:
        """Tell a frame or a codec how its numbers are meant."""
        if self.colour_space is not None:
            target.colorspace = target.color_primaries = target.color_trc = self.colour_space
        if self.colour_range is not None:
            target.color_range = self.colour_range


class _Container(Format):
    """What videos by libav share."""

    picture: ClassVar[bool] = True
    kind: ClassVar[str] = "a video"
    guarded: ClassVar[bool] = True
    extra: ClassVar[Extra | None] = Extra("av", "video")
    # Containers that bring everything with them: a playlist could name any file or address.
    readable: ClassVar[str] = "matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,avi"
    """Which containers of libav may be in such a file, whatever its name promises."""
    container: ClassVar[str]
    """Which one is written."""
    exact: ClassVar[bool] = True
    """Whether colour is stored as RGB."""
    deep: ClassVar[bool] = True
    """Whether 16 bits fit."""

    @abstractmethod
    def choose_coding(self, data: NDArray[Any]) -> Coding:
        """How an array is coded."""

    def decode(self, path: Path, how: Reading) -> Contents:
        """Whatever libav can decode."""
        return read_video(path, how, self.kind, self.readable)

    def refuses(self, contents: Contents) -> str | None:
        """Gray and RGB fit."""
        return find_refusal(contents, self.extensions[0], deep=self.deep)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """What no video holds."""
        return tuple(find_losses(contents, self.extensions[0], exact=self.exact, rate=True))

    def page_mode(self, contents: Contents) -> int | None:
        """That of frames."""
        return 2

    def write(self, path: Path, contents: Contents) -> None:
        """One frame after the other."""
        _write_video(path, contents, self.container, self.choose_coding(contents.data))


class Mkv(_Container):
    """.mkv files with FFV1 (RFC 9043), a codec that keeps every bit and has checksums."""

    name: ClassVar[str] = "mkv"
    extensions: ClassVar[tuple[str, ...]] = (".mkv",)
    container: ClassVar[str] = "matroska"

    def choose_coding(self, data: NDArray[Any]) -> Coding:
        """Every frame by itself, in four parts with a checksum each, or one where there are too few pixels."""
        pixel_format, stored_format = {
            (False, False): ("gray", ""),
            (False, True): ("gray16le", ""),
            (True, False): ("rgb24", "bgr0"),
            (True, True): ("rgb48le", "gbrp16le"),
        }[data.ndim == 4, is_deep(data)]
        rows, columns = data.shape[:2]
        options = {"level": "3", "slicecrc": "1", "g": "1", "slices": "4" if min(rows, columns) > 1 else "1"}
        if columns == 1:  # the version with parts does not have columns as narrow
            options = {"level": "1", "g": "1"}
        return Coding("ffv1", pixel_format, options=options, stored_format=stored_format)


class Avi(Mkv):
    """.avi files with the same codec."""

    name: ClassVar[str] = "avi"
    extensions: ClassVar[tuple[str, ...]] = (".avi",)
    container: ClassVar[str] = "avi"

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Very high frame rates are read as errors."""
        rate = contents.metadata.frame_rate
        if rate is None or rate <= _FASTEST_AVI:
            return super().losses(contents)
        fast = f"A frame rate above {_FASTEST_AVI} per second does not come back from .avi; write .mkv to keep it."
        return (*super().losses(contents), fast)


class Y4m(_Container):
    """.y4m files. Gray is kept as it is; colour is written as YCbCr 4:4:4 with all levels."""

    name: ClassVar[str] = "y4m"
    extensions: ClassVar[tuple[str, ...]] = (".y4m",)
    kind: ClassVar[str] = "a .y4m video"
    readable: ClassVar[str] = Y4M
    container: ClassVar[str] = Y4M
    exact: ClassVar[bool] = False

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Colour is rounded."""
        top = "65535" if is_deep(contents.data) else "255"
        rounded = f"Colour is rounded in .y4m, by at most 1 of {top} levels; write .mkv to keep it exactly."
        return (*super().losses(contents), rounded) if contents.ndim == 4 else super().losses(contents)

    def choose_coding(self, data: NDArray[Any]) -> Coding:
        """All planes in full size; the weights are those that players assume, for the file cannot name them."""
        deep = "16le" if is_deep(data) else ""
        if data.ndim == 3:
            return Coding("rawvideo", f"gray{deep}", colour_range=_FULL)
        planes = partial(
            ColourCoding(choose_weights(*data.shape[:2]), full=True, bits=16 if deep else 8).to_planes, halved=False
        )
        return Coding("rawvideo", f"yuv444p{deep}", planes, colour_range=_FULL)


class Mp4(_Container):
    """.mp4, .m4v and .mov files, for looking at: H.264, which every player knows, changes values a little."""

    name: ClassVar[str] = "mp4"
    extensions: ClassVar[tuple[str, ...]] = (".mp4", ".m4v", ".mov")
    lossless_extension: ClassVar[str | None] = ".mkv"
    exact: ClassVar[bool] = False
    deep: ClassVar[bool] = False

    def refuses(self, contents: Contents) -> str | None:
        """Gray and RGB of 8 bits fit, up to a size."""
        refusal = super().refuses(contents)
        if refusal is None and max(contents.shape[:2]) > _LONGEST_SIDE:
            rows, columns = contents.shape[:2]
            return (
                f"An .mp4 video has at most {_LONGEST_SIDE} rows and columns. "
                f"Got {rows} and {columns} instead; write .mkv."
            )
        return refusal

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """H.264 is lossy."""
        lossy = "An .mp4 is lossy, so observed entries change a little too; write .mkv to keep them exactly."
        odd = "An .mp4 with an odd number of rows or columns cannot be shown by every player."
        found = (*super().losses(contents), lossy)
        return (*found, odd) if _is_odd(contents.data) else found

    def write(self, path: Path, contents: Contents) -> None:
        """H.264 of high quality."""
        container = "mov" if path.suffix.lower() == ".mov" else "mp4"
        _write_video(path, contents, container, self.choose_coding(contents.data))

    def choose_coding(self, data: NDArray[Any]) -> Coding:
        """Colour at half the size (4:2:0), or at full size where the size is odd."""
        weights, halved = choose_weights(*data.shape[:2]), not _is_odd(data)
        pixel_format = "yuv420p" if halved else "yuv444p"
        planes = partial(ColourCoding(weights).to_planes, halved=halved)
        # x264's macroblock tree reads memory that was never written; without it, equal values make equal bytes.
        options = {"crf": "11", "preset": "medium", "mbtree": "0"}
        space = _LIBAV_SPACE[weights]
        return Coding("libx264", pixel_format, planes, options, colour_space=space, colour_range=_LIMITED)


def _is_odd(data: NDArray[Any]) -> bool:
    return any(size % 2 for size in data.shape[:2])


def _write_video(path: Path, contents: Contents, container: str, coding: Coding) -> None:
    """Write a new file; whatever stops that is an OSError."""
    av = require("av", "video", path)
    with _WatchedFile(io.FileIO(path, "x")) as file:
        try:
            with av.open(file, "w", format=container, options={"strict": "-1"}) as output:
                _encode(av, output, contents, coding)
        except av.error.FFmpegError as error:
            raise file.failure or OSError(error.errno, f"libav could not encode it ({error.strerror})") from error
        if file.failure is not None:
            raise file.failure


def _encode(av: Any, output: Any, contents: Contents, coding: Coding) -> None:
    data, rate, stored_format = contents.data, round_rate(contents), coding.stored_format or coding.pixel_format
    stream = output.add_stream(coding.codec, rate=rate)
    stream.height, stream.width, stream.pix_fmt = *data.shape[:2], stored_format
    stream.codec_context.options = dict(coding.options)
    stream.codec_context.thread_count = 2
    coding.declare(stream.codec_context)
    stream.metadata.update({RATE_TAG: str(rate), COUNT_TAG: str(data.shape[2])})
    for number, values in enumerate(iterate_frames(data)):
        frame = av.VideoFrame(data.shape[1], data.shape[0], coding.pixel_format)
        for plane, numbers in zip(frame.planes, coding.planes(values), strict=True):
            _fill_plane(plane, numbers)
        frame = frame.reformat(format=stored_format)
        frame.pts, frame.time_base = number, 1 / rate
        coding.declare(frame)
        output.mux(stream.encode(frame))
    output.mux(stream.encode(None))


def _fill_plane(plane: Any, values: NDArray[Any]) -> None:
    """The numbers of a plane; libav leaves room between its rows."""
    raw = np.frombuffer(plane, dtype=np.uint8).reshape(values.shape[0], plane.line_size)
    little = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).view(np.uint8)
    raw[:, : values.nbytes // values.shape[0]] = little.reshape(values.shape[0], -1)


class _WatchedFile(io.BufferedWriter):
    """A file that remembers what went wrong: libav may not say so, or not what, and PyAV prints what is raised."""

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        try:
            return len(data) if self.failure else super().write(data)
        except OSError as error:
            self.failure = error
            return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        try:
            return super().seek(offset, whence)
        except OSError as error:  # what was not written yet
            self.failure = self.failure or error
            return 0
