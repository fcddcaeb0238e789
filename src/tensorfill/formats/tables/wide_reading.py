"""A wide table of text, a row per line, read into a matrix with all that is needed to write it again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..contents import Contents
from ..room import check_room
from .column import is_missing, with_point
from .csv_form import CsvForm
from .numbers import parsed_numbers
from .rows import nothing_known
from .text_table import TextTable, told_into_rows
from .wide import Wide, WrittenFields

_BYTES_PER_FIELD = 64  # a short text in Python


def read_matrix(table: TextTable, form: CsvForm) -> Contents:
    """The numbers of a wide table, with all that is needed to write it again."""
    path, width = table.path, len(table.sample[0])
    rows = table.rows()
    names: tuple[str, ...] | None = None
    lines: list[list[str]] = []
    with told_into_rows(path, rows):
        for row in rows:
            if not row:
                continue
            if len(row) != width:
                raise UnreadableFile(
                    f"Line {rows.line_num} of {path} must have {width} fields, as the first line. "
                    f"Got {len(row)} instead."
                )
            if form.header and names is None:
                names = tuple(field.strip() for field in row)
                continue
            lines.append(row)
            check_room(path, (len(lines), width), _BYTES_PER_FIELD)
    if not lines:
        raise UnreadableFile(f"{path} has a line of names and no entries.")
    labels = tuple(row[0].strip() for row in lines) if form.labels else None
    first = 1 if form.labels else 0
    fields = np.array([row[first:] for row in lines], dtype=object).reshape(len(lines), width - first)
    values, known = _numbers(fields, form, table)
    if not known.any():
        raise nothing_known(path)
    own = WrittenFields(fields, table.delimiter, form.decimal, table.line_end, table.quotes_names)
    wide = Wide(names[first:] if names else None, names[0] if names and first else "", labels, values, known, own)
    return wide.contents(form.notes)


def _numbers(fields: NDArray[np.object_], form: CsvForm, table: TextTable) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """All numbers in one dtype, 0 where there is none; and where there is one."""
    flat = fields.reshape(-1)
    known = np.array([not is_missing(text) for text in flat], dtype=bool)
    try:
        given = parsed_numbers([with_point(text, form.decimal) for text in flat[known]])
    except ValueError:
        raise _wrong_field(form, table) from None
    if given.dtype.kind == "f" and np.isnan(given).any():
        raise _wrong_field(form, table)
    values = np.zeros(len(flat), dtype=given.dtype)
    values[known] = given
    return values.reshape(fields.shape), known.reshape(fields.shape)


def _wrong_field(form: CsvForm, table: TextTable) -> UnreadableFile:
    """The first field that is no number, or the sentence about true and false; only looked for when there is one."""
    rows = table.rows()
    waiting = form.header
    for row in rows:
        if not row or waiting:
            waiting = waiting and not row
            continue
        for place, text in enumerate(row):
            if (place or not form.labels) and not is_missing(text) and not _is_number(text, form.decimal):
                name = repr(table.sample[0][place][:60]) if form.header else f"column {place + 1}"
                return UnreadableFile(
                    f"Line {rows.line_num} of {table.path} must have a number, or nothing, in {name}. "
                    f"Got {text[:60]!r} instead."
                )
    return UnreadableFile(f"{table.path} mixes numbers with true and false.")


def _is_number(text: str, decimal: str) -> bool:
    try:
        return not np.isnan(parsed_numbers([with_point(text, decimal)])).any()
    except ValueError:
        return False
