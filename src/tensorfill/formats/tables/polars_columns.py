"""Columns of polars: read from a DataFrame, and filled again in their own types."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from ...errors import InvalidInput
from ..contents import Contents
from ..entries import Labels
from .column import Codes, Column, order_labels
from .wide import change_column


def read_columns(frame: Any, table: str) -> list[Column]:
    """The columns of a DataFrame in their order; `table` is how sentences call it."""
    return [_read_column(series, table) for series in frame.get_columns()]


def fill_columns(frame: Any, numbers: Sequence[str], contents: Contents) -> Any:
    """The DataFrame with a matrix in some of its columns, in their own types; null where nothing is known."""
    polars: Any = import_module("polars")
    known = contents.known()
    for mode, name in enumerate(numbers):
        old = frame[name]
        values, changed = change_column(_read_column(old, ""), contents.data[:, mode], known[:, mode])
        fresh = polars.Series(name, np.ascontiguousarray(values)).cast(old.dtype)
        fresh = fresh.zip_with(polars.Series(known[:, mode]), old.clear(len(old)))
        frame = frame.with_columns(fresh.zip_with(polars.Series(changed), old))
    return frame


def _read_column(series: Any, table: str) -> Column:
    polars: Any = import_module("polars")
    dtype = series.dtype
    known = series.is_not_null()
    if dtype.is_float():
        known &= series.is_not_nan().fill_null(False)
    there = known.to_numpy()
    numbers = None
    if dtype.is_integer() or dtype.is_float() or dtype == polars.Boolean:
        numbers = np.array(series.fill_null(False if dtype == polars.Boolean else 0).to_numpy())
        numbers[~there] = 0
        if numbers.dtype.kind not in "biuf":  # whole numbers of 128 bits
            numbers = None
    decimals = numbers is not None and numbers.dtype.kind == "f" and bool((numbers != np.rint(numbers)).any())
    # Enumerations have an order of their own, and all else is sorted by polars.
    order = order_labels if dtype in (polars.String, polars.Categorical) else None
    return Column(series.name, str(dtype), numbers, there, lambda: _code(polars, series, table), order, decimals)


def _code(polars: Any, series: Any, table: str) -> tuple[Codes, Labels]:
    if series.dtype.is_nested() or series.dtype in (polars.Object, polars.Binary):
        raise InvalidInput(
            f"The column {series.name!r} of {table} cannot name rows or coordinates, as it holds {series.dtype}; "
            "leave it out."
        )
    distinct = series.drop_nulls().unique(maintain_order=True)
    if series.dtype not in (polars.String, polars.Categorical):
        distinct = distinct.sort()
    place = polars.DataFrame({"label": distinct, "index": np.arange(len(distinct))})
    joined = polars.DataFrame({"label": series}).join(place, on="label", how="left", maintain_order="left")
    return joined["index"].fill_null(-1).to_numpy().astype(np.int64), tuple(distinct.to_list())
