"""HDF5: arrays with names, groups and attributes; `scan.h5::group/images` is one of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..contents import Contents
from ..damage import Extra, needed
from ..format import Format
from ..reading import Reading
from ..unkept import unkept
from . import hdf5_reading
from .attributes import KEPT, as_attributes
from .choice import DATA, OBSERVED
from .hdf5_file import new_hdf5


class Hdf5(Format):
    """.h5 files."""

    name: ClassVar[str] = "hdf5"
    extensions: ClassVar[tuple[str, ...]] = (".h5", ".hdf5", ".he5")
    holds_mask: ClassVar[bool] = True
    extra: ClassVar[Extra | None] = Extra("h5py", "hyperspectral")
    kind: ClassVar[str] = hdf5_reading.KIND
    guarded: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """One dataset, its mask if one lies beside it, and its attributes."""
        return hdf5_reading.read(path, how.dataset)

    def write(self, path: Path, contents: Contents) -> None:
        """The array under its own name, packed without loss, and the mask as NAME_observed."""
        h5py = needed("h5py", "hyperspectral", path)
        name = dataset_name(contents.metadata.variable)
        with new_hdf5(path) as file:
            dataset = file.create_dataset(name, data=contents.data, **packing(contents.data))
            if contents.observed is not None:
                mask = f"{name}_{OBSERVED}"
                file.create_dataset(mask, data=contents.observed, **packing(contents.observed))
            header = contents.metadata.header if contents.metadata.header_of == self.name else {}
            for key, value in {**header, **as_attributes(contents.metadata)}.items():
                _set_attribute(dataset, h5py, key, value)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """How opaque pixels are."""
        return unkept(contents, self.kind, *KEPT)


def dataset_name(variable: str | None) -> str:
    """A path inside the file: that of the file it came from, or `data`."""
    parts = (variable or "").replace("\0", "").split("/")
    return "/".join(part for part in parts if part not in ("", ".", "..")) or DATA


def packing(data: np.ndarray[Any, Any]) -> dict[str, Any]:
    """How to store it; what is empty or a single number cannot be cut into pieces."""
    return {"compression": "gzip", "shuffle": True} if data.ndim and data.size else {}


def _set_attribute(dataset: Any, h5py: Any, key: str, value: Any) -> None:
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        dataset.attrs.create(key, np.array(value, dtype=object), dtype=h5py.string_dtype())
    elif isinstance(value, bytes):
        dataset.attrs[key] = np.array(value, dtype=f"S{max(1, len(value))}")
    else:
        dataset.attrs[key] = value
