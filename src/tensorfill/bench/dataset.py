"""Dataset: a tensor to complete, where its data comes from, and how to load it."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import DataNotFound, InvalidInput
from ..metrics import unit_scale
from ..rows import DataCard
from ..tensor import Array
from . import loaders
from .data_file import DataFile, sha256_of

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
    kind: Kind
    shape: tuple[int, ...]
    """As it is completed."""
    source: str
    licence: str
    how_to_get: str
    in_paper: bool = False
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
        """The data from `folder`, or from the folder in the environment variable TENSORFILL_DATA."""
        if self.make is not None:
            truth = self._scale(self.make(), f"What 'make' of the dataset '{self.name}' returns")
            return LoadedData(truth, self._card(sha256=hashlib.sha256(truth.tobytes()).hexdigest()))
        path, file = self._find(data_folder(folder))
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
        """What a row tells when the data is not there."""
        return self._card()

    def _find(self, folder: Path | None) -> tuple[Path, DataFile]:
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
    """A dataset from what the file says about it; functions are those of `loaders` with that name."""
    known = vars(loaders)
    data_files = [{**file, "read": known[file.get("read", "read_array")]} for file in entry.get("files", ())]
    about = {**entry, "shape": tuple(entry["shape"]), "files": tuple(DataFile(**file) for file in data_files)}
    return Dataset(**{**about, "make": known[entry["make"]]} if "make" in entry else about)


def datasets() -> dict[str, Dataset]:
    """Every dataset of `datasets.toml` by name: the paper's first, in its order."""
    return {dataset.name: dataset for dataset in _load_shipped()}
