"""Raw video: planar YUV 4:2:0 of 8 bits, a file without a header that only its size explains.

A frame is rows × columns bytes of brightness, then two colour planes of half the height and width, rounded up.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ..contents import Contents, Metadata, Reading
from ..damage import check_room, open_source, readable
from ..format import Format
from ..pictures.pixels import choose_frames
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
            check_room(path, (rows, columns, len(wanted), 2), 1)
            file.seek(wanted.start * step)
            raw = np.fromfile(file, dtype=np.uint8, count=len(wanted) * step).reshape(len(wanted), step)
            luma, chroma = raw[:, : rows * columns].reshape(-1, rows, columns), raw[:, rows * columns :]
            colour = not how.gray and bool((chroma != _CODING.neutral).any())
            data = np.ascontiguousarray(np.moveaxis(luma, 0, 2))
            if colour:
                check_room(path, (*data.shape, 3), 1)
                data = np.empty((*data.shape, 3), np.uint8)
                for number, (plane, rest) in enumerate(zip(luma, chroma, strict=True)):
                    data[:, :, number] = _CODING.to_rgb((plane, *rest.reshape(2, *_find_planes(rows, columns)[1])))
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

    def write(self, path: Path, contents: Contents) -> None:
        """Gray as the plane Y, without colour; RGB as Y, Cb and Cr."""
        neutral = np.full((2, *_find_planes(*contents.shape[:2])[1]), _CODING.neutral, dtype=np.uint8)
        with path.open("xb") as file:
            for frame in iterate_frames(contents.data):
                planes = (frame, *neutral) if frame.ndim == 2 else _CODING.to_planes(frame, halved=True)
                for plane in planes:
                    file.write(np.ascontiguousarray(plane).data)


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
