"""A sparse tensor in FROSTT's .tns form: a line per entry, indices counted from 1, the value last.

`#` begins a comment. Files written here say more in comments, so that nothing is lost: `# shape: 3 4 5`,
`# entries: 12` and, unless it is int64 or float64, `# dtype: uint8`. Also understood is a head of a line with the
number of modes, a line with the sizes and maybe one with the number of entries, as the Tensor Toolbox writes it.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..contents import Contents
from ..damage import readable
from ..entries import Entries
from ..format import TableFormat
from ..reading import Reading
from ..room import check_room
from .frostt_head import Head, read_head
from .numbers import joined_numbers, number_texts
from .rows import check_entries, from_rows, table_refusal
from .whole_lines import text_file, whole_lines

_USUAL = ("int64", "float64")
_BATCH = 2**16
_KINDS = ("i8", "u8", "f8")


class Frostt(TableFormat):
    """.tns files."""

    name: ClassVar[str] = "tns"
    extensions: ClassVar[tuple[str, ...]] = (".tns", ".tns.gz")

    def decode(self, path: Path, how: Reading) -> Entries:
        """Whole numbers are int64 and others float64, unless the file says more; NaN is an entry asked for."""
        with readable(path, "a .tns file"):
            return _read(path)

    def losses_of(self, entries: Entries) -> tuple[str, ...]:
        """Numbers alone."""
        if all(labels is None for labels in entries.labels):
            return ()
        return ("A .tns has numbers instead of labels and names of columns; write .csv or .parquet to keep them.",)

    def write_entries(self, path: Path, entries: Entries) -> None:
        """Every entry that has a value, and the shape."""
        check_entries(entries)
        with text_file(path) as file:
            head = [f"# shape: {' '.join(map(str, entries.shape))}", f"# entries: {len(entries.values)}"]
            if entries.dtype.name not in _USUAL:
                head.append(f"# dtype: {entries.dtype.name}")
            file.write("".join(f"{line}\n" for line in head).encode())
            for first in range(0, len(entries.values), _BATCH):
                rows = entries.coordinates[first : first + _BATCH] + 1
                columns = [map(str, column.tolist()) for column in rows.T]
                texts = zip(*columns, number_texts(entries.values[first : first + _BATCH]), strict=True)
                file.write("".join(f"{' '.join(row)}\n" for row in texts).encode())

    def refuses(self, contents: Contents) -> str | None:
        """Tables hold what is known, so there must be something."""
        return table_refusal(contents)


def _read(path: Path) -> Entries:
    head: Head | None = None
    parts: list[tuple[NDArray[np.int64], NDArray[Any]]] = []
    kind, count, order, line, end = 0, 0, 0, 1, b""
    for piece in whole_lines(path):
        text = piece
        if head is None:
            head = read_head(piece, path)
            line, text = head.lines + 1, piece[head.length :]
            order = len(head.shape or ())
        order = order or _order(text)
        if order and not text.isspace():
            coordinates, values, kind = _parsed(text, order, kind, line, path)
            count += len(values)
            check_room(path, (count, order + 1), 8)
            parts.append((coordinates, values))
        line += text.count(b"\n")
        end = piece[-1:]
    if head is None or not count:
        raise UnreadableFile(f"{path} has no entries; every line should have indices counted from 1, then a value.")
    if head.entries is not None and (head.entries != count or (head.ours and end != b"\n")):
        raise UnreadableFile(
            f"{path} says that it has {head.entries:,} entries, and {count:,} whole ones are there: it is cut short."
        )
    values = head.typed(joined_numbers([part[1] for part in parts]), path)
    coordinates = np.concatenate([part[0] for part in parts])
    return from_rows(head.shape_for(coordinates, path), coordinates, values, path)


def _order(text: bytes) -> int:
    """How many modes the first entry has; 0 if there is none."""
    for content in io.BytesIO(text):
        if fields := content.partition(b"#")[0].split():
            return max(len(fields) - 1, 1)
    return 0


def _parsed(text: bytes, order: int, kind: int, line: int, path: Path) -> tuple[NDArray[np.int64], NDArray[Any], int]:
    """Indices counted from 0, values, and the narrowest kind of number that holds these and those before."""
    while kind < len(_KINDS):
        dtype = np.dtype([("at", np.int64, (order,)), ("value", _KINDS[kind])])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a piece with comments alone
                rows = np.loadtxt(io.StringIO(text.decode("latin-1")), dtype=dtype, ndmin=1)
        except ValueError:
            kind += 1
            continue
        if len(rows) and rows["at"].min() < 1:
            break
        return rows["at"] - 1, np.ascontiguousarray(rows["value"]), kind
    raise _fault(text, order, line, path)


def _fault(text: bytes, order: int, line: int, path: Path) -> UnreadableFile:
    """The first line that is wrong, in words."""
    for number, content in enumerate(text.split(b"\n"), start=line):
        fields = content.partition(b"#")[0].decode("latin-1").split()
        if fields and (len(fields) != order + 1 or not _fine(fields)):
            got = " ".join(fields)
            return UnreadableFile(
                f"Line {number} of {path} must have {order} whole numbers from 1 on and a value. "
                f"Got {got[:60]!r}{' …' if len(got) > 60 else ''} instead."
            )
    return UnreadableFile(f"{path} is not a .tns file that can be read, from line {line} on.")


def _fine(fields: list[str]) -> bool:
    try:
        float(fields[-1])
        # Others than plain digits, and a value such as 1_000, are Python's way of writing numbers, not a file's.
        return all(field.isdecimal() and 1 <= int(field) < 2**63 for field in fields[:-1]) and "_" not in fields[-1]
    except ValueError:
        return False
