"""What files with several arrays have in common: which one is meant, its mask, attributes, chunks and names."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..contents import Metadata
from ..damage import check_room

DATA = "data"
OBSERVED = "observed"
_MOST_NAMES = 30
KEPT = ("band_names", "wavelengths", "wavelength_unit", "affine", "frame_rate")
"""Fields of the metadata that are written as attributes of the same names."""
_MOST_CHUNKS = 2**21


@dataclass(frozen=True)
class Found:
    """What a file says about one of its arrays; `dtype` is None if it does not hold plain numbers."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any] | None

    @property
    def numeric(self) -> bool:
        """Whether these are real numbers."""
        return self.dtype is not None and self.dtype.kind in "biuf"

    @property
    def modes(self) -> int:
        """How many modes are longer than 1: to MATLAB, a number is an array of 1 × 1."""
        return sum(size > 1 for size in self.shape)


def choose(path: Path, found: Mapping[str, Found], asked: str | None, noun: str = "array") -> str:
    """The name that is asked for; or `data`; or that of the only array with two modes; or of the only array."""
    if asked is not None:
        if asked not in found:
            raise UnreadableFile(f"{path} has no {noun} '{asked}'. The {noun}s in it are: {list_names(found)}.")
        return asked
    if DATA in found and found[DATA].numeric:
        return DATA
    numeric = {name: array for name, array in found.items() if array.numeric and not _is_mask(name, found)}
    for fits in (numeric, [name for name, array in numeric.items() if array.modes > 1]):
        if len(fits) == 1:
            return next(iter(fits))
    raise UnreadableFile(
        f"{path} should hold one {noun} of numbers, or one called '{DATA}', unless FILE::NAME says which is meant. "
        f"The {noun}s in it are: {list_names(found)}."
    )


def list_names(found: Mapping[str, Found]) -> str:
    """The names, for a sentence."""
    names = [f"'{name}'" for name in found]
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES] + [f"and {more} more"] * (more > 0)) or "none"


def load_with_mask(
    path: Path, name: str, found: Mapping[str, Found], load: Callable[[str], NDArray[Any]]
) -> tuple[NDArray[Any], NDArray[np.bool_] | None, tuple[str, ...]]:
    """The array, its mask, and a sentence if something is called like its mask and is none.

    The mask is NAME_observed, or `observed` in the same group: a boolean array of the same shape, True where known.
    """
    data = load(name)
    group, slash, _ = name.rpartition("/")
    mask = next((each for each in (f"{name}_{OBSERVED}", f"{group}{slash}{OBSERVED}") if each in found), name)
    if mask == name:
        return data, None, ()
    if found[mask].dtype == np.bool_ and found[mask].shape == found[name].shape:
        return data, load(mask), ()
    note = f"'{mask}' in {path} is not a boolean array of the shape of '{name}', so it is not taken for its mask."
    return data, None, (note,)


def _is_mask(name: str, found: Mapping[str, Found]) -> bool:
    last = name.rpartition("/")[2]
    return last == OBSERVED or name.removesuffix(f"_{OBSERVED}") in found.keys() - {name}


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


def list_members(archive: zipfile.ZipFile, path: Path) -> list[zipfile.ZipInfo]:
    """All members, none of which is called by a place elsewhere: such a name could get into what is written."""
    found = archive.infolist()
    for member in found:
        if _leads_out(member.filename):
            raise UnreadableFile(f"{path} has a member '{member.filename}', a name that leads out of it; pack it anew.")
    return found


def _leads_out(name: str) -> bool:
    r"""Whether unpacking a file of this name would put it elsewhere, on any system.

    >>> [_leads_out(name) for name in ("c/0/1", "w:0", "../x", "/etc/x", "a/../../x", r"..\x", r"C:\x")]
    [False, False, True, True, True, True, True]
    """
    place = PureWindowsPath(name)  # which knows both kinds of slashes
    return bool(place.root) or ".." in place.parts
