"""TextTable: a text file as rows of fields; what separates the fields is found in its first lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from ...errors import UnreadableFile
from .whole_lines import whole_lines

_DELIMITERS = ("\t", ";", ",")  # those that stand in numbers, too, last
_QUOTED = re.compile('"[^"]*"')
_SAMPLE_CHARACTERS = 2**22
_SAMPLE_FIELDS = 2**16


@dataclass(frozen=True)
class TextTable:
    """The rows of a file; `sample` are the first of them, blank ones left out, enough to see what it is."""

    path: Path
    delimiter: str
    line_end: str
    quotes_names: bool
    """Whether what is in the first line stands in quotation marks."""
    sample: tuple[list[str], ...]

    def rows(self) -> Any:
        """All rows, as a reader of Python's csv."""
        return csv.reader(_lines(self.path), delimiter=self.delimiter, strict=True)


def opened(path: Path) -> TextTable:
    """A file with at least one row."""
    try:
        lines = _first_lines(path)
        first = next((line for line in lines if line.strip()), None)
        if first is None:
            raise UnreadableFile(f"{path} is empty; a table has a line of names and a line per entry.")
        delimiter = _delimiter(lines, first)
        sample = _sample(lines, delimiter, path)
    except UnicodeDecodeError as error:
        raise not_utf8(path) from error
    if "\0" in "".join(sample[0]):
        raise UnreadableFile(f"{path} has zero bytes in its first line: it is no table of text.")
    quoted = first.lstrip().startswith('"')
    return TextTable(path, delimiter, "\r\n" if first.endswith("\r\n") else "\n", quoted, tuple(sample))


def not_utf8(path: Path) -> UnreadableFile:
    """The sentence about text in another encoding."""
    return UnreadableFile(
        f"{path} is not text in UTF-8; save it in that encoding, or it is something else than a table."
    )


@contextmanager
def told_into_rows(path: Path, rows: Any) -> Iterator[None]:
    """A sentence for what cannot be told into rows."""
    try:
        yield
    except csv.Error as error:
        raise UnreadableFile(f"Line {rows.line_num} of {path} cannot be told into columns: {error}.") from error
    except UnicodeDecodeError as error:
        raise not_utf8(path) from error


def _lines(path: Path) -> Iterator[str]:
    return chain.from_iterable(io.StringIO(piece.decode("utf-8"), newline="") for piece in whole_lines(path))


def _first_lines(path: Path) -> list[str]:
    lines: list[str] = []
    length = 0
    for line in _lines(path):
        lines.append(line)
        length += len(line)
        if length > _SAMPLE_CHARACTERS:
            break
    return lines


def _sample(lines: list[str], delimiter: str, path: Path) -> list[list[str]]:
    """The first rows that are not blank, up to what is wrong or cut off; reading them all tells about that."""
    rows: list[list[str]] = []
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if row:
                rows.append(row)
            if len(rows) * len(rows[0] if rows else ()) > _SAMPLE_FIELDS:
                break
    except csv.Error as error:
        if not rows:
            raise UnreadableFile(f"The first line of {path} cannot be told into columns: {error}.") from error
    rows[0] = [field.strip() for field in rows[0]]
    return rows


def _delimiter(lines: list[str], first: str) -> str:
    """The sign that makes rows of one length of the first lines; if there is none, the most frequent one."""
    some = [line for line in lines[:100] if line.strip()]
    for delimiter in _DELIMITERS:
        if delimiter in _QUOTED.sub("", first) and len(_lengths(some, delimiter)) == 1:
            return delimiter
    return max(reversed(_DELIMITERS), key=_QUOTED.sub("", first).count)


def _lengths(lines: list[str], delimiter: str) -> set[int]:
    """How many fields the rows have; a row that is not whole does not count."""
    found: set[int] = set()
    try:
        for row in csv.reader(lines, delimiter=delimiter, strict=True):
            found.add(len(row))
    except csv.Error:
        pass
    return found
