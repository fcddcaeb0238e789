"""Tables of text: whole lines of a file, packed by gzip or not, and their rows of fields."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO, BinaryIO, cast

from ...errors import UnreadableFile
from ..damage import open_source

_GZIP = b"\x1f\x8b"
_PIECE = 2**22
_LONGEST_LINE = 2**20
_HARMLESS = 2**23  # bytes of text, whatever they were packed into
_MOST_TIMES = 200  # packing tables of numbers saves 3 to 30 times
_DELIMITERS = ("\t", ";", ",")  # those that stand in numbers, too, last
_QUOTED = re.compile('"[^"]*"')
_SAMPLE_CHARACTERS = 2**22
_SAMPLE_FIELDS = 2**16


def read_lines(path: Path, errors: str = "strict") -> Iterator[str]:
    """The lines of a file, packed or not. Does not hide what a damaged .gz raises."""
    with open_source(path) as file:
        packed = file.read(2) == _GZIP
        if packed:
            _check_packed(file, path)
        file.seek(0)
        source = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file
        text = io.TextIOWrapper(source, "utf-8-sig", errors, newline="")
        try:
            for number in count(1):
                line = text.readline(_LONGEST_LINE + 1)
                if len(line) > _LONGEST_LINE:
                    raise UnreadableFile(
                        f"Line {number} of {path} does not end within a million characters: it is no table."
                    )
                if not line:
                    return
                yield line
        except UnicodeDecodeError as error:
            raise UnreadableFile(
                f"{path} is not text in UTF-8; save it in that encoding, or it is something else than a table."
            ) from error


def _check_packed(file: BinaryIO, path: Path) -> None:
    """Unpack once without keeping anything: that is quick, and turning text into numbers is not."""
    file.seek(0)
    stored, total = path.stat().st_size, 0
    unpacked = gzip.GzipFile(fileobj=file)
    while piece := unpacked.read(_PIECE):
        total += len(piece)
        if total > max(_HARMLESS, _MOST_TIMES * stored):
            raise UnreadableFile(
                f"{path} has {stored:,} bytes and unpacks to more than {total:,}: it is damaged, or made to fill "
                "the memory."
            )


@contextmanager
def open_text(path: Path) -> Iterator[IO[bytes]]:
    """A new file to write lines to, packed if its name ends in .gz."""
    with path.open("xb") as plain:
        if path.suffix.lower() != ".gz":
            yield plain
        else:
            # Without name and time, so that the same table gives the same bytes.
            with gzip.GzipFile(filename="", mode="wb", fileobj=plain, compresslevel=3, mtime=0) as packed:
                yield cast(IO[bytes], packed)


@dataclass(frozen=True)
class TextTable:
    """The rows of a file; `sample` are the first of them, blank ones left out, enough to see what it is."""

    path: Path
    delimiter: str
    line_end: str
    quotes_names: bool
    """Whether what is in the first line stands in quotation marks."""
    sample: tuple[list[str], ...]

    def rows(self, header: bool) -> Iterator[tuple[int, list[str]]]:
        """All rows that are not blank, below the names if there is a header, with the line that each ends in."""
        width = len(self.sample[0])
        reader = csv.reader(read_lines(self.path), delimiter=self.delimiter, strict=True)
        try:
            for row in filter(None, reader):
                if len(row) != width:
                    raise UnreadableFile(
                        f"Line {reader.line_num} of {self.path} must have {width} fields, as the first line. "
                        f"Got {len(row)} instead."
                    )
                if not header:
                    yield reader.line_num, row
                header = False
        except csv.Error as error:
            raise UnreadableFile(
                f"Line {reader.line_num} of {self.path} cannot be told into columns: {error}."
            ) from error


def open_table(path: Path) -> TextTable:
    """A file with at least one row."""
    lines = _read_first_lines(path)
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        raise UnreadableFile(f"{path} is empty; a table has a line of names and a line per entry.")
    delimiter = _find_delimiter(lines, first)
    sample = _read_sample(lines, delimiter, path)
    if "\0" in "".join(sample[0]):
        raise UnreadableFile(f"{path} has zero bytes in its first line: it is no table of text.")
    quoted = first.lstrip().startswith('"')
    return TextTable(path, delimiter, "\r\n" if first.endswith("\r\n") else "\n", quoted, tuple(sample))


def _read_first_lines(path: Path) -> list[str]:
    lines: list[str] = []
    length = 0
    for line in read_lines(path):
        lines.append(line)
        length += len(line)
        if length > _SAMPLE_CHARACTERS:
            break
    return lines


def _read_sample(lines: list[str], delimiter: str, path: Path) -> list[list[str]]:
    """The first rows that are not blank, up to what is wrong or cut off; reading them all tells about that."""
    rows: list[list[str]] = []
    try:
        for row in filter(None, csv.reader(lines, delimiter=delimiter, strict=True)):
            rows.append(row)
            if len(rows) * len(rows[0]) > _SAMPLE_FIELDS:
                break
    except csv.Error as error:
        if not rows:
            raise UnreadableFile(f"The first line of {path} cannot be told into columns: {error}.") from error
    rows[0] = [field.strip() for field in rows[0]]
    return rows


def _find_delimiter(lines: list[str], first: str) -> str:
    """The sign that makes rows of one length of the first lines; if there is none, the most frequent one."""
    some = [line for line in lines[:100] if line.strip()]
    unquoted = _QUOTED.sub("", first)
    for delimiter in _DELIMITERS:
        lengths: set[int] = set()
        with suppress(csv.Error):  # of a row that is not whole, which does not count
            lengths.update(map(len, csv.reader(some, delimiter=delimiter, strict=True)))
        if delimiter in unquoted and len(lengths) == 1:
            return delimiter
    return max(reversed(_DELIMITERS), key=unquoted.count)
