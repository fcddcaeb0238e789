"""Layout: whether a table is wide or long, and where its names are; what can be read in two ways is asked for.

A long table has a line per entry: a column for every mode and one of values. A wide one is a matrix: a row per line,
and often names above the columns and before the rows. Nothing is guessed: one of the two must be impossible, or the
table must say itself what it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import InvalidInput
from ..entries import MOST_MODES
from ..table_words import Layout, TableWords
from .column import Column, column_of, could_be_names, counts_by_one
from .labelled import named_value, says_value

_OURS = re.compile(r"mode_\d+")


@dataclass(frozen=True)
class Look:
    """What is seen of a table before it is read."""

    columns: Sequence[Column]
    named: bool
    """Whether the first line, or the file, names the columns."""
    header_open: bool
    """Whether the first line could be names as well as numbers."""
    counter: bool
    """Whether the first column has no name and counts the lines, as that of a long table may."""
    coordinates_repeat: bool
    """Whether two lines would give the same entry, if the table were long."""
    table: str
    """What sentences call it."""

    @property
    def long_columns(self) -> Sequence[Column]:
        """The columns of the long table that this might be."""
        return self.columns[1:] if self.counter else self.columns

    @property
    def names(self) -> list[str]:
        """Their names."""
        return [column.name for column in self.long_columns]

    @property
    def value(self) -> Column:
        """The one that has the values."""
        return self.long_columns[named_value(self.names) if self.named and not self.header_open else -1]

    @property
    def coordinates(self) -> list[Column]:
        """The others."""
        return [column for column in self.long_columns if column is not self.value]

    def called(self, column: Column) -> str:
        """A column in a sentence."""
        place = next(place for place, other in enumerate(self.columns) if other is column)
        return repr(column.name[:60]) if self.named and not self.header_open else f"column {place + 1}"


def layout_of(look: Look, said: TableWords) -> Layout:
    """Wide or long, or a sentence that asks for it."""
    if said.layout is not None:
        return said.layout
    if look.named and all(map(_OURS.fullmatch, look.names[:-1])):
        return "long"
    against_long, against_wide = _against_long(look), _against_wide(look)
    measured = _measured_coordinate(look)
    if against_wide:
        if measured is None or _says_long(look):
            return "long"
    elif not _says_long(look):
        if against_long or measured or _says_wide(look):
            return "wide"
    elif not (against_long or measured or _never_repeats(look)):
        return "long"
    raise InvalidInput(_question(look, said, against_long or measured, against_wide))


def _against_long(look: Look) -> str | None:
    """Why this cannot be a long table."""
    if not 2 <= len(look.coordinates) <= MOST_MODES:
        return f"there would be {len(look.coordinates):,} columns of coordinates"
    for column in look.coordinates:
        if column.has_missing:
            return f"there are lines that have nothing as their coordinate in {look.called(column)}"
    if look.value.kind not in ("numbers", "empty"):
        return f"{look.called(look.value)} does not hold numbers"
    return "two lines would give the same entry" if look.coordinates_repeat else None


def _against_wide(look: Look) -> str | None:
    """Why this cannot be a wide table."""
    first, *others = look.columns
    for column in others:
        if column.kind == "words" or (column.kind == "mixed" and _says_long(look)):
            return f"{look.called(column)} holds words"
    return "two rows would have the same label" if first.kind == "words" and first.repeats else None


def _measured_coordinate(look: Look) -> str | None:
    """Why nobody would think of a long table: a column of measurements would be one of coordinates."""
    for column in look.coordinates:
        if column.is_measured:
            return (
                f"{look.called(column)} would be a coordinate and holds numbers with decimals that hardly ever repeat"
            )
    return None


def _says_long(look: Look) -> bool:
    """Whether a column is called value or count."""
    return look.named and not look.header_open and says_value(look.names) is not None


def _says_wide(look: Look) -> bool:
    """Whether the corner has no name, and what is below it does not just count the lines of a long table."""
    return look.named and look.columns[0].name == "" and not look.counter


def _never_repeats(look: Look) -> bool:
    """Whether a coordinate is another one in every line: of such a tensor nothing could be completed."""
    first = look.coordinates[0]
    return first.count > 2 and not first.repeats


def _question(look: Look, said: TableWords, against_long: str | None, against_wide: str | None) -> str:
    doubts = [f"against long is that {against_long}"] if against_long else []
    doubts += [f"against wide is that {against_wide}"] if against_wide else []
    wide = [said.with_word("wide")]
    if look.header_open:
        wide = [f"{said.with_word('wide')},header", f"{said.with_word('wide')},no-header"]
    ways = [said.with_word("long"), *wide]
    return (
        f"{look.table} can be read in two ways: long, a line per entry, with its value in {look.called(look.value)} "
        f"and its coordinates in the others; or wide, a matrix with a row per line. {_sentence(doubts)}"
        f"Say {' or '.join(f'--table {way}' for way in ways)} (in Python, table='{ways[0]}')."
    )


def _sentence(doubts: list[str]) -> str:
    joined = ", and ".join(doubts)
    return f"{joined[0].upper()}{joined[1:]}. " if joined else ""


def ask_header(table: str, first: Sequence[str], said: TableWords) -> InvalidInput:
    """The question whether a first line of numbers names the columns."""
    return InvalidInput(
        f"The first line of {table}, {_shown(first)}, can be the names of the columns or numbers of the table. "
        f"Say --table {said.with_word('header')} or --table {said.with_word('no-header')}."
    )


def has_labels(
    fields: Sequence[str], corner: str | None, decimal: str, table: str, said: TableWords
) -> tuple[bool, tuple[str, ...]]:
    """Whether the first column of a wide table has the names of its rows, and what to tell about that.

    `corner` is the name of that column, None where columns have none.
    """
    if said.labels is not None:
        return said.labels, ()
    column = column_of("", fields, decimal)
    if column.kind in ("words", "mixed") or corner == "":
        return True, ()
    if corner is None or not fields or column.has_missing or not could_be_names(fields, decimal):
        return False, ()
    if counts_by_one(fields):
        told = f"The first column of {table} counts by one, so it is taken for the labels of the rows; "
        return True, (f"{told}--table {said.with_word('no-labels')} reads it as numbers.",)
    raise InvalidInput(
        f"The first column of {table}, {_shown(fields)}, can be the labels of the rows or numbers of the table. "
        f"Say --table {said.with_word('labels')} or --table {said.with_word('no-labels')}."
    )


def ask_decimal(table: str, comma: str, other: str, said: TableWords) -> InvalidInput:
    """The question what a comma in a number means."""
    return InvalidInput(
        f"{table} has the number {comma!r}, in which the comma can stand before decimals or between thousands{other}. "
        f"Say --table {said.with_word('decimal-comma')} or --table {said.with_word('decimal-point')}; with the latter "
        "it is no number."
    )


def _shown(fields: Sequence[str]) -> str:
    return ", ".join(repr(text.strip()[:20]) for text in fields[:4]) + (" …" if len(fields) > 4 else "")
