"""Videos in container files: .mkv and .avi, which keep every value, and .mp4, which does not."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..contents import Contents
from ..damage import Extra
from ..format import Format
from ..reading import Reading
from .clip_array import losses_of_videos, refusal
from .colour import BT601, BT709, ColourCoding, Planes, usual_weights
from .decoding import read_video
from .encoding import Coding, write_video

_LONGEST_SIDE = 16384  # of H.264
_FASTEST_AVI = 1000  # frames per second; libav takes more for an error
_LIBAV_SPACE = {BT709: 1, BT601: 6}


class _Lossless(Format):
    """What .mkv and .avi share: FFV1 (RFC 9043), a codec that keeps every bit and has checksums."""

    picture: ClassVar[bool] = True
    container: ClassVar[str]
    extra: ClassVar[Extra | None] = Extra("av", "video")

    def decode(self, path: Path, how: Reading) -> Contents:
        """Whatever libav can decode."""
        return read_video(path, how)

    def refuses(self, contents: Contents) -> str | None:
        """Gray and RGB of 8 and 16 bits fit."""
        return refusal(contents, self.extensions[0], deep=True)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Only what no video holds."""
        return tuple(losses_of_videos(contents, self.extensions[0], exact=True, rate=True))

    def write(self, path: Path, contents: Contents) -> None:
        """Every value as it is."""
        write_video(path, contents, self.container, _lossless(contents.data))


class Mkv(_Lossless):
    """.mkv files."""

    name: ClassVar[str] = "mkv"
    extensions: ClassVar[tuple[str, ...]] = (".mkv",)
    container: ClassVar[str] = "matroska"


class Avi(_Lossless):
    """.avi files."""

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


class Mp4(Format):
    """.mp4, .m4v and .mov files, for looking at: H.264, which every player knows, changes values a little."""

    name: ClassVar[str] = "mp4"
    extensions: ClassVar[tuple[str, ...]] = (".mp4", ".m4v", ".mov")
    lossless_extension: ClassVar[str | None] = ".mkv"
    extra: ClassVar[Extra | None] = Extra("av", "video")
    picture: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """Whatever libav can decode."""
        return read_video(path, how)

    def refuses(self, contents: Contents) -> str | None:
        """Gray and RGB of 8 bits fit."""
        told = refusal(contents, ".mp4", deep=False)
        if told is None and max(contents.shape[:2]) > _LONGEST_SIDE:
            rows, columns = contents.shape[:2]
            return (
                f"An .mp4 video has at most {_LONGEST_SIDE} rows and columns. "
                f"Got {rows} and {columns} instead; write .mkv."
            )
        return told

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """H.264 is lossy."""
        lossy = "An .mp4 is lossy, so observed entries change a little too; write .mkv to keep them exactly."
        odd = "An .mp4 with an odd number of rows or columns cannot be shown by every player."
        told = (*losses_of_videos(contents, ".mp4", exact=False, rate=True), lossy)
        return (*told, odd) if _odd(contents.data) else told

    def write(self, path: Path, contents: Contents) -> None:
        """H.264 of high quality."""
        write_video(path, contents, "mov" if path.suffix.lower() == ".mov" else "mp4", _h264(contents.data))


def _odd(data: NDArray[Any]) -> bool:
    return any(size % 2 for size in data.shape[:2])


def _lossless(data: NDArray[Any]) -> Coding:
    colour, deep = data.ndim == 4, data.dtype.itemsize == 2 and data.dtype.kind == "u"
    planes, pixel_format = {
        (False, False): (_as_it_is, "gray"),
        (False, True): (_as_it_is, "gray16le"),
        (True, False): (_blue_green_red, "bgr0"),
        (True, True): (_green_blue_red, "gbrp16le"),
    }[colour, deep]
    return Coding("ffv1", pixel_format, planes, _ffv1_options(*data.shape[:2]))


def _ffv1_options(rows: int, columns: int) -> dict[str, str]:
    """Every frame by itself, in four parts with a checksum each, or one where there are too few pixels."""
    if columns == 1:  # the version with parts does not have columns as narrow
        return {"level": "1", "g": "1"}
    return {"level": "3", "slicecrc": "1", "g": "1", "slices": "4" if min(rows, columns) > 1 else "1"}


def _as_it_is(frame: NDArray[Any]) -> Planes:
    return (frame,)


def _blue_green_red(frame: NDArray[Any]) -> Planes:
    rows, columns = frame.shape[:2]
    packed = np.zeros((rows, columns, 4), dtype=np.uint8)
    packed[..., :3] = frame[..., ::-1]
    return (packed.reshape(rows, -1),)


def _green_blue_red(frame: NDArray[Any]) -> Planes:
    return frame[..., 1], frame[..., 2], frame[..., 0]


def _h264(data: NDArray[Any]) -> Coding:
    """Colour at half the size (4:2:0), or at full size where the size is odd."""
    weights = usual_weights(*data.shape[:2])
    halved = not _odd(data)
    return Coding(
        "libx264",
        "yuv420p" if halved else "yuv444p",
        partial(ColourCoding(weights).planes, halved=halved),
        # x264's macroblock tree reads memory nobody wrote: without it, the same values make the same bytes.
        {"crf": "11", "preset": "medium", "mbtree": "0"},
        _LIBAV_SPACE[weights],
    )
