"""CsvForm: how a table of text is to be read, from what its first rows look like and what the user says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..entries import default_columns
from ..table_words import Layout, TableWords
from .column import column_of, could_be_names, counts_by_one, decimal_signs, is_missing, number_in
from .layout import Look, ask_decimal, ask_header, has_labels, layout_of
from .text_table import TextTable


@dataclass(frozen=True)
class CsvForm:
    """Everything that the words of the user leave open, told from the table."""

    layout: Layout
    header: bool
    labels: bool
    decimal: str
    notes: tuple[str, ...] = ()


def form_of(table: TextTable, said: TableWords, wanted: str | None) -> CsvForm:
    """How to read a table; `wanted` names the column of values, and only a long table with names has one."""
    if wanted is not None:
        said = TableWords("long", True, said.labels, said.decimal)
    name = str(table.path)
    rows = [row for row in table.sample if len(row) == len(table.sample[0])]
    decimal = said.decimal or _decimal(rows, name, said)
    header = said.header if said.header is not None else _has_header(rows, decimal)
    layout: Layout = said.layout or "long"
    if len(rows) > 1 and len(rows[0]) > 1:  # else there is nothing to see, and reading says what is wrong
        layout = layout_of(_look(rows, header, decimal, name), said)
    if layout == "long":  # whose names are no numbers
        return CsvForm(layout, bool(header), False, decimal)
    if header is None and len(rows) > 1:
        raise ask_header(name, rows[0], TableWords("wide", None, said.labels, said.decimal))
    header = bool(header)
    fields = [row[0] for row in (rows[1:] if header else rows)]
    wide = TableWords("wide", said.header, said.labels, said.decimal)
    labels, notes = has_labels(fields, rows[0][0] if header else None, decimal, name, wide)
    return CsvForm(layout, header, labels, decimal, notes)


def _decimal(rows: Sequence[list[str]], name: str, said: TableWords) -> str:
    comma, point, thousands = decimal_signs([text for row in rows for text in row])
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
    if not below:
        return not any(number_in(text, decimal) is not None for text in first) or None
    columns = [column_of("", fields, decimal) for fields in zip(*below, strict=True)]
    numbers = [number_in(text, decimal) is not None for text in first]
    if any(
        column.kind in ("numbers", "empty") and not is_number and not is_missing(text)
        for column, is_number, text in zip(columns, numbers, first, strict=True)
    ):
        return True
    if not any(numbers):
        return True
    corner_is_empty = first[0] == ""
    if corner_is_empty and (columns[0].kind == "words" or counts_by_one([row[0] for row in below])):
        return True
    beside = first if numbers[0] else first[1:]
    return None if could_be_names(beside, decimal) else False


def _look(rows: Sequence[list[str]], header: bool | None, decimal: str, name: str) -> Look:
    named = header is not False
    below = rows[1:] if named else rows
    names = rows[0] if named else default_columns(len(rows[0]) - 1)
    columns = [column_of(*pair, decimal) for pair in zip(names, zip(*below, strict=True), strict=True)] if below else []
    if not columns:
        columns = [column_of(each, (), decimal) for each in names]
    counter = (
        names[0] == "" and len(columns) > 3 and all(row[0].strip() == str(place) for place, row in enumerate(below))
    )
    look = Look(columns, named, header is None, counter, False, name)
    places = [place for place, column in enumerate(columns) if any(column is each for each in look.coordinates)]
    entries = {tuple(row[place].strip() for place in places) for row in below}
    return Look(columns, named, header is None, counter, len(entries) < len(below), name)
