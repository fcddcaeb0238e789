"""HDF5: arrays with names, groups and attributes; `scan.h5::group/images` is one of them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ...tensor import entries
from .. import damage
from ..contents import Contents, Metadata, Reading, check_numbers
from ..damage import Extra, check_room, readable, require
from ..file_array import PIECE, cut, take
from ..format import Format
from ..scratch import Scratch
from .named_arrays import (
    KEPT,
    OBSERVED,
    Found,
    check_chunks,
    choose,
    dataset_name,
    from_attributes,
    list_names,
    load_with_mask,
    to_attributes,
)

H5PY = Extra("h5py", "hyperspectral")
_MOST_OBJECTS = 10_000
_MOST_LINKS = 20
_OF_OTHERS = ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates")
"""Attributes that belong to the old file, such as references to other arrays in it."""
_MISSING = ("_FillValue", "missing_value")


class Hdf5(Format):
    """.h5 files."""

    name: ClassVar[str] = "hdf5"
    extensions: ClassVar[tuple[str, ...]] = (".h5", ".hdf5", ".he5")
    holds_mask: ClassVar[bool] = True
    extra: ClassVar[Extra | None] = H5PY
    kind: ClassVar[str] = "an HDF5 file"
    keeps: ClassVar[tuple[str, ...] | None] = KEPT
    guarded: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """One dataset, its mask if one lies beside it, and its attributes."""
        h5py = require(*H5PY, path)
        with readable(path, self.kind), h5py.File(path, "r") as file:
            found = _list_datasets(file, h5py)
            name, dataset = _find(file, h5py, path, found, how.dataset)
            found |= {name: describe(dataset)}
            data, observed, notes = load_with_mask(
                path, name, found, lambda each: load_dataset(file[each], h5py, path, each, how.scratch)
            )
            attributes = _read_attributes(dataset, h5py)
        for key in _MISSING:
            if key in attributes:
                marks = np.ravel(attributes[key])[:1].tolist()
                notes += (
                    f"'{name}' in {path} has the attribute {key}; if it marks missing values, say so: "
                    f"missing={marks[0] if marks else 0}.",
                )
        fields = from_attributes(attributes, data.shape)
        header = {key: value for key, value in attributes.items() if key not in fields}
        metadata = Metadata(variable=name, header=header, header_of=self.name, **fields)
        return Contents(data, observed, notes, metadata)

    def write(self, path: Path, contents: Contents) -> None:
        """The array under its own name, packed without loss, and the mask as NAME_observed."""
        name = dataset_name(contents.metadata.variable)
        header = contents.metadata.header if contents.metadata.header_of == self.name else {}
        h5py = require(*H5PY, path)
        with create_hdf5(path) as file:
            dataset = file.store(name, contents.data)
            if contents.observed is not None:
                file.store(f"{name}_{OBSERVED}", contents.observed)
            for key, value in {**header, **to_attributes(contents.metadata)}.items():
                _write_attribute(dataset, h5py, key, value)

    def page_mode(self, contents: Contents) -> int | None:
        """The first."""
        return 0 if contents.ndim else None


@contextmanager
def create_hdf5(path: Path, **how: Any) -> Iterator[NewHdf5]:
    """A new file, of which libhdf5 does not learn when a write fails, such as on a full disk: it would crash."""
    h5py = require(*H5PY, path)
    with path.open("x+b", buffering=0) as raw:
        target = _Patient(raw)
        with h5py.File(target, "w", **how) as file:
            yield NewHdf5(file, target)
        target.check()


@dataclass(frozen=True)
class NewHdf5:
    """A file that is being written."""

    file: Any
    target: _Patient

    def store(self, name: str, data: Any, dtype: Any = None) -> Any:
        """A new dataset, packed without loss, written piece by piece; what has no entries, or one, has no chunks."""
        stored = np.dtype(data.dtype if dtype is None else dtype)
        how = {"compression": "gzip", "shuffle": True} if data.ndim and entries(data.shape) else {}
        dataset = self.file.create_dataset(name, shape=data.shape, dtype=stored, **how)
        for region in cut(data.shape, stored.itemsize, blocks=dataset.chunks):
            dataset[region] = take(data, region).astype(stored, copy=False)
            self.target.check()
        return dataset


class _Patient(io.RawIOBase):
    """A file that takes everything: from the first write that fails on, what is written stays in memory.

    `check` raises that failure; whoever writes much asks from time to time, so that little is kept.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self._raw, self._place, self._size = raw, 0, 0
        self._kept: list[tuple[int, bytes]] = []
        self._failure: OSError | None = None

    def check(self) -> None:
        """Raise what went wrong, if anything did."""
        if self._failure is not None:
            raise self._failure

    def write(self, data: Any) -> int:
        there = memoryview(data).cast("B")
        done = 0
        try:
            while self._failure is None and done < len(there):
                self._raw.seek(self._place + done)
                done += self._raw.write(there[done:])
        except OSError as error:
            self._failure = error
        if done < len(there):
            self._kept.append((self._place + done, bytes(there[done:])))
        self._place += len(there)
        self._size = max(self._size, self._place)
        return len(there)

    def readinto(self, buffer: Any) -> int:
        there = memoryview(buffer).cast("B")
        self._raw.seek(self._place)
        count = max(0, min(len(there), self._size - self._place))
        piece = bytearray(self._raw.read(count).ljust(count, b"\0"))
        for start, kept in self._kept:
            low, high = max(start, self._place), min(start + len(kept), self._place + count)
            if low < high:
                piece[low - self._place : high - self._place] = kept[low - start : high - start]
        there[:count] = piece
        self._place += count
        return count

    def seek(self, offset: int, whence: int = 0) -> int:
        self._place = offset + {0: 0, 1: self._place, 2: self._size}[whence]
        return self._place

    def tell(self) -> int:
        return self._place

    def truncate(self, size: int | None = None) -> int:
        self._size = self._place if size is None else size
        try:
            self._raw.truncate(self._size)
        except OSError as error:
            self._failure = self._failure or error
        return self._size


