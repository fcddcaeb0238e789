"""ENVI: a hyperspectral cube as raw numbers, described by a .hdr file beside it.

Read here rather than by a library: the format is a few lines of text and raw numbers, and the library `spectral` logs
to the terminal and loads every type as float32.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ...tensor import entries
from ..contents import Contents
from ..damage import readable
from ..format import Format
from ..metadata import Metadata
from ..reading import Reading
from ..room import check_room
from ..unkept import unkept
from . import envi_missing
from .envi_header import Fields, as_text, braces, parts, read_fields, whole_number

KIND = "an ENVI header with its data file"
_DTYPES = {1: "u1", 2: "i2", 3: "i4", 4: "f4", 5: "f8", 12: "u2", 13: "u4", 14: "i8", 15: "u8"}
_COMPLEX = (6, 9)
_AXES = {"bsq": (2, 0, 1), "bil": (0, 2, 1), "bip": (0, 1, 2)}
"""Which of row, column and band comes first in the file, second, and third."""
_DATA = (".img", ".dat", ".raw", ".bsq", ".bil", ".bip", ".bin", ".cube", "")
_LAYOUT = ("samples", "lines", "bands", "header offset", "data type", "interleave", "byte order")
_SIZES = ("samples", "lines", "bands", "header offset", "data type")


class Envi(Format):
    """.hdr files, each with a file of numbers beside it."""

    name: ClassVar[str] = "envi"
    extensions: ClassVar[tuple[str, ...]] = (".hdr",)

    def decode(self, path: Path, how: Reading) -> Contents:
        """The cube (row, column, band); values to be ignored and bad bands are missing."""
        with readable(path, KIND):
            fields = read_fields(path)
            layout = _layout(fields, path)
            data = _values(path, layout)
            observed, notes = envi_missing.read_missing(fields, data, path)
        wavelengths, wrong = _wavelengths(fields, data.shape[2], path)
        names = parts(fields.get("band names", ""))
        names = names if len(names) == data.shape[2] else ()
        told = {"wavelength": bool(wavelengths), "wavelength units": True, "band names": bool(names)}
        metadata = Metadata(
            kind="cube",
            band_names=names,
            wavelengths=wavelengths,
            wavelength_unit=fields.get("wavelength units", ""),
            header={name: value for name, value in fields.items() if name not in _SIZES and not told.get(name)},
            header_of=self.name,
        )
        if "byte order" not in fields and data.dtype.itemsize > 1:
            wrong += (f"{path} does not tell its 'byte order', so it is taken for 0, the one of most machines.",)
        return Contents(data, observed, notes + wrong, metadata)

    def write(self, path: Path, contents: Contents) -> None:
        """The numbers as .img, and the header with every field that it had; order of bytes and axes as they were."""
        data = contents.data.reshape(*contents.shape, 1) if contents.ndim == 2 else contents.data
        metadata = contents.metadata
        old = dict(metadata.header) if metadata.header_of == self.name else {}
        observed = None if contents.observed is None else contents.observed.reshape(data.shape)
        order: Literal["<", ">"] = ">" if old.get("byte order", "0").strip() == "1" else "<"
        interleave = old.get("interleave", "").strip().lower()
        interleave = interleave if interleave in _AXES else "bsq"
        code = next(code for code, name in _DTYPES.items() if name == data.dtype.str[1:])
        layout = (data.shape[1], data.shape[0], data.shape[2], 0, code, interleave, int(order == ">"))
        fields: Fields = {name: value for name, value in old.items() if name == "description"}
        fields |= {name: str(value) for name, value in zip(_LAYOUT, layout, strict=True)}
        fields |= {name: value for name, value in old.items() if name not in (*fields, *envi_missing.FIELDS)}
        fields |= envi_missing.written_missing(old, data, observed)
        if metadata.wavelengths:
            fields["wavelength"] = braces(tuple(map(repr, metadata.wavelengths)))
        if metadata.wavelength_unit:
            fields["wavelength units"] = _line(metadata.wavelength_unit)
        if metadata.band_names:
            fields["band names"] = braces(tuple(map(_line, metadata.band_names)))
        values = data.transpose(_AXES[interleave]).astype(data.dtype.newbyteorder(order), order="C", copy=False)
        with path.with_suffix(".img").open("xb") as file:
            file.write(values.data)
        path.write_text(as_text(fields), encoding="utf-8")

    def refuses(self, contents: Contents) -> str | None:
        """Anything that is no picture with bands, and types ENVI does not have."""
        if contents.ndim not in (2, 3) or not contents.data.size:
            return (
                f"An ENVI file holds rows, columns and bands, at least one each. Got an array of size {contents.shape}."
            )
        if contents.dtype.str[1:] not in _DTYPES.values():
            return (
                f"ENVI has no numbers of type {contents.dtype}: convert them to float32 or uint8, or write .npy or .h5."
            )
        return None

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Names with commas, and a mask that the header does not tell."""
        told: tuple[str, ...] = ()
        if contents.ndim == 2:
            told += (f"ENVI has bands: an array of size {contents.shape} becomes {(*contents.shape, 1)}.",)
        if any(_line(name) != name for name in contents.metadata.band_names):
            told += ("ENVI's names of bands have no commas, braces or line breaks: they become spaces.",)
        old = contents.metadata.header if contents.metadata.header_of == self.name else {}
        mask = envi_missing.keeps_mask(old, contents)
        return told + unkept(contents, "an ENVI file", "band_names", "wavelengths", mask=mask)

    def companions(self, path: Path) -> tuple[Path, ...]:
        """The file with the numbers."""
        return (path.with_suffix(".img"),)


