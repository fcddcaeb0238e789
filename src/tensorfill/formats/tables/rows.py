"""Rows of a table: those with a value and those without, and which ones a table needs so that nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...observed import positions_of
from ..contents import Contents
from ..entries import Entries


def from_rows(shape: Sequence[int], coordinates: NDArray[np.int64], values: NDArray[Any], path: Path) -> Entries:
    """Entries of rows; NaN is the value of a row that is asked for."""
    known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
    if not known.any():
        raise nothing_known(path)
    return Entries(tuple(shape), coordinates[known], values[known], coordinates[~known])


def nothing_known(table: Path | str) -> InvalidInput:
    """The sentence about a table of holes."""
    return InvalidInput(f"No row of {table} has a value, so there is nothing to complete from.")


def asked_rows(entries: Entries) -> NDArray[np.int64]:
    """The rows that a table without a shape needs besides those with a value.

    They are the entries asked for and, for every index that would not come up otherwise, one entry that has it.
    """
    rows = [entries.still_asked()]
    for mode, size in enumerate(entries.shape):
        seen = np.zeros(size, dtype=bool)
        for part in (entries.coordinates, *rows):
            seen[part[:, mode]] = True
        absent = np.flatnonzero(~seen)
        cover = np.zeros((len(absent), entries.ndim), dtype=np.int64)
        cover[:, mode] = absent
        rows.append(cover)
    return np.concatenate(rows)


def rows_in_order(entries: Entries) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All rows of a table, and for each which value it has; from the number of values on it has none.

    If the known entries are in order, so are all: words that are labels have the order in which they come up.
    """
    rows = np.concatenate((entries.coordinates, asked_rows(entries)))
    known = len(entries.values)
    positions = positions_of(rows, entries.shape)
    order = np.arange(len(rows))
    if (np.diff(positions[:known]) >= 0).all():
        order = np.argsort(positions, kind="stable")
    return rows[order], order


def check_entries(entries: Entries) -> None:
    """Refuse to write a table that could not be read again."""
    if refusal := _refusal(entries.ndim, len(entries.values), entries.dtype):
        raise InvalidInput(refusal)


def table_refusal(contents: Contents) -> str | None:
    """Why a full array cannot be a table, in one sentence; None if it can."""
    return _refusal(contents.ndim, int(contents.known().sum()), contents.dtype)


def _refusal(order: int, known: int, dtype: np.dtype[Any]) -> str | None:
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        return f"A table holds real numbers of up to 64 bits, not {dtype}; .npy holds any."
    if order == 0:
        return "A table needs at least one mode, and this is a single number; .npy holds it."
    if known == 0:
        return "A table lists what is known, and here nothing is; .npy and .npz hold an array of holes."
    return None


def value_name(entries: Entries) -> str:
    """What to call the column of values: as the array is called in a file, or as the table called it."""
    name = entries.metadata.variable
    return name if name and name not in entries.columns else entries.columns[-1]
