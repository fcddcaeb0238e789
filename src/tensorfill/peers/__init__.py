"""Tables and arrays of other libraries: taken as they come, and given back in kind."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..completion import Completion
from ..errors import InvalidInput
from ..formats.contents import Contents
from ..formats.entries import Entries
from . import data_array, tables
from .arrived import Arrived, TableBack
from .strangers import is_of, refuse_strangers

__all__ = ["Arrived", "TableBack", "arriving", "check_alignment"]


def arriving(data: object, coordinates: object = None, value: object = None) -> Arrived | None:
    """Something that is more than an array: a DataFrame, a DataArray, what a file held; None for anything else.

    `coordinates` and `value` name the columns of a long table; an empty list says that it is a wide one. Neither pandas
    nor polars nor xarray is loaded unless the object is theirs.
    """
    refuse_strangers(data)
    if is_of(data, "pandas", "DataFrame"):
        return tables.arriving_pandas(data, coordinates, value)
    if is_of(data, "pandas", "Series"):
        return tables.arriving_series(data, coordinates, value)
    if is_of(data, "polars", "DataFrame"):
        return tables.arriving_polars(data, coordinates, value)
    if coordinates is not None or value is not None:
        raise InvalidInput(
            "'coordinates' and 'value' name columns of a DataFrame; for arrays of coordinates and values use "
            "ObservedTensor.from_coordinates(coordinates, values, shape)."
        )
    if isinstance(data, Contents):
        return Arrived(data, partial(_filled_like, data), columns_apart=data.metadata.columns_apart)
    if isinstance(data, Entries):
        return Arrived(data, data.completed)
    if is_of(data, "xarray", "DataArray"):
        array: Any = data
        return Arrived(data_array.contents_of(array), partial(_array_like, array))
    return None


# Functions of the module, so that a completion can be pickled.
def _filled_like(contents: Contents, done: Completion) -> Contents:
    return contents.filled(done.tensor)


def _array_like(array: Any, done: Completion) -> Any:
    return data_array.like(array, done.tensor)


def check_alignment(data: Any, observed: Any) -> None:
    """Refuse a mask with labels of its own that are not those of the data: it would be laid upon it askew."""
    if is_of(data, "pandas", "DataFrame") and is_of(observed, "pandas", "DataFrame"):
        same = data.index.equals(observed.index) and data.columns.equals(observed.columns)
    elif is_of(data, "xarray", "DataArray") and is_of(observed, "xarray", "DataArray"):
        same = data.dims == observed.dims
    else:
        return
    if not same:
        raise InvalidInput(
            "'observed' must have the rows and columns of the data in the same order, with the same names."
        )
