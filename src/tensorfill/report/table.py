"""Tables and sections as data: what every way of writing them (Markdown, LaTeX, CSV, HTML) starts from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Text:
    """A piece of text and how it stands out."""

    text: str
    bold: bool = False
    underline: bool = False
    quiet: bool = False
    raised: str = ""
    """A mark set higher, behind the text."""


@dataclass(frozen=True)
class Entry:
    """One place of a table: a few short lines, and the number behind them in full precision."""

    lines: tuple[Text, ...]
    value: float | None = None


@dataclass(frozen=True)
class Column:
    """A heading; words stand left, numbers right, and long text breaks."""

    title: str
    numeric: bool = True
    long: bool = False


@dataclass(frozen=True)
class Table:
    """A table with its title and the notes below it; `name` is what its files are called."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """A heading and what is below it. Paragraphs are plain text with `code` in backquotes."""

    title: str
    blocks: tuple[str | Table, ...]


def name_column(title: str) -> Column:
    """A column of short words."""
    return Column(title, numeric=False)


def prose_column(title: str) -> Column:
    """A column of sentences."""
    return Column(title, numeric=False, long=True)


def words(text: str, *, quiet: bool = False) -> Entry:
    """An entry without a number."""
    return Entry((Text(text, quiet=quiet),))


def number(value: float | None, show: Callable[[float], str]) -> Entry:
    """An entry with a number; "–" where there is none."""
    return words("–", quiet=True) if value is None else Entry((Text(show(value)),), value)


def rank(values: Sequence[float | None], *, smallest_first: bool = True) -> tuple[int | None, ...]:
    """The place of every value, 0 for the best and 1 for the second best, equal ones alike; None without a value.

    >>> rank([0.3, None, 0.1, 0.2, 0.1])
    (2, None, 0, 1, 0)
    """
    order = sorted({value for value in values if value is not None}, reverse=not smallest_first)
    return tuple(None if value is None else order.index(value) for value in values)
