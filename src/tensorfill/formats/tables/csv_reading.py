"""Tables of text, read in batches: their form, then entries or a matrix; a field that is wrong is found afterwards."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, TensorfillError, UnreadableFile
from ...labels import Axes
from ..contents import Contents, Layout, Metadata, Reading, TableWords
from ..damage import check_room
from ..entries import Entries, default_columns
from .column import Codes, Column, counts_from_zero, order_texts
from .forms import WideTable, WrittenFields, find_coordinates, find_value, make_entries, refuse_holes
from .layout import Look, ask_decimal, ask_header, choose_labels, choose_layout
from .listing import Listing
from .text_table import (
    TextTable,
    find_decimal_signs,
    is_missing,
    join_numbers,
    make_column,
    open_table,
    parse_number,
    parse_numbers,
)

HEADER_OF = "csv"
_BATCH = 2**17  # fields
_MADE_UP = re.compile(r"(mode|column)_\d+")
_BYTES_PER_FIELD = 64  # a short text in Python


@dataclass(frozen=True)
class _Form:
    """Everything that the words of the user leave open, told from the table."""

    layout: Layout
    header: bool
    labels: bool
    decimal: str
    notes: tuple[str, ...] = ()


def read_table(path: Path, how: Reading) -> Contents | Entries:
    """What is in a file: entries, or a matrix if it is wide; `how.dataset` is the name of the column of values."""
    table = open_table(path)
    form = _choose_form(table, how)
    return _read_entries(table, form, how) if form.layout == "long" else _read_matrix(table, form)


def _choose_form(table: TextTable, how: Reading) -> _Form:
    """How to read a table; only a long one has columns of coordinates and of values, which may be named."""
    said, named = how.table, (*(how.coordinates or ()), *([] if how.dataset is None else [how.dataset]))
    if named:
        said = replace(said, layout="long")
        if said.header is None and not all(map(str.isdecimal, named)):  # else they are numbers of columns
            said = replace(said, header=True)
    name = str(table.path)
    rows = [row for row in table.sample if len(row) == len(table.sample[0])]
    decimal = said.decimal or _find_decimal(rows, name, said)
    header = said.header if said.header is not None else _has_header(rows, decimal)
    layout: Layout = said.layout or "long"
    if len(rows) > 1 and len(rows[0]) > 1:  # else there is nothing to see, and reading says what is wrong
        layout = choose_layout(_look_at(rows, header, decimal, name), said)
    if layout == "long":  # whose names are no numbers
        return _Form(layout, bool(header), False, decimal)
    said = replace(said, layout="wide")
    if header is None and len(rows) > 1:
        raise ask_header(name, rows[0], said)
    first = make_column("", [row[0] for row in rows[bool(header) :]], decimal)
    labels, notes = choose_labels(first, rows[0][0] if header else None, name, said)
    return _Form(layout, bool(header), labels, decimal, notes)


def _find_decimal(rows: Sequence[list[str]], name: str, said: TableWords) -> str:
    comma, point, thousands = find_decimal_signs(text for row in rows for text in row)
    if comma is None:
        return "."
    if point is not None:
        raise ask_decimal(name, comma, f", for {point!r} is in it as well", said)
    if thousands:
        raise ask_decimal(name, comma, "", said)
    return ","


def _has_header(rows: Sequence[list[str]], decimal: str) -> bool | None:
    """Whether the first line has names: yes, no, or None if nobody can tell."""
    first, below = rows[0], rows[1:]
    numbers = [parse_number(text, decimal) is not None for text in first]
    if not below:
        return not any(numbers) or None
    columns = [make_column("", fields, decimal) for fields in zip(*below, strict=True)]
    for column, is_number, text in zip(columns, numbers, first, strict=True):
        if column.is_number and not is_number and not is_missing(text):
            return True
    if not any(numbers):
        return True
    if first[0] == "" and (columns[0].holds_words or columns[0].counts_by_one):
        return True
    beside = first if numbers[0] else first[1:]
    return None if make_column("", beside, decimal).could_be_names else False


def _look_at(rows: Sequence[list[str]], header: bool | None, decimal: str, name: str) -> Look:
    below = rows if header is False else rows[1:]
    names = rows[0] if header else [f"column {place + 1}" for place in range(len(rows[0]))]
    columns = [make_column(*pair, decimal) for pair in zip(names, zip(*below, strict=True), strict=True)]
    corner = None if header is False else rows[0][0]
    counts = all(row[0].strip() == str(place) for place, row in enumerate(below))
    return Look(columns, header, corner, corner == "" and len(columns) > 3 and counts, name)


def _read_batches(table: TextTable, form: _Form, itemsize: int) -> Iterator[list[list[str]]]:
    """The rows below the names, many at a time, as long as there is room for what becomes of them."""
    width, count = len(table.sample[0]), 0
    rows = (row for _, row in table.rows(form.header))
    while batch := list(islice(rows, max(1, _BATCH // width))):
        count += len(batch)
        check_room(table.path, (count, width), itemsize)
        yield batch
    if not count:
        raise UnreadableFile(f"{table.path} has a line of names and no entries.")


def _read_entries(table: TextTable, form: _Form, how: Reading) -> Entries:
    path, first = str(table.path), table.sample[0]
    names = first if form.header else list(default_columns(len(first) - 1))
    if not form.header and how.coordinates is not None:
        names = [f"column_{place + 1}" for place in range(len(first))]
    value = find_value(names, how.dataset, path)
    places = find_coordinates(names, how.coordinates, value, path)
    seen: list[dict[str, int]] = [{} for _ in names]
    codes: list[list[Codes]] = [[] for _ in names]
    parts: list[tuple[NDArray[np.bool_], NDArray[Any]]] = []
    try:
        for batch in _read_batches(table, form, 8):
            for place, fields in enumerate(zip(*batch, strict=True)):
                if place == value:
                    parts.append(_parse_values(fields, form.decimal))
                elif place in places:
                    own = seen[place]
                    codes[place].append(np.array([own.setdefault(text, len(own)) for text in fields], dtype=np.int64))
        values = _join_values(names[value], parts)
        columns = [_make_coordinate(names[place], codes[place], seen[place]) for place in places]
    except TensorfillError:
        raise
    except ValueError:  # of a field that cannot be used
        raise _find_wrong_field(table, form, names, {value}, places) from None
    notes: tuple[str, ...] = ()
    if how.coordinates is None and names[0] == "" and value != 0 and len(columns) > 2 and _counts_rows(columns[0]):
        columns = columns[1:]
        notes = (f"The first column of {path} has no name and counts the rows, so it is left out.",)
    signs = {"delimiter": table.delimiter, "decimal": form.decimal}
    metadata = Metadata(kind="table", header=signs, header_of=HEADER_OF)
    return make_entries(columns, values, path, notes=notes, metadata=metadata)


def read_listing(path: Path, how: Reading, axes: Axes) -> Listing:
    """A table of wanted entries; it has a line of names, unless the data has none and it has as many columns."""
    table = open_table(path)
    names = table.sample[0]
    header = how.table.header
    if header is None:
        header = len(names) != len(axes.names) or not _are_made_up(axes.names) or set(axes.names) <= set(names)
    names = names if header else list(axes.names)
    if len(names) != len(table.sample[0]):
        raise InvalidInput(f"{path} has no names, so it must have the {len(names)} columns {', '.join(names)}.")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InvalidInput(f"{path} names {twice!r} twice; the names of its columns must differ.")
    columns: list[list[str]] = [[] for _ in names]
    for _, row in table.rows(header):
        for column, text in zip(columns, row, strict=True):
            column.append(text)
    signs = {"delimiter": table.delimiter, "decimal": how.table.decimal or "."}
    return Listing(str(path), dict(zip(names, columns, strict=True)), signs, is_text=True)


def _are_made_up(names: Sequence[str]) -> bool:
    """Whether nobody named these columns."""
    return all(map(_MADE_UP.fullmatch, names))


def _parse_values(fields: Sequence[str], decimal: str) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which fields have a value, and these values."""
    try:
        return np.ones(len(fields), dtype=bool), parse_numbers(fields, decimal)
    except ValueError:
        known = [not is_missing(text) for text in fields]
        return np.array(known), parse_numbers([text for text, one in zip(fields, known, strict=True) if one], decimal)


