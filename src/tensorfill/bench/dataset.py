"""Dataset: a tensor to complete, where its data comes from, and how to load it."""

from __future__ import annotations

import hashlib
import importlib
import os
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import DataNotFound, InvalidInput
from ..metrics import unit_scale
from ..rows import DataCard
from ..tensor import Array
from .data_file import DataFile, sha256_of

DATA_VARIABLE = "TENSORFILL_DATA"
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
            truth = self._scaled(self.make(), f"What 'make' of the dataset '{self.name}' returns")
            return LoadedData(truth, self._card(None, None, hashlib.sha256(truth.tobytes()).hexdigest()))
        path, file = self._found(data_folder(folder))
        truth = self._scaled(file.read(path), str(path))
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
        return self._card(None, None, None)

    def _found(self, folder: Path | None) -> tuple[Path, DataFile]:
        if folder is None:
            where = f"no folder was given (--data DIR, or the environment variable {DATA_VARIABLE})"
        else:
            for file in self.files:
                path = folder / file.name
                if path.is_file():
                    return path, file
            where = f"there is no {' or '.join(file.name for file in self.files)} in {folder}"
        raise DataNotFound(f"The data of '{self.name}' was not found: {where}. {self.how_to_get}")

    def _scaled(self, data: NDArray[Any], called: str) -> Array:
        if data.shape != self.shape:
            raise InvalidInput(f"{called} must have the shape {self.shape} of '{self.name}'. Got {data.shape} instead.")
        if not (np.isfinite(data).all() and data.min() >= 0):
            raise InvalidInput(f"{called} must be finite and nonnegative everywhere to serve as the truth.")
        truth = np.ascontiguousarray(data / unit_scale(data), dtype=np.float64)
        truth.setflags(write=False)
        return truth

    def _card(self, file: str | None, approximate: str | None, sha256: str | None) -> DataCard:
        return DataCard(
            name=self.name,
            title=self.title,
            kind=self.kind,
            shape=self.shape,
            source=self.source,
            licence=self.licence,
            how_to_get=self.how_to_get,
            in_paper=self.in_paper,
            approximate=approximate,
            file=file,
            sha256=sha256,
        )


def data_folder(given: Path | None = None) -> Path | None:
    """The folder with the data files: the one given, else the one in the environment, else none."""
    named = os.environ.get(DATA_VARIABLE)
    return given or (Path(named) if named else None)


def datasets() -> dict[str, Dataset]:
    """Every dataset that has a file in the folder `datasets` here, by name: the paper's first, in its order."""
    folder = importlib.import_module(".datasets", __package__)
    modules = [entry.name for entry in pkgutil.iter_modules(folder.__path__, f"{folder.__name__}.")]
    shipped = [_dataset_in(importlib.import_module(module), f"The module {module}") for module in modules]
    return {dataset.name: dataset for dataset in sorted(shipped, key=lambda entry: (entry.order, entry.name))}


def _dataset_in(module: object, called: str) -> Dataset:
    dataset = getattr(module, "DATASET", None)
    if not isinstance(dataset, Dataset):
        raise InvalidInput(f"{called} must define DATASET, a tensorfill.bench.dataset.Dataset.")
    return dataset
