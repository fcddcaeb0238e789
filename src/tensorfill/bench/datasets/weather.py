"""A made-up temperature over a map, at several heights, through a day: a smooth tensor of order 4."""

import numpy as np

from ...tensor import Array
from ..dataset import Dataset

SHAPE = (24, 24, 8, 12)


def make() -> Array:
    """Warm and cold regions that fade with height, and a day that warms the ground and lags from west to east."""
    rng = np.random.default_rng(0)
    north, east, height, hour = np.meshgrid(*(np.linspace(0, 1, size) for size in SHAPE), indexing="ij", sparse=True)
    field = 2 - 1.2 * height - 0.4 * north + np.zeros(SHAPE)
    for _ in range(4):
        place, width = rng.random(2), 0.1 + 0.2 * rng.random()
        region = np.exp(-((north - place[0]) ** 2 + (east - place[1]) ** 2) / (2 * width**2))
        field += 0.5 * rng.random() * region * np.exp(-2 * height)
    field += 0.3 * np.exp(-3 * height) * np.sin(2 * np.pi * (hour - 0.1 * east))
    field -= field.min()
    return np.asarray(field / field.max())


DATASET = Dataset(
    name="weather",
    title="Weather",
    kind="synthetic",
    shape=SHAPE,
    source="A formula with a fixed seed",
    licence="free: made on the fly",
    how_to_get="It is made on the fly.",
    make=make,
)
