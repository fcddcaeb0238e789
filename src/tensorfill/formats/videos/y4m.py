"""Videos in .y4m files: a line of text about all frames, then every frame as it is, after the word FRAME."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np

from ...errors import UnreadableFile
from ..contents import Contents
from ..damage import readable
from ..format import Format
from ..metadata import Metadata
from ..reading import Reading
from ..room import check_room
from ..source import open_source
from .clip_array import frame_of, losses_of_videos, refusal, written_rate
from .colour import ColourCoding
from .frame_range import FrameRange
from .frame_stack import FrameStack
from .plane_file import PlaneLayout
from .y4m_header import Y4mHeader

_FRAME = b"FRAME"
_LONGEST_LINE = 4096


class Y4m(Format):
    """.y4m files. Gray is kept as it is; colour is written as YCbCr 4:4:4 of BT.601 with all levels."""

    name: ClassVar[str] = "y4m"
    extensions: ClassVar[tuple[str, ...]] = (".y4m",)
    picture: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """Gray if that is asked for or no frame has colour."""
        wanted = FrameRange.asked(how)
        with open_source(path) as file, readable(path, "a .y4m video"):
            header = Y4mHeader.parsed(file.readline(_LONGEST_LINE), path)
            layout, coding, stored = header.layout, header.coding, path.stat().st_size
            expected = wanted.count(stored // layout.length)
            check_room(path, (layout.rows, layout.columns, max(1, expected)), np.dtype(layout.dtype).itemsize)
            stack, number = FrameStack(path, expected), 0
            while not wanted.over(number) and (line := file.readline(_LONGEST_LINE)):
                planes = None
                if line.startswith(_FRAME) and line.endswith(b"\n") and file.tell() + layout.length <= stored:
                    planes = layout.read(file)
                if planes is None:
                    raise _broken(path, number)
                if number in wanted:
                    plain = how.gray or coding.colourless(planes)
                    stack.add(coding.gray(planes[0]) if plain else coding.rgb(planes))
                number += 1
            if not number:
                raise _broken(path, 0)
            wanted.check(number, path)
            data = stack.array()
        notes = header.notes(path, colour=data.ndim == 4, gray=how.gray)
        return Contents(data, None, tuple(notes), Metadata(kind="video", frame_rate=header.rate))

    def refuses(self, contents: Contents) -> str | None:
        """Gray and RGB of 8 and 16 bits fit."""
        return refusal(contents, ".y4m", deep=True)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Colour is rounded."""
        told = tuple(losses_of_videos(contents, ".y4m", exact=False, rate=True))
        top = "65535" if contents.dtype.itemsize == 2 and contents.dtype.kind == "u" else "255"
        rounded = f"Colour is rounded in .y4m, by at most 1 of {top} levels; write .mkv to keep it exactly."
        return (*told, rounded) if contents.ndim == 4 else told

    def write(self, path: Path, contents: Contents) -> None:
        """All planes in full size."""
        data = contents.data
        deep = data.dtype.kind == "u" and data.dtype.itemsize == 2
        colour, bits = data.ndim == 4, 16 if deep else 8
        smaller, dtype = 1 if colour else 0, "<u2" if deep else "u1"
        layout = PlaneLayout(data.shape[0], data.shape[1], smaller, smaller, dtype)
        header = Y4mHeader(layout, ColourCoding(full=True, bits=bits), written_rate(contents))
        with path.open("xb") as file:
            file.write(header.line())
            for number in range(data.shape[2]):
                frame = frame_of(data, number)
                file.write(_FRAME + b"\n")
                layout.write(file, header.coding.planes(frame, halved=False) if colour else (frame,))


def _broken(path: Path, number: int) -> UnreadableFile:
    if number == 0:
        return UnreadableFile(f"{path} has no whole frame in it: it is damaged or cut short.")
    before = "--frames 0" if number == 1 else f"--frames 0-{number - 1}"
    return UnreadableFile(
        f"{path} is damaged or cut short after frame {number - 1}; what comes before can be read with {before}."
    )
