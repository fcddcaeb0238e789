"""Tables of text: whole lines of a file, packed by gzip or not, their rows of fields, and the numbers in them."""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..damage import open_source
from .column import Codes, Column

_GZIP = b"\x1f\x8b"
_PIECE = 2**22
_LONGEST_LINE = 2**20
_HARMLESS = 2**23  # bytes of text, whatever they were packed into
_MOST_TIMES = 200  # packing tables of numbers saves 3 to 30 times
_DELIMITERS = ("\t", ";", ",")  # those that stand in numbers, too, last
_QUOTED = re.compile('"[^"]*"')
_SAMPLE_CHARACTERS = 2**22
_SAMPLE_FIELDS = 2**16
_MISSING = frozenset(("", "na", "n/a", "nan", "-nan", "null", "none"))
_WITH_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")


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


def is_missing(text: str) -> bool:
    """Whether a field has no value."""
    return text.strip().lower() in _MISSING


def parse_number(text: str, decimal: str = ".") -> float | None:
    """The number that a field holds, if any; true and false are 1 and 0."""
    plain = _with_point(text.strip().lower(), decimal)
    if plain in ("true", "false"):
        return float(plain == "true")
    try:
        number = math.nan if "_" in plain else float(plain)
    except ValueError:
        return None
    return None if math.isnan(number) else number


def parse_numbers(texts: Sequence[str], decimal: str = ".") -> NDArray[Any]:
    """The numbers in texts: int64 or uint64 if all are whole, bool if all are true or false, else float64.

    >>> [parse_numbers(texts).dtype.name for texts in (["1", "-2"], ["1", "2.0"], ["true", "False"])]
    ['int64', 'float64', 'bool']
    """
    if "_" in "".join(texts):
        raise ValueError("Python reads 1_000 as a number, files do not mean it")
    if decimal != ".":
        texts = [_with_point(text, decimal) for text in texts]
    kinds = ((int, np.int64), (_parse_natural, np.uint64), (float, np.float64), (_parse_truth, np.bool_))
    for parse, dtype in kinds:
        try:
            return np.array(list(map(parse, texts)), dtype=dtype)
        except (ValueError, OverflowError):
            continue
    raise ValueError("not all of them are numbers, or all true or false")


def _parse_natural(text: str) -> int:
    """Raises ValueError for a negative number, which older versions of NumPy would take for a large one."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def _parse_truth(text: str) -> bool:
    """Raises ValueError for anything but true and false."""
    return bool(("false", "true").index(text.strip().lower()))


def join_numbers(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Parts in one array: whole numbers stay whole if 64 bits can hold them all."""
    kinds = {part.dtype.kind for part in parts}
    if kinds == {"i", "u"} and all(part.min(initial=0) >= 0 for part in parts):
        return np.concatenate([part.astype(np.uint64) for part in parts])
    return np.concatenate(parts)


def format_numbers(values: NDArray[Any], decimal: str = ".") -> Iterator[str]:
    """The shortest texts that give the same float64 or whole number again, or true and false as Python writes them.

    >>> list(format_numbers(np.array([0.1, 3.0, np.inf]), ",")), list(format_numbers(np.array([True, False])))
    (['0,1', '3,0', 'inf'], ['True', 'False'])
    """
    if values.dtype.kind != "f":
        return map(str, values.tolist())
    texts = map(repr, values.astype(np.float64).tolist())
    return texts if decimal == "." else (text.replace(".", decimal) for text in texts)


def find_decimal_signs(fields: Iterable[str]) -> tuple[str | None, str | None, bool]:
    """A number with a decimal comma, one with a decimal point, and whether all commas could be between thousands."""
    comma = point = None
    thousands = True
    for text in map(str.strip, fields):
        if "," in text and (_WITH_COMMA.fullmatch(text) or _THOUSANDS.fullmatch(text)):
            comma = comma or text
            thousands = thousands and _THOUSANDS.fullmatch(text) is not None
        elif "." in text and point is None and parse_number(text) is not None:
            point = text
    return comma, point, thousands


def make_column(name: str, fields: Sequence[str], decimal: str) -> Column:
    """The column that these fields make up."""
    texts = [text.strip() for text in fields]
    known = np.array([not is_missing(text) for text in texts], dtype=bool)
    found = [parse_number(text, decimal) if there else 0.0 for text, there in zip(texts, known, strict=True)]
    numbers = [text for text, number, there in zip(texts, found, known, strict=True) if there and number is not None]
    holds_numbers = len(numbers) == np.count_nonzero(known)

    def code() -> tuple[Codes, tuple[str, ...]]:
        seen: dict[str, int] = {}
        codes = [seen.setdefault(text, len(seen)) if there else -1 for text, there in zip(texts, known, strict=True)]
        return np.array(codes, dtype=np.int64), tuple(seen)

    return Column(
        name,
        "text",
        np.array(found, dtype=np.float64) if holds_numbers else None,
        known,
        code,
        has_decimals=any(not text.lstrip("+-").isdecimal() for text in numbers),
        is_mixed=bool(numbers) and not holds_numbers,
    )


def _with_point(text: str, decimal: str) -> str:
    """A number as Python writes it; "1.5" is none where the decimal sign is a comma."""
    if decimal == ".":
        return text
    return text.replace(",", ".") if "." not in text else f"{text}?"
