"""A table of text: a line per entry with its coordinates and its value, or a matrix with a row per line.

Fields are separated by commas, semicolons or tabs. Of a table with a line per entry, values are in the only column
called value, values, count or counts; if there is none, or more than one, in the last; `FILE::NAME` says otherwise.
A row without a value is asked for. A matrix often has names above its columns and before its rows, and is written as it
was read: fields that hold the same number as before stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...labels import Axes, is_missing_label, text_of
from ..contents import Contents, Reading
from ..damage import readable
from ..entries import Entries
from ..format import TableFormat
from .csv_reading import HEADER_OF, read_listing, read_table
from .forms import WideTable, WrittenFields, check_entries, find_wide, list_rows, name_value, refuse_table
from .listing import Answers, Listing
from .text_table import format_numbers, open_text, parse_number

_KEPT = ("int64", "uint64", "float64", "bool")
_BATCH = 2**16


class CsvTable(TableFormat):
    """.csv and .tsv files."""

    name: ClassVar[str] = "csv"
    extensions: ClassVar[tuple[str, ...]] = (".csv", ".csv.gz", ".tsv", ".tsv.gz")

    def decode(self, path: Path, how: Reading) -> Contents | Entries:
        """Entries, or a matrix if the table is wide. Whole numbers are int64 and others float64."""
        with readable(path, "a table of text"):
            return read_table(path, how)

    def write_entries(self, path: Path, entries: Entries) -> None:
        """Every entry with its labels; one without a value where an index would not come up otherwise."""
        check_entries(entries)
        _check_names(entries)
        _write(path, _format_long(entries, tabs=".tsv" in path.name.lower()))

    def read_listing(self, path: Path, how: Reading, axes: Axes) -> Listing:
        """Every field as it stands there."""
        with readable(path, "a table of text"):
            return read_listing(path, how, axes)

    def write_listing(self, path: Path, listing: Listing, axes: Axes) -> None:
        """Every field as it stood in a table of text, and numbers with the same decimal sign."""
        _write(path, _format_listing(listing, tabs=".tsv" in path.name.lower()))

    def write(self, path: Path, contents: Contents) -> None:
        """A matrix that comes from a wide table as one; the known entries of any other array."""
        wide = find_wide(contents)
        if wide is None:
            super().write(path, contents)
        else:
            _write(path, _format_wide(contents, wide, tabs=".tsv" in path.name.lower()))

    def refuses(self, contents: Contents) -> str | None:
        """Tables hold what is known, so there must be something."""
        return refuse_table(contents)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Text does not tell uint8 from int64."""
        if contents.dtype.name in _KEPT:
            return ()
        back = "float64" if contents.dtype.kind == "f" else "int64"
        return (f"A table of text keeps the values but not their dtype: {contents.dtype} is read as {back}.",)


def _write(path: Path, lines: Iterator[str]) -> None:
    with open_text(path) as file:
        for text in lines:
            file.write(text.encode("utf-8"))


def _check_names(entries: Entries) -> None:
    """Refuse names and labels that would be taken for something else."""
    if all(parse_number(name) is not None for name in entries.columns):
        raise InvalidInput("The names of the columns would be taken for numbers: give at least one that is none.")
    for column, labels in zip(entries.columns, entries.labels, strict=False):
        for label in labels or ():
            text = text_of(label)
            if not text.strip() or "\0" in text:
                raise InvalidInput(f"A label of '{column}' is empty or holds a zero byte, which text cannot keep.")


def _format_long(entries: Entries, *, tabs: bool) -> Iterator[str]:
    """The whole file, some lines at a time, with the signs of the file that it comes from."""
    signs = entries.metadata.header if entries.metadata.header_of == HEADER_OF else {}
    delimiter = "\t" if tabs else signs.get("delimiter", ",").replace("\t", ",")
    decimal = signs.get("decimal", ".")
    names = (*entries.columns[:-1], name_value(entries))
    yield delimiter.join(map(_quote_firmly, names)) + "\n"
    axes = [None if own is None else [_quote_firmly(text_of(label)) for label in own] for own in entries.labels]
    rows, places = list_rows(entries)
    for first in range(0, len(rows), _BATCH):
        part = rows[first : first + _BATCH]
        columns = [
            map(str if axis is None else axis.__getitem__, part[:, mode].tolist()) for mode, axis in enumerate(axes)
        ]
        values = _format_values(entries.values, places[first : first + _BATCH], decimal)
        if decimal == delimiter:
            values = [_quote(text, delimiter) for text in values]
        yield "".join(f"{delimiter.join(row)}\n" for row in zip(*columns, values, strict=True))


