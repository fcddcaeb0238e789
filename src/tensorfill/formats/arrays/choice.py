"""Which array of a file with several is meant, and which of the others is its mask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile

DATA = "data"
OBSERVED = "observed"
_MOST_NAMES = 30


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
