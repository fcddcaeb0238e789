"""Reads one array of a Zarr store with its mask and its attributes; runs in a process of its own."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from .. import limits
from ..contents import Contents
from ..damage import needed, readable
from ..metadata import Metadata
from ..room import check_room
from .attributes import from_attributes
from .choice import Found, chosen, mask_of
from .zarr_description import check_codecs, found
from .zarr_store import KIND, Description, descriptions, opened, stored

_MOST_CHUNKS = 2**20


def read(path: Path, dataset: str | None) -> Contents:
    """The array at the root, or the one that is asked for, or the only one of two modes or more."""
    zarr = needed("zarr", "volumes", path)
    with readable(path, KIND):
        said = descriptions(path)
        there = {name: found(each) for name, each in said.items()}
        name = _chosen(path, there, dataset)
        data, attributes, dimensions, notes = _loaded(zarr, path, name, said[name], there[name])
        mask, about = (None, ()) if not name else mask_of(path, name, there)
        observed = None if mask is None else _loaded(zarr, path, mask, said[mask], there[mask])[0]
        fields = from_attributes(attributes, data.shape)
    header: dict[str, Any] = {
        "attributes": {key: value for key, value in attributes.items() if key not in fields},
    }
    if dimensions is not None:
        header["dimension_names"] = dimensions
    metadata = Metadata(variable=name or None, header=header, header_of="zarr", **fields)
    return Contents(data, observed, notes + about, metadata)


def _chosen(path: Path, there: dict[str, Found], asked: str | None) -> str:
    if asked is None and "" in there:
        return ""
    return chosen(path, there, asked.strip("/") if asked else None)


def _loaded(
    zarr: Any, path: Path, name: str, said: Description, array: Found
) -> tuple[NDArray[Any], dict[str, Any], tuple[str | None, ...] | None, tuple[str, ...]]:
    """Values, attributes, names of modes, and a sentence if some values are not stored."""
    called = f"'{name}' in {path}" if name else str(path)
    if array.dtype is None:
        raise InvalidInput(f"{called} must hold real numbers (integers or floating point).")
    check_codecs(said, path)
    there, taken = stored(path, name)
    check_room(path, array.shape, array.dtype.itemsize, taken)
    opening = zarr.open_array(opened(zarr, path), path=name, mode="r", zarr_format=said["zarr_format"])
    pieces = opening.shards or opening.chunks
    check_room(path, pieces, array.dtype.itemsize)
    if (count := _pieces(array.shape, opening.chunks)) > _MOST_CHUNKS:
        raise UnreadableFile(f"{called} is cut into {count:,} pieces, too many to read; store it in larger pieces.")
    if opening.shape != array.shape or opening.dtype.newbyteorder("=") != array.dtype:
        raise UnreadableFile(f"{called} describes itself in two ways: it is damaged.")
    limits.allow((prod(array.shape) + 2 * prod(pieces)) * array.dtype.itemsize)
    notes: tuple[str, ...] = ()
    if there < (count := _pieces(array.shape, pieces)):
        notes = (f"{called} stores {there} of its {count} pieces; in the others all is {opening.fill_value}.",)
    data = np.asarray(opening[...]).reshape(array.shape)
    dimensions = getattr(opening.metadata, "dimension_names", None)
    attributes = opening.attrs.asdict()
    return data.astype(array.dtype, copy=False), attributes, None if dimensions is None else tuple(dimensions), notes


def _pieces(shape: tuple[int, ...], piece: tuple[int, ...]) -> int:
    return prod(-(-size // max(part, 1)) for size, part in zip(shape, piece, strict=True))
