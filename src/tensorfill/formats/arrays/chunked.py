"""What HDF5 and Zarr have in common: arrays in chunks, under a path inside of the file, with attributes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..contents import Metadata
from ..limits import check_room
from .choice import DATA

KEPT = ("band_names", "wavelengths", "wavelength_unit", "affine", "frame_rate")
"""Fields of the metadata that are written as attributes of the same names."""
_MOST_CHUNKS = 2**21


def to_attributes(metadata: Metadata) -> dict[str, Any]:
    """What is known, as numbers and text."""
    affine, rate = metadata.affine, metadata.frame_rate
    values = (
        list(metadata.band_names),
        list(metadata.wavelengths),
        metadata.wavelength_unit,
        None if affine is None else affine.tolist(),
        None if rate is None else str(rate),
    )
    return {name: value for name, value in zip(KEPT, values, strict=True) if value}


def from_attributes(attributes: Mapping[str, Any], shape: tuple[int, ...]) -> dict[str, Any]:
    """The fields that attributes of these names stand for; what does not fit the array is left out."""
    bands = shape[-1] if shape else 0
    fields: dict[str, Any] = {}
    names, unit, rate = (attributes.get(name) for name in ("band_names", "wavelength_unit", "frame_rate"))
    if isinstance(names, list | tuple) and len(names) == bands and all(isinstance(name, str) for name in names):
        fields["band_names"] = tuple(names)
    if bands and (wavelengths := _numbers(attributes.get("wavelengths"))).shape == (bands,):
        fields["wavelengths"] = tuple(wavelengths.tolist())
    if isinstance(unit, str):
        fields["wavelength_unit"] = unit
    if (affine := _numbers(attributes.get("affine"))).shape == (4, 4):
        fields["affine"] = affine
    with suppress(ValueError, ZeroDivisionError):
        if isinstance(rate, str):
            fields["frame_rate"] = Fraction(rate)
    return fields


def dataset_name(variable: str | None) -> str:
    """A path inside the file: that of the file it came from, or `data`."""
    parts = (variable or "").replace("\0", "").split("/")
    return "/".join(part for part in parts if part not in ("", ".", "..")) or DATA


def check_chunks(path: Path, called: str, shape: tuple[int, ...], chunk: tuple[int, ...], itemsize: int) -> int:
    """How many chunks there are; refuses chunks that are too large for memory, or too many to be read in time."""
    check_room(path, chunk, itemsize)
    count = prod(-(-size // max(part, 1)) for size, part in zip(shape, chunk, strict=True))
    if count > _MOST_CHUNKS:
        raise UnreadableFile(
            f"{called} is cut into {count:,} pieces of {' × '.join(map(str, chunk))}, too many to read; store it in "
            "larger pieces."
        )
    return count


def _numbers(value: Any) -> NDArray[np.float64]:
    """What an attribute holds; of shape (0,) if it is no array of numbers."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)
