"""A pandas DataFrame in long form: a row per entry, columns of coordinates and one of values."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..formats.entries import Entries, Labels
from ..formats.tables.labelled import Axis, Labelled, value_column
from ..formats.tables.labels import counts_from_zero, ordered

_TABLE = "The DataFrame"
_MATRIX = "a matrix with holes is completed as an array, with frame.to_numpy()"


def entries_of(frame: Any, value: str | None = None) -> Entries:
    """The rows of a table; those whose value is missing are asked for.

    Values are in the column called `value` here; if not given, in the only one named value, values, count or counts,
    or else in the last.
    """
    if any(name is not None for name in frame.index.names):
        raise InvalidInput(
            "The coordinates must be in columns, and the DataFrame has some in its index: use frame.reset_index()."
        )
    names = [str(name) for name in frame.columns]
    place = value_column(names, value, _TABLE)
    values, known = _values(frame.iloc[:, place], names[place])
    axes = [_axis(frame.iloc[:, column], name) for column, name in enumerate(names) if column != place]
    return Labelled(axes, names[place], values, known).entries("the DataFrame")


def frame_of(entries: Entries, like: Any) -> Any:
    """Entries as a table with the columns of `like`, in its order and with its dtypes."""
    pandas: Any = import_module("pandas")
    columns: dict[int, Any] = {}
    for place, name in enumerate(like.columns):
        dtype = like.iloc[:, place].dtype
        if str(name) == entries.columns[-1]:
            columns[place] = pandas.Series(pandas.array(entries.values, dtype=dtype), dtype=dtype)
        else:
            mode = entries.columns.index(str(name))
            labels = entries.labels[mode]
            named = pandas.array(list(range(entries.shape[mode]) if labels is None else labels), dtype=dtype)
            # With its dtype again, or pandas would guess one for a column of objects.
            columns[place] = pandas.Series(named.take(entries.coordinates[:, mode]), dtype=dtype)
    frame = pandas.DataFrame(columns)
    frame.columns = like.columns
    frame.attrs = dict(like.attrs)
    return frame


def _values(series: Any, name: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The values in NumPy's dtype, 0 where there is none; and where there is one."""
    series = series.infer_objects()
    dtype = getattr(series.dtype, "numpy_dtype", series.dtype)
    if not isinstance(dtype, np.dtype) or dtype.kind not in "biuf":
        raise InvalidInput(
            f"The column '{name}' of the DataFrame must hold numbers, as it is the one of values. "
            f"Got {series.dtype} instead; the values are in the last column, or in one called 'value'."
        )
    known = ~series.isna().to_numpy(dtype=bool)
    values = np.zeros(len(series), dtype=dtype)
    values[known] = series[known].to_numpy(dtype=dtype)
    return values, known


def _axis(series: Any, name: str) -> Axis:
    """The coordinates in a column: categories in their own order, text as people count, all else as pandas sorts it."""
    if series.isna().any():
        raise InvalidInput(f"The DataFrame has rows without '{name}': every row needs all its coordinates ({_MATRIX}).")
    pandas: Any = import_module("pandas")
    codes, distinct = pandas.factorize(series)
    found = distinct.tolist()
    if hasattr(distinct, "codes"):
        order = np.argsort(distinct.codes)
    elif all(isinstance(label, str) for label in found):
        order = np.argsort(ordered(found)[1])
    else:
        order = np.array(_sorted(found), dtype=np.int64)
    labels: Labels = tuple(found[place] for place in order)
    index = np.empty(len(order), dtype=np.int64)
    index[order] = np.arange(len(order))
    return Axis(name, index[codes], None if counts_from_zero(labels) else labels, len(labels))


def _sorted(found: list[Any]) -> list[int]:
    try:
        return sorted(range(len(found)), key=found.__getitem__)
    except TypeError:  # of several kinds
        return sorted(range(len(found)), key=lambda place: (type(found[place]).__name__, str(found[place])))
