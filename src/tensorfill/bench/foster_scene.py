"""A hyperspectral scene of Foster and others (2004), made smaller as in the papers on tensor completion.

The files hold reflectances of about 1017 × 1340 pixels in 33 bands, cropped a little differently from scene to scene
and from release to release. Papers resize them by bilinear interpolation to 203 × 268 × 33. How exactly is not said:
the program of Nimishakavi, Jawanpuria and Mishra (2018) starts from a file that is already small. Here every band is
interpolated linearly between the centres of pixels, without smoothing first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..formats.arrays.matlab import read_variable
from ..tensor import Array
from .data_file import DataFile

ORIGINAL = (1017, 1340, 33)
SHAPE = (203, 268, 33)
SOURCE = "Foster, Amano, Nascimento and Foster, hyperspectral images of natural scenes 2004"
LICENCE = "unclear: none is stated, the authors ask to be cited"
RESIZED = "Resized here by plain bilinear interpolation; how the paper's copy was resized is not known in detail."
_SITE = "https://personalpages.manchester.ac.uk/staff/david.foster/Hyperspectral_images_of_natural_scenes_04.html"
_MARGIN = 10  # pixels by which releases of a scene differ


def original_scene(name: str) -> DataFile:
    """The file as its authors hand it out."""
    return DataFile(f"{name}.mat", read=read_scene, approximate=RESIZED)


def how_to_get(scene: int, name: str) -> str:
    """Where the original is."""
    return f"Unpack scene{scene}.zip from {_SITE} and put {name}.mat into the data folder."


def read_small_scene(path: Path) -> NDArray[Any]:
    """The reflectances in a file that is small already."""
    return read_variable(path, "out")


def read_scene(path: Path, original: tuple[int, ...] = ORIGINAL, shape: tuple[int, ...] = SHAPE) -> Array:
    """The reflectances in a .mat file, resized to `shape`."""
    cube = read_variable(path, "reflectances")
    fits = cube.ndim == 3 and cube.shape[2] == original[2]
    if not fits or any(abs(got - size) > _MARGIN for got, size in zip(cube.shape, original, strict=True)):
        raise InvalidInput(
            f"'reflectances' in {path} must be of size {original}, give or take {_MARGIN} rows and columns. "
            f"Got {cube.shape} instead."
        )
    return np.stack([resized(cube[:, :, band], shape[:2]) for band in range(shape[2])], axis=2)


def resized(picture: NDArray[Any], shape: tuple[int, ...]) -> Array:
    """Bilinear interpolation at the centres of the pixels of a picture of another size."""
    smaller = picture.astype(np.float64)
    for axis, size in enumerate(shape):
        before, after, share = _neighbours(smaller.shape[axis], size)
        share = np.expand_dims(share, 1 - axis)
        smaller = (1 - share) * smaller.take(before, axis) + share * smaller.take(after, axis)
    return smaller


def _neighbours(size: int, new_size: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """For every new index the two old ones around it, and how much of the second to take."""
    centres = np.clip((np.arange(new_size) + 0.5) * size / new_size - 0.5, 0, size - 1)
    before = np.floor(centres).astype(np.intp)
    return before, np.minimum(before + 1, size - 1), centres - before
