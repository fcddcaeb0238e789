"""Tomato, a video of the paper."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...formats.arrays.matlab import read_variable
from ...formats.videos.raw_yuv import read_luma
from ..data_file import DataFile, read_array
from ..dataset import Dataset

SHAPE = (320, 242, 167)


def read_tomato(path: Path) -> NDArray[Any]:
    """The video as the paper has it: 320 × 242 × 167, columns first. A file with rows first is turned."""
    if path.suffix == ".yuv":
        video: NDArray[Any] = read_luma(path, rows=SHAPE[1], columns=SHAPE[0], frames=SHAPE[2])
    else:
        video = read_variable(path) if path.suffix == ".mat" else read_array(path)
    rows_first = (SHAPE[1], SHAPE[0], SHAPE[2])
    return np.swapaxes(video, 0, 1) if video.shape == rows_first else video


DATASET = Dataset(
    name="tomato",
    title="Tomato",
    kind="video",
    shape=SHAPE,
    source="A video used in papers on tensor completion, 167 frames of 320 × 242 pixels",
    licence="unclear: none is stated",
    how_to_get=(
        "We know no public address; ask the authors of a paper that uses it and put it into the data folder as "
        "tomato.npz (array 'data'), tomato.mat (one variable) or tomato.yuv (raw 4:2:0)."
    ),
    in_paper=True,
    order=4,
    files=tuple(DataFile(f"tomato{extension}", read=read_tomato) for extension in (".npz", ".mat", ".yuv")),
)
