"""A wide table of typed columns: read into a matrix, and written with the columns and types it had."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ..contents import Contents
from ..table_words import TableWords
from .column import Column
from .layout import Look, has_labels, layout_of
from .rows import nothing_known
from .wide import Wide

_UNNAMED = "__index_level_0__"  # what pandas calls an index without a name


def is_wide(frame: Any, said: TableWords, table: str) -> bool:
    """Whether a table is a matrix; asked for where nobody can tell."""
    if said.layout is not None or not frame.height or frame.width < 2:
        return said.layout == "wide"
    columns = [_column(frame[name]) for name in _labels_first(frame)]
    look = Look(columns, True, False, False, False, table)
    names = [_UNNAMED if column.name == "" else column.name for column in look.coordinates]
    plain = not any(frame[name].dtype.is_nested() for name in names)
    repeat = plain and bool(names) and bool(frame.select(names).is_duplicated().any())
    return layout_of(Look(columns, True, False, False, repeat, table), said) == "wide"


def matrix_of(frame: Any, said: TableWords, path: Path) -> Contents:
    """The numbers of a wide table; one column may have the labels of the rows."""
    names = _labels_first(frame)
    if not frame.height or not names:
        raise nothing_known(path)
    first = frame[names[0]]
    texts = ["" if value is None else str(value) for value in first.to_list()]
    corner = "" if names[0] == _UNNAMED else names[0]
    wide = TableWords("wide", labels=said.labels)
    labels, notes = (True, ()) if not _is_number(first) else has_labels(texts, corner, ".", str(path), wide)
    numbers = names[1:] if labels else names
    for name in numbers:
        if not _is_number(frame[name]):
            raise InvalidInput(
                f"The column '{name}' of {path} must hold numbers, as the table is wide. "
                f"Got {frame[name].dtype} instead."
            )
    if not numbers:
        raise nothing_known(path)
    numbers = [name for name in frame.columns if name in set(numbers)]
    known = np.column_stack([~_missing(frame[name]) for name in numbers])
    values = np.column_stack([frame[name].fill_null(strategy="zero").to_numpy() for name in numbers])
    if not known.any():
        raise nothing_known(path)
    found = tuple(first.to_list()) if labels else None
    values = np.where(known, values, 0).astype(values.dtype)
    return Wide(tuple(numbers), corner if labels else "", found, values, known, typed=frame).contents(notes)


def wide_frame(polars: Any, contents: Contents, wide: Wide) -> Any:
    """A matrix as a table, in the types of the one it comes from; a known number that is the same stays as it is."""
    names = wide.columns or tuple(f"column_{place + 1}" for place in range(contents.shape[1]))
    known = contents.known()
    if wide.typed is None:
        label = wide.corner or next(name for name in ("label", _UNNAMED, "row labels") if name not in names)
        first = {} if wide.labels is None else {label: polars.Series(list(wide.labels))}
        return polars.DataFrame(
            first | {name: _series(polars, contents, known, place) for place, name in enumerate(names)}
        )
    frame = wide.typed
    for place, name in enumerate(names):
        values = contents.data[:, place]
        same = known[:, place] & wide.known[:, place] & (values == wide.values[:, place])
        fresh = _series(polars, contents, known, place, frame[name].dtype)
        frame = frame.with_columns(frame[name].zip_with(polars.Series(same), fresh).alias(name))
    return frame


def _series(polars: Any, contents: Contents, known: NDArray[np.bool_], place: int, dtype: Any = None) -> Any:
    """A column in the type of the table, null where nothing is known."""
    values = contents.data[:, place]
    if dtype is not None and dtype.is_integer() and values.dtype.kind == "f":
        values = np.round(np.where(known[:, place], values, 0))
        lowest, highest = polars.select(dtype.min(), dtype.max().alias("max")).row(0)
        values = np.clip(values, lowest, highest)
    elif dtype == polars.Boolean and values.dtype.kind != "b":
        values = np.where(known[:, place], values, 0) >= 0.5
    series = polars.Series(np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("=")))
    series = series if dtype is None else series.cast(dtype, strict=False)
    return series.zip_with(polars.Series(known[:, place]), polars.Series([None] * len(values), dtype=series.dtype))


def _labels_first(frame: Any) -> list[str]:
    """The names of the columns; the only one that holds no numbers before all others, for it has the labels."""
    others = [name for name in frame.columns if not _is_number(frame[name])]
    if _UNNAMED in frame.columns:
        others = [_UNNAMED]
    first = others if len(others) == 1 else []
    return [*first, *(name for name in frame.columns if name not in first)]


def _column(series: Any) -> Column:
    number = _is_number(series)
    missing = _missing(series)
    count = int((~missing).sum())
    kind: Literal["words", "numbers", "empty"] = "empty" if not count else "numbers" if number else "words"
    values = series.filter(~missing) if count else series.clear()
    decimals = series.dtype.is_float() and bool((values != values.round(0)).any())
    distinct = count if series.dtype.is_nested() else values.n_unique()
    return Column("" if series.name == _UNNAMED else series.name, kind, count < len(series), decimals, distinct, count)


def _is_number(series: Any) -> bool:
    return bool(series.dtype.is_integer() or series.dtype.is_float() or str(series.dtype) == "Boolean")


def _missing(series: Any) -> NDArray[np.bool_]:
    missing = series.is_null()
    if series.dtype.is_float():
        missing = missing | series.is_nan().fill_null(True)
    return np.asarray(missing.to_numpy(), dtype=bool)
