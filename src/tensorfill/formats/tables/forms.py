"""Two forms of a table: long, a row per entry, as entries and back; and wide, a matrix written as it was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...observed import positions_of
from ..contents import Contents, Metadata
from ..entries import Entries, check_modes
from .column import Codes, Column, counts_from_zero

_VALUE_NAMES = ("value", "values", "count", "counts")
_RATING_NAMES = ("rating", "ratings", "stars")
"""The same of a table of three columns: with more of them, one is often a time stamp, which is no coordinate."""


def find_named_values(names: Sequence[str]) -> list[int]:
    """Which columns are called as those of values are."""
    expected = (*_VALUE_NAMES, *_RATING_NAMES) if len(names) == 3 else _VALUE_NAMES
    return [place for place, name in enumerate(names) if name.lower() in expected]


def find_named_value(names: Sequence[str]) -> int | None:
    """The only one of them; None if there are several, or none."""
    named = find_named_values(names)
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
        return find_column(names, wanted, table)
    place = find_named_value(names)
    return len(names) - 1 if place is None else place


def find_coordinates(names: Sequence[str], wanted: Sequence[str] | None, value: int, table: str) -> list[int]:
    """Where the coordinates are: in the columns asked for, by name or by number, or in all but that of the values."""
    if wanted is None:
        return [place for place in range(len(names)) if place != value]
    places = [find_column(names, name, table) for name in wanted]
    if len(set(places)) < len(places) or len(places) < 2 or value in places:
        raise InvalidInput(
            "A long table needs at least two columns of coordinates, each named once, and another one of values. Got "
            f"coordinates='{','.join(wanted)}', and values in {names[value]!r}."
        )
    return places


def find_column(names: Sequence[str], wanted: str, table: str) -> int:
    """Where the column is that is called so, or has this number, counted from 1."""
    if wanted in names:
        return list(names).index(wanted)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    raise InvalidInput(f"{table} has no column {wanted!r}. The columns in it are: {', '.join(names)}.")


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
    rows = [entries.find_asked()]
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


_HEADER_OF = "wide table"
_KEY = "wide"


@dataclass(frozen=True, eq=False)
class WrittenFields:
    """How the fields of a file are written."""

    fields: NDArray[np.object_]
    delimiter: str
    decimal: str
    line_end: str
    quotes_names: bool


@dataclass(frozen=True, eq=False)
class WideTable:
    """Names of rows and columns, and the numbers as they were read."""

    columns: tuple[str, ...] | None
    """The names of the columns, or None."""
    corner: str
    """The name of the column of labels."""
    labels: tuple[Any, ...] | None
    """The names of the rows, or None."""
    values: NDArray[Any]
    """0 where there is none."""
    known: NDArray[np.bool_]
    written: WrittenFields | None = None
    """The fields, if this is text."""
    typed: Any = None
    """The columns, if they are typed: a DataFrame of polars."""

    def contents(self, notes: tuple[str, ...]) -> Contents:
        """The matrix, NaN where nothing is known of floats."""
        data = np.where(self.known, self.values, np.nan) if self.values.dtype.kind == "f" else self.values
        metadata = Metadata(kind="table", columns_apart=True, header={_KEY: self}, header_of=_HEADER_OF)
        observed = None if self.known.all() else self.known
        return Contents(data.astype(self.values.dtype, copy=False), observed, notes, metadata)


def find_wide(contents: Contents) -> WideTable | None:
    """How the table was written that an array comes from, if it comes from a wide one and still has its shape."""
    found = contents.metadata.header.get(_KEY) if contents.metadata.header_of == _HEADER_OF else None
    return found if isinstance(found, WideTable) and found.values.shape == contents.shape else None


def stack_numbers(columns: Sequence[Column]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Columns of numbers as a matrix, in a type that holds them all; and where they are known."""
    numbers = [column.numbers for column in columns if column.numbers is not None]
    return np.stack(numbers, axis=1), np.stack([column.known for column in columns], axis=1)


def change_column(
    column: Column, values: NDArray[Any], known: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Values in the type of a column of numbers, and in which rows they stand instead of what is there.

    What is the same is left as it stands in the table: columns of several types have no type in common that could
    hold the large whole numbers of one and the fractions of another.
    """
    assert column.numbers is not None
    same = known & column.known & (column.numbers.astype(values.dtype) == values)
    return cast_values(values, column.numbers.dtype), ~same & (known | column.known)


def cast_values(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Values in the type of a column: rounded and kept within its range where that is needed.

    >>> cast_values(np.array([0.4, 299.0]), np.dtype(np.uint8)), cast_values(np.array([0.4, 0.6]), np.dtype(bool))
    (array([  0, 255], dtype=uint8), array([False,  True]))
    """
    if values.dtype == dtype:
        return values
    if dtype.kind == "b":
        return np.asarray(values >= 0.5)
    if dtype.kind == "f":
        return np.asarray(np.clip(values, np.finfo(dtype).min, np.finfo(dtype).max).astype(dtype))
    limits = np.iinfo(dtype)
    rounded = np.rint(values)
    # Floats cannot hold the largest whole numbers of 64 bits; going through them would overflow.
    inside = (rounded > limits.min) & (rounded < limits.max)
    ends = np.where(rounded > 0, dtype.type(limits.max), dtype.type(limits.min))
    return np.asarray(np.where(inside, np.where(inside, rounded, 0).astype(dtype), ends))