def _format_listing(listing: Listing, *, tabs: bool) -> Iterator[str]:
    """The whole file, some lines at a time."""
    delimiter = "\t" if tabs else listing.signs.get("delimiter", ",").replace("\t", ",")
    decimal = listing.signs.get("decimal", ".")
    yield delimiter.join(map(_quote_firmly, listing.columns)) + "\n"
    for first in range(0, len(listing), _BATCH):
        part = slice(first, first + _BATCH)
        fields = [_format_cells(column, part, delimiter, decimal) for column in listing.columns.values()]
        yield "".join(f"{delimiter.join(row)}\n" for row in zip(*fields, strict=True))


def _format_cells(column: Sequence[Any] | Answers, part: slice, delimiter: str, decimal: str) -> list[str]:
    if not isinstance(column, Answers):
        return [_quote_firmly("" if is_missing_label(cell) else text_of(cell)) for cell in column[part]]
    places = np.arange(len(column.values))
    places[~column.known] = len(column.values)
    return [_quote(text, delimiter) for text in _format_values(column.values, places[part], decimal)]


def _format_values(values: NDArray[Any], places: NDArray[np.int64], decimal: str) -> list[str]:
    """Values as text, empty for rows that have none."""
    texts: NDArray[np.object_] = np.full(len(places), "", dtype=object)
    known = places < len(values)
    texts[known] = list(format_numbers(values[places[known]], decimal))
    return list(texts)


def _format_wide(contents: Contents, wide: WideTable, *, tabs: bool) -> Iterator[str]:
    """The whole file, a line at a time."""
    written = wide.written or WrittenFields(np.empty((0, 0), dtype=object), ",", ".", "\n", False)
    delimiter = "\t" if tabs else written.delimiter.replace("\t", ",")
    always = written.quotes_names
    columns = [_format_column(contents, wide, place, written.decimal) for place in range(contents.shape[1])]
    labels = None if wide.labels is None else [_quote(text_of(own), delimiter, always) for own in wide.labels]
    if wide.columns is not None:
        names = wide.columns if labels is None else (wide.corner, *wide.columns)
        yield delimiter.join(_quote(name, delimiter, always) for name in names) + written.line_end
    for place, row in enumerate(zip(*columns, strict=True)):
        fields = [_quote(text, delimiter) for text in row]
        yield delimiter.join(fields if labels is None else [labels[place], *fields]) + written.line_end


def _format_column(contents: Contents, wide: WideTable, place: int, decimal: str) -> list[str]:
    """The fields of a column of a wide table."""
    values, known = contents.data[:, place], contents.known()[:, place]
    texts: NDArray[np.object_] = np.full(len(values), _find_missing_mark(wide), dtype=object)
    texts[known] = list(format_numbers(values[known], decimal))
    if wide.written is None:
        return list(texts)
    had, old = wide.known[:, place], wide.written.fields[:, place]
    digits = _count_decimals(old[had], decimal)
    if digits is not None and values.dtype.kind == "f":
        filled = known & ~had
        texts[filled] = [f"{value:.{digits}f}".replace(".", decimal) for value in values[filled].tolist()]
    kept = (known & had & (values == wide.values[:, place])) | (~known & ~had)
    texts[kept] = old[kept]
    return list(texts)


def _count_decimals(texts: Sequence[str] | NDArray[np.object_], decimal: str) -> int | None:
    """The most decimals in a column, which filled numbers get, too; None if that cannot be told."""
    parts = [text.strip().lstrip("+-").partition(decimal)[::2] for text in texts]
    if not parts or not all(whole.isdecimal() and (not part or part.isdecimal()) for whole, part in parts):
        return None
    return max(len(part) for _, part in parts)


def _find_missing_mark(wide: WideTable) -> str:
    """What stands for a missing number: what most often does in the file."""
    marks = Counter(() if wide.written is None else wide.written.fields[~wide.known].tolist())
    mark = str(marks.most_common(1)[0][0]) if marks else ""
    blank = wide.labels is None and wide.values.shape[1] == 1  # a line with nothing in it is none
    return mark or ("NA" if blank else "")


def _quote_firmly(text: str) -> str:
    """Between quotation marks, if any sign in it could separate fields, or if it begins or ends with a space."""
    return _quote(text, ",;\t", text != text.strip())


def _quote(text: str, delimiters: str, always: bool = False) -> str:
    """Between quotation marks, if they are needed so that it is read again as it is."""
    if not always and {'"', "\r", "\n", *delimiters}.isdisjoint(text):
        return text
    return '"' + text.replace('"', '""') + '"'
