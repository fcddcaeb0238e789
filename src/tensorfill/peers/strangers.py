"""What is neither an array nor a table that can be taken, and what to do instead: a sentence for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from ..errors import InvalidInput

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
