"""Loaders: how the files of the paper's scenes and videos are read, and how data without a file is made.

The hyperspectral scenes of Foster and others (2004) are reflectances of about 1017 × 1340 pixels in 33 bands, cropped a
little differently from scene to scene and from release to release. Papers resize them by bilinear interpolation to
203 × 268 × 33. How exactly is not said: the program of Nimishakavi, Jawanpuria and Mishra (2018) starts from a file
that is already small. Here every band is interpolated linearly between the centres of pixels, without smoothing first.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..estimates.factored import TuckerTensor
from ..formats.arrays.matlab import read_variable
from ..formats.videos.raw_yuv import read_luma
from ..tensor import Array
from .data_file import read_array

ORIGINAL_SCENE, SCENE = (1017, 1340, 33), (203, 268, 33)
_MARGIN = 10  # pixels by which releases of a scene differ


# From files


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


# Without files


def make_cat() -> NDArray[Any]:
    """The cat of `tensorfill demo`, in colour: it ships with the package."""
    with as_file(files("tensorfill.assets") / "cat.png") as path:
        return read_array(path)


def make_syn() -> Array:
    """A nonnegative tensor of known low rank: factors and core uniform in [0, 1), divided by the largest value."""
    shape, ranks = (64, 64, 20), (5, 5, 3)
    rng = np.random.default_rng(100)
    factors = tuple(rng.random((size, rank)) for size, rank in zip(shape, ranks, strict=True))
    full = TuckerTensor(rng.random(ranks), factors).dense()
    return np.asarray(full / full.max())


def make_blobs() -> Array:
    """A video of soft blobs that drift over a black ground: much of it is zero, so nonnegativity matters.

    Every blob is a Gaussian in space, cut off below 0.01, whose centre moves along a line.
    """
    shape = (48, 64, 40)
    rng = np.random.default_rng(0)
    row, column, time = np.meshgrid(*(np.linspace(0, 1, size) for size in shape), indexing="ij", sparse=True)
    video = np.zeros(shape)
    for _ in range(6):
        start, end = rng.random(2), rng.random(2)
        width, brightness = 0.03 + 0.06 * rng.random(), 0.4 + 0.6 * rng.random()
        centre = [first + (last - first) * time for first, last in zip(start, end, strict=True)]
        distance = (row - centre[0]) ** 2 + (column - centre[1]) ** 2
        video += brightness * np.maximum(np.exp(-distance / (2 * width**2)) - 0.01, 0)
    return np.asarray(video / video.max())


def make_weather() -> Array:
    """A made-up temperature over a map, at several heights, through a day: a smooth tensor of order 4.

    Warm and cold regions fade with height, and a day warms the ground and lags from west to east.
    """
    shape = (24, 24, 8, 12)
    rng = np.random.default_rng(0)
    north, east, height, hour = np.meshgrid(*(np.linspace(0, 1, size) for size in shape), indexing="ij", sparse=True)
    field = 2 - 1.2 * height - 0.4 * north + np.zeros(shape)
    for _ in range(4):
        place, width = rng.random(2), 0.1 + 0.2 * rng.random()
        region = np.exp(-((north - place[0]) ** 2 + (east - place[1]) ** 2) / (2 * width**2))
        field += 0.5 * rng.random() * region * np.exp(-2 * height)
    field += 0.3 * np.exp(-3 * height) * np.sin(2 * np.pi * (hour - 0.1 * east))
    field -= field.min()
    return np.asarray(field / field.max())