def _join_values(name: str, parts: Sequence[tuple[NDArray[np.bool_], NDArray[Any]]]) -> Column:
    known = np.concatenate([there for there, _ in parts])
    found = [numbers for _, numbers in parts if len(numbers)] or [parts[0][1]]
    if len({numbers.dtype.kind == "b" for numbers in found}) > 1:
        raise ValueError("numbers, true and false")
    numbers = join_numbers(found)
    values = np.zeros(len(known), dtype=numbers.dtype)
    values[known] = numbers
    return Column(name, "text", values, known)


def _make_coordinate(name: str, codes: list[Codes], seen: dict[str, int]) -> Column:
    if not all(map(_is_label, seen)):
        raise ValueError("no label")
    together = np.concatenate(codes)
    return Column(name, "text", None, np.ones(len(together), dtype=bool), lambda: (together, tuple(seen)), order_texts)


def _is_label(text: str) -> bool:
    return bool(text.strip()) and "\0" not in text


def _counts_rows(column: Column) -> bool:
    codes, labels = column.coded
    return counts_from_zero(labels) and np.array_equal(codes, np.arange(len(codes)))


def _read_matrix(table: TextTable, form: _Form) -> Contents:
    """The numbers of a wide table, with all that is needed to write it again."""
    first = 1 if form.labels else 0
    names = table.sample[0] if form.header else []
    rows = [row for batch in _read_batches(table, form, _BYTES_PER_FIELD) for row in batch]
    fields = np.array([row[first:] for row in rows], dtype=object).reshape(len(rows), -1)
    flat = fields.reshape(-1)
    known = np.array([not is_missing(text) for text in flat], dtype=bool)
    try:
        given = parse_numbers(flat[known].tolist(), form.decimal)
    except ValueError:
        given = np.full(1, np.nan)
    if given.dtype.kind == "f" and np.isnan(given).any():
        raise _find_wrong_field(table, form, names, set(range(first, len(table.sample[0]))), ())
    if not known.any():
        raise refuse_holes(table.path)
    values = np.zeros(len(flat), dtype=given.dtype)
    values[known] = given
    wide = WideTable(
        tuple(names[first:]) if names else None,
        names[0] if names and first else "",
        tuple(row[0].strip() for row in rows) if form.labels else None,
        values.reshape(fields.shape),
        known.reshape(fields.shape),
        WrittenFields(fields, table.delimiter, form.decimal, table.line_end, table.quotes_names),
    )
    return wide.contents(form.notes)


def _find_wrong_field(
    table: TextTable, form: _Form, names: Sequence[str], numbers: Collection[int], coordinates: Collection[int]
) -> UnreadableFile:
    """The first field that is wrong, in words; only looked for when there is one."""
    titles = [repr(name[:60]) for name in names] or [f"column {place + 1}" for place in range(len(table.sample[0]))]
    for line, row in table.rows(form.header):
        where = f"Line {line} of {table.path}"
        for place, text in enumerate(row):
            if place in coordinates and not _is_label(text):
                return UnreadableFile(f"{where} has no {titles[place]}: every row needs all its coordinates.")
            if place in numbers and not is_missing(text) and parse_number(text, form.decimal) is None:
                return UnreadableFile(
                    f"{where} must have a number, or nothing, in {titles[place]}. Got {text[:60]!r} instead."
                )
    among = f" in {titles[min(numbers)]}" if len(numbers) == 1 else ""
    return UnreadableFile(f"{table.path} mixes numbers with true and false{among}.")
