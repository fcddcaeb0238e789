"""A long table of text: a line per entry, its coordinates and its value separated by commas, semicolons or tabs.

The first line has the names of the columns, unless all in it are numbers. Values are in the only column called value,
values, count or counts; if there is none, or more than one, in the last; `FILE::NAME` says otherwise. A row without a
value is asked for.
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

_KEPT = ("int64", "uint64", "float64", "bool")


class CsvTable(TableFormat):
    """.csv and .tsv files."""

    name: ClassVar[str] = "csv"
    extensions: ClassVar[tuple[str, ...]] = (".csv", ".csv.gz", ".tsv", ".tsv.gz")

    def read(self, path: Path, how: Reading) -> Entries:
        """Whole numbers are int64 and others float64; labels are text, or whole numbers if all are."""
        with readable(path, "a table of text"):
            return read_table(path, how.dataset)

    def write_entries(self, path: Path, entries: Entries) -> None:
        """Every entry with its labels; one without a value where an index would not come up otherwise."""
        check_entries(entries)
        check_names(entries)
        with text_file(path) as file:
            for lines in _encoded(table_lines(entries, "\t" if ".tsv" in path.name.lower() else ",")):
                file.write(lines)

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
