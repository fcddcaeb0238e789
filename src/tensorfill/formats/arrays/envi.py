"""ENVI: a hyperspectral cube as raw numbers, described by a .hdr file beside it.

The header is lines of `field = value`, where a value in braces may go over several lines. Two of the fields say what is
missing: a value to be ignored, and a list of bad bands. Read here rather than by a library: the format is a few lines
of text and raw numbers, and the library `spectral` logs to the terminal and loads every type as float32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ...tensor import entries
from ..contents import Contents, Metadata, Reading, describe_loss
from ..damage import check_room, readable
from ..file_array import FileArray, Region, cut, fill_by_pieces, order_of, pieces, take
from ..format import Format
from ..scratch import Scratch, allocate

_DTYPES = {1: "u1", 2: "i2", 3: "i4", 4: "f4", 5: "f8", 12: "u2", 13: "u4", 14: "i8", 15: "u8"}
_COMPLEX = (6, 9)
_AXES = {"bsq": (2, 0, 1), "bil": (0, 2, 1), "bip": (0, 1, 2)}
"""Which of row, column and band comes first in the file, second, and third."""
_DATA = (".img", ".dat", ".raw", ".bsq", ".bil", ".bip", ".bin", ".cube", "")
_LAYOUT = ("samples", "lines", "bands", "header offset", "data type", "interleave", "byte order")
_TOLD = ("samples", "lines", "bands", "header offset", "data type", "wavelength units")
"""Fields that are told by the array and its metadata."""
MISSING = IGNORE, BAD_BANDS = "data ignore value", "bbl"
_LARGEST = 2**24  # bytes
_FIRST = "ENVI"
_NIFTI_OR_ANALYZE = ((348).to_bytes(4, "little"), (348).to_bytes(4, "big"))
Mask = NDArray[np.bool_]


class Envi(Format):
    """.hdr files, each with a file of numbers beside it."""

    name: ClassVar[str] = "envi"
    extensions: ClassVar[tuple[str, ...]] = (".hdr",)
    kind: ClassVar[str] = "an ENVI header with its data file"

    def decode(self, path: Path, how: Reading) -> Contents:
        """The cube (row, column, band); values to be ignored and bad bands are missing."""
        with readable(path, self.kind):
            header = read_header(path)
            data = _read_cube(header, how.scratch)
            observed, notes = header.find_missing(data, how.scratch)
        fields, bands = header.fields, data.shape[2]
        wavelengths = header.numbers("wavelength", bands)
        names = header.words("band names")
        names = names if len(names) == bands else ()
        if not wavelengths and header.words("wavelength"):
            notes += (f"The wavelengths in {path} are not one number per band, so they are left out.",)
        if "byte order" not in fields and data.dtype.itemsize > 1:
            notes += (f"{path} does not tell its 'byte order', so it is taken for 0, the one of most machines.",)
        kept = {"wavelength": wavelengths, "band names": names}
        metadata = Metadata(
            kind="cube",
            band_names=names,
            wavelengths=wavelengths,
            wavelength_unit=fields.get("wavelength units", ""),
            header={name: value for name, value in fields.items() if name not in _TOLD and not kept.get(name)},
            header_of=self.name,
        )
        return Contents(data, observed, notes, metadata)

    def write(self, path: Path, contents: Contents) -> None:
        """The numbers as .img, and the header with every field that it had; order of bytes and axes as they were."""
        metadata, old, data = contents.metadata, _old_header(contents), contents.data
        observed = contents.observed
        if contents.ndim == 2:
            data, observed = _with_one_band(data), None if observed is None else _with_one_band(observed)
        order: Literal["<", ">"] = ">" if old.fields.get("byte order", "0").strip() == "1" else "<"
        interleave = _choose_interleave(old)
        code = next(code for code, name in _DTYPES.items() if name == data.dtype.str[1:])
        layout = (data.shape[1], data.shape[0], data.shape[2], 0, code, interleave, int(order == ">"))
        fields = {name: value for name, value in old.fields.items() if name == "description"}
        fields |= {name: str(value) for name, value in zip(_LAYOUT, layout, strict=True)}
        fields |= {name: value for name, value in old.fields.items() if name not in (*fields, *MISSING)}
        fields |= old.still_missing(data, observed)
        if metadata.wavelengths:
            fields["wavelength"] = join_list(tuple(map(repr, metadata.wavelengths)))
        if metadata.wavelength_unit:
            fields["wavelength units"] = _clean(metadata.wavelength_unit)
        if metadata.band_names:
            fields["band names"] = join_list(tuple(map(_clean, metadata.band_names)))
        stored, axes = data.dtype.newbyteorder(order), _AXES[interleave]
        with path.with_suffix(".img").open("xb") as file:
            for region in cut(data.shape, stored.itemsize, axes):
                values = take(data, region).transpose(axes)
                file.write(np.ascontiguousarray(values, dtype=stored).reshape(-1).view(np.uint8).data)
        path.write_text(format_header(fields), encoding="utf-8")

    def page_mode(self, contents: Contents) -> int | None:
        """That which is the slowest in the file."""
        return _AXES[_choose_interleave(_old_header(contents))][0] if contents.ndim == 3 else None

    def refuses(self, contents: Contents) -> str | None:
        """Anything that is no picture with bands, and types ENVI does not have."""
        if contents.ndim not in (2, 3) or 0 in contents.shape:
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
        notes: tuple[str, ...] = ()
        if contents.ndim == 2:
            notes += (f"ENVI has bands: an array of size {contents.shape} becomes {(*contents.shape, 1)}.",)
        if any(_clean(name) != name for name in contents.metadata.band_names):
            notes += ("ENVI's names of bands have no commas, braces or line breaks: they become spaces.",)
        return notes + describe_loss(contents, "an ENVI file", "band_names", "wavelengths", mask=_keeps_mask(contents))

    def companions(self, path: Path) -> tuple[Path, ...]:
        """The file with the numbers."""
        return (path.with_suffix(".img"),)


def _read_cube(header: EnviHeader, scratch: Scratch | None) -> NDArray[Any]:
    """The numbers that a header describes, as (row, column, band)."""
    path = header.path
    columns, rows, bands = (
        header.whole_number("samples"),
        header.whole_number("lines"),
        header.whole_number("bands", 1),
    )
    code = header.whole_number("data type")
    if code in _COMPLEX:
        raise InvalidInput(f"{path} must hold real numbers (integers or floating point). Got complex instead.")
    if code not in _DTYPES or min(rows, columns, bands) < 1:
        raise UnreadableFile(f"{path} has 'data type' {code} or a size of 0, which ENVI does not know: it is damaged.")
    interleave = header.fields.get("interleave", "bsq" if bands == 1 else "").strip().lower()
    order = {"0": "<", "1": ">"}.get(header.fields.get("byte order", "0").strip())
    if interleave not in _AXES or order is None:
        raise UnreadableFile(f"{path} must have 'interleave' bsq, bil or bip and 'byte order' 0 or 1: it is damaged.")
    for name in ("file compression", "major frame offsets", "minor frame offsets"):
        if any(word not in ("", "0") for word in header.words(name)):
            raise UnreadableFile(f"{path} has '{name}', which is not read here: store the cube plainly.")
    shape, dtype = (rows, columns, bands), np.dtype(f"{order}{_DTYPES[code]}")
    offset = header.whole_number("header offset", 0)
    file = _find_numbers(path, offset + entries(shape) * dtype.itemsize)
    axes = _AXES[interleave]
    if scratch is not None and scratch.takes(entries(shape) * dtype.itemsize):
        return cast(NDArray[Any], FileArray.of(file.absolute(), dtype, shape, axes, offset))
    check_room(path, shape, dtype.itemsize, file.stat().st_size)
    values = np.fromfile(file, dtype, entries(shape), offset=offset)
    cube = values.reshape([shape[axis] for axis in axes]).transpose(np.argsort(axes))
    return np.ascontiguousarray(cube, dtype=dtype.newbyteorder("="))


def _with_one_band(picture: Any) -> NDArray[Any]:
    """(row, column) as (row, column, band)."""
    if isinstance(picture, FileArray):
        return cast(NDArray[Any], picture.spread(lambda view: view[..., None]))
    return np.asarray(picture)[..., None]


def _find_numbers(path: Path, wanted: int) -> Path:
    """The file beside the header, under its own name, with so many bytes. What a header says about files is ignored."""
    stem = path.with_suffix("").name
    places = [path.with_name(stem + ending) for ending in (*_DATA, *map(str.upper, _DATA))]
    there = [place for place in places if place.is_file()]
    if not there:
        names = ", ".join(place.name for place in places[:3])
        raise UnreadableFile(
            f"The numbers that {path} describes are not there: looked for {names} and the like beside it."
        )
    for place in there:
        if place.stat().st_size == wanted:
            return place
    raise UnreadableFile(
        f"{there[0]} must have {wanted:,} bytes, as {path.name} says. Got {there[0].stat().st_size:,} instead: "
        "one of them is damaged, or cut short."
    )


def _old_header(contents: Contents) -> EnviHeader:
    return EnviHeader(contents.metadata.header if contents.metadata.header_of == Envi.name else {})


def _keeps_mask(contents: Contents) -> bool:
    """Whether the fields that are written say the same about what is missing."""
    if contents.observed is None or contents.ndim != 3:
        return contents.observed is None
    fields = _old_header(contents).still_missing(contents.data, contents.observed)
    missing = EnviHeader(fields).missing_in(contents.dtype, contents.shape[2])
    return all(
        bool(((~missing(values, region) & ~_is_nan(values)) == known).all())
        for region in pieces(contents.data)
        for values, known in [contents.part(region)]
    )


def _is_nan(values: NDArray[Any]) -> Mask | np.bool_:
    return np.isnan(values) if values.dtype.kind == "f" else np.bool_(False)


def _choose_interleave(old: EnviHeader) -> str:
    interleave = old.fields.get("interleave", "").strip().lower()
    return interleave if interleave in _AXES else "bsq"


def _clean(text: str) -> str:
    """What fits between commas in braces."""
    return " ".join("".join(" " if letter in "{},\r\n" else letter for letter in text).split())


@dataclass(frozen=True)
class EnviHeader:
    """Every field by its name in lower case, in the order of the file; values in braces keep their braces."""

    fields: Mapping[str, str]
    path: Path = Path()

    def words(self, name: str) -> tuple[str, ...]:
        """What is between the braces, separated by commas."""
        inner = self.fields.get(name, "").strip().removeprefix("{").partition("}")[0]
        return tuple(" ".join(part.split()) for part in inner.split(",")) if inner.strip() else ()

    def numbers(self, name: str, count: int) -> tuple[float, ...]:
        """The list under this name; empty if it has not that many numbers."""
        try:
            numbers = tuple(float(text) for text in self.words(name))
        except ValueError:
            return ()
        return numbers if len(numbers) == count else ()

    def whole_number(self, name: str, default: int | None = None) -> int:
        """The value of a field that must be a number of 0 or more."""
        text = self.fields.get(name, "" if default is None else str(default)).strip()
        if not text.isascii() or not text.isdigit() or len(text) > 18:
            raise UnreadableFile(
                f"'{name}' in {self.path} must be a whole number of 0 or more. Got '{text[:40]}' instead."
            )
        return int(text)

    def missing_in(self, dtype: np.dtype[Any], bands: int) -> Callable[[NDArray[Any], Region], Mask]:
        """Tells from the values of a region which of them are missing."""
        ignored, bad = self._ignored(dtype), self._bad_bands(bands)

        def missing(values: NDArray[Any], region: Region) -> Mask:
            found: Mask = np.zeros(values.shape, dtype=bool) if ignored is None else values == ignored
            return found | bad[region[2]]

        return missing

    def find_missing(self, data: NDArray[Any], scratch: Scratch | None) -> tuple[Mask | None, tuple[str, ...]]:
        """True where known, None if all is; and a sentence each about what is not."""
        notes: tuple[str, ...] = ()
        ignored, bad = self._ignored(data.dtype), self._bad_bands(data.shape[2])
        parts = () if ignored is None else (take(data, region) for region in pieces(data))
        if count := sum(int(np.count_nonzero(part == ignored)) for part in parts):
            notes += (f"{self.path} says that {ignored:g} is to be ignored: {count:,} entries are missing.",)
        if bad.any():
            numbers = ", ".join(map(str, np.flatnonzero(bad)[:20].tolist())) + ("" if bad.sum() <= 20 else ", …")
            notes += (f"{self.path} lists {int(bad.sum())} bad bands (counted from 0: {numbers}): they are missing.",)
        if not notes:
            return None, ()
        missing = self.missing_in(data.dtype, data.shape[2])
        known: Mask = allocate(scratch, data.shape, bool, order_of(data))
        fill_by_pieces(known, lambda region: ~missing(take(data, region), region))
        return known, notes

    def still_missing(self, data: NDArray[Any], observed: Mask | None) -> dict[str, str]:
        """The fields about what is missing that still hold: values are written as they are, whatever a mask says.

        A bad band of which something is known now is a good one. The value to be ignored is left out if it would make
        something known missing, or something missing known.
        """
        fields: dict[str, str] = {}
        bad = self._bad_bands(data.shape[2])
        if observed is None:
            bad = np.zeros_like(bad)
        for region in pieces(observed) if observed is not None and bad.any() else ():
            bad[region[2]] &= ~take(observed, region).any(axis=(0, 1))
        if len(self.words(BAD_BANDS)) == data.shape[2]:
            fields[BAD_BANDS] = join_list(tuple("0" if each else "1" for each in bad))
        if self._ignored(data.dtype) is not None and self._still_ignores(data, observed, bad):
            fields[IGNORE] = self.fields[IGNORE]
        return fields

    def _still_ignores(self, data: NDArray[Any], observed: Mask | None, bad: Mask) -> bool:
        """Whether the value is nowhere outside of bad bands, or where something is missing, and only there."""
        ignored, nowhere, all_missing, none_known = self._ignored(data.dtype), True, True, True
        for region in pieces(data):
            same, lost = take(data, region) == ignored, bad[region[2]]
            known = np.ones(same.shape, dtype=bool) if observed is None else take(observed, region)
            nowhere = nowhere and not bool((same & ~lost).any())
            all_missing = all_missing and bool((same | lost)[~known].all())
            none_known = none_known and not bool(same[known].any())
        return nowhere or (all_missing and none_known)

    def _ignored(self, dtype: np.dtype[Any]) -> Any:
        """The value to be ignored, as a number of this type; None if there is none or the type does not have it."""
        text = self.fields.get(IGNORE, "").strip()
        try:
            if dtype.kind == "f":
                return dtype.type(text)
            value = int(text) if text.lstrip("+-").isdigit() else int(float(text))
            return dtype.type(value) if float(text) == value else None
        except (ValueError, OverflowError):
            return None

    def _bad_bands(self, bands: int) -> Mask:
        """True for bands whose multiplier is 0."""
        factors = self.numbers(BAD_BANDS, bands)
        return np.array(factors) == 0 if factors else np.zeros(bands, dtype=bool)


def read_header(path: Path) -> EnviHeader:
    """All fields of a .hdr file."""
    raw = path.read_bytes() if path.stat().st_size <= _LARGEST else b""
    if raw[:4] in _NIFTI_OR_ANALYZE:
        raise UnreadableFile(f"{path} is one half of a NIfTI or Analyze pair, .hdr and .img: save it as one .nii file.")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    lines = iter(text.splitlines())
    if next(lines, "").strip() != _FIRST:
        raise UnreadableFile(f"{path} is not an ENVI header: its first line must be 'ENVI'.")
    fields: dict[str, str] = {}
    for line in lines:
        name, equals, value = line.partition("=")
        if not equals or line.lstrip().startswith(";"):
            continue
        value = value.strip()
        while value.startswith("{") and "}" not in value:
            more = next(lines, None)
            if more is None:
                raise UnreadableFile(f"{path} is cut short: the value of '{name.strip()}' has no end.")
            value += "\n" + more.strip()
        fields[" ".join(name.lower().split())] = value
    return EnviHeader(fields, path)


def format_header(fields: Mapping[str, str]) -> str:
    """The text again."""
    return "".join([f"{_FIRST}\n", *(f"{name} = {value}\n" for name, value in fields.items())])


def join_list(values: tuple[str, ...]) -> str:
    """A list as a value."""
    return "{" + ", ".join(values) + "}"


def find_header_beside(numbers: Path) -> str | None:
    """A sentence that leads from a file of raw numbers to the header that describes it; None if there seems to be none.

    ENVI has CUBE.hdr beside CUBE.img, or CUBE.img.hdr.
    """
    header = numbers.with_suffix(".hdr")
    for place in (header, numbers.with_name(f"{numbers.name}.hdr")):
        if place.is_file():
            return f"{numbers} holds the numbers of a cube that {place} describes; give that file instead."
    if numbers.suffix.lower() != ".img":
        return None
    if numbers.exists():
        return f"{numbers} holds numbers alone; the header that describes them, {header}, is missing."
    return f"An ENVI cube is named by its header, {header}; {numbers.name} lies beside it."