@dataclass(frozen=True)
class _Layout:
    shape: tuple[int, int, int]
    dtype: np.dtype[Any]
    interleave: str
    offset: int

    @property
    def stored(self) -> int:
        return entries(self.shape) * self.dtype.itemsize


def _layout(fields: Fields, path: Path) -> _Layout:
    columns, rows = whole_number(fields, "samples", path), whole_number(fields, "lines", path)
    bands = whole_number(fields, "bands", path, 1)
    code = whole_number(fields, "data type", path)
    if code in _COMPLEX:
        raise InvalidInput(f"{path} must hold real numbers (integers or floating point). Got complex instead.")
    if code not in _DTYPES or min(rows, columns, bands) < 1:
        raise UnreadableFile(f"{path} has 'data type' {code} or a size of 0, which ENVI does not know: it is damaged.")
    interleave = fields.get("interleave", "bsq" if bands == 1 else "").strip().lower()
    order = {"0": "<", "1": ">"}.get(fields.get("byte order", "0").strip())
    if interleave not in _AXES or order is None:
        raise UnreadableFile(f"{path} must have 'interleave' bsq, bil or bip and 'byte order' 0 or 1: it is damaged.")
    for name in ("file compression", "major frame offsets", "minor frame offsets"):
        if any(part not in ("", "0") for part in parts(fields.get(name, "0"))):
            raise UnreadableFile(f"{path} has '{name}', which is not read here: store the cube plainly.")
    offset = whole_number(fields, "header offset", path, 0)
    return _Layout((rows, columns, bands), np.dtype(f"{order}{_DTYPES[code]}"), interleave, offset)


def _values(path: Path, layout: _Layout) -> NDArray[Any]:
    there = [place for place in _data_files(path) if place.is_file()]
    if not there:
        names = ", ".join(dict.fromkeys(place.name for place in _data_files(path)[:3]))
        raise UnreadableFile(
            f"The numbers that {path} describes are not there: looked for {names} and the like beside it."
        )
    wanted = layout.offset + layout.stored
    file = next((place for place in there if place.stat().st_size == wanted), None)
    if file is None:
        raise UnreadableFile(
            f"{there[0]} must have {wanted:,} bytes, as {path.name} says. Got {there[0].stat().st_size:,} instead: "
            "one of them is damaged, or cut short."
        )
    check_room(path, layout.shape, layout.dtype.itemsize, wanted)
    axes = _AXES[layout.interleave]
    values = np.fromfile(file, layout.dtype, entries(layout.shape), offset=layout.offset)
    cube = values.reshape([layout.shape[axis] for axis in axes]).transpose(np.argsort(axes))
    return np.ascontiguousarray(cube, dtype=layout.dtype.newbyteorder("="))


def _data_files(path: Path) -> list[Path]:
    """Where the numbers may be: beside the header, under its own name. What a header says about files is ignored."""
    stem = path.with_suffix("")
    names = [stem.name + ending for ending in _DATA] + [stem.name + ending.upper() for ending in _DATA]
    return [path.with_name(name) for name in names]


def _wavelengths(fields: Fields, bands: int, path: Path) -> tuple[tuple[float, ...], tuple[str, ...]]:
    told = parts(fields.get("wavelength", ""))
    try:
        wavelengths = tuple(float(text) for text in told)
    except ValueError:
        wavelengths = ()
    if len(wavelengths) == bands or not told:
        return wavelengths, ()
    return (), (f"The wavelengths in {path} are not one number per band, so they are left out.",)


def _line(text: str) -> str:
    """What fits between commas in braces."""
    return " ".join("".join(" " if letter in "{},\r\n" else letter for letter in text).split())
