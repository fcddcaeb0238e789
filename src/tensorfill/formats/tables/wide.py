"""A wide table, a matrix: what is kept of it so that its completion can be written in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contents import Contents, Metadata
from .column import Column

_HEADER_OF = "wide table"
_KEY = "wide"


@dataclass(frozen=True, eq=False)
class WrittenFields:
    """How the fields of a file are written."""

    fields: NDArray[np.object_]
    delimiter: str
    decimal: str
    line_end: str
    quotes_names: bool


@dataclass(frozen=True, eq=False)
class WideTable:
    """Names of rows and columns, and the numbers as they were read."""

    columns: tuple[str, ...] | None
    """The names of the columns, or None."""
    corner: str
    """The name of the column of labels."""
    labels: tuple[Any, ...] | None
    """The names of the rows, or None."""
    values: NDArray[Any]
    """0 where there is none."""
    known: NDArray[np.bool_]
    written: WrittenFields | None = None
    """The fields, if this is text."""
    typed: Any = None
    """The columns, if they are typed: a DataFrame of polars."""

    def contents(self, notes: tuple[str, ...]) -> Contents:
        """The matrix, NaN where nothing is known of floats."""
        data = np.where(self.known, self.values, np.nan) if self.values.dtype.kind == "f" else self.values
        metadata = Metadata(kind="table", columns_apart=True, header={_KEY: self}, header_of=_HEADER_OF)
        observed = None if self.known.all() else self.known
        return Contents(data.astype(self.values.dtype, copy=False), observed, notes, metadata)


def find_wide(contents: Contents) -> WideTable | None:
    """How the table was written that an array comes from, if it comes from a wide one and still has its shape."""
    found = contents.metadata.header.get(_KEY) if contents.metadata.header_of == _HEADER_OF else None
    return found if isinstance(found, WideTable) and found.values.shape == contents.shape else None


def stack_numbers(columns: Sequence[Column]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Columns of numbers as a matrix, in a type that holds them all; and where they are known."""
    numbers = [column.numbers for column in columns if column.numbers is not None]
    return np.stack(numbers, axis=1), np.stack([column.known for column in columns], axis=1)


def change_column(
    column: Column, values: NDArray[Any], known: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Values in the type of a column of numbers, and in which rows they stand instead of what is there.

    What is the same is left as it stands in the table: columns of several types have no type in common that could
    hold the large whole numbers of one and the fractions of another.
    """
    assert column.numbers is not None
    same = known & column.known & (column.numbers.astype(values.dtype) == values)
    return cast_values(values, column.numbers.dtype), ~same & (known | column.known)


def cast_values(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Values in the type of a column: rounded and kept within its range where that is needed.

    >>> cast_values(np.array([0.4, 299.0]), np.dtype(np.uint8)), cast_values(np.array([0.4, 0.6]), np.dtype(bool))
    (array([  0, 255], dtype=uint8), array([False,  True]))
    """
    if values.dtype == dtype:
        return values
    if dtype.kind == "b":
        return np.asarray(values >= 0.5)
    if dtype.kind == "f":
        return np.asarray(np.clip(values, np.finfo(dtype).min, np.finfo(dtype).max).astype(dtype))
    limits = np.iinfo(dtype)
    rounded = np.rint(values)
    # Floats cannot hold the largest whole numbers of 64 bits; going through them would overflow.
    inside = (rounded > limits.min) & (rounded < limits.max)
    ends = np.where(rounded > 0, dtype.type(limits.max), dtype.type(limits.min))
    return np.asarray(np.where(inside, np.where(inside, rounded, 0).astype(dtype), ends))
