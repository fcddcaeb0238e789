"""A long table turned into entries: which column holds the values, and what the others call the indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ..entries import Entries, Labels, check_modes
from ..metadata import Metadata
from .rows import nothing_known

VALUE_NAMES = ("value", "values", "count", "counts")


@dataclass(frozen=True, eq=False)
class Axis:
    """A column of coordinates: the index of every row, and what indices are called."""

    name: str
    index: NDArray[np.int64]
    labels: Labels | None
    size: int


@dataclass(frozen=True, eq=False)
class Labelled:
    """A long table, column by column; `known` says which rows have a value."""

    axes: Sequence[Axis]
    value_name: str
    values: NDArray[Any]
    known: NDArray[np.bool_]
    notes: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=lambda: Metadata(kind="table"))

    def entries(self, table: str) -> Entries:
        """As entries; `table` is how sentences call it."""
        known = self.known & ~np.isnan(self.values) if self.values.dtype.kind == "f" else self.known
        if not known.any():
            raise nothing_known(table)
        rows = np.column_stack([axis.index for axis in self.axes])
        return Entries(
            tuple(axis.size for axis in self.axes),
            rows[known],
            self.values[known],
            rows[~known],
            tuple(axis.labels for axis in self.axes),
            (*(axis.name for axis in self.axes), self.value_name),
            self.notes,
            self.metadata,
        )


def value_column(names: Sequence[str], wanted: str | None, table: str) -> int:
    """Where the values are: the column asked for, the only one called value or count, or the last one."""
    check_modes(len(names) - 1)
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise InvalidInput(f"The columns of {table} must have different names. Got {twice!r} twice.")
    if len(names) < 3:
        raise InvalidInput(
            f"{table} must have a column for every mode, at least two, and one of values. "
            f"Got {len(names)} in all: {', '.join(names)}."
        )
    if wanted is not None:
        if wanted not in names:
            raise InvalidInput(f"{table} has no column '{wanted}'. The columns in it are: {', '.join(names)}.")
        return list(names).index(wanted)
    return named_value(names)


def named_value(names: Sequence[str]) -> int:
    """The only column called value or count, or the last one."""
    place = says_value(names)
    return len(names) - 1 if place is None else place


def says_value(names: Sequence[str]) -> int | None:
    """Which column is the only one that is called value or count."""
    named = [place for place, name in enumerate(names) if name.lower() in VALUE_NAMES]
    return named[0] if len(named) == 1 else None
