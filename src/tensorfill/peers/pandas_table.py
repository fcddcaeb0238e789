"""pandas: a DataFrame, long or wide, or a Series whose index has the coordinates; given back in kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..formats.tables.column import Codes, Column, order_labels
from ..formats.tables.forms import change_column
from ..labels import Labels

_NUMBERS = {"integer": None, "floating": np.float64, "mixed-integer-float": np.float64, "boolean": np.bool_}
"""What a column of objects may hold to be one of numbers, and their type; None: whichever it is."""


def read_columns(frame: Any, table: str) -> list[Column]:
    """The columns of a DataFrame in their order; `table` is how sentences call it."""
    return [_read_column(frame.iloc[:, place], str(name), table) for place, name in enumerate(frame.columns)]


def read_index(frame: Any, table: str) -> list[Column]:
    """The columns of its index, if that names rows: it has a name, or is more than whole numbers."""
    index = frame.index
    if index.nlevels == 1 and index.name is None and index.dtype.kind in "iu":
        return []
    return _read_levels(index, table)


def read_series(series: Any, table: str) -> list[Column]:
    """A Series with several levels in its index: their columns, and that of its values."""
    if series.index.nlevels < 2:
        raise InvalidInput(
            "A Series is a table only if its index has two levels or more, which are its coordinates. Make it one with "
            "series.set_axis(MultiIndex) or frame.set_index([…])['value'], or complete a DataFrame of several columns."
        )
    name = "value" if series.name is None else str(series.name)
    return [*_read_levels(series.index, table), _read_column(series, name, table)]


def fill_wide(frame: Any, columns: Mapping[int, Column], tensor: NDArray[Any]) -> Any:
    """A copy of the table with a matrix in some of its columns, in their own types."""
    pandas: Any = import_module("pandas")
    filled = frame.copy()
    for mode, (place, column) in enumerate(columns.items()):
        old = frame.iloc[:, place]
        values, changed = change_column(column, tensor[:, mode], np.ones(len(old), dtype=bool))
        if changed.any():
            # What is not changed is taken from the column itself: objects and large numbers stay exactly as they were.
            rows = np.where(changed, len(old) + np.arange(len(old)), np.arange(len(old)))
            both = pandas.concat([old, pandas.Series(pandas.array(values, dtype=old.dtype), dtype=old.dtype)])
            new = both.iloc[rows]
            new.index = frame.index
            filled.isetitem(place, new.astype(old.dtype))
    return filled


def fill_long(frame: Any, sources: Mapping[int, Codes | None], values: NDArray[Any]) -> Any:
    """A table of these columns: their rows as `sources` says, or the values, in their own types."""
    pandas: Any = import_module("pandas")
    columns = {}
    for place, rows in sources.items():
        old = frame.iloc[:, place]
        array = pandas.array(values, dtype=old.dtype) if rows is None else old.array.take(rows)
        columns[place] = pandas.Series(array)
    filled = pandas.DataFrame(columns)
    filled.columns = frame.columns[list(columns)]
    filled.attrs = dict(frame.attrs)
    return filled


def fill_series(series: Any, sources: Mapping[int, Codes | None], values: NDArray[Any]) -> Any:
    """A Series with these values, whose index has the levels of `series`, their rows as `sources` says."""
    pandas: Any = import_module("pandas")
    arrays = [_get_level(series.index, place).array.take(rows) for place, rows in sources.items() if rows is not None]
    index = pandas.MultiIndex.from_arrays(arrays, names=series.index.names)
    filled = pandas.Series(pandas.array(values, dtype=series.dtype), index=index, name=series.name)
    filled.attrs = dict(series.attrs)
    return filled


def _read_levels(index: Any, table: str) -> list[Column]:
    names = [f"level_{level}" if name is None else str(name) for level, name in enumerate(index.names)]
    return [_read_column(_get_level(index, level), name, table) for level, name in enumerate(names)]


def _get_level(index: Any, level: int) -> Any:
    pandas: Any = import_module("pandas")
    return pandas.Series(index.get_level_values(level).array)


def _read_column(series: Any, name: str, table: str) -> Column:
    known = ~series.isna().to_numpy(dtype=bool)
    dtype = _find_number_type(series)
    numbers = None
    if dtype is not None:
        numbers = np.zeros(len(series), dtype=dtype)
        numbers[known] = series[known].to_numpy(dtype=dtype)
    kind = "text" if str(series.dtype) in ("str", "string") else str(series.dtype)

    def code() -> tuple[Codes, Labels]:
        try:
            return _code(series)
        except TypeError:  # lists and other things of which nobody can say whether two are the same
            raise InvalidInput(
                f"The column {name!r} of {table} cannot name rows or coordinates, as it holds {kind}; leave it out."
            ) from None

    order = None if kind == "category" else _order  # categories have one of their own
    return Column(name, kind, numbers, known, code, order)


def _find_number_type(series: Any) -> np.dtype[Any] | None:
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


def _code(series: Any) -> tuple[Codes, Labels]:
    pandas: Any = import_module("pandas")
    codes, distinct = pandas.factorize(series)
    if hasattr(distinct, "codes"):  # categories
        order = np.argsort(distinct.codes)
        return np.append(np.argsort(order), -1)[codes], tuple(distinct[order].tolist())
    return codes.astype(np.int64), tuple(distinct.tolist())


def _order(found: Sequence[Any]) -> tuple[Labels, Codes]:
    """Text as people count, all else as Python sorts it."""
    if all(isinstance(label, str) for label in found):
        return order_labels(found)
    order = _sort(found)
    index = np.argsort(order)
    return tuple(found[place] for place in order), index.astype(np.int64)


def _sort(found: Sequence[Any]) -> list[int]:
    try:
        return sorted(range(len(found)), key=found.__getitem__)
    except TypeError:  # of several kinds
        return sorted(range(len(found)), key=lambda place: (type(found[place]).__name__, str(found[place])))
