"""A table in a .parquet file, read and written by polars; the columns mean what they mean in a .csv file.

What labels and values are is kept: text, numbers, dates, categories.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ..contents import Contents
from ..damage import Extra, damaged, needed, readable
from ..entries import Entries, Labels
from ..format import TableFormat
from ..metadata import Metadata
from ..reading import Reading
from ..room import check_room
from ..source import open_source
from .labelled import Axis, Labelled, value_column
from .labels import counts_from_zero, ordered
from .parquet_footer import declared_bytes
from .rows import check_entries, rows_in_order, table_refusal, value_name
from .silence import silenced
from .wide import wide_of
from .wide_parquet import is_wide, matrix_of, wide_frame

_KIND = "a .parquet file"
_AXES = "axes"
_LONGEST_LABEL = 2**17  # bytes; as in tables of text


class ParquetTable(TableFormat):
    """.parquet files."""

    name: ClassVar[str] = "parquet"
    extensions: ClassVar[tuple[str, ...]] = (".parquet",)
    extra: ClassVar[Extra | None] = Extra("polars", "tables")

    def decode(self, path: Path, how: Reading) -> Contents | Entries:
        """Of a long table, every column but one holds labels; a value that is null or NaN is asked for."""
        polars = needed("polars", "tables", path)
        with readable(path, _KIND), silenced():
            try:
                frame = _frame(polars, path)
                if how.dataset is None and is_wide(frame, how.table, str(path)):
                    return matrix_of(frame, how.table, path)
                return _entries(polars, frame, path, how.dataset)
            except polars.exceptions.PanicException as error:  # no Exception: polars thought it impossible
                raise damaged(path, _KIND) from error

    def write_entries(self, path: Path, entries: Entries) -> None:
        """Every entry with its labels; one without a value where an index would not come up otherwise."""
        check_entries(entries)
        polars = needed("polars", "tables", path)
        rows, places = rows_in_order(entries)
        columns = {
            name: _axis_series(polars, entries, mode).gather(rows[:, mode])
            for mode, name in enumerate(entries.columns[:-1])
        }
        values = polars.Series(np.ascontiguousarray(entries.values, dtype=entries.dtype.newbyteorder("=")))
        gone = polars.Series([None], dtype=values.dtype)
        columns[value_name(entries)] = values.append(gone).gather(np.minimum(places, len(entries.values)))
        _written(polars, polars.DataFrame(columns), path)

    def write(self, path: Path, contents: Contents) -> None:
        """A matrix that comes from a wide table as one; the known entries of any other array."""
        wide = wide_of(contents)
        if wide is None:
            super().write(path, contents)
            return
        polars = needed("polars", "tables", path)
        _written(polars, wide_frame(polars, contents, wide), path)

    def refuses(self, contents: Contents) -> str | None:
        """Tables hold what is known, so there must be something; and their columns have different names."""
        wide = wide_of(contents)
        if wide is not None and wide.columns is not None and len(set(wide.columns)) < len(wide.columns):
            return "The columns of a .parquet file must have different names, and two of this table have the same."
        return table_refusal(contents)


def _written(polars: Any, frame: Any, path: Path) -> None:
    try:
        frame.write_parquet(path)
    except polars.exceptions.PolarsError as error:
        raise OSError(str(error)) from error


def _frame(polars: Any, path: Path) -> Any:
    """The table, if what it declares fits: running out of memory would end the process, not raise."""
    stored = path.stat().st_size
    check_room(path, (declared_bytes(path),), 1, stored)
    where = {"glob": False, "hive_partitioning": False}
    lazy = polars.scan_parquet(path, **where)
    rows, width = lazy.select(polars.len()).collect().item(), len(lazy.collect_schema())
    check_room(path, (rows, width), 8, stored)
    with open_source(path) as file:
        return polars.read_parquet(file, **where)


def _entries(polars: Any, frame: Any, path: Path, wanted: str | None) -> Entries:
    place = value_column(frame.columns, wanted, str(path))
    name = frame.columns[place]
    values, known = _values(polars, frame[name], path)
    if not frame.height:
        raise UnreadableFile(f"{path} has names of columns and no entries.")
    axes, kept = [], {}
    for column in frame.columns:
        if column != name:
            axis, kept[column] = _axis(polars, frame[column], path)
            axes.append(axis)
    metadata = Metadata(kind="table", header={_AXES: kept}, header_of=ParquetTable.name)
    return Labelled(axes, name, values, known, metadata=metadata).entries(str(path))


def _values(polars: Any, series: Any, path: Path) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    if not (series.dtype.is_integer() or series.dtype.is_float() or series.dtype == polars.Boolean):
        raise InvalidInput(
            f"The column '{series.name}' of {path} must hold numbers, as it is the one of values. "
            f"Got {series.dtype} instead; FILE::NAME says that the values are in another column."
        )
    known = series.is_not_null().to_numpy()
    empty = False if series.dtype == polars.Boolean else 0
    values = series.fill_null(empty).to_numpy()
    if values.dtype.kind not in "biuf":
        raise InvalidInput(f"The column '{series.name}' of {path} must hold numbers of up to 64 bits.")
    return values, known


def _axis(polars: Any, series: Any, path: Path) -> tuple[Axis, Any]:
    """The coordinates in a column, and its labels as polars keeps them."""
    if series.null_count() or (series.dtype.is_float() and series.is_nan().any()):
        raise UnreadableFile(f"{path} has rows without '{series.name}': every row needs all its coordinates.")
    if series.dtype.is_nested() or series.dtype in (polars.Object, polars.Binary):
        raise InvalidInput(f"The column '{series.name}' of {path} cannot name coordinates: it holds {series.dtype}.")
    distinct = series.unique(maintain_order=True)
    if series.dtype == polars.String and distinct.str.len_bytes().max() > _LONGEST_LABEL:
        raise UnreadableFile(f"A label in '{series.name}' of {path} has more than {_LONGEST_LABEL:,} bytes.")
    labels: Labels | None
    if series.dtype in (polars.String, polars.Categorical, polars.Enum):
        labels, index = ordered(distinct.to_list())
        distinct = distinct.gather(np.argsort(index))
    else:
        distinct = distinct.sort()
        labels = tuple(distinct.to_list())
        labels = None if counts_from_zero(labels) else labels
    place = polars.DataFrame({"label": distinct, "index": np.arange(len(distinct))})
    joined = polars.DataFrame({"label": series}).join(place, on="label", how="left", maintain_order="left")
    return Axis(series.name, joined["index"].to_numpy(), labels, len(distinct)), distinct


def _axis_series(polars: Any, entries: Entries, mode: int) -> Any:
    """The labels of a mode, as the file had them if it was one of ours."""
    labels, size = entries.labels[mode], entries.shape[mode]
    kept = entries.metadata.header.get(_AXES, {}) if entries.metadata.header_of == ParquetTable.name else {}
    series = kept.get(entries.columns[mode])
    if series is not None and tuple(series.to_list()) == (tuple(range(size)) if labels is None else labels):
        return series
    return polars.Series(np.arange(size) if labels is None else list(labels))
