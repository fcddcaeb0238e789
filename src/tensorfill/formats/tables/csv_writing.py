"""Entries as lines of text that can be read again as they are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ..entries import Entries
from .numbers import number_texts
from .rows import rows_in_order, value_name

HEADER_OF = "csv"
_BATCH = 2**16
_SPECIAL = frozenset('"\r\n,;\t')


def check_names(entries: Entries) -> None:
    """Refuse names and labels that would be taken for something else."""
    if all(map(is_number, entries.columns)):
        raise InvalidInput("The names of the columns would be taken for numbers: give at least one that is none.")
    for column, labels in zip(entries.columns, entries.labels, strict=False):
        for label in labels or ():
            text = label_text(label)
            if not text.strip() or "\0" in text:
                raise InvalidInput(f"A label of '{column}' is empty or holds a zero byte, which text cannot keep.")


def table_lines(entries: Entries, *, tabs: bool) -> Iterator[str]:
    """The whole file, some lines at a time, with the signs of the file that it comes from."""
    signs = entries.metadata.header if entries.metadata.header_of == HEADER_OF else {}
    delimiter = "\t" if tabs else signs.get("delimiter", ",").replace("\t", ",")
    decimal = signs.get("decimal", ".")
    names = (*entries.columns[:-1], value_name(entries))
    yield delimiter.join(map(_quoted, names)) + "\n"
    axes = [None if labels is None else [_quoted(label_text(label)) for label in labels] for labels in entries.labels]
    rows, places = rows_in_order(entries)
    for first in range(0, len(rows), _BATCH):
        part = rows[first : first + _BATCH]
        columns = [_texts(part[:, mode], axis) for mode, axis in enumerate(axes)]
        values = _value_texts(entries, places[first : first + _BATCH])
        if decimal != ".":
            values = [_quoted(text.replace(".", decimal), delimiter) for text in values]
        yield "".join(f"{delimiter.join(row)}\n" for row in zip(*columns, values, strict=True))


def _value_texts(entries: Entries, places: NDArray[np.int64]) -> list[str]:
    """Values as text, empty for rows that have none."""
    texts: NDArray[np.object_] = np.full(len(places), "", dtype=object)
    known = places < len(entries.values)
    own = entries.values[places[known]]
    texts[known] = [str(value) for value in own.tolist()] if own.dtype.kind == "b" else list(number_texts(own))
    return list(texts)


def _texts(index: np.ndarray[Any, np.dtype[np.int64]], axis: list[str] | None) -> Iterator[str]:
    return map(str, index.tolist()) if axis is None else map(axis.__getitem__, index.tolist())


def label_text(label: Any) -> str:
    """A label as text; dates as ISO 8601 writes them."""
    return str(label.isoformat()) if hasattr(label, "isoformat") else str(label)


def is_number(text: str) -> bool:
    """Whether a field could be a coordinate or a value rather than the name of a column."""
    try:
        return not math.isnan(float(text))
    except ValueError:
        return False


def _quoted(text: str, delimiter: str | None = None) -> str:
    """Between quotation marks, where another sign than a delimiter would be taken for one."""
    special = _SPECIAL if delimiter is None else frozenset(('"', "\r", "\n", delimiter))
    if special.isdisjoint(text) and text == text.strip():
        return text
    return '"' + text.replace('"', '""') + '"'
