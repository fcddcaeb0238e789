"""Zarr: arrays cut into pieces, each in a file of its own, in a folder or a zip file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from ..contents import Contents
from ..damage import Extra, needed
from ..format import Format
from ..reading import Reading
from ..unkept import unkept
from . import zarr_reading
from .attributes import KEPT, as_attributes
from .choice import OBSERVED
from .hdf5 import dataset_name
from .zarr_description import NUMBERS
from .zarr_store import KIND


class Zarr(Format):
    """.zarr folders."""

    name: ClassVar[str] = "zarr"
    extensions: ClassVar[tuple[str, ...]] = (".zarr",)
    holds_mask: ClassVar[bool] = True
    extra: ClassVar[Extra | None] = Extra("zarr", "volumes")
    folder: ClassVar[bool] = True
    kind: ClassVar[str] = KIND
    guarded: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """One array, its mask if one lies beside it, and its attributes."""
        return zarr_reading.read(path, how.dataset)

    def write(self, path: Path, contents: Contents) -> None:
        """As Zarr 3, packed without loss; in a group if it has a name or a mask, else at the root."""
        zarr = needed("zarr", "volumes", path)
        # Not to files at once: when one cannot be written, zarr's threads go on, and make a deleted folder again.
        pieces: dict[str, Any] = {}
        _write(zarr, zarr.storage.MemoryStore(pieces), contents)
        path.mkdir()
        for name, piece in pieces.items():
            place = path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(piece.to_bytes())

    def refuses(self, contents: Contents) -> str | None:
        """Types that Zarr does not have."""
        if contents.dtype.name not in NUMBERS:
            return f"Zarr has no numbers of type {contents.dtype}: convert them to float64, or write .npy."
        return None

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """How opaque pixels are."""
        return unkept(contents, KIND, *KEPT)


class ZarrZip(Zarr):
    """.zarr.zip files."""

    name: ClassVar[str] = "zarr-zip"
    extensions: ClassVar[tuple[str, ...]] = (".zarr.zip",)
    folder: ClassVar[bool] = False

    def write(self, path: Path, contents: Contents) -> None:
        """The same files in a zip file."""
        zarr = needed("zarr", "volumes", path)
        store = zarr.storage.ZipStore(path, mode="x")
        try:
            _write(zarr, store, contents)
        finally:
            store.close()


def _write(zarr: Any, store: Any, contents: Contents) -> None:
    metadata = contents.metadata
    own = metadata.header if metadata.header_of == Zarr.name else {}
    name = dataset_name(metadata.variable) if metadata.variable or contents.observed is not None else None
    told = {**own.get("attributes", {}), **as_attributes(metadata)}
    dimensions = own.get("dimension_names")
    _put(
        zarr,
        store,
        name,
        contents.data,
        attributes=told,
        dimension_names=dimensions if dimensions is not None and len(dimensions) == contents.ndim else None,
    )
    if contents.observed is not None:
        _put(zarr, store, f"{name}_{OBSERVED}", contents.observed)


def _put(zarr: Any, store: Any, name: str | None, data: Any, **about: Any) -> None:
    # Pieces that are all 0 are stored too, so that one that is missing can be told.
    native = data.astype(data.dtype.newbyteorder("="), copy=False)
    array = zarr.create_array(
        store,
        name=name,
        shape=native.shape,
        dtype=native.dtype,
        chunks=tuple(max(1, size) for size in native.shape) if not native.size else "auto",
        config={"write_empty_chunks": True},
        zarr_format=3,
        **about,
    )
    array[...] = native
