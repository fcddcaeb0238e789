"""Tables and arrays of other libraries: taken as they come, and given back in kind."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..completion import Completion
from ..errors import InvalidInput
from ..formats.contents import Contents, Metadata, check_numbers
from ..formats.entries import Entries
from .strangers import is_of, refuse_strangers
from .tables import Arrived, TableBack, read_pandas, read_polars, read_series

__all__ = ["Arrived", "TableBack", "arriving", "check_alignment"]


def arriving(data: object, coordinates: object = None, value: object = None) -> Arrived | None:
    """Something that is more than an array: a DataFrame, a DataArray, what a file held; None for anything else.

    `coordinates` and `value` name the columns of a long table; an empty list says that it is a wide one. Neither pandas
    nor polars nor xarray is loaded unless the object is theirs.
    """
    refuse_strangers(data)
    if is_of(data, "pandas", "DataFrame"):
        return read_pandas(data, coordinates, value)
    if is_of(data, "pandas", "Series"):
        return read_series(data, coordinates, value)
    if is_of(data, "polars", "DataFrame"):
        return read_polars(data, coordinates, value)
    if coordinates is not None or value is not None:
        raise InvalidInput(
            "'coordinates' and 'value' name columns of a DataFrame; for arrays of coordinates and values use "
            "ObservedTensor.from_coordinates(coordinates, values, shape)."
        )
    if isinstance(data, Contents):
        return Arrived(data, partial(_fill_contents, data), columns_apart=data.metadata.columns_apart)
    if isinstance(data, Entries):
        return Arrived(data, data.completed)
    if is_of(data, "xarray", "DataArray"):
        return Arrived(_read_array(data), partial(_fill_array, data))
    return None


def _read_array(array: Any) -> Contents:
    """The numbers of a DataArray, with its dimensions in their order; NaN is missing."""
    data = np.asarray(array.values)
    check_numbers(data, "The DataArray" if array.name is None else f"The DataArray '{array.name}'")
    return Contents(data, metadata=Metadata(variable=array.name if isinstance(array.name, str) else None))


# Functions of the module, so that a completion can be pickled.
def _fill_contents(contents: Contents, done: Completion) -> Contents:
    return contents.filled(done.tensor)


def _fill_array(array: Any, done: Completion) -> Any:
    """The tensor as a DataArray with the dimensions, coordinates, attributes and name of `array`."""
    return array.copy(data=np.array(done.tensor))


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
