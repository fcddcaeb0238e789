"""Tables and arrays of other libraries: taken as they come, and given back in kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..completion import Completion
from ..errors import InvalidInput
from ..formats.contents import Contents
from ..formats.entries import Entries
from . import data_array, pandas_table


@dataclass(frozen=True, eq=False)
class Arrived:
    """What a user handed over, and how to give its completion back in the same form."""

    given: Contents | Entries
    give_back: Callable[[Completion], Any]


def arriving(data: object) -> Arrived | None:
    """Something that is more than an array: a DataFrame, a DataArray, what a file held; None for anything else.

    Neither pandas nor xarray is loaded unless the object is theirs.
    """
    if isinstance(data, Contents):
        return Arrived(data, lambda done: data.filled(done.tensor))
    if isinstance(data, Entries):
        return Arrived(data, data.completed)
    if _is(data, "pandas", "DataFrame"):
        entries = pandas_table.entries_of(data)
        return Arrived(entries, lambda done: pandas_table.frame_of(entries.completed(done), data))
    if _is(data, "xarray", "DataArray"):
        return Arrived(data_array.contents_of(data), lambda done: data_array.like(data, done.tensor))
    if _is(data, "xarray", "Dataset"):
        raise InvalidInput("A Dataset has several arrays; complete one of its variables, such as dataset['name'].")
    return None


def _is(data: object, library: str, name: str) -> bool:
    return any(cls.__name__ == name and cls.__module__.partition(".")[0] == library for cls in type(data).__mro__)
