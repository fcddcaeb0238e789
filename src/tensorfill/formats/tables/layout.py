"""Layout: whether a table in a file is wide or long, and where its names are; what can be both is asked for.

A long table has a line per entry: a column for every mode and one of values. A wide one is a matrix: a row per line,
and often names above the columns and before the rows. Nothing is guessed: one of the two must be impossible, or the
table must say itself what it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import InvalidInput
from ..contents import Layout, TableWords
from ..entries import MOST_MODES
from .column import Column, are_distinct, quote_names
from .forms import find_named_value

_OURS = re.compile(r"mode_\d+")


def find_obstacle(coordinates: Sequence[Column], value: Column) -> str | None:
    """Why these cannot be the coordinates and the value of a long table."""
    if not 2 <= len(coordinates) <= MOST_MODES:
        return f"it would have {len(coordinates):,} columns of coordinates"
    if not (value.is_number or value.is_empty):
        return f"{value.title} holds {value.kind}, not numbers"
    for column in coordinates:
        if not column.is_whole:
            return f"there are rows without {column.title}, and every row needs all its coordinates"
    return None if are_distinct(coordinates) else f"rows have the same {quote_names(coordinates)}"


@dataclass(frozen=True, eq=False)
class Look:
    """What is seen of a table before it is read."""

    columns: Sequence[Column]
    header: bool | None
    """Whether the first line, or the file, names the columns; None if it could be names as well as numbers."""
    corner: str | None
    """What the first column would be called if it held labels."""
    counter: bool
    """Whether the first column has no name and counts the lines, as that of a long table may."""
    table: str
    """What sentences call it."""


def choose_layout(look: Look, said: TableWords) -> Layout:
    """Wide or long, or a sentence that asks for it."""
    if said.layout is not None:
        return said.layout
    columns = look.columns[1:] if look.counter else look.columns
    names = [column.name for column in columns]
    if look.header and all(map(_OURS.fullmatch, names[:-1])):
        return "long"
    named = find_named_value(names) if look.header else None
    value = columns[-1 if named is None else named]
    coordinates = [column for column in columns if column is not value]
    against_wide = _oppose_wide(look.columns, says_long=named is not None)
    against_long = find_obstacle(coordinates, value) or _find_measurements(coordinates)
    if named is None:
        if against_wide and not _find_measurements(coordinates):
            return "long"
        if not against_wide and (against_long or (look.corner == "" and not look.counter)):
            return "wide"
    elif against_wide or not (against_long or _never_repeats(coordinates[0])):
        return "long"
    raise _ask_layout(look, said, value, against_long, against_wide)


def _oppose_wide(columns: Sequence[Column], *, says_long: bool) -> str | None:
    """Why this cannot be a wide table."""
    first, *others = columns
    for column in others:
        if column.holds_words or (column.is_mixed and says_long):
            return f"{column.title} holds words"
    return "two rows would have the same label" if first.holds_words and first.repeats else None


def _find_measurements(coordinates: Sequence[Column]) -> str | None:
    """Why nobody would think of a long table: a column of measurements would be one of coordinates."""
    for column in coordinates:
        if column.is_measured:
            return f"{column.title} would be a coordinate and holds numbers with decimals that hardly ever repeat"
    return None


def _never_repeats(coordinate: Column) -> bool:
    """Whether it is another one in every line: of such a tensor nothing could be completed."""
    return len(coordinate.known) > 2 and not coordinate.repeats


def _ask_layout(
    look: Look, said: TableWords, value: Column, against_long: str | None, against_wide: str | None
) -> InvalidInput:
    doubts = [f"against long is that {against_long}"] if against_long else []
    doubts += [f"against wide is that {against_wide}"] if against_wide else []
    joined = ", and ".join(doubts)
    why = f"{joined[0].upper()}{joined[1:]}. " if joined else ""
    wide = said.with_word("wide")
    ways = [said.with_word("long"), *([wide] if look.header is not None else [f"{wide},header", f"{wide},no-header"])]
    some = ""
    if len(look.columns) > 3 and look.header is not False:
        some = " If some columns of a long one do not count, name those that do, as in coordinates='user,film' and "
        some += "value='stars'."
    return InvalidInput(
        f"{look.table} can be read in two ways: long, a line per entry, with its value in {value.title} "
        f"and its coordinates in the others; or wide, a matrix with a row per line. {why}{_say(*ways)}.{some}"
    )


def ask_header(table: str, first: Sequence[str], said: TableWords) -> InvalidInput:
    """The question whether a first line of numbers names the columns."""
    return InvalidInput(
        f"The first line of {table}, {_show(first)}, can be the names of the columns or numbers of the table. "
        f"{_say(said.with_word('header'), said.with_word('no-header'))}."
    )


def ask_decimal(table: str, comma: str, other: str, said: TableWords) -> InvalidInput:
    """The question what a comma in a number means."""
    return InvalidInput(
        f"{table} has the number {comma!r}, in which the comma can stand before decimals or between thousands{other}. "
        f"{_say(said.with_word('decimal-comma'), said.with_word('decimal-point'))}; with the latter it is no number."
    )


def choose_labels(first: Column, corner: str | None, table: str, said: TableWords) -> tuple[bool, tuple[str, ...]]:
    """Whether the first column of a wide table has the names of its rows, and a note about that.

    `corner` is the name of that column, None where columns have none.
    """
    if said.labels is not None:
        return said.labels, ()
    if not first.is_number or corner == "":
        return True, ()
    if corner is None or not len(first.known) or not first.could_be_names:
        return False, ()
    if first.counts_by_one:
        note = f"The first column of {table} counts by one, so it is taken for the labels of the rows; "
        return True, (f"{note}table='{said.with_word('no-labels')}' reads it as numbers.",)
    shown = _show([str(first.found[1][code]) for code in first.codes[:5]])
    raise InvalidInput(
        f"The first column of {table}, {shown}, can be the labels of the rows or numbers of the table. "
        f"{_say(said.with_word('labels'), said.with_word('no-labels'))}."
    )


def _say(*words: str) -> str:
    return "Say " + " or ".join(f"table='{each}'" for each in words)


def _show(fields: Sequence[str]) -> str:
    return ", ".join(repr(text.strip()[:20]) for text in fields[:4]) + (" …" if len(fields) > 4 else "")
