"""Which form a table has: long (a row per entry) or wide (a matrix). What could be both is not guessed.

A table can be read in a way if nothing speaks against it; an obstacle is a sentence about what does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput
from ..formats.entries import MOST_MODES
from ..formats.tables.labelled import VALUE_NAMES
from .column import Column, are_distinct, needless, needless_column, quoted


@dataclass(frozen=True)
class Long:
    """A row per entry: which columns are its coordinates, and which is its value, counted from 0."""

    coordinates: tuple[int, ...]
    value: int


@dataclass(frozen=True)
class Wide:
    """A matrix: which columns hold numbers, and which only name rows."""

    numbers: tuple[int, ...]
    labels: tuple[int, ...] = ()


def form_of(columns: Sequence[Column], index: Sequence[Column], table: str) -> Long | Wide:
    """The only form that a table can have. `index` are the columns beside it that name rows; `table` is its name."""
    named = [place for place, column in enumerate(columns) if column.name.lower() in VALUE_NAMES]
    wide, against_wide = _as_wide(columns, index, named)
    longs, against_long = _as_long(columns, index, named)
    if wide is not None and not longs:
        return wide
    if len(longs) == 1 and wide is None and not index:
        return longs[0]
    if longs:
        raise InvalidInput(_two_options(columns, index, longs[0], wide, table))
    raise InvalidInput(
        f"{table} is neither a long table ({against_long}) nor a wide one ({against_wide}). Say which: "
        "coordinates=[…] and value='…' name the columns of a long table, coordinates=[] says that it is wide, a matrix "
        "of all its columns of numbers."
    )


def wide_form(columns: Sequence[Column], table: str) -> Wide:
    """As a matrix, whatever else it could be."""
    numbers = tuple(place for place, column in enumerate(columns) if column.is_number)
    if not numbers:
        raise InvalidInput(f"{table} has no column of numbers, so there is nothing to complete.")
    return Wide(numbers, tuple(place for place in range(len(columns)) if place not in numbers))


def _as_wide(columns: Sequence[Column], index: Sequence[Column], named: Sequence[int]) -> tuple[Wide | None, str]:
    """As a matrix; a column without numbers may name its rows, if it does so one by one."""
    labels = [column for column in columns if not column.is_number]
    for column in labels:
        if not column.is_whole:
            return None, f"{column.name!r} holds {column.kind}, and what is missing there cannot be filled in"
    if labels and (index or len(columns) - len(labels) < 2 or not any(are_distinct([column]) for column in labels)):
        hold, do = ("hold", "do") if len(labels) > 1 else ("holds", "does")
        return None, f"{quoted(labels)} {hold} no numbers and {do} not name rows one by one"
    others = [column for place, column in enumerate(columns) if place not in named]
    if len(named) == 1 and not index and not labels and len(others) > 1 and all(map(_may_be_coordinate, others)):
        return None, f"{columns[named[0]].name!r} is called as in a long one, and the others are whole numbers"
    return wide_form(columns, "The table"), ""


def _may_be_coordinate(column: Column) -> bool:
    return column.is_whole and not column.is_float


def _as_long(columns: Sequence[Column], index: Sequence[Column], named: Sequence[int]) -> tuple[list[Long], str]:
    """With every column of numbers that could hold the values, and all the others as coordinates."""
    numeric = [place for place, column in enumerate(columns) if column.is_number]
    found: list[Long] = []
    reason = ""  # against the first choice, which is the likeliest
    for value in named if len(named) == 1 else reversed(numeric):
        others = tuple(place for place in range(len(columns)) if place != value)
        coordinates = [*index, *(columns[place] for place in others)]
        against = _obstacle(coordinates, columns[value], named=len(named) == 1)
        if against is None and needless_column(coordinates) is None:
            found.append(Long(others, value))
        else:
            reason = reason or against or needless(coordinates) or ""
    return found, reason or "no column holds numbers"


def _obstacle(coordinates: Sequence[Column], value: Column, *, named: bool) -> str | None:
    """What speaks against these columns being all the coordinates of a long table."""
    if not 2 <= len(coordinates) <= MOST_MODES:
        return f"it has {len(coordinates)} columns beside {value.name!r}, which could be coordinates"
    if not value.is_number:
        return f"{value.name!r} holds {value.kind}, not numbers"
    for column in coordinates:
        if not column.is_whole:
            return f"there are rows without {column.name!r}, and every row needs all its coordinates"
        if column.is_number and (against := _not_coordinate(column, named=named)):
            return against
    if not are_distinct(coordinates):
        return f"rows have the same {quoted(coordinates)}"
    return None


def _not_coordinate(column: Column, *, named: bool) -> str | None:
    """Measurements hardly repeat; coordinates do, or low rank has nothing to go by."""
    counts = np.bincount(column.codes)
    if column.is_float and counts.min() < 2:
        return f"{column.name!r} holds fractions that do not come twice"
    if not column.is_float and not named and 2 * len(counts) > len(column.codes):
        return f"most numbers in {column.name!r} come once, as values do"
    return None


def _two_options(columns: Sequence[Column], index: Sequence[Column], long: Long, wide: Wide | None, table: str) -> str:
    coordinates = quoted([*index, *(columns[place] for place in long.coordinates)])
    as_long = f"coordinates=[{coordinates}], value={columns[long.value].name!r}"
    if index:
        as_long += ", after reset_index()"
    if wide is None and not index:
        return f"{table} is long, and its values could be in several of its columns; say in which, as in {as_long}."
    return (
        f"{table} could be long, a row per entry, or wide, a matrix of all its columns of numbers; say which: "
        f"{as_long} for a long table, coordinates=[] for a wide one."
    )
