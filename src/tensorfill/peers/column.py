"""A column of a table, whichever library it is from: its numbers, if it has any, or what its labels are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..formats.entries import Labels

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Column:
    """One column. `numbers` is None where it holds anything else; `known` says which rows have a value."""

    name: str
    kind: str
    """What its library calls its type, for sentences."""
    numbers: NDArray[Any] | None
    known: NDArray[np.bool_]
    code: Callable[[], tuple[Codes, Labels]]
    """Finds the label of every row, as an index into all labels in order; -1 where there is none."""

    @cached_property
    def coded(self) -> tuple[Codes, Labels]:
        """The index of every row, and what indices are called."""
        try:
            return self.code()
        except TypeError:  # lists and other things of which nobody can say whether two are the same
            raise InvalidInput(
                f"The column {self.name!r} cannot name rows or coordinates, as it holds {self.kind}; leave it out."
            ) from None

    @property
    def codes(self) -> Codes:
        """For every row, which label it has; -1 if none."""
        return self.coded[0]

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers, or truths."""
        return self.numbers is not None

    @property
    def is_float(self) -> bool:
        """Whether it holds numbers with a fraction."""
        return self.numbers is not None and self.numbers.dtype.kind == "f"

    @property
    def is_whole(self) -> bool:
        """Whether every row has something in it."""
        return bool(self.known.all())


def are_distinct(columns: Sequence[Column]) -> bool:
    """Whether no two rows are alike in these columns."""
    return bool(columns) and len(np.unique(combined(columns))) == len(columns[0].known)


def determines(first: Column, second: Column) -> bool:
    """Whether rows that are alike in the first column are alike in the second."""
    pairs = len(np.unique(combined([first, second])))
    return pairs == len(np.unique(first.codes))


def combined(columns: Sequence[Column]) -> Codes:
    """A number for every row, the same for rows that are alike in all these columns."""
    rows = len(columns[0].known)
    together = np.zeros(rows, dtype=np.int64)
    for column in columns:
        if together.max(initial=0) == rows - 1:  # no two are alike any more
            break
        span = int(column.codes.max(initial=0)) + 2
        # Counted anew every time, so that products stay small.
        together = np.unique(together * span + column.codes + 1, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return together


def needless_column(columns: Sequence[Column]) -> Column | None:
    """The last column that rows are told apart without; None if all are needed."""
    for column in reversed(columns):
        if are_distinct([other for other in columns if other is not column]):
            return column
    return None


def needless(columns: Sequence[Column]) -> str | None:
    """A sentence about the last column that rows are told apart without; None if all are needed."""
    column = needless_column(columns)
    if column is None:
        return None
    rest = [other for other in columns if other is not column]
    owner = next((other for other in rest if determines(other, column)), None)
    if owner is not None:
        return f"every {owner.name!r} has one {column.name!r} only, which adds nothing to it"
    return f"no two rows have the same {quoted(rest)}, whatever their {column.name!r}"


def quoted(columns: Sequence[Column]) -> str:
    """The names of columns, as a user would type them in a list."""
    return ", ".join(repr(column.name) for column in columns)
