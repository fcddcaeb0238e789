"""A wide table: a matrix of rows and columns, each column with a type and often a unit of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion
from ..formats.contents import Contents
from ..formats.entries import Entries, Labels
from ..formats.metadata import Metadata
from .column import Column, are_distinct
from .table_form import Wide


@dataclass(frozen=True, eq=False)
class NewValues:
    """What a column gets: values in its own type, and in which rows they stand instead of what was there."""

    values: NDArray[Any]
    changed: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class WideTable:
    """A wide table as an array with holes."""

    columns: Sequence[Column]
    form: Wide
    contents: Contents

    def new_values(self, done: Completion) -> dict[int, NewValues]:
        """For every column that changes, by its place in the table, what is in it after the completion.

        What is known is left as it stands in the table: columns of several types have no type in common that could
        hold the large whole numbers of one and the fractions of another.
        """
        found = {}
        for mode, place in enumerate(self.form.numbers):
            column = self.columns[place]
            assert column.numbers is not None
            whole = done.tensor[:, mode]
            same = column.known & (column.numbers.astype(whole.dtype) == whole)
            if not same.all():
                found[place] = NewValues(in_type(whole, column.numbers.dtype), ~same)
        return found

    def entries(self, done: Completion, index: Sequence[Column]) -> Entries:
        """The completed matrix as entries, whose labels are those of its rows and columns."""
        namers = index if len(index) == 1 else [self.columns[place] for place in self.form.labels]
        rows = next((column for column in namers if column.is_whole and are_distinct([column])), None)
        names = tuple(self.columns[place].name for place in self.form.numbers)
        labels = (None if rows is None else _by_row(rows), names if len(set(names)) == len(names) else None)
        shape = self.contents.shape
        everywhere = np.indices(shape, dtype=np.int64).reshape(2, -1).T
        titles = ("row" if rows is None else rows.name, "column", "value")
        return Entries(shape, everywhere, done.tensor.reshape(-1), everywhere[:0], labels, titles)


def _by_row(column: Column) -> Labels:
    codes, labels = column.coded
    return tuple(labels[code] for code in codes)


def wide_table(columns: Sequence[Column], form: Wide) -> WideTable:
    """The numbers of a table as a matrix; the type of its columns if all have the same, else floating point."""
    numbers = [columns[place].numbers for place in form.numbers]
    dtypes = {part.dtype for part in numbers if part is not None}
    floats = all(dtype.kind == "f" for dtype in dtypes)
    common = np.result_type(*dtypes) if len(dtypes) == 1 or floats else np.dtype(np.float64)
    data = np.stack([part.astype(common) for part in numbers if part is not None], axis=1)
    known = np.stack([columns[place].known for place in form.numbers], axis=1)
    return WideTable(columns, form, Contents(data, known, metadata=Metadata(kind="table")))


def in_type(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Values in the type of a column: rounded and kept within its range where that is needed.

    >>> in_type(np.array([0.4, 299.0]), np.dtype(np.uint8)), in_type(np.array([0.4, 0.6]), np.dtype(bool))
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
