"""Tables of pandas and polars: which form they have, and how they go back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from ..completion import Completion
from ..errors import InvalidInput, must_be
from ..formats.contents import Contents
from ..formats.entries import Entries
from . import pandas_table, polars_table
from .arrived import Arrived, TableBack
from .column import Column, needless, quoted
from .long_table import LongTable, long_table, named_form
from .table_form import Long, Wide, form_of, wide_form
from .wide_table import wide_table

_TABLE = "The DataFrame"
_SERIES = "The Series"


def arriving_pandas(frame: Any, coordinates: object, value: object) -> Arrived:
    """A DataFrame of pandas; its index may name its rows."""
    return _arriving(frame, pandas_table, pandas_table.index_of(frame), coordinates, value)


def arriving_polars(frame: Any, coordinates: object, value: object) -> Arrived:
    """A DataFrame of polars."""
    return _arriving(frame, polars_table, [], coordinates, value)


def arriving_series(series: Any, coordinates: object, value: object) -> Arrived:
    """A Series of pandas: the levels of its index are its coordinates."""
    if coordinates is not None or value is not None:
        raise InvalidInput(
            "The coordinates of a Series are the levels of its index; leave 'coordinates' and 'value' out."
        )
    if not len(series):
        raise InvalidInput(f"{_SERIES} has no rows, so there is nothing to complete.")
    columns = pandas_table.series_columns(series)
    if against := needless(columns[:-1]):
        raise InvalidInput(
            f"The levels of the Series are not all coordinates: {against}. Leave out those that others tell, with "
            "series.droplevel(…)."
        )
    table = long_table(columns, Long(tuple(range(len(columns) - 1)), len(columns) - 1), _SERIES)
    return _arrived_long(table, lambda done: pandas_table.long_series(table, table.entries.completed(done), series))


def _arriving(frame: Any, library: ModuleType, index: Sequence[Column], coordinates: object, value: object) -> Arrived:
    if not len(frame):
        raise InvalidInput(f"{_TABLE} has no rows, so there is nothing to complete.")
    columns = library.columns_of(frame)
    form = _form(columns, index, _checked(coordinates), value)
    if isinstance(form, Long):
        table = long_table(columns, form, _TABLE)
        return _arrived_long(table, lambda done: library.long_frame(table, table.entries.completed(done), frame))
    wide = wide_table(columns, form)
    back = TableBack(
        lambda done: library.wide_frame(frame, wide.new_values(done)), lambda done: wide.entries(done, index)
    )
    return Arrived(wide.contents, back, _words(columns, form), _wide_notes(wide.contents, index), columns_apart=True)


def _form(
    columns: Sequence[Column], index: Sequence[Column], coordinates: Sequence[object] | None, value: object
) -> Long | Wide:
    if coordinates is None and value is None:
        return form_of(columns, index, _TABLE)
    if coordinates is not None and not len(coordinates):
        if value is not None:
            raise InvalidInput(
                "coordinates=[] says that the table is wide, so no single column has the values; leave 'value' out."
            )
        return wide_form(columns, _TABLE)
    inside = {str(name) for name in (*(coordinates or ()), value)} & {column.name for column in index}
    if inside:
        raise InvalidInput(
            f"{', '.join(map(repr, sorted(inside)))} is in the index of the DataFrame; use frame.reset_index() first."
        )
    return named_form(columns, coordinates, value, _TABLE)


def _arrived_long(table: LongTable, back: Callable[[Completion], Any]) -> Arrived:
    def entries(done: Completion) -> Entries:
        return table.entries.completed(done)

    *names, value = table.entries.columns
    words = f"A long table: coordinates {', '.join(map(repr, names))}, values {value!r}."
    return Arrived(table.entries, TableBack(back, entries), words, table.notes)


def _checked(coordinates: object) -> Sequence[object] | None:
    if coordinates is None:
        return None
    if isinstance(coordinates, str) or not isinstance(coordinates, Sequence):
        raise InvalidInput(must_be("coordinates", "be a list of names of columns", coordinates))
    return coordinates


def _words(columns: Sequence[Column], form: Wide) -> str:
    size = f"A wide table: {len(columns[0].known):,} rows and {len(form.numbers):,} columns of numbers"
    if not form.labels:
        return f"{size}."
    return f"{size}; {quoted([columns[place] for place in form.labels])} only names rows."


def _wide_notes(contents: Contents, index: Sequence[Column]) -> tuple[str, ...]:
    if len(index) > 1:
        return (
            f"The rows of the table are one mode, though {quoted(index)} name them together; to have a mode for each, "
            "complete frame.stack(), a Series.",
        )
    if not index and contents.known().all():
        return (
            "The table was read as a matrix, and no cell of it is empty. If it is long, with a row per entry, name "
            "coordinates=[…] and value='…'.",
        )
    return ()
