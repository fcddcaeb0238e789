"""Lines of text as entries or as a matrix, read in batches; a line that is wrong is looked for when a batch fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..contents import Contents
from ..entries import Entries, default_columns
from ..metadata import Metadata
from ..reading import Reading
from ..room import check_room
from .column import is_missing, with_point
from .csv_form import CsvForm, form_of
from .csv_writing import HEADER_OF
from .labelled import Axis, Labelled, value_column
from .labels import from_texts
from .numbers import joined_numbers, parsed_numbers
from .text_table import TextTable, opened, told_into_rows
from .wide_reading import read_matrix

_BATCH = 2**15


class _WrongLine(Exception):
    """A batch has a line that cannot be used."""


def read_table(path: Path, how: Reading) -> Contents | Entries:
    """What is in a file: entries, or a matrix if it is wide; `how.dataset` is the name of the column of values."""
    table = opened(path)
    form = form_of(table, how.table, how.dataset)
    return _read_entries(table, form, how.dataset) if form.layout == "long" else read_matrix(table, form)


def _read_entries(table: TextTable, form: CsvForm, wanted: str | None) -> Entries:
    path, first = table.path, table.sample[0]
    names = first if form.header else list(default_columns(len(first) - 1))
    value = value_column(names, wanted, str(path))
    rows = _below_names(table, form)
    with told_into_rows(path, rows):
        try:
            entries = _read(path, names, value, rows, form.decimal)
        except _WrongLine as error:
            raise _found(table, form, names, value) from error
    signs = {"delimiter": table.delimiter, "decimal": form.decimal}
    return replace(entries, metadata=Metadata(kind="table", header=signs, header_of=HEADER_OF))


def _below_names(table: TextTable, form: CsvForm) -> Any:
    rows = table.rows()
    if form.header:
        with told_into_rows(table.path, rows):
            next(row for row in rows if row)
    return rows


def _read(path: Path, names: list[str], value: int, rows: Iterator[list[str]], decimal: str) -> Entries:
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
                there, found = _values(column, decimal)
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


def _values(column: tuple[str, ...], decimal: str) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which fields have a value, and the values."""
    if decimal != ".":
        column = tuple(with_point(text, decimal) for text in column)
    try:
        return np.ones(len(column), dtype=bool), parsed_numbers(column)
    except ValueError:
        there = [not is_missing(text) for text in column]
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


def _found(table: TextTable, form: CsvForm, names: list[str], value: int) -> UnreadableFile:
    """The first line that is wrong, in words; only looked for when there is one."""
    path, rows = table.path, _below_names(table, form)
    for row in rows:
        where = f"Line {rows.line_num} of {path}"
        if row and len(row) != len(names):
            return UnreadableFile(f"{where} must have {len(names)} fields, as the first line. Got {len(row)} instead.")
        for place, text in enumerate(row):
            if place != value and (not text.strip() or "\0" in text):
                return UnreadableFile(f"{where} has no '{names[place]}': every row needs all its coordinates.")
            if place == value and not _values_fine(text, form.decimal):
                return UnreadableFile(
                    f"{where} must have a number, or nothing, as its '{names[value]}'. Got {text[:60]!r} instead."
                )
    return UnreadableFile(f"{path} mixes numbers with true and false in '{names[value]}'.")


def _values_fine(text: str, decimal: str) -> bool:
    try:
        _values((text,), decimal)
    except _WrongLine:
        return False
    return True
