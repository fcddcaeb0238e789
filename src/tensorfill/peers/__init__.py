"""Tables and arrays of other libraries: taken as they come, and given back in kind; or refused with what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from os import PathLike
from typing import Any

import numpy as np

from ..completion import Completion
from ..errors import InvalidInput
from ..formats.contents import Contents, Metadata, check_numbers
from ..formats.entries import Entries
from .tables import Arrived, TableBack, read_pandas, read_polars, read_series

__all__ = ["Arrived", "TableBack", "accept", "check_alignment", "is_lazy"]


def accept(data: object, coordinates: object = None, value: object = None) -> Arrived | None:
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
        return Arrived(data, data.complete)
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
    return contents.fill(done.tensor)


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


_TAKEN = ("pandas", "polars", "xarray")
_TABLES = ("DataFrame", "LazyFrame", "Series", "Table", "DataArray", "Dataset")


def refuse_strangers(data: object) -> None:
    """Refuse what NumPy would take for something else, or for nothing, with the sentence that helps."""
    if isinstance(data, str | bytes | PathLike):
        raise InvalidInput(
            f"{str(data)!r} is not data; if it names a file, read it first, complete(tensorfill.read(path)), or use "
            "the command tensorfill complete FILE."
        )
    if is_of(data, "xarray", "Dataset"):
        raise InvalidInput("A Dataset has several arrays; complete one of its variables, such as dataset['name'].")
    if is_of(data, "polars", "LazyFrame"):
        raise InvalidInput("A LazyFrame has no rows yet; complete frame.collect() instead.")
    if is_of(data, "polars", "Series"):
        raise InvalidInput("A Series of polars is a single column; complete a DataFrame of several, or an array.")
    if _is_sparse(data):
        raise InvalidInput(
            "What is not stored in a sparse matrix could be 0 or missing, so say which: data.toarray() if it is 0, or "
            "ObservedTensor.from_coordinates(coordinates, values, shape) if only what is stored is known."
        )
    if isinstance(data, Mapping):
        raise InvalidInput(
            "A dict is no tensor; complete one of its arrays, all of them by numpy.stack, or a DataFrame made of it."
        )
    _refuse_other_tables(data)


def is_lazy(data: object) -> bool:
    """Whether it is a dask array, or made of one, to be completed when it is needed; dask is not loaded for that."""
    graph = getattr(data, "__dask_graph__", None)
    return callable(graph) and graph() is not None and not is_of(data, "tensorfill", "LazyCompletion")


def is_of(data: object, library: str, name: str) -> bool:
    """Whether it is an object of a library's class, or of one made from it; the library is not loaded for that."""
    return any(cls.__name__ == name and _library(cls) == library for cls in type(data).__mro__)


def _refuse_other_tables(data: Any) -> None:
    if isinstance(data, list | tuple) and any(_is_table(item) for item in data):
        raise InvalidInput(
            "A list of tables could be put together in more than one way; complete numpy.stack([table.to_numpy() for "
            "table in tables]), or pandas.concat(tables, keys=…) as one table."
        )
    if _is_table(data) and not any(_library(cls) in _TAKEN for cls in type(data).__mro__):
        kind = f"{_library(type(data))}.{type(data).__name__}"
        raise InvalidInput(
            f"A {kind} is not taken as it is; convert it, as in complete(data.to_pandas()), or to an array."
        )


def _is_table(data: object) -> bool:
    return any(cls.__name__ in _TABLES and _library(cls) != "builtins" for cls in type(data).__mro__)


def _is_sparse(data: object) -> bool:
    names: Iterable[type] = type(data).__mro__
    return any(_library(cls) == "scipy" and ".sparse." in f"{cls.__module__}." for cls in names) or any(
        _library(cls) == "sparse" for cls in names
    )


def _library(cls: type) -> str:
    return cls.__module__.partition(".")[0]
