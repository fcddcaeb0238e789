"""The brightness of a raw video: planar YUV 4:2:0, a file without a header that only its size explains."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..errors import UnreadableFile
from .source import open_source

_Y4M = b"YUV4MPEG2"


def read_luma(path: Path, *, rows: int, columns: int, frames: int) -> NDArray[np.uint8]:
    """The first frames as (row, column, frame), 8 bits; colour is left out.

    A frame is rows × columns bytes of brightness, then two colour planes of half the height and width, rounded up.
    """
    luma = rows * columns
    step = luma + 2 * ((rows + 1) // 2) * ((columns + 1) // 2)
    with open_source(path) as file:
        _check_length(file, path, f"{columns} × {rows}", step, frames)
        video = np.empty((rows, columns, frames), dtype=np.uint8)
        for frame in range(frames):
            file.seek(frame * step)
            video[:, :, frame] = np.frombuffer(file.read(luma), dtype=np.uint8).reshape(rows, columns)
    return video


def _check_length(file: BinaryIO, path: Path, size: str, step: int, frames: int) -> None:
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
