"""Metadata: what a file tells about its array, kept so that an output can tell it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Kind = Literal["picture", "video", "cube", "volume", "table", "array"]


class Density(NamedTuple):
    """How many pixels there are to a unit of length, each a numerator and a denominator, as files have them."""

    across: tuple[int, int]
    down: tuple[int, int]
    unit: Literal["inch", "centimetre", "metre", ""]
    """Without a unit, only the ratio says something: how wide pixels are."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Metadata:
    """Facts about an array that are not in its values; what a file does not tell is left at its default."""

    kind: Kind = "array"
    """Pictures are (row, column[, channel]), videos (row, column, frame[, channel]), cubes (row, column, band)."""
    alpha: NDArray[Any] | None = None
    """How opaque a pixel is: the data's dtype and its shape without channels."""
    axes: str = ""
    """A letter per mode, where the pages of a file make up several modes and it says which: Y row, X column, T time,
    Z depth, C channel, S colour, Q anything else."""
    frame_rate: Fraction | None = None
    """Frames per second."""
    exif: bytes = b""
    """What a camera tells, as it stands in a .jpg, also which way up pixels are stored. Arrays are always upright."""
    icc: bytes = b""
    """The colour profile."""
    xmp: bytes = b""
    """What editors tell, as XML."""
    density: Density | None = None
    band_names: tuple[str, ...] = ()
    wavelengths: tuple[float, ...] = ()
    wavelength_unit: str = ""
    affine: NDArray[np.float64] | None = None
    """From voxel indices to millimetres, 4 × 4."""
    variable: str | None = None
    """What the array is called inside its file (.mat, .h5, .zarr)."""
    columns_apart: bool = False
    """Whether this is a matrix whose columns may be in units of their own, as those of a wide table."""
    header: Mapping[str, Any] = field(default_factory=dict)
    """Further fields, meant for the format named in `header_of` alone."""
    header_of: str = ""
