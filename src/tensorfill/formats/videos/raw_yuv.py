"""Raw video: planar YUV 4:2:0 of 8 bits, a file without a header that only its size explains.

A frame is rows × columns bytes of brightness, then two colour planes of half the height and width, rounded up.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ..contents import Contents, Metadata
from ..damage import open_source, readable
from ..format import Format
from ..limits import check_room
from ..reading import Reading
from .clip import MOST_PIXELS, check_frames, choose_frames, find_losses, find_refusal, iterate_frames
from .colour import ColourCoding

_Y4M = b"YUV4MPEG2"
_CODING = ColourCoding()
_Bytes = NDArray[np.uint8]


class Yuv(Format):
    """.yuv files. Gray is the plane Y as it is stored; colour is that of BT.601 with levels 16 to 235."""

    name: ClassVar[str] = "yuv"
    extensions: ClassVar[tuple[str, ...]] = (".yuv",)
    picture: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """Gray if that is asked for or no frame has colour; the size must be given."""
        (columns, rows), wanted = _check_size(path, how), choose_frames(how)
        with open_source(path) as file, readable(path, "a .yuv file"):
            there = _count_frames(file, path, rows, columns)
            check_frames(how, there, path)
            luma, chroma = _read_planes(file, path, rows, columns, range(there)[wanted.start : wanted.stop])
            colour = not how.gray and bool((chroma != _CODING.neutral).any())
            data = np.ascontiguousarray(np.moveaxis(luma, 0, 2))
            if colour:
                check_room(path, (*data.shape, 3), 1)
                data = np.empty((*data.shape, 3), np.uint8)
                for number, planes in enumerate(zip(luma, *chroma.swapaxes(0, 1), strict=True)):
                    data[:, :, number] = _CODING.to_rgb(planes)
        gray = f"{path} has no colour in it, so it is read as gray, with the levels that it stores."
        return Contents(data, None, () if colour or how.gray else (gray,), Metadata(kind="video"))

    def refuses(self, contents: Contents) -> str | None:
        """Gray and RGB of 8 bits fit."""
        return find_refusal(contents, ".yuv", deep=False)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Colour is halved in size, and nothing is said about the frames."""
        rows, columns = contents.shape[:2]
        halved = "A .yuv has colour at half the width and height, so values change; write .mkv to keep them exactly."
        return (
            *find_losses(contents, ".yuv", exact=False, rate=False),
            *((halved,) if contents.ndim == 4 else ()),
            f"A .yuv says neither its size nor its frame rate; read it with --size {columns}x{rows}.",
        )

    def write(self, path: Path, contents: Contents) -> None:
        """Gray as the plane Y, without colour; RGB as Y, Cb and Cr."""
        data = contents.data
        neutral = np.full((2, *_halve_size(*data.shape[:2])), _CODING.neutral, dtype=np.uint8)
        with path.open("xb") as file:
            for frame in iterate_frames(data):
                planes = (frame, *neutral) if frame.ndim == 2 else _CODING.to_planes(frame, halved=True)
                for plane in planes:
                    file.write(np.ascontiguousarray(plane).data)


def read_luma(path: Path, *, rows: int, columns: int, frames: int) -> _Bytes:
    """The first frames as (row, column, frame), 8 bits; colour is left out."""
    with open_source(path) as file:
        _count_frames(file, path, rows, columns, frames)
        luma, _ = _read_planes(file, path, rows, columns, range(frames))
    return np.ascontiguousarray(np.moveaxis(luma, 0, 2))


def _check_size(path: Path, how: Reading) -> tuple[int, int]:
    if how.size is None:
        raise InvalidInput(f"{path} is raw video, which does not say its size: add it, such as --size 176x144.")
    columns, rows = how.size
    if not (columns > 0 and rows > 0 and columns * rows <= MOST_PIXELS):
        raise InvalidInput(
            f"The size of {path} must be columns and rows, such as --size 176x144. Got {columns}x{rows} instead."
        )
    return how.size


def _halve_size(rows: int, columns: int) -> tuple[int, int]:
    return (rows + 1) // 2, (columns + 1) // 2


def _count_bytes(rows: int, columns: int) -> int:
    """Of a frame."""
    down, across = _halve_size(rows, columns)
    return rows * columns + 2 * down * across


def _count_frames(file: BinaryIO, path: Path, rows: int, columns: int, least: int = 1) -> int:
    """How many frames there are in a file, which must be whole and at least this many."""
    if file.read(len(_Y4M)) == _Y4M:
        raise UnreadableFile(
            f"{path} is a .y4m video, which has headers; make it raw first: "
            "ffmpeg -i IN.y4m -pix_fmt yuv420p -f rawvideo OUT.yuv"
        )
    length, step = file.seek(0, 2), _count_bytes(rows, columns)
    if length % step:
        raise UnreadableFile(
            f"{path} must be a whole number of raw 4:2:0 frames of {columns} × {rows} pixels, {step} bytes each. "
            f"Got {length} bytes instead."
        )
    if length // step < least:
        raise UnreadableFile(
            f"{path} must hold at least {least} frames of {columns} × {rows} pixels. Got {length // step} instead."
        )
    return length // step


def _read_planes(file: BinaryIO, path: Path, rows: int, columns: int, numbers: range) -> tuple[_Bytes, _Bytes]:
    """Of frames that must be there, Y as (frame, row, column), and Cb and Cr as (frame, plane, row, column)."""
    check_room(path, (rows, columns, len(numbers), 2), 1)
    step = _count_bytes(rows, columns)
    file.seek(numbers.start * step)
    raw = np.fromfile(file, dtype=np.uint8, count=len(numbers) * step).reshape(-1, step)
    luma, chroma = np.split(raw, [rows * columns], axis=1)
    return luma.reshape(-1, rows, columns), chroma.reshape(-1, 2, *_halve_size(rows, columns))
