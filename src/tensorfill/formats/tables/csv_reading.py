"""Lines of text as entries, read in batches; a line that is wrong is looked for when a batch fails."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..entries import Entries, default_columns
from ..room import check_room
from .csv_writing import is_number
from .labelled import Axis, Labelled, value_column
from .labels import from_texts
from .numbers import joined_numbers, parsed_numbers
from .whole_lines import whole_lines

MISSING = frozenset(("", "na", "n/a", "nan", "null", "none"))
_DELIMITERS = (",", ";", "\t")
_QUOTED = re.compile('"[^"]*"')
_BATCH = 2**15


class _WrongLine(Exception):
    """A batch has a line that cannot be used."""


def read_table(path: Path, wanted: str | None) -> Entries:
    """The entries in a file; `wanted` is the name of the column of values."""
    names, rows = _opened(path)
    value = value_column(names, wanted, str(path))
    try:
        return _read(path, names, value, rows)
    except _WrongLine as error:
        raise _found(path, names, value) from error
    except csv.Error as error:
        raise UnreadableFile(f"Line {rows.line_num} of {path} cannot be told into columns: {error}.") from error
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error


def _opened(path: Path) -> tuple[list[str], Any]:
    """The names of the columns, and a reader of the rows below them."""
    lines = _lines(path)
    try:
        start = _until_text(lines)
        delimiter = max(_DELIMITERS, key=_QUOTED.sub("", start[-1]).count)
        reader = csv.reader(chain(start, lines), delimiter=delimiter, strict=True)
        fields = [field.strip() for field in next(row for row in reader if row)]
    except StopIteration as error:
        raise UnreadableFile(f"{path} is empty; a table has a line of names and a line per entry.") from error
    except csv.Error as error:
        raise UnreadableFile(f"The first line of {path} cannot be told into columns: {error}.") from error
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error
    if "\0" in "".join(fields):
        raise UnreadableFile(f"{path} has zero bytes in its first line: it is no table of text.")
    if not all(map(is_number, fields)):
        return fields, reader
    again = csv.reader(_lines(path), delimiter=delimiter, strict=True)
    return list(default_columns(len(fields) - 1)), again


def _until_text(lines: Iterator[str]) -> list[str]:
    """The first lines, up to one that is not blank."""
    start = []
    for line in lines:
        start.append(line)
        if line.strip():
            return start
    raise StopIteration


def _lines(path: Path) -> Iterator[str]:
    return chain.from_iterable(io.StringIO(piece.decode("utf-8"), newline="") for piece in whole_lines(path))


def _read(path: Path, names: list[str], value: int, rows: Iterator[list[str]]) -> Entries:
    seen: list[dict[str, int]] = [{} for _ in names]
    indices: list[list[NDArray[np.int64]]] = [[] for _ in names]
    known: list[NDArray[np.bool_]] = []
    numbers: list[NDArray[Any]] = []
    count = 0
    while batch := list(islice(rows, _BATCH)):
        lengths = set(map(len, batch))
        if lengths != {len(names)}:
            batch = [row for row in batch if row]
            if not lengths <= {0, len(names)}:
                raise _WrongLine
        count += len(batch)
        check_room(path, (count, len(names)), 8)
        for place, column in enumerate(zip(*batch, strict=True)):
            if place == value:
                there, found = _values(column)
                known.append(there)
                numbers.append(found)
            else:
                own = seen[place]
                indices[place].append(np.array([own.setdefault(text, len(own)) for text in column], dtype=np.int64))
    if not count:
        raise UnreadableFile(f"{path} has a line of names and no entries.")
    axes = [
        _axis(name, seen[place], np.concatenate(indices[place]), path)
        for place, name in enumerate(names)
        if place != value
    ]
    notes: tuple[str, ...] = ()
    if names[0] == "" and value != 0 and len(axes) > 2 and _counts_rows(axes[0]):
        axes, notes = axes[1:], (f"The first column of {path} has no name and counts the rows, so it is left out.",)
    if len({part.dtype.kind == "b" for part in numbers if len(part)}) > 1:
        raise _WrongLine
    present = np.concatenate(known)
    given = joined_numbers([part for part in numbers if len(part)] or numbers[:1])
    values = np.zeros(len(present), dtype=given.dtype)
    values[present] = given
    return Labelled(axes, names[value], values, present, notes).entries(str(path))


def _values(column: tuple[str, ...]) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which fields have a value, and the values."""
    try:
        return np.ones(len(column), dtype=bool), parsed_numbers(column)
    except ValueError:
        there = [text.strip().lower() not in MISSING for text in column]
    try:
        return np.array(there), parsed_numbers([text for text, one in zip(column, there, strict=True) if one])
    except ValueError as error:
        raise _WrongLine from error


def _axis(name: str, seen: dict[str, int], first_seen: NDArray[np.int64], path: Path) -> Axis:
    texts = list(seen)
    if any(not text.strip() or "\0" in text for text in texts):
        raise _WrongLine
    labels, index = from_texts(texts)
    return Axis(name, index[first_seen], labels, len(texts))


def _counts_rows(axis: Axis) -> bool:
    return axis.labels is None and np.array_equal(axis.index, np.arange(len(axis.index)))


def _found(path: Path, names: list[str], value: int) -> UnreadableFile:
    """The first line that is wrong, in words; only looked for when there is one."""
    _, rows = _opened(path)
    for row in rows:
        where = f"Line {rows.line_num} of {path}"
        if row and len(row) != len(names):
            return UnreadableFile(f"{where} must have {len(names)} fields, as the first line. Got {len(row)} instead.")
        for place, text in enumerate(row):
            if place != value and (not text.strip() or "\0" in text):
                return UnreadableFile(f"{where} has no '{names[place]}': every row needs all its coordinates.")
            if place == value and not _values_fine(text):
                return UnreadableFile(
                    f"{where} must have a number, or nothing, as its '{names[value]}'. Got {text[:60]!r} instead."
                )
    return UnreadableFile(f"{path} mixes numbers with true and false in '{names[value]}'.")


def _values_fine(text: str) -> bool:
    try:
        _values((text,))
    except _WrongLine:
        return False
    return True


def _not_utf8(path: Path) -> UnreadableFile:
    return UnreadableFile(
        f"{path} is not text in UTF-8; save it in that encoding, or it is something else than a table."
    )
