"""Which form a DataFrame has: long (a row per entry) or wide (a matrix). What could be both is not guessed.

A table can be read in a way if nothing speaks against it; an obstacle is a sentence about what does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput, must_be
from ..formats.tables.column import Column, are_distinct, combine, count_distinct, quote_names
from ..formats.tables.forms import find_named_values
from ..formats.tables.layout import find_obstacle


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


def choose_form(
    columns: Sequence[Column], index: Sequence[Column], coordinates: object, value: object, table: str
) -> Long | Wide:
    """The form that a user names, or the only one that a table can have.

    `index` are the columns beside it that name rows; `table` is what sentences call it.
    """
    if coordinates is None and value is None:
        return _find_form(columns, index, table)
    if isinstance(coordinates, str) or not (coordinates is None or isinstance(coordinates, Sequence)):
        raise InvalidInput(must_be("coordinates", "be a list of names of columns", coordinates))
    if coordinates is not None and not len(coordinates):
        if value is not None:
            raise InvalidInput(
                "coordinates=[] says that the table is wide, so no single column has the values; leave 'value' out."
            )
        return _take_wide(columns, table)
    inside = {str(name) for name in (*(coordinates or ()), value)} & {column.name for column in index}
    if inside:
        raise InvalidInput(
            f"{', '.join(map(repr, sorted(inside)))} is in the index of the DataFrame; use frame.reset_index() first."
        )
    return _take_long(columns, coordinates, value, table)


def describe_needless(columns: Sequence[Column]) -> str | None:
    """A sentence about the last column that rows are told apart without; None if all are needed."""
    for column in reversed(columns):
        rest = [other for other in columns if other is not column]
        if are_distinct(rest):
            owner = next((other for other in rest if determines(other, column)), None)
            if owner is not None:
                return f"every {owner.title} has one {column.title} only, which adds nothing to it"
            return f"no two rows have the same {quote_names(rest)}, whatever their {column.title}"
    return None


def determines(first: Column, second: Column) -> bool:
    """Whether rows that are alike in the first column are alike in the second."""
    return count_distinct(combine([first, second])) == count_distinct(first.codes)


def _take_wide(columns: Sequence[Column], table: str) -> Wide:
    """As a matrix, whatever else it could be."""
    numbers = tuple(place for place, column in enumerate(columns) if column.is_number)
    if not numbers:
        raise InvalidInput(f"{table} has no column of numbers, so there is nothing to complete.")
    return Wide(numbers, tuple(place for place in range(len(columns)) if place not in numbers))


def _take_long(columns: Sequence[Column], coordinates: Sequence[object] | None, value: object, table: str) -> Long:
    """As a long table whose columns a user names; what is not named follows from the rest."""
    wanted = None if value is None else _find_place(columns, value, table)
    if coordinates is None:
        places = tuple(place for place in range(len(columns)) if place != wanted)
        if len(places) > 1 and (against := describe_needless([columns[place] for place in places])):
            raise InvalidInput(
                f"The columns of {table} are not all coordinates: {against}. Name them: coordinates=[…]."
            )
    else:
        places = tuple(_find_place(columns, name, table) for name in coordinates)
    if wanted is None:
        wanted = _find_only_value(columns, places, table)
    if len(places) < 2 or len(set(places)) < len(places) or wanted in places:
        raise InvalidInput(
            "A long table needs two columns of coordinates or more, each named once, and another one of values. Got "
            f"coordinates=[{quote_names([columns[place] for place in places])}], value={columns[wanted].title}."
        )
    return Long(places, wanted)


def _find_place(columns: Sequence[Column], name: object, table: str) -> int:
    places = [place for place, column in enumerate(columns) if column.name == str(name)]
    if len(places) > 1:
        raise InvalidInput(f"The columns of {table} must have different names. Got {str(name)!r} twice.")
    if not places:
        raise InvalidInput(f"{table} has no column {str(name)!r}. The columns in it are: {quote_names(columns)}.")
    return places[0]


def _find_only_value(columns: Sequence[Column], coordinates: Sequence[int], table: str) -> int:
    numeric = [place for place, column in enumerate(columns) if column.is_number and place not in coordinates]
    named = [place for place in find_named_values([column.name for column in columns]) if place in numeric]
    for found in (numeric, named):
        if len(found) == 1:
            return found[0]
    raise InvalidInput(
        f"{table} has {len(numeric)} columns of numbers beside the coordinates; name the one of values: value='…'."
    )


def _find_form(columns: Sequence[Column], index: Sequence[Column], table: str) -> Long | Wide:
    """The only form that a table can have."""
    named = find_named_values([column.name for column in columns])
    against_wide = _oppose_wide(columns, index, named)
    longs, against_long = _find_longs(columns, index, named)
    if against_wide is None and not longs:
        return _take_wide(columns, table)
    if len(longs) == 1 and against_wide and not index:
        return longs[0]
    if longs:
        raise _ask_form(columns, index, longs[0], only_long=against_wide is not None and not index, table=table)
    raise InvalidInput(
        f"{table} is neither a long table ({against_long}) nor a wide one ({against_wide}). Say which: "
        "coordinates=[…] and value='…' name the columns of a long table, coordinates=[] says that it is wide, a matrix "
        "of all its columns of numbers."
    )


def _oppose_wide(columns: Sequence[Column], index: Sequence[Column], named: Sequence[int]) -> str | None:
    """Why this is no matrix; a column without numbers may name its rows, if it does so one by one."""
    labels = [column for column in columns if not column.is_number]
    for column in labels:
        if not column.is_whole:
            return f"{column.title} holds {column.kind}, and what is missing there cannot be filled in"
    if labels and (index or len(columns) - len(labels) < 2 or not any(are_distinct([column]) for column in labels)):
        hold, do = ("hold", "do") if len(labels) > 1 else ("holds", "does")
        return f"{quote_names(labels)} {hold} no numbers and {do} not name rows one by one"
    others = [column for place, column in enumerate(columns) if place not in named]
    counted = all(column.is_whole and not column.is_float for column in others)
    if len(named) == 1 and not index and not labels and len(others) > 1 and counted:
        return f"{columns[named[0]].title} is called as in a long one, and the others are whole numbers"
    return None


def _find_longs(columns: Sequence[Column], index: Sequence[Column], named: Sequence[int]) -> tuple[list[Long], str]:
    """With every column of numbers that could hold the values, and all the others as coordinates."""
    numeric = [place for place, column in enumerate(columns) if column.is_number]
    found: list[Long] = []
    reasons = []
    for value in named if len(named) == 1 else reversed(numeric):
        others = tuple(place for place in range(len(columns)) if place != value)
        coordinates = [*index, *(columns[place] for place in others)]
        against = (
            find_obstacle(coordinates, columns[value])
            or _find_measurements(coordinates, named=len(named) == 1)
            or describe_needless(coordinates)
        )
        if against is None:
            found.append(Long(others, value))
        else:
            reasons.append(against)
    return found, reasons[0] if reasons else "no column holds numbers"


def _find_measurements(coordinates: Sequence[Column], *, named: bool) -> str | None:
    """Measurements hardly repeat; coordinates do, or low rank has nothing to go by."""
    for column in coordinates:
        if column.is_number:
            counts = np.bincount(column.codes)
            if column.is_float and counts.min() < 2:
                return f"{column.title} holds fractions that do not come twice"
            if not column.is_float and not named and 2 * len(counts) > len(column.codes):
                return f"most numbers in {column.title} come once, as values do"
    return None


def _ask_form(
    columns: Sequence[Column], index: Sequence[Column], long: Long, *, only_long: bool, table: str
) -> InvalidInput:
    coordinates = quote_names([*index, *(columns[place] for place in long.coordinates)])
    as_long = f"coordinates=[{coordinates}], value={columns[long.value].title}"
    if index:
        as_long += ", after reset_index()"
    if only_long:
        return InvalidInput(
            f"{table} is long, and its values could be in several of its columns; say in which, as in {as_long}."
        )
    return InvalidInput(
        f"{table} could be long, a row per entry, or wide, a matrix of all its columns of numbers; say which: "
        f"{as_long} for a long table, coordinates=[] for a wide one."
    )
