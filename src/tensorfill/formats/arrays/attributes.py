"""Facts about an array as attributes of it, for formats that keep any attribute (HDF5, Zarr)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from ..metadata import Metadata

KEPT = ("band_names", "wavelengths", "wavelength_unit", "affine", "frame_rate")


def as_attributes(metadata: Metadata) -> dict[str, Any]:
    """What is known, under the names of the fields, as numbers and text."""
    told: dict[str, Any] = {}
    if metadata.band_names:
        told["band_names"] = list(metadata.band_names)
    if metadata.wavelengths:
        told["wavelengths"] = list(metadata.wavelengths)
    if metadata.wavelength_unit:
        told["wavelength_unit"] = metadata.wavelength_unit
    if metadata.affine is not None:
        told["affine"] = metadata.affine.tolist()
    if metadata.frame_rate is not None:
        told["frame_rate"] = str(metadata.frame_rate)
    return told


def from_attributes(attributes: Mapping[str, Any], shape: tuple[int, ...]) -> dict[str, Any]:
    """The fields that attributes of these names stand for; what does not fit the array is left out."""
    bands = shape[-1] if shape else 0
    fields: dict[str, Any] = {}
    names = attributes.get("band_names")
    if isinstance(names, list | tuple) and len(names) == bands and all(isinstance(name, str) for name in names):
        fields["band_names"] = tuple(names)
    with suppress(TypeError, ValueError, OverflowError):
        wavelengths = np.asarray(attributes.get("wavelengths", []), dtype=np.float64)
        if wavelengths.shape == (bands,) and bands:
            fields["wavelengths"] = tuple(wavelengths.tolist())
    if isinstance(unit := attributes.get("wavelength_unit"), str):
        fields["wavelength_unit"] = unit
    with suppress(TypeError, ValueError, OverflowError):
        affine = np.asarray(attributes.get("affine", []), dtype=np.float64)
        if affine.shape == (4, 4):
            fields["affine"] = affine
    with suppress(TypeError, ValueError, ZeroDivisionError):
        if isinstance(rate := attributes.get("frame_rate"), str):
            fields["frame_rate"] = Fraction(rate)
    return fields
