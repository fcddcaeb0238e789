"""polars: a DataFrame, long or wide; given back in kind. It has no index, so a column may name the rows."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from ..formats.entries import Entries, Labels
from ..formats.tables.labels import ordered
from .column import Codes, Column
from .long_table import LongTable
from .wide_table import NewValues


def columns_of(frame: Any) -> list[Column]:
    """The columns of a DataFrame in their order."""
    return [_column(series) for series in frame.get_columns()]


def wide_frame(frame: Any, changes: dict[int, NewValues]) -> Any:
    """The table with new values in some of its columns, in their own types."""
    polars: Any = import_module("polars")
    columns = list(frame.get_columns())
    for place, new in changes.items():
        old = columns[place]
        fresh = polars.Series(old.name, new.values).cast(old.dtype)
        columns[place] = fresh.zip_with(polars.Series(new.changed), old)
    return polars.DataFrame(columns)


def long_frame(table: LongTable, entries: Entries, like: Any) -> Any:
    """Entries as a table with the columns of `like`, in its order and with its types."""
    polars: Any = import_module("polars")
    columns = []
    for place in sorted((*table.kept, table.form.value)):
        old = like.get_columns()[place]
        if place == table.form.value:
            columns.append(polars.Series(old.name, np.array(entries.values)).cast(old.dtype))
        else:
            columns.append(old.gather(table.rows_of(place, entries)))
    return polars.DataFrame(columns)


def _column(series: Any) -> Column:
    polars: Any = import_module("polars")
    dtype = series.dtype
    known = series.is_not_null()
    if dtype.is_float():
        known &= series.is_not_nan().fill_null(False)
    numbers = None
    if dtype.is_integer() or dtype.is_float() or dtype == polars.Boolean:
        numbers = series.fill_null(False if dtype == polars.Boolean else 0).to_numpy()
        if numbers.dtype.kind not in "biuf":  # whole numbers of 128 bits
            numbers = None
    return Column(series.name, str(dtype), numbers, known.to_numpy(), lambda: _coded(polars, series))


def _coded(polars: Any, series: Any) -> tuple[Codes, Labels]:
    """Enumerations in their own order, text as people count, all else as polars sorts it."""
    if series.dtype.is_nested() or series.dtype in (polars.Object, polars.Binary):
        raise TypeError
    distinct = series.drop_nulls().unique(maintain_order=True)
    if series.dtype in (polars.String, polars.Categorical):
        distinct = distinct.gather(np.argsort(ordered(distinct.to_list())[1]))
    else:
        distinct = distinct.sort()
    place = polars.DataFrame({"label": distinct, "index": np.arange(len(distinct))})
    joined = polars.DataFrame({"label": series}).join(place, on="label", how="left", maintain_order="left")
    return joined["index"].fill_null(-1).to_numpy().astype(np.int64), tuple(distinct.to_list())
