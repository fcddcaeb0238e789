"""MATLAB's file format of version 7.3: HDF5 with MATLAB's header in front, axes in reverse, and types as attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ..contents import Contents
from ..damage import needed, readable
from ..metadata import Metadata
from .choice import OBSERVED, Found, chosen, mask_of
from .hdf5 import packing
from .hdf5_dataset import described, loaded, opened
from .hdf5_file import new_hdf5
from .matlab_variable import KIND

USER_BLOCK = 512
SIGNATURE = b"\x89HDF\r\n\x1a\n"
VERSION = "7.3"
_TEXT = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Thu Jan  1 00:00:00 1970 HDF5 schema 1.00 ."
_CLASSES = {
    "b1": "logical", "f8": "double", "f4": "single", "i1": "int8", "u1": "uint8", "i2": "int16", "u2": "uint16",
    "i4": "int32", "u4": "uint32", "i8": "int64", "u8": "uint64",
}  # fmt: skip
_MOST_NAMES = 10_000


def read(path: Path, variable: str | None) -> Contents:
    """The variable that is asked for, as MATLAB shows it, and `observed`, if it is there."""
    h5py = needed("h5py", "hyperspectral", path)
    with readable(path, KIND), h5py.File(path, "r") as file:
        names = [name for name, _ in zip(file, range(_MOST_NAMES), strict=False) if not name.startswith("#")]
        there = {name: each[1] for name in names if (each := _hard(file, h5py, path, name))}
        found = {name: _found(array, h5py) for name, array in there.items()}
        name = chosen(path, found, variable, "variable")
        data = _values(there[name], h5py, path, name)
        mask, notes = mask_of(path, name, found)
        observed = None if mask is None else _values(there[mask], h5py, path, mask)
    metadata = Metadata(variable=name, header={"version": VERSION}, header_of="mat")
    return Contents(data, observed, notes, metadata)


def write(path: Path, name: str, contents: Contents) -> None:
    """A file that MATLAB takes for its own."""
    with new_hdf5(path, userblock_size=USER_BLOCK) as file:
        _put(file, name, contents.data)
        if contents.observed is not None:
            _put(file, OBSERVED, contents.observed)
    with path.open("r+b") as raw:
        raw.write(_TEXT.ljust(116) + bytes(8) + b"\x00\x02IM")


def _hard(file: Any, h5py: Any, path: Path, name: str) -> tuple[str, Any] | None:
    try:
        return opened(file, h5py, path, name)
    except UnreadableFile:  # a link to another file, which MATLAB does not make
        return None


def _class(array: Any) -> str:
    told = array.attrs.get("MATLAB_class", b"")
    return told.decode("latin-1") if isinstance(told, bytes) else str(told)


def _found(array: Any, h5py: Any) -> Found:
    if not isinstance(array, h5py.Dataset) or _class(array) not in ("", *_CLASSES.values()):
        return Found((), None)
    found = described(array)
    dtype = np.dtype(bool) if _class(array) == "logical" else found.dtype
    if "MATLAB_empty" in array.attrs and found.shape and found.shape[0] < 33:
        return Found(tuple(int(size) for size in array[()]), np.dtype(dtype))
    return Found(found.shape[::-1], dtype)


def _values(array: Any, h5py: Any, path: Path, name: str) -> NDArray[Any]:
    found = _found(array, h5py)
    if not found.numeric:
        what = "a structure" if isinstance(array, h5py.Group) else _class(array) or "records"
        raise InvalidInput(
            f"'{name}' in {path} must hold real numbers (integers or floating point). Got {what} instead."
        )
    if "MATLAB_empty" in array.attrs:
        if np.prod(found.shape):
            raise UnreadableFile(f"'{name}' in {path} says that it is empty and has a size: it is damaged.")
        return np.empty(found.shape, _dtype(_class(array)))
    data = loaded(array, h5py, path, name).T
    return data != 0 if _class(array) == "logical" else data


def _dtype(name: str) -> np.dtype[Any]:
    return next((np.dtype(code) for code, each in _CLASSES.items() if each == name), np.dtype("f8"))


def _put(file: Any, name: str, data: NDArray[Any]) -> None:
    stored = data.view(np.uint8) if data.dtype == np.bool_ else data
    if data.size:
        dataset = file.create_dataset(name, data=stored.T, **packing(stored))
    else:
        dataset = file.create_dataset(name, data=np.array(data.shape, dtype=np.uint64))
        dataset.attrs["MATLAB_empty"] = np.uint8(1)
    dataset.attrs["MATLAB_class"] = np.bytes_(_CLASSES[data.dtype.str[1:]])
    if data.dtype == np.bool_:
        dataset.attrs["MATLAB_int_decode"] = np.int32(1)
