"""A long table: a row per entry, columns of coordinates and one of values. It comes back with a row for every entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput
from ..formats.entries import Entries
from ..formats.tables.labelled import VALUE_NAMES, Axis, Labelled
from ..formats.tables.labels import counts_from_zero
from .column import Codes, Column, determines, needless, quoted
from .table_form import Long


@dataclass(frozen=True, eq=False)
class LongTable:
    """A long table as entries, and what is needed to make a table of entries again."""

    entries: Entries
    form: Long
    kept: dict[int, int]
    """Columns that come back beside the values, and the mode that each belongs to."""
    first_rows: tuple[Codes, ...]
    """For every mode, a row of the table for each of its indices."""
    notes: tuple[str, ...]

    def rows_of(self, place: int, entries: Entries) -> Codes:
        """For every entry, a row of the table that came in whose label in this column it has."""
        mode = self.kept[place]
        return self.first_rows[mode][entries.coordinates[:, mode]]


def named_form(columns: Sequence[Column], coordinates: Sequence[object] | None, value: object, table: str) -> Long:
    """The form that a user names; what is not named follows from the rest."""
    wanted = None if value is None else _place(columns, value, table)
    if coordinates is None:
        assert wanted is not None
        places = tuple(place for place in range(len(columns)) if place != wanted)
        if len(places) > 1 and (against := needless([columns[place] for place in places])):
            raise InvalidInput(
                f"The columns of {table} are not all coordinates: {against}. Name them: coordinates=[…]."
            )
    else:
        places = tuple(_place(columns, name, table) for name in coordinates)
    if wanted is None:
        wanted = _only_value(columns, places, table)
    if len(places) < 2 or len(set(places)) < len(places) or wanted in places:
        raise InvalidInput(
            "A long table needs two columns of coordinates or more, each named once, and another one of values. Got "
            f"coordinates=[{quoted([columns[place] for place in places])}], value={columns[wanted].name!r}."
        )
    return Long(places, wanted)


def long_table(columns: Sequence[Column], form: Long, table: str) -> LongTable:
    """The entries of a long table; rows whose value is missing are asked for."""
    value = columns[form.value]
    if value.numbers is None:
        raise InvalidInput(
            f"The column {value.name!r} of {table} must hold numbers, as it is the one of values. "
            f"Got {value.kind} instead."
        )
    axes = [_axis(columns[place], table) for place in form.coordinates]
    chosen = [columns[place] for place in form.coordinates]
    kept = {place: mode for mode, place in enumerate(form.coordinates)}
    left_out = []
    for place, column in enumerate(columns):
        if place != form.value and place not in kept:
            owner = next((mode for mode, other in enumerate(chosen) if determines(other, column)), None)
            if owner is None:
                left_out.append(column)
            else:
                kept[place] = owner
    entries = Labelled(axes, value.name, value.numbers, value.known).entries(table)
    first_rows = tuple(np.unique(axis.index, return_index=True)[1].astype(np.int64) for axis in axes)
    return LongTable(entries, form, kept, first_rows, _notes(chosen, left_out))


def _notes(chosen: Sequence[Column], left_out: Sequence[Column]) -> tuple[str, ...]:
    notes = []
    if against := needless(chosen):
        notes.append(
            f"Of the coordinates, {against}, so most of the tensor has nothing to do with the table; leave out of "
            "coordinates=[…] what the others tell, and it still comes back."
        )
    if left_out:
        come, are = ("come", "are") if len(left_out) > 1 else ("comes", "is")
        notes.append(
            f"{quoted(left_out)} {are} neither coordinate nor value, and no coordinate tells it, so it {come} not back."
        )
    return tuple(notes)


def _axis(column: Column, table: str) -> Axis:
    if not column.is_whole:
        raise InvalidInput(f"{table} has rows without {column.name!r}: every row needs all its coordinates.")
    codes, labels = column.coded
    return Axis(column.name, codes, None if counts_from_zero(labels) else labels, len(labels))


def _place(columns: Sequence[Column], name: object, table: str) -> int:
    places = [place for place, column in enumerate(columns) if column.name == str(name)]
    if len(places) > 1:
        raise InvalidInput(f"The columns of {table} must have different names. Got {str(name)!r} twice.")
    if not places:
        raise InvalidInput(f"{table} has no column {str(name)!r}. The columns in it are: {quoted(columns)}.")
    return places[0]


def _only_value(columns: Sequence[Column], coordinates: Sequence[int], table: str) -> int:
    numeric = [place for place, column in enumerate(columns) if column.is_number and place not in coordinates]
    named = [place for place in numeric if columns[place].name.lower() in VALUE_NAMES]
    for found in (numeric, named):
        if len(found) == 1:
            return found[0]
    raise InvalidInput(
        f"{table} has {len(numeric)} columns of numbers beside the coordinates; name the one of values: value='…'."
    )
