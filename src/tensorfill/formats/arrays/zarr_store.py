"""Zarr: arrays cut into pieces, each in a file of its own, in a folder or a zip file.

What the library could not be kept from is looked at before it opens a store: codecs that run programs, links that lead
out of the store, and pipes, which never end.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ...tensor import entries
from .. import damage
from ..contents import Contents, Metadata, Reading
from ..damage import Extra, check_room, damaged, readable, require
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
    list_members,
    load_with_mask,
    to_attributes,
)

_ZARR = Extra("zarr", "volumes")
_DESCRIPTIONS = ("zarr.json", ".zarray")
_AT_ONCE = 3  # times as much memory as is read: packed, unpacked and put together
_NO_PIECES = (*_DESCRIPTIONS, ".zattrs", ".zgroup", ".zmetadata")
_CODECS = {
    "bytes", "transpose", "sharding_indexed", "crc32c", "endian",
    "blosc", "gzip", "zlib", "zstd", "lz4", "bz2", "lzma", "shuffle", "delta", "packbits", "bitround", "quantize",
    "fixedscaleoffset", "astype", "crc32", "adler32", "fletcher32", "jenkins_lookup3",
}  # fmt: skip

Description = dict[str, Any]


class Zarr(Format):
    """.zarr folders."""

    name: ClassVar[str] = "zarr"
    extensions: ClassVar[tuple[str, ...]] = (".zarr",)
    holds_mask: ClassVar[bool] = True
    extra: ClassVar[Extra | None] = _ZARR
    folder: ClassVar[bool] = True
    kind: ClassVar[str] = "a Zarr store"
    keeps: ClassVar[tuple[str, ...] | None] = KEPT
    guarded: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """The array at the root, or the one to choose; its mask if one lies beside it, and its attributes."""
        zarr = require(*_ZARR, path)
        with readable(path, self.kind):
            descriptions = _read_descriptions(path)
            found = {name: _describe(each) for name, each in descriptions.items()}
            asked = how.dataset.strip("/") if how.dataset else None
            name = "" if asked is None and "" in found else choose(path, found, asked)
            arrays: dict[str, Any] = {}
            gaps: list[str] = []

            def load(each: str) -> NDArray[Any]:
                called = f"'{each}' in {path}" if each else str(path)
                if found[each].dtype is None:
                    raise InvalidInput(f"{called} must hold real numbers (integers or floating point).")
                _check_codecs(descriptions[each], path)
                version = descriptions[each]["zarr_format"]
                arrays[each] = zarr.open_array(_open_store(zarr, path), path=each, mode="r", zarr_format=version)
                return _load(arrays[each], path, each, called, gaps, how.scratch)

            data, observed, notes = load_with_mask(path, name, found, load)
            attributes = arrays[name].attrs.asdict()
            dimensions = getattr(arrays[name].metadata, "dimension_names", None)
        fields = from_attributes(attributes, data.shape)
        header: dict[str, Any] = {"attributes": {key: attributes[key] for key in attributes if key not in fields}}
        if dimensions is not None:
            header["dimension_names"] = tuple(dimensions)
        metadata = Metadata(variable=name or None, header=header, header_of=Zarr.name, **fields)
        return Contents(data, observed, (*gaps, *notes), metadata)

    def write(self, path: Path, contents: Contents) -> None:
        """As Zarr 3, packed without loss; in a group if it has a name or a mask, else at the root."""
        pieces = _make_pieces(require(*_ZARR, path), contents)
        path.mkdir()
        for name, piece in pieces:
            place = path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(piece)

    def page_mode(self, contents: Contents) -> int | None:
        """The first."""
        return 0 if contents.ndim else None

    def refuses(self, contents: Contents) -> str | None:
        """Types that Zarr does not have."""
        if contents.dtype.itemsize > 8:
            return f"Zarr has no numbers of type {contents.dtype}: convert them to float64, or write .npy."
        return None


class ZarrZip(Zarr):
    """.zarr.zip files."""

    name: ClassVar[str] = "zarr-zip"
    extensions: ClassVar[tuple[str, ...]] = (".zarr.zip",)
    folder: ClassVar[bool] = False

    def write(self, path: Path, contents: Contents) -> None:
        """The same files in a zip file."""
        pieces = _make_pieces(require(*_ZARR, path), contents)
        with zipfile.ZipFile(path, "x") as archive:
            for name, piece in pieces:
                archive.writestr(name, piece)


def _read_descriptions(path: Path) -> dict[str, Description]:
    """What is said about every array, by its path inside the store; that of an array at the root is empty."""
    found: dict[str, Description] = {}
    if path.is_file():
        with zipfile.ZipFile(path) as archive:
            for member in list_members(archive, path):
                inside, _, last = member.filename.rpartition("/")
                if last in _DESCRIPTIONS and _is_array(description := _parse(last, archive.read(member))):
                    found[inside] = description
        return dict(sorted(found.items()))
    root = path.resolve()
    for folder, folders, files in os.walk(root):
        for place in (Path(folder, name) for name in _DESCRIPTIONS if name in files):
            _check_inside(place, root)
            if place.is_file() and _is_array(description := _parse(place.name, place.read_bytes())):
                found["/".join(place.parent.relative_to(root).parts)] = description
                folders.clear()  # its pieces, possibly very many
    return dict(sorted(found.items()))


def _parse(file_name: str, text: bytes) -> Description:
    """A description with the version that its file is read by: it must be the one whose codecs are checked."""
    return {**json.loads(text), "zarr_format": 3 if file_name == "zarr.json" else 2}


def _is_array(description: Description) -> bool:
    """Rather than a group, whose description may go on with those of all its arrays; version 2 has files for each."""
    return bool(description.get("node_type", "array") == "array")


def _describe(description: Description) -> Found:
    """Shape and dtype; without a dtype if it is one that NumPy does not have, or no numbers."""
    shape = tuple(int(size) for size in description["shape"])
    name = description.get("data_type") or description["dtype"]
    try:
        dtype = np.dtype(name if isinstance(name, str) else object)
    except TypeError:
        return Found(shape, None)
    return Found(shape, dtype.newbyteorder("=") if dtype.kind in "biuf" else None)


def _check_codecs(description: Description, path: Path) -> None:
    """Refuse what is not known to unpack numbers alone: the codec `pickle` could run any program."""
    steps = [*(description.get("filters") or ()), *filter(None, [description.get("compressor")])]
    for key in ("codecs", "index_codecs", "storage_transformers"):
        steps += description.get(key) or ()
    for step in steps:
        name, inner = (step, {}) if isinstance(step, str) else (step.get("name", step.get("id")), step)
        if str(name).removeprefix("numcodecs.") not in _CODECS:
            raise UnreadableFile(
                f"{path} is packed by the codec '{name}', which is not used here; store it with zstd, gzip or blosc."
            )
        _check_codecs(inner.get("configuration") or {}, path)


def _open_store(zarr: Any, path: Path) -> Any:
    if path.is_file():
        return zarr.storage.ZipStore(path, mode="r", read_only=True)
    return zarr.storage.LocalStore(path, read_only=True)


def _load(array: Any, path: Path, name: str, called: str, gaps: list[str], scratch: Scratch | None) -> NDArray[Any]:
    """All values; a sentence is added to `gaps` if some are not stored."""
    shape, dtype = array.shape, array.dtype.newbyteorder("=")
    sizes = _list_pieces(path, name)
    check_room(path, shape, dtype.itemsize, sum(sizes), scratch=scratch)
    check_chunks(path, called, shape, array.chunks, dtype.itemsize)
    piece = array.shards or array.chunks
    count = check_chunks(path, called, shape, piece, dtype.itemsize)
    if len(sizes) < count:
        gaps.append(f"{called} stores {len(sizes)} of its {count} pieces; in the others all is {array.fill_value}.")
    if scratch is None or not scratch.takes(prod(shape) * dtype.itemsize):
        damage.allow((prod(shape) + 2 * prod(piece)) * dtype.itemsize)
        return np.asarray(array[...]).reshape(shape).astype(dtype, copy=False)
    out = scratch.allocate(shape, dtype)
    for region in cut(shape, dtype.itemsize, blocks=piece):
        damage.allow(_AT_ONCE * (PIECE + prod(piece) * dtype.itemsize))
        out[region] = array[region]
    return cast(NDArray[Any], out)


def _list_pieces(path: Path, array: str) -> list[int]:
    """The sizes of its pieces in bytes; refuses links out of the store, pipes and devices."""
    if path.is_file():
        start = f"{array}/" if array else ""
        with zipfile.ZipFile(path) as archive:
            files = [(each.filename, each.file_size) for each in archive.infolist() if not each.is_dir()]
        files = [(name, size) for name, size in files if name.startswith(start)]
    else:
        files = list(_walk(path.resolve() / array, path.resolve()))
    sizes = [size for name, size in files if name.rpartition("/")[2] not in _NO_PIECES]
    if 0 in sizes:  # the library takes an empty shard for one that is all fill value
        raise damaged(path, Zarr.kind)
    return sizes


def _walk(folder: Path, root: Path) -> Iterator[tuple[str, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(Path(entry.path), root)
                continue
            if entry.is_symlink():
                _check_inside(Path(entry.path), root)
            if not entry.is_file():
                raise UnreadableFile(f"{entry.path} in the Zarr store {root} is not an ordinary file.")
            yield entry.name, entry.stat().st_size


def _check_inside(place: Path, root: Path) -> None:
    if not place.resolve().is_relative_to(root):
        raise UnreadableFile(f"{place} is a link that leads out of its Zarr store, which is not followed.")


def _make_pieces(zarr: Any, contents: Contents) -> Iterator[tuple[str, bytes]]:
    """All files of a store, with their names. Not by zarr: its threads would go on when one cannot be written."""
    metadata = contents.metadata
    header = metadata.header if metadata.header_of == Zarr.name else {}
    name = dataset_name(metadata.variable) if metadata.variable or contents.observed is not None else None
    dimensions = header.get("dimension_names") or ()
    about = {
        "attributes": {**header.get("attributes", {}), **to_attributes(metadata)},
        "dimension_names": dimensions if len(dimensions) == contents.ndim else None,
    }
    made: dict[str, Any] = {}
    store = zarr.storage.MemoryStore(made)
    arrays = [(_create(zarr, store, name, contents.data, **about), contents.data)]
    if contents.observed is not None:
        arrays.append((_create(zarr, store, f"{name}_{OBSERVED}", contents.observed), contents.observed))
    yield from _take_out(made)
    for array, data in arrays:
        for region in cut(data.shape, data.dtype.itemsize, blocks=array.chunks):
            array[region] = take(data, region)
            yield from _take_out(made)


def _take_out(made: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    for key in sorted(made):
        yield key, made.pop(key).to_bytes()


def _create(zarr: Any, store: Any, name: str | None, data: NDArray[Any], **about: Any) -> Any:
    return zarr.create_array(
        store,
        name=name,
        shape=data.shape,
        dtype=data.dtype.newbyteorder("="),
        chunks="auto" if entries(data.shape) else tuple(max(1, size) for size in data.shape),
        config={"write_empty_chunks": True},  # so that a piece of zeros and one that is missing can be told apart
        zarr_format=3,
        **about,
    )
