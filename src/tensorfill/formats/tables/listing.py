"""Listing: a table of wanted entries as it comes, and the same with what was found for every row.

Its columns are kept as they are: those that are no coordinates, rows that come twice, and their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...labels import Axes, Found, is_missing_label


@dataclass(frozen=True, eq=False)
class Answers:
    """A number for every row, or none."""

    values: NDArray[Any]
    known: NDArray[np.bool_]
    """Where there is one."""


@dataclass(frozen=True, eq=False)
class Listing:
    """Columns of one length, in their order."""

    table: str
    """What sentences call it."""
    columns: Mapping[str, Sequence[Any] | Answers]
    """Lists of text or of numbers, or columns of polars; and those that were found."""
    signs: Mapping[str, str] = field(default_factory=dict)
    """The delimiter and the decimal sign, if it came as text."""
    is_text: bool = False
    """Whether its cells are text as it stands in a file, spaces around it and all."""

    def __len__(self) -> int:
        return max((len(column) for column in self.columns.values() if not isinstance(column, Answers)), default=0)

    def labels(self, name: str) -> list[Any]:
        """What is in a column, as labels."""
        column = self.columns[name]
        assert not isinstance(column, Answers)
        if self.is_text:
            return [text.strip() or None for text in column]
        return list(column)

    def find(self, axes: Axes) -> Found:
        """The entries that are asked for."""
        absent = [name for name in axes.names if name not in self.columns]
        if absent:
            raise InvalidInput(
                f"{self.table} must have the columns {_quote(axes.names)}, as the data has. It has no {absent[0]!r}; "
                f"the columns in it are: {', '.join(self.columns) or 'none'}."
            )
        if not len(self):
            raise InvalidInput(f"{self.table} has no rows, so nothing is asked for.")
        columns = {name: self.labels(name) for name in axes.names}
        for name, labels in columns.items():
            empty = next((row for row, label in enumerate(labels) if is_missing_label(label)), None)
            if empty is not None:
                raise InvalidInput(
                    f"Row {empty + 1} of {self.table} has no {name!r}: every row needs all its coordinates."
                )
        return axes.find(columns)

    def with_answers(self, name: str, answers: Answers) -> Listing:
        """The same with another column, or with one that was there already filled in."""
        return replace(self, columns={**self.columns, name: answers})


def _quote(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
