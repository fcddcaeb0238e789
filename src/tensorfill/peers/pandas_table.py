"""pandas: a DataFrame, long or wide, or a Series whose index has the coordinates; given back in kind."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..formats.entries import Entries, Labels
from ..formats.tables.labels import ordered
from .column import Codes, Column
from .long_table import LongTable
from .wide_table import NewValues

_NUMBERS = {"integer": None, "floating": np.float64, "mixed-integer-float": np.float64, "boolean": np.bool_}
"""What a column of objects may hold to be one of numbers, and their type; None: whichever it is."""


def columns_of(frame: Any) -> list[Column]:
    """The columns of a DataFrame in their order."""
    return [_column(frame.iloc[:, place], str(name)) for place, name in enumerate(frame.columns)]


def index_of(frame: Any) -> list[Column]:
    """The columns of its index, if that names rows: it has a name, or is more than whole numbers."""
    index = frame.index
    if index.nlevels == 1 and index.name is None and index.dtype.kind in "iu":
        return []
    return levels_of(index)


def levels_of(index: Any) -> list[Column]:
    """The levels of an index, each as a column."""
    names = [f"level_{level}" if name is None else str(name) for level, name in enumerate(index.names)]
    return [_column(_level(index, level), name) for level, name in enumerate(names)]


def series_columns(series: Any) -> list[Column]:
    """A Series with several levels in its index: their columns, and that of its values."""
    if series.index.nlevels < 2:
        raise InvalidInput(
            "A Series is a table only if its index has two levels or more, which are its coordinates. Make it one with "
            "series.set_axis(MultiIndex) or frame.set_index([…])['value'], or complete a DataFrame of several columns."
        )
    return [*levels_of(series.index), _column(series, "value" if series.name is None else str(series.name))]


def wide_frame(frame: Any, changes: dict[int, NewValues]) -> Any:
    """A copy of the table with new values in some of its columns, in their own types."""
    pandas: Any = import_module("pandas")
    filled = frame.copy()
    for place, new in changes.items():
        old = frame.iloc[:, place]
        # What is not changed is taken from the column itself: objects and large numbers stay exactly as they were.
        rows = np.where(new.changed, len(old) + np.arange(len(old)), np.arange(len(old)))
        both = pandas.concat([old, pandas.Series(pandas.array(new.values, dtype=old.dtype), dtype=old.dtype)])
        column = both.iloc[rows]
        column.index = frame.index
        filled.isetitem(place, column.astype(old.dtype))
    return filled


def long_frame(table: LongTable, entries: Entries, like: Any) -> Any:
    """Entries as a table with the columns of `like`, in its order and with its types."""
    pandas: Any = import_module("pandas")
    columns = {
        place: pandas.Series(_filled(table, entries, place, like.iloc[:, place]))
        for place in sorted((*table.kept, table.form.value))
    }
    frame = pandas.DataFrame(columns)
    frame.columns = like.columns[list(columns)]
    frame.attrs = dict(like.attrs)
    return frame


def long_series(table: LongTable, entries: Entries, like: Any) -> Any:
    """Entries as a Series whose index has the levels of `like`."""
    pandas: Any = import_module("pandas")
    modes = range(like.index.nlevels)
    arrays = [_level(like.index, mode).iloc[table.rows_of(mode, entries)].array for mode in modes]
    index = pandas.MultiIndex.from_arrays(arrays, names=like.index.names)
    series = pandas.Series(pandas.array(entries.values, dtype=like.dtype), index=index, name=like.name)
    series.attrs = dict(like.attrs)
    return series


def _filled(table: LongTable, entries: Entries, place: int, old: Any) -> Any:
    pandas: Any = import_module("pandas")
    if place == table.form.value:
        return pandas.array(entries.values, dtype=old.dtype)
    return old.array.take(table.rows_of(place, entries))


def _level(index: Any, level: int) -> Any:
    pandas: Any = import_module("pandas")
    return pandas.Series(index.get_level_values(level).array)


def _column(series: Any, name: str) -> Column:
    known = ~series.isna().to_numpy(dtype=bool)
    dtype = _number_type(series)
    numbers = None
    if dtype is not None:
        numbers = np.zeros(len(series), dtype=dtype)
        numbers[known] = series[known].to_numpy(dtype=dtype)
    return Column(name, _kind(series), numbers, known, lambda: _coded(series))


def _number_type(series: Any) -> np.dtype[Any] | None:
    """The NumPy type of the numbers in a column, None if it does not hold numbers."""
    pandas: Any = import_module("pandas")
    dtype = series.dtype
    if isinstance(dtype, pandas.SparseDtype):
        dtype = dtype.subtype
    if dtype.kind == "O" and isinstance(dtype, np.dtype):
        what = pandas.api.types.infer_dtype(series, skipna=True)
        return None if what not in _NUMBERS else np.dtype(_NUMBERS[what] or np.int64)
    dtype = getattr(dtype, "numpy_dtype", dtype)
    return dtype if isinstance(dtype, np.dtype) and dtype.kind in "biuf" else None


def _kind(series: Any) -> str:
    return "text" if str(series.dtype) in ("str", "string") else str(series.dtype)


def _coded(series: Any) -> tuple[Codes, Labels]:
    """Categories in their own order, text as people count, all else as pandas sorts it."""
    pandas: Any = import_module("pandas")
    codes, distinct = pandas.factorize(series)
    found = distinct.tolist()
    order: NDArray[np.int64]
    if hasattr(distinct, "codes"):
        order = np.argsort(distinct.codes)
    elif all(isinstance(label, str) for label in found):
        order = np.argsort(ordered(found)[1])
    else:
        order = np.array(_sorted(found), dtype=np.int64)
    index = np.full(len(order) + 1, -1, dtype=np.int64)  # the last one is for code -1, no label
    index[order] = np.arange(len(order))
    return index[codes], tuple(found[place] for place in order)


def _sorted(found: list[Any]) -> list[int]:
    try:
        return sorted(range(len(found)), key=found.__getitem__)
    except TypeError:  # of several kinds
        return sorted(range(len(found)), key=lambda place: (type(found[place]).__name__, str(found[place])))
