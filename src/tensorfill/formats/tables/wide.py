"""Wide: how a wide table is written in its file, so that its completion can be written in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contents import Contents
from ..metadata import Metadata

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
class Wide:
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


def wide_of(contents: Contents) -> Wide | None:
    """How the table was written that an array comes from, if it comes from a wide one and still has its shape."""
    found = contents.metadata.header.get(_KEY) if contents.metadata.header_of == _HEADER_OF else None
    return found if isinstance(found, Wide) and found.values.shape == contents.shape else None
