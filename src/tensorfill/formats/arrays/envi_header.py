"""The text beside an ENVI cube: lines of `field = value`, where a value in braces may go over several lines.

Two of the fields say what is missing: a value to be ignored, and a list of bad bands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile

MISSING = IGNORE, BAD_BANDS = "data ignore value", "bbl"
_LARGEST = 2**24  # bytes
_FIRST = "ENVI"
_NIFTI_OR_ANALYZE = ((348).to_bytes(4, "little"), (348).to_bytes(4, "big"))

Mask = NDArray[np.bool_]


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

    def find_missing(self, data: NDArray[Any]) -> tuple[Mask | None, tuple[str, ...]]:
        """True where known, None if all is; and a sentence each about what is not."""
        known: Mask = np.ones(data.shape, dtype=bool)
        notes: tuple[str, ...] = ()
        ignored, bad = self._ignored(data.dtype), self._bad_bands(data.shape[2])
        if ignored is not None and (count := np.count_nonzero(data == ignored)):
            known = data != ignored
            notes += (f"{self.path} says that {ignored:g} is to be ignored: {count:,} entries are missing.",)
        if bad.any():
            known[:, :, bad] = False
            numbers = ", ".join(map(str, np.flatnonzero(bad)[:20].tolist())) + ("" if bad.sum() <= 20 else ", …")
            notes += (f"{self.path} lists {int(bad.sum())} bad bands (counted from 0: {numbers}): they are missing.",)
        return known if notes else None, notes

    def still_missing(self, data: NDArray[Any], observed: Mask | None) -> dict[str, str]:
        """The fields about what is missing that still hold: values are written as they are, whatever a mask says.

        A bad band of which something is known now is a good one. The value to be ignored is left out if it would make
        something known missing, or something missing known.
        """
        known = np.ones(data.shape, dtype=bool) if observed is None else observed
        fields: dict[str, str] = {}
        bad = self._bad_bands(data.shape[2]) & ~known.any(axis=(0, 1))
        if len(self.words(BAD_BANDS)) == data.shape[2]:
            fields[BAD_BANDS] = join_list(tuple("0" if each else "1" for each in bad))
        ignored = self._ignored(data.dtype)
        if ignored is not None:
            same = data == ignored
            if not (same & ~bad).any() or ((same | bad)[~known].all() and not same[known].any()):
                fields[IGNORE] = self.fields[IGNORE]
        return fields

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
