"""Raw video: planar YUV 4:2:0 of 8 bits, a file without a header that only its size explains."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ..contents import Contents
from ..damage import readable
from ..format import Format
from ..metadata import Metadata
from ..reading import Reading
from ..room import check_room
from ..source import open_source
from .clip_array import MOST_PIXELS, frame_of, losses_of_videos, refusal
from .colour import ColourCoding
from .frame_range import FrameRange
from .frame_stack import FrameStack
from .plane_file import PlaneLayout

_Y4M = b"YUV4MPEG2"
_CODING = ColourCoding()


class Yuv(Format):
    """.yuv files. Gray is the plane Y as it is stored; colour is that of BT.601 with levels 16 to 235."""

    name: ClassVar[str] = "yuv"
    extensions: ClassVar[tuple[str, ...]] = (".yuv",)
    picture: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """Gray if that is asked for or no frame has colour; the size must be given."""
        layout, wanted = _layout(path, how), FrameRange.asked(how)
        with open_source(path) as file, readable(path, "a .yuv file"):
            there = _check_length(file, path, f"{layout.columns} × {layout.rows}", layout.length, 1)
            wanted.check(there, path)
            colourless = how.gray or _colourless(file, layout, wanted, there)
            shape = (layout.rows, layout.columns, wanted.count(there), 1 if colourless else 3)
            check_room(path, shape, 1)
            stack = FrameStack(path, wanted.count(there))
            file.seek(wanted.first * layout.length)
            for _ in range(wanted.count(there)):
                planes = layout.read(file)
                assert planes is not None
                stack.add(planes[0] if colourless else _CODING.rgb(planes))
            data = stack.array()
        gray = f"{path} has no colour in it, so it is read as gray, with the levels that it stores."
        return Contents(data, None, (gray,) if colourless and not how.gray else (), Metadata(kind="video"))

    def refuses(self, contents: Contents) -> str | None:
        """Gray and RGB of 8 bits fit."""
        return refusal(contents, ".yuv", deep=False)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Colour is halved in size, and nothing is said about the frames."""
        rows, columns = contents.shape[:2]
        told = [*losses_of_videos(contents, ".yuv", exact=False, rate=False)]
        if contents.ndim == 4:
            told.append(
                "A .yuv has colour at half the width and height, so values change; write .mkv to keep them exactly."
            )
        told.append(f"A .yuv says neither its size nor its frame rate; read it with --size {columns}x{rows}.")
        return tuple(told)

    def write(self, path: Path, contents: Contents) -> None:
        """Gray as the plane Y, without colour; RGB as Y, Cb and Cr."""
        data = contents.data
        layout = PlaneLayout(*data.shape[:2])
        neutral = np.full(layout.shapes[1], _CODING.neutral, dtype=np.uint8)
        with path.open("xb") as file:
            for number in range(data.shape[2]):
                frame = frame_of(data, number)
                layout.write(file, (frame, neutral, neutral) if frame.ndim == 2 else _CODING.planes(frame, halved=True))


def read_luma(path: Path, *, rows: int, columns: int, frames: int) -> NDArray[np.uint8]:
    """The first frames as (row, column, frame), 8 bits; colour is left out.

    A frame is rows × columns bytes of brightness, then two colour planes of half the height and width, rounded up.
    """
    layout = PlaneLayout(rows, columns)
    with open_source(path) as file:
        _check_length(file, path, f"{columns} × {rows}", layout.length, frames)
        video = np.empty((rows, columns, frames), dtype=np.uint8)
        file.seek(0)
        for frame in range(frames):
            planes = layout.read(file)
            assert planes is not None
            video[:, :, frame] = planes[0]
    return video


def _layout(path: Path, how: Reading) -> PlaneLayout:
    if how.size is None:
        raise InvalidInput(f"{path} is raw video, which does not say its size: add it, such as --size 176x144.")
    columns, rows = how.size
    if not (columns > 0 and rows > 0 and columns * rows <= MOST_PIXELS):
        raise InvalidInput(
            f"The size of {path} must be columns and rows, such as --size 176x144. Got {columns}x{rows} instead."
        )
    return PlaneLayout(rows, columns)


def _colourless(file: BinaryIO, layout: PlaneLayout, wanted: FrameRange, there: int) -> bool:
    file.seek(wanted.first * layout.length)
    frames = (layout.read(file) for _ in range(wanted.count(there)))
    return all(planes is not None and _CODING.colourless(planes) for planes in frames)


def _check_length(file: BinaryIO, path: Path, size: str, step: int, frames: int) -> int:
    """How many frames there are, at least as many as asked for."""
    if file.read(len(_Y4M)) == _Y4M:
        raise UnreadableFile(
            f"{path} is a .y4m video, which has headers; make it raw first: "
            "ffmpeg -i IN.y4m -pix_fmt yuv420p -f rawvideo OUT.yuv"
        )
    length = file.seek(0, 2)
    if length % step:
        raise UnreadableFile(
            f"{path} must be a whole number of raw 4:2:0 frames of {size} pixels, {step} bytes each. "
            f"Got {length} bytes instead."
        )
    if length // step < frames:
        raise UnreadableFile(
            f"{path} must hold at least {frames} frames of {size} pixels. Got {length // step} instead."
        )
    return length // step
