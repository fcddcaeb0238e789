"""How ENVI marks what is missing: a value to be ignored, and a list of bad bands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contents import Contents
from .envi_header import Fields, braces, parts

IGNORE, BAD_BANDS = "data ignore value", "bbl"
FIELDS = (IGNORE, BAD_BANDS)

Mask = NDArray[np.bool_]


def read_missing(fields: Fields, data: NDArray[Any], path: Path) -> tuple[Mask | None, tuple[str, ...]]:
    """True where known, None if all is; and a sentence each about what is not."""
    observed: Mask | None = None
    notes: tuple[str, ...] = ()
    ignored = _ignored(fields, data.dtype)
    if ignored is not None and (same := data == ignored).any():
        observed = ~same
        notes += (f"{path} says that {ignored:g} is to be ignored: {np.count_nonzero(same):,} entries are missing.",)
    bad = _bad_bands(fields, data.shape[2])
    if bad.any():
        observed = np.ones(data.shape, dtype=bool) if observed is None else observed
        observed[:, :, bad] = False
        numbers = ", ".join(map(str, np.flatnonzero(bad)[:20].tolist())) + ("" if bad.sum() <= 20 else ", …")
        notes += (f"{path} lists {int(bad.sum())} bad bands (counted from 0: {numbers}): they are missing.",)
    return observed, notes


def written_missing(old: Mapping[str, str], data: NDArray[Any], observed: Mask | None) -> Fields:
    """The fields that still hold: values are written as they are, whatever a mask says about them.

    A bad band of which something is known now is a good one. The value to be ignored is left out if it would make
    something known missing, or something missing known.
    """
    known = np.ones(data.shape, dtype=bool) if observed is None else observed
    fields: Fields = {}
    bad = _bad_bands(old, data.shape[2]) & ~known.any(axis=(0, 1))
    if len(parts(old.get(BAD_BANDS, ""))) == data.shape[2]:
        fields[BAD_BANDS] = braces(tuple("0" if each else "1" for each in bad))
    ignored = _ignored(old, data.dtype)
    if ignored is not None:
        same = data == ignored
        if not (same & ~bad).any() or ((same | bad)[~known].all() and not same[known].any()):
            fields[IGNORE] = old[IGNORE]
    return fields


def keeps_mask(old: Mapping[str, str], contents: Contents) -> bool:
    """Whether what is written says the same about what is missing."""
    if contents.observed is None or contents.ndim != 3:
        return contents.observed is None
    fields = written_missing(old, contents.data, contents.observed)
    again = Contents(contents.data, read_missing(fields, contents.data, Path())[0])
    return bool((again.known() == contents.known()).all())


def _ignored(fields: Mapping[str, str], dtype: np.dtype[Any]) -> Any:
    """The value to be ignored, as a number of this type; None if there is none or the type does not have it."""
    text = fields.get(IGNORE, "").strip()
    try:
        if dtype.kind == "f":
            return dtype.type(text)
        value = int(text) if text.lstrip("+-").isdigit() else int(float(text))
        return dtype.type(value) if float(text) == value else None
    except (ValueError, OverflowError):
        return None


def _bad_bands(fields: Mapping[str, str], bands: int) -> Mask:
    """True for bands whose multiplier is 0."""
    told = parts(fields.get(BAD_BANDS, ""))
    try:
        factors = np.array([float(text) for text in told])
    except ValueError:
        factors = np.empty(0)
    return factors == 0 if len(factors) == bands else np.zeros(bands, dtype=bool)
