"""A sparse tensor in FROSTT's .tns form: a line per entry, indices counted from 1, the value last.

`#` begins a comment. Files written here say more in comments, so that nothing is lost: `# shape: 3 4 5`,
`# entries: 12` and, unless it is int64 or float64, `# dtype: uint8`. Also understood is a head of a line with the
number of modes, a line with the sizes and maybe one with the number of entries, as the Tensor Toolbox writes it.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ...labels import Axes
from ..contents import Contents, Reading
from ..damage import check_room, readable
from ..entries import Entries
from ..format import TableFormat
from .forms import check_entries, refuse_table, split_rows
from .listing import Answers, Listing
from .text_table import format_numbers, join_numbers, open_text, read_lines

_USUAL = ("int64", "float64")
_BATCH = 2**16
_KINDS = ("i8", "u8", "f8")
_REMARK = re.compile(r"#\s*(shape|entries|dtype):\s*([\w ]+)")
_DTYPES = re.compile(r"bool|u?int(8|16|32|64)|float(16|32|64)")


class Frostt(TableFormat):
    """.tns files."""

    name: ClassVar[str] = "tns"
    extensions: ClassVar[tuple[str, ...]] = (".tns", ".tns.gz")

    def decode(self, path: Path, how: Reading) -> Entries:
        """Whole numbers are int64 and others float64, unless the file says more; NaN is an entry asked for."""
        if how.coordinates is not None:
            raise InvalidInput(f"All columns of {path} but the last are coordinates; leave out their names.")
        with readable(path, "a .tns file"):
            return _read(path)

    def losses_of(self, entries: Entries) -> tuple[str, ...]:
        """Numbers alone."""
        if all(labels is None for labels in entries.labels):
            return ()
        return ("A .tns has numbers instead of labels and names of columns; write .csv or .parquet to keep them.",)

    def read_listing(self, path: Path, how: Reading, axes: Axes) -> Listing:
        """Lines of indices, with or without a value, which is not looked at."""
        self._check_numbered(path, axes)
        with readable(path, "a .tns file"):
            indices = _read_indices(path, len(axes.names))
        return Listing(str(path), dict(zip(axes.names, indices.T, strict=True)))

    def write_listing(self, path: Path, listing: Listing, axes: Axes) -> None:
        """The indices counted from 1, and the last column that was found, nan where nothing was."""
        self._check_numbered(path, axes)
        answers = [column for column in listing.columns.values() if isinstance(column, Answers)][-1]
        labels = [listing.labels(name) for name in axes.names]
        rows = zip(*(map(str, (int(label) + 1 for label in own)) for own in labels), strict=True)
        numbers = zip(format_numbers(answers.values), answers.known.tolist(), strict=True)
        with open_text(path) as file:
            file.write(f"# shape: {' '.join(map(str, axes.shape))}\n".encode())
            for row, (text, known) in zip(rows, numbers, strict=True):
                file.write(f"{' '.join(row)} {text if known else 'nan'}\n".encode())

    def _check_numbered(self, path: Path, axes: Axes) -> None:
        if refusal := self.refuses_listing(axes):
            raise InvalidInput(f"{path}: {refusal}")

    def refuses_listing(self, axes: Axes) -> str | None:
        """Indices have to be numbers from 0 on."""
        named = [name for name, labels in zip(axes.names, axes.labels, strict=True) if labels is not None]
        if not named:
            return None
        return (
            f"A .tns has numbers counted from 1 instead of labels, such as those of {named[0]!r}; list wanted entries "
            "in .csv or .parquet."
        )

    def write_entries(self, path: Path, entries: Entries) -> None:
        """Every entry that has a value, and the shape."""
        check_entries(entries)
        values = entries.values.astype(np.uint8) if entries.dtype.kind == "b" else entries.values
        with open_text(path) as file:
            file.write(f"# shape: {' '.join(map(str, entries.shape))}\n# entries: {len(values)}\n".encode())
            if entries.dtype.name not in _USUAL:
                file.write(f"# dtype: {entries.dtype.name}\n".encode())
            for first in range(0, len(values), _BATCH):
                rows = entries.coordinates[first : first + _BATCH] + 1
                columns = [map(str, column.tolist()) for column in rows.T]
                texts = zip(*columns, format_numbers(values[first : first + _BATCH]), strict=True)
                file.write("".join(f"{' '.join(row)}\n" for row in texts).encode())

    def refuses(self, contents: Contents) -> str | None:
        """Tables hold what is known, so there must be something."""
        return refuse_table(contents)


@dataclass(frozen=True)
class _Head:
    """What a file says before the first entry: the sizes of the modes, the number of entries and their dtype."""

    shape: tuple[int, ...] | None = None
    entries: int | None = None
    dtype: str | None = None
    ours: bool = False
    """Whether `entries` is our own remark: then the last line has an end too."""
    lines: int = 0
    """How many lines it takes."""


def _read_head(lines: list[str], path: Path) -> _Head:
    """What stands before the first entry of a file that begins with these lines."""
    head = _Head()
    toolbox: list[tuple[int, ...]] = []  # the lines of numbers that its head has
    for number, line in enumerate(lines, start=1):
        fields = line.partition("#")[0].split()
        sizes = _parse_sizes(fields)
        if not fields:
            head = _read_remark(head, line.strip())
        elif len(toolbox) == 1:
            if len(sizes) != toolbox[0][0]:
                raise UnreadableFile(
                    f"Line {number} of {path} must have the sizes of {toolbox[0][0]} modes, each at least 1."
                )
            toolbox.append(sizes)
            head = replace(head, shape=sizes)
        elif len(toolbox) in (0, 2) and len(sizes) == 1:
            head = replace(head, entries=sizes[0], ours=False) if toolbox else head
            toolbox.append(sizes)
        elif toolbox or fields != ["sptensor"]:
            break
        head = replace(head, lines=number)
    return head


def _read_remark(head: _Head, comment: str) -> _Head:
    found = _REMARK.fullmatch(comment)
    subject, said = found.groups() if found else ("", "")
    sizes = _parse_sizes(said.split())
    if subject == "shape" and sizes:
        return replace(head, shape=sizes)
    if subject == "entries" and len(sizes) == 1:
        return replace(head, entries=sizes[0], ours=True)
    if subject == "dtype" and _DTYPES.fullmatch(said):
        return replace(head, dtype=said)
    return head


def _parse_sizes(fields: list[str]) -> tuple[int, ...]:
    """Whole numbers from 1 on; nothing if they are anything else."""
    if not all(field.isdecimal() and len(field) < 19 for field in fields):
        return ()
    found = tuple(map(int, fields))
    return found if min(found, default=0) > 0 else ()


def _read(path: Path) -> Entries:
    head: _Head | None = None
    parts: list[tuple[NDArray[np.int64], NDArray[Any]]] = []
    kind, count, order, line, end = 0, 0, 0, 1, ""
    source = read_lines(path, errors="replace")  # comments may be in any encoding
    while batch := list(islice(source, _BATCH)):
        end = batch[-1]
        if head is None:
            head = _read_head(batch, path)
            line, batch = head.lines + 1, batch[head.lines :]
            order = len(head.shape or ())
        order = order or _count_modes(batch)
        if order and any(map(str.strip, batch)):
            coordinates, values, kind = _parse(batch, order, kind, line, path)
            count += len(values)
            check_room(path, (count, order + 1), 8)
            parts.append((coordinates, values))
        line += len(batch)
    if head is None or not count:
        raise UnreadableFile(f"{path} has no entries; every line should have indices counted from 1, then a value.")
    if head.entries is not None and (head.entries != count or (head.ours and not end.endswith("\n"))):
        raise UnreadableFile(
            f"{path} says that it has {head.entries:,} entries, and {count:,} whole ones are there: it is cut short."
        )
    coordinates = np.concatenate([part[0] for part in parts])
    values = _cast(join_numbers([part[1] for part in parts]), head.dtype, path)
    return split_rows(_find_shape(head, coordinates, path), coordinates, values, np.ones(count, dtype=bool), str(path))


def _read_indices(path: Path, order: int) -> NDArray[np.int64]:
    """Of every line, counted from 0."""
    parts, line = [np.empty((0, order), dtype=np.int64)], 1
    source = read_lines(path, errors="replace")
    while batch := list(islice(source, _BATCH)):
        rows = [text.partition("#")[0].split() for text in batch]
        for number, fields in enumerate(rows, start=line):
            if fields and (len(fields) not in (order, order + 1) or not _is_entry([*fields[:order], "0"])):
                raise UnreadableFile(
                    f"Line {number} of {path} must have {order} whole numbers from 1 on, and may have a value. "
                    f"Got {' '.join(fields)[:60]!r} instead."
                )
        parts.append(np.array([fields[:order] for fields in rows if fields], dtype=np.int64).reshape(-1, order) - 1)
        line += len(batch)
    return np.concatenate(parts)


def _cast(values: NDArray[Any], dtype: str | None, path: Path) -> NDArray[Any]:
    """The values in the dtype that the file names."""
    if dtype is None:
        return values
    with np.errstate(all="ignore"):
        cast = values.astype(dtype)
    if cast.dtype.kind != "f" and not np.array_equal(cast, values):
        raise UnreadableFile(f"{path} says its values are {dtype}, and some of them are not.")
    return cast


def _find_shape(head: _Head, coordinates: NDArray[np.int64], path: Path) -> tuple[int, ...]:
    """The sizes the file names, or the largest indices there are."""
    largest = tuple(int(size) + 1 for size in coordinates.max(axis=0))
    shape = head.shape or largest
    if any(own > size for own, size in zip(largest, shape, strict=True)):
        raise UnreadableFile(f"{path} says its shape is {shape}, and has indices up to {largest}, counted from 1.")
    # Every method keeps vectors as long as the modes are.
    check_room(path, (max(shape),), 8, path.stat().st_size)
    return shape


def _count_modes(lines: list[str]) -> int:
    """How many modes the first entry has; 0 if there is none."""
    found = (line.partition("#")[0].split() for line in lines)
    return next((max(len(fields) - 1, 1) for fields in found if fields), 0)


def _parse(
    lines: list[str], order: int, kind: int, number: int, path: Path
) -> tuple[NDArray[np.int64], NDArray[Any], int]:
    """Indices counted from 0, values, and the narrowest kind of number that holds these and those before."""
    while kind < len(_KINDS):
        dtype = np.dtype([("at", np.int64, (order,)), ("value", _KINDS[kind])])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of lines that are comments alone
                rows = np.loadtxt(lines, dtype=dtype, ndmin=1)
        except ValueError:
            kind += 1
            continue
        if len(rows) and rows["at"].min() < 1:
            break
        return rows["at"] - 1, np.ascontiguousarray(rows["value"]), kind
    raise _find_fault(lines, order, number, path)


def _find_fault(lines: list[str], order: int, first: int, path: Path) -> UnreadableFile:
    """The first line that is wrong, in words."""
    for number, line in enumerate(lines, start=first):
        fields = line.partition("#")[0].split()
        if fields and (len(fields) != order + 1 or not _is_entry(fields)):
            got = " ".join(fields)
            return UnreadableFile(
                f"Line {number} of {path} must have {order} whole numbers from 1 on and a value. "
                f"Got {got[:60]!r}{' …' if len(got) > 60 else ''} instead."
            )
    return UnreadableFile(f"{path} is not a .tns file that can be read, from line {first} on.")


def _is_entry(fields: list[str]) -> bool:
    try:
        float(fields[-1])
        # Others than plain digits, and a value such as 1_000, are Python's way of writing numbers, not a file's.
        return all(field.isdecimal() and 1 <= int(field) < 2**63 for field in fields[:-1]) and "_" not in fields[-1]
    except ValueError:
        return False
