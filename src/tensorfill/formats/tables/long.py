"""A long table, a row per entry: as entries, and back to rows from which nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...observed import positions_of
from ..contents import Contents
from ..entries import Entries, check_modes
from .column import Codes, Column, counts_from_zero

VALUE_NAMES = ("value", "values", "count", "counts")


def find_named_value(names: Sequence[str]) -> int | None:
    """Which column is the only one that is called value or count."""
    named = [place for place, name in enumerate(names) if name.lower() in VALUE_NAMES]
    return named[0] if len(named) == 1 else None


def find_value(names: Sequence[str], wanted: str | None, table: str) -> int:
    """Where the values are: the column asked for, the only one called value or count, or the last one."""
    check_modes(len(names) - 1)
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise InvalidInput(f"The columns of {table} must have different names. Got {twice!r} twice.")
    if len(names) < 3:
        raise InvalidInput(
            f"{table} must have a column for every mode, at least two, and one of values. "
            f"Got {len(names)} in all: {', '.join(names)}."
        )
    if wanted is not None:
        if wanted not in names:
            raise InvalidInput(f"{table} has no column '{wanted}'. The columns in it are: {', '.join(names)}.")
        return list(names).index(wanted)
    place = find_named_value(names)
    return len(names) - 1 if place is None else place


def make_entries(coordinates: Sequence[Column], value: Column, table: str, hint: str = "", **described: Any) -> Entries:
    """Columns as entries; `table` is how sentences call them, and `described` goes to `Entries`."""
    if value.numbers is None:
        raise InvalidInput(
            f"The column {value.title} of {table} must hold numbers, as it is the one of values. "
            f"Got {value.kind} instead{hint}."
        )
    for column in coordinates:
        if not column.is_whole:
            raise InvalidInput(f"{table} has rows without {column.title}: every row needs all its coordinates.")
    labels = [column.coded[1] for column in coordinates]
    return split_rows(
        tuple(map(len, labels)),
        np.column_stack([column.coded[0] for column in coordinates]),
        value.numbers,
        value.known,
        table,
        labels=tuple(None if counts_from_zero(own) else own for own in labels),
        columns=(*(column.name for column in coordinates), value.name),
        **described,
    )


def split_rows(
    shape: tuple[int, ...], rows: Codes, values: NDArray[Any], known: NDArray[np.bool_], table: str, **described: Any
) -> Entries:
    """Entries of rows; a row without a value, or with NaN, is asked for."""
    if values.dtype.kind == "f":
        known = known & ~np.isnan(values)
    if not known.any():
        raise refuse_holes(table)
    return Entries(shape, rows[known], values[known], rows[~known], **described)


def refuse_holes(table: Path | str) -> InvalidInput:
    """The sentence about a table of holes."""
    return InvalidInput(f"No row of {table} has a value, so there is nothing to complete from.")


def list_rows(entries: Entries) -> tuple[Codes, Codes]:
    """All rows of a table, and for each which value it has; from the number of values on it has none.

    If the known entries are in order, so are all: words that are labels have the order in which they come up.
    """
    rows = np.concatenate((entries.coordinates, _asked_rows(entries)))
    known = len(entries.values)
    positions = positions_of(rows, entries.shape)
    order = np.arange(len(rows))
    if (np.diff(positions[:known]) >= 0).all():
        order = np.argsort(positions, kind="stable")
    return rows[order], order


def _asked_rows(entries: Entries) -> Codes:
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


def name_value(entries: Entries) -> str:
    """What to call the column of values: as the array is called in a file, or as the table called it."""
    name = entries.metadata.variable
    return name if name and name not in entries.columns else entries.columns[-1]


def check_entries(entries: Entries) -> None:
    """Refuse to write a table that could not be read again."""
    if refusal := _refuse(entries.ndim, len(entries.values), entries.dtype):
        raise InvalidInput(refusal)


def refuse_table(contents: Contents) -> str | None:
    """Why a full array cannot be a table, in one sentence; None if it can."""
    return _refuse(contents.ndim, int(contents.known().sum()), contents.dtype)


def _refuse(order: int, known: int, dtype: np.dtype[Any]) -> str | None:
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        return f"A table holds real numbers of up to 64 bits, not {dtype}; .npy holds any."
    if order == 0:
        return "A table needs at least one mode, and this is a single number; .npy holds it."
    if known == 0:
        return "A table lists what is known, and here nothing is; .npy and .npz hold an array of holes."
    return None
