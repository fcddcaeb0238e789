"""Tables of polars: its columns, and .parquet files of them; the columns mean what they mean in a .csv file.

What labels and values are is kept: text, numbers, dates, categories.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from ...errors import InvalidInput, UnreadableFile
from ...labels import Axes, Labels
from .. import damage
from ..contents import Contents, Metadata, Reading, TableWords
from ..damage import Extra, check_room, open_source, readable, require
from ..entries import Entries
from ..format import TableFormat
from .column import Codes, Column, is_whole_number, order_labels
from .forms import (
    WideTable,
    change_column,
    check_entries,
    find_coordinates,
    find_value,
    find_wide,
    list_rows,
    make_entries,
    name_value,
    refuse_holes,
    refuse_table,
    stack_numbers,
)
from .layout import Look, choose_labels, choose_layout
from .listing import Answers, Listing
from .text_table import parse_number

_AXES = "axes"
_UNNAMED = "__index_level_0__"  # what pandas calls an index without a name
_LONGEST_LABEL = 2**17  # bytes; as in tables of text
_CELL = 16  # bytes that polars keeps for a text, besides its letters


def read_columns(frame: Any, table: str) -> list[Column]:
    """The columns of a DataFrame in their order; `table` is how sentences call it."""
    return [_read_column(series, table) for series in frame.get_columns()]


def fill_columns(frame: Any, numbers: Sequence[str], contents: Contents) -> Any:
    """The DataFrame with a matrix in some of its columns, in their own types; null where nothing is known."""
    polars: Any = import_module("polars")
    known = contents.known()
    for mode, name in enumerate(numbers):
        old = frame[name]
        values, changed = change_column(_read_column(old, ""), contents.data[:, mode], known[:, mode])
        fresh = polars.Series(name, np.ascontiguousarray(values)).cast(old.dtype)
        fresh = fresh.zip_with(polars.Series(known[:, mode]), old.clear(len(old)))
        frame = frame.with_columns(fresh.zip_with(polars.Series(changed), old))
    return frame


def _read_column(series: Any, table: str) -> Column:
    polars: Any = import_module("polars")
    dtype = series.dtype
    known = series.is_not_null()
    if dtype.is_float():
        known &= series.is_not_nan().fill_null(False)
    there = known.to_numpy()
    numbers = None
    if dtype.is_integer() or dtype.is_float() or dtype == polars.Boolean:
        numbers = np.array(series.fill_null(False if dtype == polars.Boolean else 0).to_numpy())
        numbers[~there] = 0
        if numbers.dtype.kind not in "biuf":  # whole numbers of 128 bits
            numbers = None
    decimals = numbers is not None and numbers.dtype.kind == "f" and bool((numbers != np.rint(numbers)).any())
    # Enumerations have an order of their own, and all else is sorted by polars.
    order = order_labels if dtype in (polars.String, polars.Categorical) else None
    return Column(series.name, str(dtype), numbers, there, lambda: _code(polars, series, table), order, decimals)


def _code(polars: Any, series: Any, table: str) -> tuple[Codes, Labels]:
    if series.dtype.is_nested() or series.dtype in (polars.Object, polars.Binary):
        raise InvalidInput(
            f"The column {series.name!r} of {table} cannot name rows or coordinates, as it holds {series.dtype}; "
            "leave it out."
        )
    distinct = series.drop_nulls().unique(maintain_order=True)
    if series.dtype not in (polars.String, polars.Categorical):
        distinct = distinct.sort()
    place = polars.DataFrame({"label": distinct, "index": np.arange(len(distinct))})
    joined = polars.DataFrame({"label": series}).join(place, on="label", how="left", maintain_order="left")
    return joined["index"].fill_null(-1).to_numpy().astype(np.int64), tuple(distinct.to_list())


class ParquetTable(TableFormat):
    """.parquet files."""

    name: ClassVar[str] = "parquet"
    extensions: ClassVar[tuple[str, ...]] = (".parquet",)
    extra: ClassVar[Extra | None] = Extra("polars", "tables")
    kind: ClassVar[str] = "a .parquet file"
    guarded: ClassVar[bool] = True

    def read(self, path: Path, how: Reading) -> Contents | Entries:
        """Of a long table, every column but one holds labels; a value that is null or NaN is asked for."""
        polars = require("polars", "tables", path)
        frame = self._read_frame(polars, path, how)
        with readable(path, self.kind):
            columns = read_columns(frame, str(path))
            named = how.dataset is not None or how.coordinates is not None
            if not named and _is_wide(columns, how.table, str(path)):
                return _read_matrix(frame, columns, how.table, str(path))
            return _read_entries(polars, frame, columns, str(path), how)

    def _read_frame(self, polars: Any, path: Path, how: Reading) -> Any:
        stream = cast(Contents, super().read(path, how)).data
        with readable(path, self.kind):
            return polars.read_ipc_stream(io.BytesIO(stream.data))

    def read_listing(self, path: Path, how: Reading, axes: Axes) -> Listing:
        """All columns, in their own types."""
        frame = self._read_frame(require("polars", "tables", path), path, how)
        return Listing(str(path), {name: frame[name] for name in frame.columns})

    def write_listing(self, path: Path, listing: Listing, axes: Axes) -> None:
        """All columns in their own types; text that is made of whole numbers, or of numbers, as such."""
        polars = require("polars", "tables", path)
        columns = {name: _make_series(polars, column, listing.is_text) for name, column in listing.columns.items()}
        _write_frame(polars, polars.DataFrame(columns), path)

    def decode(self, path: Path, how: Reading) -> Contents:
        """The whole table as the bytes of an Arrow stream, which keeps every type and is read in no time."""
        os.environ["POLARS_MAX_THREADS"] = "1"  # every thread takes addresses, and these are limited here
        polars = require("polars", "tables", path)
        stored = path.stat().st_size
        damage.allow(stored)
        lazy = polars.scan_parquet(path, glob=False, hive_partitioning=False)
        rows, width = lazy.select(polars.len()).collect().item(), len(lazy.collect_schema())
        check_room(path, (rows, width), 8, stored)
        damage.allow(_CELL * rows * width + 4 * stored)
        with open_source(path) as file:
            frame = polars.read_parquet(file, glob=False, hive_partitioning=False)
        stream = io.BytesIO()
        frame.write_ipc_stream(stream)
        return Contents(np.frombuffer(stream.getbuffer(), dtype=np.uint8))

    def write_entries(self, path: Path, entries: Entries) -> None:
        """Every entry with its labels; one without a value where an index would not come up otherwise."""
        check_entries(entries)
        polars = require("polars", "tables", path)
        rows, places = list_rows(entries)
        columns = {
            name: _make_labels(polars, entries, mode).gather(rows[:, mode])
            for mode, name in enumerate(entries.columns[:-1])
        }
        values = polars.Series(np.ascontiguousarray(entries.values, dtype=entries.dtype.newbyteorder("=")))
        gone = values.clear(1)
        columns[name_value(entries)] = values.append(gone).gather(np.minimum(places, len(entries.values)))
        _write_frame(polars, polars.DataFrame(columns), path)

    def write(self, path: Path, contents: Contents) -> None:
        """A matrix that comes from a wide table as one; the known entries of any other array."""
        wide = find_wide(contents)
        if wide is None:
            super().write(path, contents)
        else:
            polars = require("polars", "tables", path)
            _write_frame(polars, _make_frame(polars, contents, wide), path)

    def refuses(self, contents: Contents) -> str | None:
        """Tables hold what is known, so there must be something; and their columns have different names."""
        wide = find_wide(contents)
        if wide is not None and wide.columns is not None and len(set(wide.columns)) < len(wide.columns):
            return "The columns of a .parquet file must have different names, and two of this table have the same."
        return refuse_table(contents)


def _write_frame(polars: Any, frame: Any, path: Path) -> None:
    try:
        frame.write_parquet(path)
    except polars.exceptions.PolarsError as error:
        raise OSError(str(error)) from error


def _is_wide(columns: list[Column], said: TableWords, table: str) -> bool:
    """Whether a table is a matrix; asked for where nobody can tell."""
    if said.layout is not None or len(columns) < 2 or not len(columns[0].known):
        return said.layout == "wide"
    first, *others = _put_labels_first(columns)
    corner = _name_corner(first)
    look = Look([replace(first, name=corner), *others], True, corner, False, table)
    return choose_layout(look, said) == "wide"


def _put_labels_first(columns: list[Column]) -> list[Column]:
    """The only column that holds no numbers before all others, for it has the labels; or the index of pandas."""
    labels = [column for column in columns if column.name == _UNNAMED]
    labels = labels or [column for column in columns if not column.is_number]
    first = labels if len(labels) == 1 else []
    return [*first, *(column for column in columns if column not in first)]


def _name_corner(first: Column) -> str:
    return "" if first.name == _UNNAMED else first.name


def _read_matrix(frame: Any, columns: list[Column], said: TableWords, table: str) -> Contents:
    """The numbers of a wide table; one column may have the labels of the rows."""
    if not frame.height or not columns:
        raise refuse_holes(table)
    first = _put_labels_first(columns)[0]
    wide = TableWords("wide", labels=said.labels if first.is_number else True)
    labels, notes = choose_labels(first, _name_corner(first), table, wide)
    numbers = [column for column in columns if column is not first or not labels]
    for column in numbers:
        if not column.is_number:
            raise InvalidInput(
                f"The column {column.title} of {table} must hold numbers, as the table is wide. "
                f"Got {column.kind} instead."
            )
    if all(column.is_empty for column in numbers):
        raise refuse_holes(table)
    names = tuple(column.name for column in numbers)
    values, known = stack_numbers(numbers)
    rows = tuple(frame[first.name].to_list()) if labels else None
    corner = _name_corner(first) if labels else ""
    return WideTable(names, corner, rows, values, known, typed=frame).contents(notes)


def _make_frame(polars: Any, contents: Contents, wide: WideTable) -> Any:
    """A matrix as a table, in the types of the one it comes from."""
    names = wide.columns or tuple(f"column_{place + 1}" for place in range(contents.shape[1]))
    frame = wide.typed
    if frame is None:
        label = wide.corner or next(name for name in ("label", _UNNAMED, "row labels") if name not in names)
        first = {} if wide.labels is None else {label: polars.Series(list(wide.labels))}
        dtype = contents.dtype.newbyteorder("=")
        frame = polars.DataFrame(first | {name: np.zeros(len(contents.data), dtype) for name in names})
    return fill_columns(frame, names, contents)


def _read_entries(polars: Any, frame: Any, columns: list[Column], table: str, how: Reading) -> Entries:
    place = find_value(frame.columns, how.dataset, table)
    if not frame.height:
        raise UnreadableFile(f"{table} has names of columns and no entries.")
    coordinates = [columns[other] for other in find_coordinates(frame.columns, how.coordinates, place, table)]
    for column in coordinates:
        series = frame[column.name]
        if series.dtype == polars.String and (series.str.len_bytes().max() or 0) > _LONGEST_LABEL:
            raise UnreadableFile(f"A label in {column.title} of {table} has more than {_LONGEST_LABEL:,} bytes.")
    hint = "; FILE::NAME says that the values are in another column"
    entries = make_entries(coordinates, columns[place], table, hint)
    kept = {column.name: frame[column.name].gather(column.first_rows) for column in coordinates}
    return replace(entries, metadata=Metadata(kind="table", header={_AXES: kept}, header_of=ParquetTable.name))


def _make_series(polars: Any, column: Any, is_text: bool) -> Any:
    """A column of a listing."""
    if isinstance(column, Answers):
        series = polars.Series(np.ascontiguousarray(column.values, dtype=column.values.dtype.newbyteorder("=")))
        return series.zip_with(polars.Series(column.known), series.clear(len(series)))
    if not is_text:
        return column if isinstance(column, polars.Series) else polars.Series(list(column))
    texts = [text.strip() or None for text in column]
    known = [text for text in texts if text is not None]
    whole = bool(known) and all(map(is_whole_number, known))
    decimal = not whole and bool(known) and all(parse_number(text) is not None for text in known)
    parse = int if whole else float if decimal else str
    return polars.Series([None if text is None else parse(text) for text in texts])


def _make_labels(polars: Any, entries: Entries, mode: int) -> Any:
    """The labels of a mode, as the file had them if it was one of ours."""
    labels, size = entries.labels[mode], entries.shape[mode]
    kept = entries.metadata.header.get(_AXES, {}) if entries.metadata.header_of == ParquetTable.name else {}
    series = kept.get(entries.columns[mode])
    if series is not None and tuple(series.to_list()) == (tuple(range(size)) if labels is None else labels):
        return series
    return polars.Series(np.arange(size) if labels is None else list(labels))
