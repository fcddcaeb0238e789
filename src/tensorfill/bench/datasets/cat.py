"""The cat of `tensorfill demo`, in colour: it ships with the package."""

from importlib.resources import as_file, files
from typing import Any

from numpy.typing import NDArray

from ..data_file import read_array
from ..dataset import Dataset


def make() -> NDArray[Any]:
    """The picture."""
    with as_file(files("tensorfill.assets") / "cat.png") as path:
        return read_array(path)


DATASET = Dataset(
    name="cat",
    title="Cat",
    kind="image",
    shape=(256, 256, 3),
    source="Chelsea the cat, photographed by Stefan van der Walt",
    licence="CC0 1.0",
    how_to_get="It ships with tensorfill.",
    make=make,
)
