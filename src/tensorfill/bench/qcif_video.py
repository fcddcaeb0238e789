"""A video of 176 × 144 pixels (QCIF): its first 150 frames, brightness only, as the paper has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..formats.videos.raw_yuv import read_luma
from .data_file import DataFile

SHAPE = (144, 176, 150)
SOURCE = "A standard test sequence of video coding, QCIF, first 150 frames, luma"
LICENCE = "unclear: none is stated"
H264 = "From an H.264 encoding of the CIF sequence, halved (bicubic), not from the raw QCIF file."


def read_qcif(path: Path) -> NDArray[np.uint8]:
    """The first 150 frames of a raw .yuv file."""
    rows, columns, frames = SHAPE
    return read_luma(path, rows=rows, columns=columns, frames=frames)


def raw_video(name: str) -> DataFile:
    """The raw file, as it is handed around."""
    return DataFile(name, read=read_qcif)


def how_to_get(name: str) -> str:
    """Where the raw file is."""
    return (
        f"Put {name}.yuv into the data folder: from http://trace.eas.asu.edu/yuv/, or from "
        "https://media.xiph.org/video/derf/ after turning .y4m into raw 4:2:0."
    )


def made_from_h264(video: str, file: str) -> str:
    """How the approximate file was made."""
    return (
        f"take the luma of the first 150 frames of videos/{video}.mp4 from "
        "https://github.com/l0afloafloaf/mpeg-test-patterns, halve it (bicubic), and save it in the data folder as the "
        f"array 'data' of {file}."
    )
