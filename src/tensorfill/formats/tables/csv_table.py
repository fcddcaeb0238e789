"""A table of text: a line per entry with its coordinates and its value, or a matrix with a row per line.

Fields are separated by commas, semicolons or tabs. Of a table with a line per entry, values are in the only column
called value, values, count or counts; if there is none, or more than one, in the last; `FILE::NAME` says otherwise.
A row without a value is asked for. A matrix often has names above its columns and before its rows, and is written as it
was read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from ..contents import Contents
from ..damage import readable
from ..entries import Entries
from ..format import TableFormat
from ..reading import Reading
from .csv_reading import read_table
from .csv_writing import check_names, table_lines
from .rows import check_entries, table_refusal
from .whole_lines import text_file
from .wide import wide_of
from .wide_writing import wide_lines

_KEPT = ("int64", "uint64", "float64", "bool")


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
        check_names(entries)
        with text_file(path) as file:
            for lines in _encoded(table_lines(entries, tabs=".tsv" in path.name.lower())):
                file.write(lines)

    def write(self, path: Path, contents: Contents) -> None:
        """A matrix that comes from a wide table as one; the known entries of any other array."""
        wide = wide_of(contents)
        if wide is None:
            super().write(path, contents)
            return
        with text_file(path) as file:
            for line in wide_lines(contents, wide, tabs=".tsv" in path.name.lower()):
                file.write(line.encode("utf-8"))

    def refuses(self, contents: Contents) -> str | None:
        """Tables hold what is known, so there must be something."""
        return table_refusal(contents)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Text does not tell uint8 from int64."""
        if contents.dtype.name in _KEPT:
            return ()
        back = "float64" if contents.dtype.kind == "f" else "int64"
        return (f"A table of text keeps the values but not their dtype: {contents.dtype} is read as {back}.",)


def _encoded(lines: Iterator[str]) -> Iterator[bytes]:
    for text in lines:
        yield text.encode("utf-8")
