"""Reads one array of an HDF5 file with its mask and its attributes; runs in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import InvalidInput, UnreadableFile
from ..contents import Contents
from ..damage import needed, readable
from ..metadata import Metadata
from .attributes import from_attributes
from .choice import Found, chosen, listed, mask_of
from .hdf5_dataset import datasets, described, loaded, opened

KIND = "an HDF5 file"
_MOST_ATTRIBUTES = 1000
_LARGEST = 2**20
_OF_OTHERS = ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates")
_MISSING = ("_FillValue", "missing_value")


def read(path: Path, dataset: str | None) -> Contents:
    """The dataset that is asked for, or `data`, or the only one of two modes or more."""
    h5py = needed("h5py", "hyperspectral", path)
    with readable(path, KIND), h5py.File(path, "r") as file:
        found = datasets(file, h5py)
        name, array = _wanted(file, h5py, path, found, dataset)
        data = loaded(array, h5py, path, name)
        mask, notes = mask_of(path, name, found | {name: described(array)})
        observed = None if mask is None else loaded(file[mask], h5py, path, mask)
        attributes = _attributes(array, h5py)
    for key in _MISSING:
        if key in attributes:
            notes += (f"'{name}' in {path} has the attribute {key}; if it marks missing values, say so: --missing.",)
    fields = from_attributes(attributes, data.shape)
    header = {key: value for key, value in attributes.items() if key not in fields}
    metadata = Metadata(variable=name, header=header, header_of="hdf5", **fields)
    return Contents(data, observed, notes, metadata)


def _wanted(file: Any, h5py: Any, path: Path, found: dict[str, Found], asked: str | None) -> tuple[str, Any]:
    if asked is None:
        asked = chosen(path, found, None)
    there = opened(file, h5py, path, asked)
    if there is None:
        raise UnreadableFile(f"{path} has no array '{asked}'. The arrays in it are: {listed(found)}.")
    if not isinstance(there[1], h5py.Dataset):
        raise InvalidInput(f"'{asked}' in {path} is a group, not an array. The arrays are: {listed(found)}.")
    return there


def _attributes(array: Any, h5py: Any) -> dict[str, Any]:
    """Those that are numbers or text; references to other objects mean nothing elsewhere."""
    plain: dict[str, Any] = {}
    for name in list(array.attrs)[:_MOST_ATTRIBUTES]:
        entry = array.attrs.get_id(name)
        text = h5py.check_string_dtype(entry.dtype)
        size = entry.get_storage_size()
        if name in _OF_OTHERS or size > _LARGEST or (entry.dtype.kind not in "biufS" and text is None):
            continue
        value = array.attrs[name]
        if isinstance(value, h5py.Empty):
            continue
        if text is not None and text.length is None and not isinstance(value, str):
            value = tuple(each if isinstance(each, str) else each.decode(errors="replace") for each in value.ravel())
        plain[name] = value
    return plain
