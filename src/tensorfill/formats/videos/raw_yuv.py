"""Raw video: planar YUV 4:2:0 of 8 bits, a file without a header that only its size explains.

A frame is rows × columns bytes of brightness, then two colour planes of half the height and width, rounded up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ..contents import Contents, Metadata, Reading
from ..damage import check_room, open_source, readable
from ..file_array import FileArray, pieces, take
from ..format import Format
from ..pictures.pixels import choose_frames
from ..scratch import Scratch, allocate
from .clip import MOST_PIXELS, find_losses, find_refusal, iterate_frames
from .colour import ColourCoding

_Y4M = b"YUV4MPEG2"
_CODING = ColourCoding()


class Yuv(Format):
    """.yuv files. Gray is the plane Y as it is stored; colour is that of BT.601 with levels 16 to 235."""

    name: ClassVar[str] = "yuv"
    extensions: ClassVar[tuple[str, ...]] = (".yuv",)
    picture: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """Gray if that is asked for or no frame has colour; the size must be given."""
        rows, columns = _check_size(path, how)
        with open_source(path) as file, readable(path, "a .yuv file"):
            step = sum(rows * columns for rows, columns in _find_planes(rows, columns))
            wanted = choose_frames(how, path, _count_frames(file, path, step, f"{columns} × {rows}"))
            is_large = how.scratch is not None and how.scratch.takes(len(wanted) * step)
            if not is_large:
                check_room(path, (rows, columns, len(wanted), 2), 1)
            frames = _Frames(path, _read_bytes(file, path, step, wanted, in_place=is_large), rows, columns)
            colour = not how.gray and frames.have_colour
            data = frames.to_rgb(how.scratch) if colour else frames.luma
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
            f"A .yuv says neither its size nor its frame rate; read it with size=({columns}, {rows}).",
        )

    def page_mode(self, contents: Contents) -> int | None:
        """That of frames."""
        return 2

    def write(self, path: Path, contents: Contents) -> None:
        """Gray as the plane Y, without colour; RGB as Y, Cb and Cr."""
        neutral = np.full((2, *_find_planes(*contents.shape[:2])[1]), _CODING.neutral, dtype=np.uint8)
        with path.open("xb") as file:
            for frame in iterate_frames(contents.data):
                planes = (frame, *neutral) if frame.ndim == 2 else _CODING.to_planes(frame, halved=True)
                for plane in planes:
                    file.write(np.ascontiguousarray(plane).data)


def _read_bytes(file: BinaryIO, path: Path, step: int, wanted: range, *, in_place: bool) -> Any:
    """(frame, byte): in memory or where they are."""
    shape, start = (len(wanted), step), wanted.start * step
    if in_place:
        return FileArray.of(path.absolute(), np.dtype(np.uint8), shape, offset=start)
    file.seek(start)
    return np.fromfile(file, dtype=np.uint8, count=len(wanted) * step).reshape(shape)


@dataclass(frozen=True, eq=False)
class _Frames:
    """The bytes of each frame: a plane of brightness, and two of colour."""

    path: Path
    raw: Any
    rows: int
    columns: int

    @property
    def have_colour(self) -> bool:
        """Whether there is any in one of them."""
        chroma = (slice(None), slice(self.rows * self.columns, None))
        there = self.raw.part(chroma) if isinstance(self.raw, FileArray) else self.raw[chroma]
        return any(bool((take(there, region) != _CODING.neutral).any()) for region in pieces(there))

    @property
    def luma(self) -> NDArray[Any]:
        """(row, column, frame)."""
        count, step = self.raw.shape
        shape = (self.rows, self.columns, count)
        if isinstance(self.raw, FileArray):
            return cast(NDArray[Any], replace(self.raw, shape=shape, strides=(self.columns, 1, step)))
        planes = self.raw[:, : self.rows * self.columns].reshape(count, self.rows, self.columns)
        return np.ascontiguousarray(np.moveaxis(planes, 0, 2))

    def to_rgb(self, scratch: Scratch | None) -> NDArray[Any]:
        """(row, column, frame, channel)."""
        count = len(self.raw)
        shape, half = (self.rows, self.columns, count, 3), _find_planes(self.rows, self.columns)[1]
        check_room(self.path, shape, 1, scratch=scratch)
        data: NDArray[Any] = allocate(scratch, shape, np.uint8, (2, 0, 1, 3))
        for number in range(count):
            frame = take(self.raw, (number,))
            luma, chroma = frame[: self.rows * self.columns], frame[self.rows * self.columns :]
            data[:, :, number] = _CODING.to_rgb((luma.reshape(self.rows, self.columns), *chroma.reshape(2, *half)))
        return data


def read_luma(path: Path, *, rows: int, columns: int, frames: int) -> NDArray[np.uint8]:
    """The first frames as (row, column, frame), 8 bits; colour is left out."""
    return Yuv().decode(path, Reading(size=(columns, rows), gray=True, frames=(0, frames - 1))).data


def _check_size(path: Path, how: Reading) -> tuple[int, int]:
    """Rows and columns."""
    if how.size is None:
        raise InvalidInput(f"{path} is raw video, which does not say its size: add it, such as size=(176, 144).")
    columns, rows = how.size
    if not (columns > 0 and rows > 0 and columns * rows <= MOST_PIXELS):
        raise InvalidInput(
            f"The size of {path} must be columns and rows, such as size=(176, 144). Got {how.size} instead."
        )
    return rows, columns


def _find_planes(rows: int, columns: int) -> tuple[tuple[int, int], ...]:
    """Rows and columns of Y, Cb and Cr."""
    half = (rows + 1) // 2, (columns + 1) // 2
    return (rows, columns), half, half


def _count_frames(file: BinaryIO, path: Path, step: int, pixels: str) -> int:
    """How many frames of `step` bytes there are in a file, which must be whole."""
    if file.read(len(_Y4M)) == _Y4M:
        raise UnreadableFile(
            f"{path} is a .y4m video, which has headers; make it raw first: "
            "ffmpeg -i IN.y4m -pix_fmt yuv420p -f rawvideo OUT.yuv"
        )
    length = file.seek(0, 2)
    if length % step or not length:
        raise UnreadableFile(
            f"{path} must be a whole number of raw 4:2:0 frames of {pixels} pixels, {step} bytes each. "
            f"Got {length} bytes instead."
        )
    return length // step
