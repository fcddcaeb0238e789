"""A video of soft blobs that drift over a black ground: much of it is zero, so nonnegativity matters."""

import numpy as np

from ...tensor import Array
from ..dataset import Dataset

SHAPE = (48, 64, 40)
_BLOBS = 6


def make() -> Array:
    """Every blob is a Gaussian in space, cut off below 0.01, whose centre moves along a line."""
    rng = np.random.default_rng(0)
    row, column, time = np.meshgrid(*(np.linspace(0, 1, size) for size in SHAPE), indexing="ij", sparse=True)
    video = np.zeros(SHAPE)
    for _ in range(_BLOBS):
        start, end = rng.random(2), rng.random(2)
        width, brightness = 0.03 + 0.06 * rng.random(), 0.4 + 0.6 * rng.random()
        centre = [first + (last - first) * time for first, last in zip(start, end, strict=True)]
        distance = (row - centre[0]) ** 2 + (column - centre[1]) ** 2
        video += brightness * np.maximum(np.exp(-distance / (2 * width**2)) - 0.01, 0)
    return np.asarray(video / video.max())


DATASET = Dataset(
    name="blobs",
    title="Blobs",
    kind="video",
    shape=SHAPE,
    source="Moving Gaussians with a fixed seed",
    licence="free: made on the fly",
    how_to_get="It is made on the fly.",
    make=make,
)
