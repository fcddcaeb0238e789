"""Tables of pandas and polars: read as entries or as a matrix, and given back in kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from ..completion import Completion
from ..errors import InvalidInput
from ..formats.contents import Contents, Metadata
from ..formats.entries import Entries
from ..formats.tables.column import Codes, Column, are_distinct, quote_names
from ..formats.tables.forms import make_entries, stack_numbers
from . import pandas_table, polars_table
from .forms import Long, Wide, choose_form, describe_needless, determines

_TABLE = "The DataFrame"
_SERIES = "The Series"


@dataclass(frozen=True, eq=False)
class Arrived:
    """What a user handed over, and how to give its completion back in the same form."""

    given: Contents | Entries
    give_back: Callable[[Completion], Any]
    read_as: str = ""
    """How a table was understood, in words."""
    notes: tuple[str, ...] = ()
    columns_apart: bool = False
    """Whether the columns of a matrix may be in units of their own."""


@dataclass(frozen=True, eq=False)
class TableBack:
    """Gives a completed table back: to its user as a table of the same library, to a file as entries."""

    table: Callable[[Completion], Any]
    entries: Callable[[Completion], Entries]

    def __call__(self, done: Completion) -> Any:
        """The table, for its user."""
        return self.table(done)


def read_pandas(frame: Any, coordinates: object, value: object) -> Arrived:
    """A DataFrame of pandas; its index may name its rows."""
    index = pandas_table.read_index(frame, _TABLE)
    return _read_frame(frame, pandas_table, index, coordinates, value)


def read_polars(frame: Any, coordinates: object, value: object) -> Arrived:
    """A DataFrame of polars."""
    return _read_frame(frame, polars_table, [], coordinates, value)


def read_series(series: Any, coordinates: object, value: object) -> Arrived:
    """A Series of pandas: the levels of its index are its coordinates."""
    if coordinates is not None or value is not None:
        raise InvalidInput(
            "The coordinates of a Series are the levels of its index; leave 'coordinates' and 'value' out."
        )
    _check_rows(series, _SERIES)
    columns = pandas_table.read_series(series, _SERIES)
    if against := describe_needless(columns[:-1]):
        raise InvalidInput(
            f"The levels of the Series are not all coordinates: {against}. Leave out those that others tell, with "
            "series.droplevel(…)."
        )
    form = Long(tuple(range(len(columns) - 1)), len(columns) - 1)
    return _read_long(columns, form, _SERIES, lambda sources, values: pandas_table.fill_series(series, sources, values))


def _read_frame(
    frame: Any, library: ModuleType, index: Sequence[Column], coordinates: object, value: object
) -> Arrived:
    _check_rows(frame, _TABLE)
    columns = library.read_columns(frame, _TABLE)
    form = choose_form(columns, index, coordinates, value, _TABLE)
    if isinstance(form, Long):
        return _read_long(columns, form, _TABLE, lambda sources, values: library.fill_long(frame, sources, values))
    numbers = {place: columns[place] for place in form.numbers}
    values, known = stack_numbers(list(numbers.values()))
    types = {column.numbers.dtype for column in numbers.values() if column.numbers is not None}
    if len(types) > 1 and any(dtype.kind != "f" for dtype in types):  # what is filled in may be a fraction
        values = values.astype(np.float64)
    contents = Contents(values, known, metadata=Metadata(kind="table"))
    back = TableBack(
        lambda done: library.fill_wide(frame, numbers, done.tensor),
        lambda done: _list_entries(done, columns, form, index),
    )
    return Arrived(contents, back, _describe(columns, form), _note_wide(contents, index), columns_apart=True)


def _check_rows(table: Any, name: str) -> None:
    if not len(table):
        raise InvalidInput(f"{name} has no rows, so there is nothing to complete.")


def _read_long(
    columns: Sequence[Column], form: Long, table: str, fill: Callable[[Mapping[int, Codes | None], Any], Any]
) -> Arrived:
    """A long table; `fill` makes a table of rows to take columns from, None for the values, and of values."""
    coordinates = [columns[place] for place in form.coordinates]
    entries = make_entries(coordinates, columns[form.value], table)
    owners = {place: mode for mode, place in enumerate(form.coordinates)}
    left_out = []
    for place, column in enumerate(columns):
        if place != form.value and place not in owners:
            owner = next((mode for mode, other in enumerate(coordinates) if determines(other, column)), None)
            if owner is None:
                left_out.append(column)
            else:
                owners[place] = owner

    def fill_table(done: Completion) -> Any:
        full = entries.complete(done)
        sources: dict[int, Codes | None] = {form.value: None}
        for place, mode in owners.items():
            sources[place] = coordinates[mode].first_rows[full.coordinates[:, mode]]
        return fill(dict(sorted(sources.items())), full.values)

    *names, value = entries.columns
    words = f"A long table: coordinates {', '.join(map(repr, names))}, values {value!r}."
    return Arrived(entries, TableBack(fill_table, entries.complete), words, _note_long(coordinates, left_out))


def _note_long(coordinates: Sequence[Column], left_out: Sequence[Column]) -> tuple[str, ...]:
    notes = []
    if against := describe_needless(coordinates):
        notes.append(
            f"Of the coordinates, {against}, so most of the tensor has nothing to do with the table; leave out of "
            "coordinates=[…] what the others tell, and it still comes back."
        )
    if left_out:
        come, are = ("come", "are") if len(left_out) > 1 else ("comes", "is")
        notes.append(
            f"{quote_names(left_out)} {are} neither coordinate nor value, and no coordinate tells it, so it {come} not "
            "back."
        )
    return tuple(notes)


def _list_entries(done: Completion, columns: Sequence[Column], form: Wide, index: Sequence[Column]) -> Entries:
    """The completed matrix as entries, whose labels are those of its rows and columns."""
    namers = index if len(index) == 1 else [columns[place] for place in form.labels]
    rows = next((column for column in namers if column.is_whole and are_distinct([column])), None)
    row_labels = None if rows is None else tuple(rows.found[1][code] for code in rows.codes)
    names = tuple(columns[place].name for place in form.numbers)
    labels = (row_labels, names if len(set(names)) == len(names) else None)
    shape = done.tensor.shape
    everywhere = np.indices(shape, dtype=np.int64).reshape(2, -1).T
    titles = ("row" if rows is None else rows.name, "column", "value")
    return Entries(shape, everywhere, done.tensor.reshape(-1), everywhere[:0], labels, titles)


def _describe(columns: Sequence[Column], form: Wide) -> str:
    size = f"A wide table: {len(columns[0].known):,} rows and {len(form.numbers):,} columns of numbers"
    if not form.labels:
        return f"{size}."
    return f"{size}; {quote_names([columns[place] for place in form.labels])} only names rows."


def _note_wide(contents: Contents, index: Sequence[Column]) -> tuple[str, ...]:
    if len(index) > 1:
        return (
            f"The rows of the table are one mode, though {quote_names(index)} name them together; to have a mode for "
            "each, complete frame.stack(), a Series.",
        )
    if not index and contents.known().all():
        return (
            "The table was read as a matrix, and no cell of it is empty. If it is long, with a row per entry, name "
            "coordinates=[…] and value='…'.",
        )
    return ()
