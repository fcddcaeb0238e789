"""Dataset: a tensor to complete, where its data comes from, how to load it, and how data without a file is made."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import DataNotFound, InvalidInput
from ..estimates.factored import TuckerTensor
from ..metrics import unit_scale
from ..rows import DataCard
from ..tensor import Array
from .data_file import (
    DataFile,
    read_array,
    read_qcif,
    read_scene,
    read_small_scene,
    read_tomato,
    sha256_of,
)

DATA_VARIABLE = "TENSORFILL_DATA"
_ON_CARD = ("name", "title", "kind", "shape", "source", "licence", "how_to_get", "in_paper")
Kind = Literal["image", "video", "cube", "counts", "synthetic"]


@dataclass(frozen=True, eq=False)
class LoadedData:
    """The truth, float64 between 0 and 1, and what rows tell about it."""

    truth: Array
    card: DataCard
    notes: tuple[str, ...] = ()
    """What a user should know about the file, a sentence each."""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """What is known about a dataset before its data is there."""

    name: str
    """Lower case, what plans and rows call it."""
    title: str
    """What figures call it."""
    kind: Kind
    """One of "image", "video", "cube", "counts" and "synthetic"."""
    shape: tuple[int, ...]
    """As it is completed."""
    source: str
    """Where it comes from, for people."""
    licence: str
    """Its licence."""
    how_to_get: str
    """What to do if its file is not there, in one sentence."""
    in_paper: bool = False
    """Whether the paper has results on it."""
    order: int = 100
    """Where it stands in lists: small numbers first, then by name."""
    files: tuple[DataFile, ...] = ()
    """Where the data can be, best first."""
    make: Callable[[], NDArray[Any]] | None = None
    """Makes the data, where that takes no file."""

    def __post_init__(self) -> None:
        if bool(self.files) == (self.make is not None):
            raise InvalidInput(f"The dataset '{self.name}' must have either 'files' or 'make', and not both.")
        if self.kind not in get_args(Kind):
            raise InvalidInput(
                f"The 'kind' of the dataset '{self.name}' must be one of {', '.join(get_args(Kind))}. "
                f"Got {self.kind!r} instead."
            )

    def load(self, folder: Path | None = None) -> LoadedData:
        """Read the data.

        Parameters
        ----------
        folder : pathlib.Path, optional
            Where its file is; by default the folder in the environment variable TENSORFILL_DATA.

        Returns
        -------
        LoadedData
            The true tensor, between 0 and 1, and what is told about it.

        Raises
        ------
        TensorfillError
            If there is no file, or the data does not have the declared shape.
        """
        if self.make is not None:
            truth = self._scale(self.make(), f"What 'make' of the dataset '{self.name}' returns")
            return LoadedData(truth, self._card(sha256=hashlib.sha256(truth.tobytes()).hexdigest()))
        path, file = self.find_file(folder)
        truth = self._scale(file.read(path), str(path))
        sha256 = sha256_of(path)
        notes = []
        if file.sha256 is not None and file.sha256 != sha256:
            notes.append(
                f"{path} is not byte for byte the file that the known figures of '{self.name}' come from: "
                f"its sha256 starts with {sha256[:12]}, not {file.sha256[:12]}."
            )
        return LoadedData(truth, self._card(file.name, file.approximate, sha256), tuple(notes))

    def card_without_data(self) -> DataCard:
        """What is known about the dataset when the data is not there.

        Returns
        -------
        DataCard
            Name, source, licence and how to get it.
        """
        return self._card()

    def find_file(self, folder: Path | None = None) -> tuple[Path, DataFile]:
        """The first of its files that is there.

        Parameters
        ----------
        folder : pathlib.Path, optional
            Where to look; by default the folder in the environment variable TENSORFILL_DATA.

        Returns
        -------
        pathlib.Path
            The file.
        DataFile
            What is known about it.

        Raises
        ------
        TensorfillError
            If there is none.
        """
        folder = data_folder(folder)
        if folder is None:
            where = f"no folder was given (--data DIR, or the environment variable {DATA_VARIABLE})"
        else:
            for file in self.files:
                path = folder / file.name
                if path.is_file():
                    return path, file
            where = f"there is no {' or '.join(file.name for file in self.files)} in {folder}"
        raise DataNotFound(f"The data of '{self.name}' was not found: {where}. {self.how_to_get}")

    def _scale(self, data: NDArray[Any], called: str) -> Array:
        if data.shape != self.shape:
            raise InvalidInput(f"{called} must have the shape {self.shape} of '{self.name}'. Got {data.shape} instead.")
        if not (np.isfinite(data).all() and data.min() >= 0):
            raise InvalidInput(f"{called} must be finite and nonnegative everywhere to serve as the truth.")
        truth = np.ascontiguousarray(data / unit_scale(data), dtype=np.float64)
        truth.setflags(write=False)
        return truth

    def _card(self, file: str | None = None, approximate: str | None = None, sha256: str | None = None) -> DataCard:
        about = {name: getattr(self, name) for name in _ON_CARD}
        return DataCard(**about, approximate=approximate, file=file, sha256=sha256)


def data_folder(given: Path | None = None) -> Path | None:
    """The folder with the data files: the one given, else the one in the environment, else none."""
    named = os.environ.get(DATA_VARIABLE)
    return given or (Path(named) if named else None)


@cache
def _load_shipped() -> tuple[Dataset, ...]:
    found = tomllib.loads((files(__package__) / "datasets.toml").read_text(encoding="utf-8"))
    families: dict[str, dict[str, Any]] = found["family"]
    entries = [{**families.get(entry.pop("family", ""), {}), **entry} for entry in found["dataset"]]
    return tuple(sorted(map(_from_entry, entries), key=lambda dataset: (dataset.order, dataset.name)))


def _from_entry(entry: dict[str, Any]) -> Dataset:
    """A dataset from what the file says about it; its functions are called by their names."""
    data_files = [{**file, "read": _FUNCTIONS[file.get("read", "read_array")]} for file in entry.get("files", ())]
    about = {**entry, "shape": tuple(entry["shape"]), "files": tuple(DataFile(**file) for file in data_files)}
    return Dataset(**{**about, "make": _FUNCTIONS[entry["make"]]} if "make" in entry else about)


def datasets() -> dict[str, Dataset]:
    """Every dataset of `datasets.toml` by name: the paper's first, in its order."""
    return {dataset.name: dataset for dataset in _load_shipped()}


# Data without files


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


_FUNCTIONS: dict[str, Callable[..., NDArray[Any]]] = {
    function.__name__: function
    for function in (
        *(read_array, read_qcif, read_scene, read_small_scene, read_tomato),
        *(make_blobs, make_cat, make_syn, make_weather),
    )
}
"""What `datasets.toml` names."""
