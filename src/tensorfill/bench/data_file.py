"""DataFile: one file that holds a dataset, what is known about it, and how the files of the paper's data are read.

The hyperspectral scenes of Foster and others (2004) are reflectances of about 1017 × 1340 pixels in 33 bands, cropped a
little differently from scene to scene and from release to release. Papers resize them by bilinear interpolation to
203 × 268 × 33. How exactly is not said: the program of Nimishakavi, Jawanpuria and Mishra (2018) starts from a file
that is already small. Here every band is interpolated linearly between the centres of pixels, without smoothing first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import formats
from ..errors import InvalidInput
from ..formats.arrays.matlab import read_variable
from ..formats.videos.raw_yuv import read_luma
from ..tensor import Array

ORIGINAL_SCENE, SCENE = (1017, 1340, 33), (203, 268, 33)
_MARGIN = 10  # pixels by which releases of a scene differ


def read_array(path: Path) -> NDArray[Any]:
    """The array in a .npy, .npz (key `data`), .png or .jpg, every entry of it known."""
    contents = formats.read_contents(path)
    if not contents.known().all():
        raise InvalidInput(f"{path} must be complete to serve as the truth, but some of its entries are missing.")
    return contents.data


@dataclass(frozen=True)
class DataFile:
    """A file below the data folder that a dataset can be read from."""

    name: str
    """Its path below the data folder."""
    read: Callable[[Path], NDArray[Any]] = read_array
    """Returns the array in the file."""
    sha256: str | None = None
    """Of the file the known figures come from; None where we have not seen it."""
    approximate: str | None = None
    """Why this file is not quite the original data, in one sentence; None where it is."""


def sha256_of(path: Path) -> str:
    """The checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# The files of the paper


def read_small_scene(path: Path) -> NDArray[Any]:
    """The reflectances in a file that is small already."""
    return read_variable(path, "out")


def read_scene(path: Path, original: tuple[int, ...] = ORIGINAL_SCENE, shape: tuple[int, ...] = SCENE) -> Array:
    """The reflectances in a .mat file, resized to `shape`."""
    cube = read_variable(path, "reflectances")
    fits = cube.ndim == 3 and cube.shape[2] == original[2]
    if not fits or any(abs(got - size) > _MARGIN for got, size in zip(cube.shape, original, strict=True)):
        raise InvalidInput(
            f"'reflectances' in {path} must be of size {original}, give or take {_MARGIN} rows and columns. "
            f"Got {cube.shape} instead."
        )
    return np.stack([resize(cube[:, :, band], shape[:2]) for band in range(shape[2])], axis=2)


def resize(picture: NDArray[Any], shape: tuple[int, ...]) -> Array:
    """Bilinear interpolation at the centres of the pixels of a picture of another size."""
    resized = picture.astype(np.float64)
    for axis, new_size in enumerate(shape):
        size = resized.shape[axis]
        centres = np.clip((np.arange(new_size) + 0.5) * size / new_size - 0.5, 0, size - 1)
        before = np.floor(centres).astype(np.intp)
        after = np.minimum(before + 1, size - 1)
        share = np.expand_dims(centres - before, 1 - axis)
        resized = (1 - share) * resized.take(before, axis) + share * resized.take(after, axis)
    return resized


def read_qcif(path: Path) -> NDArray[np.uint8]:
    """The first 150 frames of a raw .yuv file of 176 × 144 pixels, brightness only, as the paper has them."""
    return read_luma(path, rows=144, columns=176, frames=150)


def read_tomato(path: Path) -> NDArray[Any]:
    """The video as the paper has it: 320 × 242 × 167, columns first. A file with rows first is turned."""
    if path.suffix == ".yuv":
        video: NDArray[Any] = read_luma(path, rows=242, columns=320, frames=167)
    else:
        video = read_variable(path) if path.suffix == ".mat" else read_array(path)
    return np.swapaxes(video, 0, 1) if video.shape == (242, 320, 167) else video
