"""Axes: what a table calls the modes of its tensor and their indices, and entries found by these labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInput

Labels = tuple[Any, ...]
UNSEEN = -1
"""The index of a label that the data did not have."""
_MISSING = ("NAType", "NaTType")


class Found(NamedTuple):
    """Where entries are that were asked for by labels."""

    coordinates: NDArray[np.int64]
    """A row of indices per entry, `UNSEEN` for a label that the data did not have."""
    first_unseen: str
    """The first such label, in words; empty if there is none."""


@dataclass(frozen=True, eq=False)
class Axes:
    """Names of modes, and for every mode the labels of its indices; None where indices are numbers from 0 on."""

    names: tuple[str, ...]
    labels: tuple[Labels | None, ...]
    shape: tuple[int, ...]

    def mode_of(self, name: object) -> int:
        """The number of a mode, from 0 on, that is called so."""
        if name not in self.names:
            raise InvalidInput(f"There is no coordinate {name!r}. They are: {_quote(self.names)}.")
        return self.names.index(str(name))

    def label(self, mode: int, index: int) -> Any:
        """What an index is called."""
        own = self.labels[mode]
        return index if own is None else own[index]

    def locate(self, mode: int, labels: Sequence[Any]) -> NDArray[np.int64]:
        """The index of every label; `UNSEEN` for those that the data did not have."""
        found: dict[Any, int] = {}
        indices = np.empty(len(labels), dtype=np.int64)
        for row, label in enumerate(labels):
            try:
                index = found.get(label)
            except TypeError:
                raise InvalidInput(
                    f"A label of {self.names[mode]!r} must be text, a number or a date. Got {label!r} instead."
                ) from None
            if index is None:
                index = found[label] = self._locate(mode, label, row)
            indices[row] = index
        return indices

    def _locate(self, mode: int, label: Any, row: int) -> int:
        if is_missing_label(label):
            raise InvalidInput(f"Row {row + 1} has no {self.names[mode]!r}: every row needs all its coordinates.")
        own = self.labels[mode]
        if own is None:
            return _locate_number(label, self.shape[mode])
        index = self._places[mode].get(label)
        return self._texts[mode].get(text_of(label), UNSEEN) if index is None else index

    @cached_property
    def _places(self) -> tuple[dict[Any, int], ...]:
        return tuple({label: index for index, label in enumerate(own or ())} for own in self.labels)

    @cached_property
    def _texts(self) -> tuple[dict[str, int], ...]:
        """By their text: 7 in one table may be '7' in another."""
        return tuple({text_of(label): index for index, label in enumerate(own or ())} for own in self.labels)

    def find(self, columns: Mapping[str, Sequence[Any]]) -> Found:
        """Entries that are given by the labels of all modes, in columns of one length."""
        missing = [name for name in self.names if name not in columns]
        if missing:
            raise InvalidInput(
                f"An entry needs all its coordinates, {_quote(self.names)}. {_quote(missing)} "
                f"{'are' if len(missing) > 1 else 'is'} not there."
            )
        lengths = {len(columns[name]) for name in self.names}
        if len(lengths) > 1:
            told = ", ".join(f"{len(columns[name])} of {name!r}" for name in self.names)
            raise InvalidInput(f"There must be as many labels of every coordinate. Got {told}.")
        coordinates = np.column_stack([self.locate(mode, columns[name]) for mode, name in enumerate(self.names)])
        unseen = np.argwhere(coordinates == UNSEEN)
        if not len(unseen):
            return Found(coordinates, "")
        row, mode = unseen[0].tolist()
        return Found(coordinates, f"{self.names[mode]} {columns[self.names[mode]][row]!r}")

    def find_rows(self, rows: Any) -> Found:
        """The same from a table with these columns, or from one tuple of labels per entry."""
        if is_frame(rows):
            columns = {str(name): name for name in rows.columns}
            there = [name for name in self.names if name in columns]
            return self.find({name: list(rows[columns[name]].to_list()) for name in there})
        rows = list(rows)
        for number, row in enumerate(rows):
            if not _is_list(row) or len(row) != len(self.names):
                raise InvalidInput(
                    f"Every entry needs {len(self.names)} labels, those of {_quote(self.names)}. Got {row!r} for entry "
                    f"{number + 1}."
                )
        return self.find({name: [row[mode] for row in rows] for mode, name in enumerate(self.names)})

    def find_named(self, named: Mapping[str, Any]) -> Found:
        """The same from a label, or labels, per mode; one label serves for all entries."""
        for name in named:
            self.mode_of(name)
        lists = {name: given for name, given in named.items() if _is_list(given)}
        count = max(map(len, lists.values()), default=1)
        return self.find({name: list(lists[name]) if name in lists else [named[name]] * count for name in named})

    def fix(self, labels: Mapping[str, Any]) -> tuple[Found, int]:
        """A row of indices with one label for every mode but one, 0 there; and the number of that one."""
        for name in labels:
            self.mode_of(name)
        free = [name for name in self.names if name not in labels]
        if len(free) != 1:
            told = "all are" if not free else f"{_quote(free)} are left"
            raise InvalidInput(
                f"All coordinates but one must have a label, of {_quote(self.names)}. Here {told}; give others by name."
            )
        mode = self.mode_of(free[0])
        rows = [
            [0] if name == free[0] else self.locate(number, [labels[name]]) for number, name in enumerate(self.names)
        ]
        unseen = [f"{name} {labels[name]!r}" for name, row in zip(self.names, rows, strict=True) if row[0] == UNSEEN]
        return Found(np.column_stack(rows), unseen[0] if unseen else ""), mode


def text_of(label: Any) -> str:
    """A label as text; dates as ISO 8601 writes them."""
    return str(label.isoformat()) if hasattr(label, "isoformat") else str(label)


def is_missing_label(label: Any) -> bool:
    """Whether a cell of a table is empty: None, NaN, or what libraries write for it."""
    if label is None or type(label).__name__ in _MISSING:
        return True
    return isinstance(label, float | np.floating) and bool(label != label)


def _locate_number(label: Any, size: int) -> int:
    """Of a mode whose indices are numbers from 0 on."""
    try:
        index = int(label)
        return index if index == float(label) and 0 <= index < size else UNSEEN
    except (TypeError, ValueError, OverflowError):
        return UNSEEN


def asks_by_labels(rows: Any) -> bool:
    """Whether these are labels rather than indices: a table, tuples, or anything but whole numbers."""
    if is_frame(rows):
        return True
    if isinstance(rows, Sequence) and len(rows) and isinstance(rows[0], tuple):
        return True
    try:
        found = np.asarray(rows)
    except ValueError:  # of different lengths
        return True
    return found.ndim == 2 and found.dtype.kind in "OUSM"


def is_frame(rows: Any) -> bool:
    """Whether it is a DataFrame, of whatever library."""
    return hasattr(rows, "columns") and hasattr(rows, "__getitem__")


def _is_list(given: Any) -> bool:
    return not isinstance(given, str | bytes) and hasattr(given, "__len__")


def _quote(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