def describe(dataset: Any) -> Found:
    """Shape and dtype; without a dtype if it is one that NumPy does not have."""
    try:
        return Found(dataset.shape or (), None if dataset.shape is None else dataset.dtype)
    except TypeError:
        return Found((), None)


def load_dataset(
    dataset: Any, h5py: Any, path: Path, name: str, scratch: Scratch | None = None, *, logical: bool = False
) -> NDArray[Any]:
    """All values, in this machine's byte order; `logical`: whether they are not 0."""
    called, array = f"'{name}' in {path}", describe(dataset)
    if array.dtype is None:
        raise InvalidInput(f"{called} must hold real numbers (integers or floating point).")
    check_numbers(np.empty(0, array.dtype), called)
    if dataset.is_virtual or dataset.external:
        raise UnreadableFile(
            f"The values of {called} lie in other files or datasets, which are not followed; "
            "store them in one dataset first."
        )
    _check_filters(dataset, h5py, called)
    itemsize = array.dtype.itemsize
    check_room(path, array.shape, itemsize, path.stat().st_size, scratch=scratch)
    chunk = dataset.chunks or ()
    if chunk:
        check_chunks(path, called, array.shape, chunk, itemsize)
    if scratch is None or not scratch.takes(prod(array.shape) * itemsize):
        damage.allow((prod(array.shape) + prod(chunk)) * itemsize)
        data = np.asarray(dataset[()])
        return data != 0 if logical else data.astype(data.dtype.newbyteorder("="), copy=False)
    out = scratch.allocate(array.shape, bool if logical else array.dtype.newbyteorder("="))
    for region in cut(array.shape, itemsize, blocks=chunk or None):
        damage.allow(2 * (PIECE + prod(chunk) * itemsize))
        values = dataset[region]
        out[region] = values != 0 if logical else values
    return cast(NDArray[Any], out)


def _check_filters(dataset: Any, h5py: Any, called: str) -> None:
    how = dataset.id.get_create_plist()
    for index in range(how.get_nfilters()):
        code, _, _, name = how.get_filter(index)
        if not h5py.h5z.filter_avail(code):
            known = name.decode(errors="replace") or "unnamed"
            raise UnreadableFile(
                f"{called} is packed by a filter that is not installed ({known}, number {code}); "
                "store it with gzip, or without a filter."
            )


def _list_datasets(file: Any, h5py: Any) -> dict[str, Found]:
    """Every dataset by its path; links are not followed, so this ends."""
    found: dict[str, Found] = {}
    seen = iter(range(_MOST_OBJECTS))

    def look(name: str, item: Any) -> bool | None:
        if isinstance(item, h5py.Dataset):
            found[name] = describe(item)
        return None if next(seen, None) is not None else True  # True ends the visit

    file.visititems(look)
    return found


def _find(file: Any, h5py: Any, path: Path, found: dict[str, Found], asked: str | None) -> tuple[str, Any]:
    """The path of the dataset that is asked for, or of the one to choose, and the dataset."""
    if asked is None:
        asked = choose(path, found, None)
    name = _follow_links(file, h5py, path, asked)
    if name is None:
        raise UnreadableFile(f"{path} has no array '{asked}'. The arrays in it are: {list_names(found)}.")
    if not isinstance(file[name], h5py.Dataset):
        raise InvalidInput(f"'{asked}' in {path} is a group, not an array. The arrays are: {list_names(found)}.")
    return name, file[name]


def _follow_links(file: Any, h5py: Any, path: Path, asked: str) -> str | None:
    """Where an object really is, behind links inside the file; None if there is none. Other files are not opened."""
    walked: list[str] = []
    left = asked.split("/")[::-1]
    links = 0
    while left:
        name = left.pop()
        if name in ("", "."):
            continue
        key = "/".join([*walked, name]).encode(errors="surrogateescape")
        if not file.id.links.exists(key):
            return None
        link = file.id.links.get_info(key).type
        if link == h5py.h5l.TYPE_HARD:
            walked.append(name)
        elif link == h5py.h5l.TYPE_SOFT and links < _MOST_LINKS:
            links += 1
            target = file.id.links.get_val(key).decode(errors="surrogateescape")
            walked = [] if target.startswith("/") else walked
            left.extend(target.split("/")[::-1])
        else:
            raise UnreadableFile(
                f"'{asked}' in {path} is a link to another file, which is not followed; open that file instead."
            )
    return "/".join(walked) or "/"


def _read_attributes(dataset: Any, h5py: Any) -> dict[str, Any]:
    """Those that are numbers or text."""
    plain: dict[str, Any] = {}
    for name in dataset.attrs:
        dtype = dataset.attrs.get_id(name).dtype
        text = h5py.check_string_dtype(dtype)
        if name in _OF_OTHERS or (dtype.kind not in "biufS" and text is None):
            continue
        value = dataset.attrs[name]
        if isinstance(value, h5py.Empty):
            continue
        if text is not None and text.length is None and not isinstance(value, str):
            value = tuple(each if isinstance(each, str) else each.decode(errors="replace") for each in value.ravel())
        plain[name] = value
    return plain


def _write_attribute(dataset: Any, h5py: Any, key: str, value: Any) -> None:
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        dataset.attrs.create(key, np.array(value, dtype=object), dtype=h5py.string_dtype())
    elif isinstance(value, bytes):
        dataset.attrs[key] = np.array(value, dtype=f"S{max(1, len(value))}")
    else:
        dataset.attrs[key] = value
