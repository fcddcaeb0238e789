"""polars: a DataFrame, long or wide; given back in kind. It has no index, so a column may name the rows."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formats.contents import Contents
from ..formats.tables.column import Codes, Column
from ..formats.tables.parquet_table import fill_columns, read_columns

__all__ = ["fill_long", "fill_wide", "read_columns"]


def fill_wide(frame: Any, columns: Mapping[int, Column], tensor: NDArray[Any]) -> Any:
    """The table with new values in some of its columns, in their own types."""
    return fill_columns(frame, [column.name for column in columns.values()], Contents(tensor))


def fill_long(frame: Any, sources: Mapping[int, Codes | None], values: NDArray[Any]) -> Any:
    """A table of these columns: their rows as `sources` says, or the values, in their own types."""
    polars: Any = import_module("polars")
    columns = []
    for place, rows in sources.items():
        old = frame.to_series(place)
        columns.append(polars.Series(old.name, np.array(values)).cast(old.dtype) if rows is None else old.gather(rows))
    return polars.DataFrame(columns)
