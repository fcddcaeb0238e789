"""Entries: a tensor given as a table, one row of coordinates and a value per known entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion
from ..errors import InvalidInput, TooLarge
from ..labels import Axes, Labels
from ..memory import available_memory
from ..observed import ObservedTensor, check_coordinates, positions_of
from ..tensor import entries
from .contents import Contents, Metadata, view_read_only

MOST_MODES = 32  # what NumPy has always allowed
LARGEST_WHOLE = 50_000_000
"""Up to so many entries a completed table has them all."""


def check_modes(count: int) -> None:
    """Refuse a table of more modes than an array can have."""
    if count > MOST_MODES:
        raise InvalidInput(f"A table must have at most {MOST_MODES} columns of coordinates. Got {count:,} instead.")


@dataclass(frozen=True, eq=False)
class Entries:
    """Known entries of a tensor by their coordinates, as a long table has them; the full array is not built.

    Examples
    --------
    >>> none = np.empty((0, 2), dtype=int)
    >>> sales = Entries((2, 3), np.array([[0, 0], [1, 2]]), np.array([5, 7]), asked=none)
    >>> sales
    Entries(shape (2, 3), 2 known, int64)
    >>> sales.contents().known().tolist()
    [[True, False, False], [False, False, True]]
    """

    shape: tuple[int, ...]
    """The sizes of the modes."""
    coordinates: NDArray[np.int64]
    """One row of indices per known entry, shape (entries, modes), counted from 0."""
    values: NDArray[Any]
    """Their values, shape (entries,)."""
    asked: NDArray[np.int64]
    """The coordinates of rows that came without a value, shape (rows, modes)."""
    labels: tuple[Labels | None, ...] = ()
    """For every mode, what the table calls its indices, or None where they are numbers counted from 0."""
    columns: tuple[str, ...] = ()
    """The names of the columns of coordinates and, last, of the column of values."""
    notes: tuple[str, ...] = ()
    """What a user should know about how the file was read."""
    metadata: Metadata = field(default_factory=lambda: Metadata(kind="table"))
    """What else the file tells."""

    def __post_init__(self) -> None:
        check_modes(len(self.shape))
        if not self.labels:
            object.__setattr__(self, "labels", (None,) * len(self.shape))
        if not self.columns:
            object.__setattr__(self, "columns", default_columns(len(self.shape)))
        for name in ("coordinates", "asked"):
            object.__setattr__(self, name, view_read_only(check_coordinates(getattr(self, name), self.shape)))
        object.__setattr__(self, "values", view_read_only(np.asarray(self.values)))
        self._check_lengths()

    def _check_lengths(self) -> None:
        if self.values.shape != (len(self.coordinates),):
            raise InvalidInput(
                f"There must be one value per coordinate: {len(self.coordinates)} coordinates came with values of "
                f"shape {self.values.shape}."
            )
        sizes = tuple(size if own is None else len(own) for own, size in zip(self.labels, self.shape, strict=True))
        if sizes != self.shape:
            raise InvalidInput(f"There must be one label per index: {sizes} labels came with the shape {self.shape}.")
        if len(self.columns) != len(self.shape) + 1:
            raise InvalidInput(
                f"There must be one column per mode and one of values. Got {len(self.columns)} for {self.ndim} modes."
            )

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """The number of modes."""
        return len(self.shape)

    def __repr__(self) -> str:
        return f"Entries(shape {self.shape}, {len(self.values):,} known, {self.dtype})"

    @property
    def axes(self) -> Axes:
        """What modes and indices are called."""
        return Axes(self.columns[:-1], self.labels, self.shape)

    @cached_property
    def observed_tensor(self) -> ObservedTensor:
        """The known entries, of any sign."""
        try:
            return ObservedTensor.from_coordinates(self.coordinates, self.values, self.shape, lower=None)
        except InvalidInput:
            self._check_distinct()
            raise

    def contents(self) -> Contents:
        """The full array, 0 (NaN in floating point) where nothing is known.

        Returns
        -------
        Contents
            The array and what is known of it.

        Raises
        ------
        TensorfillError
            If the array does not fit into memory, or an entry is given twice.
        """
        self._check_room(self.dtype.itemsize + 1)
        self._check_distinct()
        gone = np.nan if self.values.dtype.kind == "f" else 0
        data = np.full(self.shape, gone, dtype=self.values.dtype)
        known = np.zeros(self.shape, dtype=bool)
        data[tuple(self.coordinates.T)] = self.values
        known[tuple(self.coordinates.T)] = True
        return Contents(data, known, self.notes, self.metadata)

    @classmethod
    def from_contents(cls, contents: Contents) -> Entries:
        """The known entries of an array, in order, last mode fastest.

        Parameters
        ----------
        contents : Contents
            The array and what is known of it.

        Returns
        -------
        Entries
            Its known entries.
        """
        known = contents.known()
        coordinates = np.argwhere(known)
        none = np.empty((0, contents.ndim), dtype=np.int64)
        return cls(contents.shape, coordinates, contents.data[known], none, metadata=contents.metadata)

    def complete(self, done: Completion) -> Entries:
        """The filled table.

        Parameters
        ----------
        done : Completion
            The completion of this table.

        Returns
        -------
        Entries
            Every entry in order. Of a tensor with more than 50 million entries, or more than fit into memory, the known
            ones as they came, and then those that were asked for; refused if there are none.
        """
        none = np.empty((0, self.ndim), dtype=np.int64)
        self.check_listable()
        if self._lists_all:
            everywhere = np.indices(self.shape, dtype=np.int64).reshape(self.ndim, -1).T
            return replace(self, coordinates=everywhere, values=done.tensor.reshape(-1), asked=none)
        rows = np.concatenate((self.coordinates, self.find_asked()))
        return replace(self, coordinates=rows, values=done.predict(rows), asked=none)

    @property
    def _lists_all(self) -> bool:
        """Whether a filled table can have a row for every entry."""
        count = entries(self.shape)
        return count <= LARGEST_WHOLE and count * 8 * (2 * self.ndim + 2) <= available_memory()

    def check_listable(self) -> None:
        """Refuse to fill a table that would have a row for every one of too many entries."""
        if not len(self.asked) and not self._lists_all:
            raise TooLarge(
                f"A filled table would have a row for each of the {entries(self.shape):,} entries of this tensor of "
                f"shape {self.shape}, which are too many; ask for those you need: with predict in Python, with --only "
                "FILE in the shell, or by rows without a value in the table."
            )

    def without(self, hidden: NDArray[np.bool_]) -> Entries:
        """The same table without some of its values; their rows stay, and ask for them.

        Parameters
        ----------
        hidden : numpy.ndarray of bool, shape (entries,)
            True for every entry whose value is taken away.

        Returns
        -------
        Entries
            The table with fewer values.
        """
        asked = np.concatenate((self.asked, self.coordinates[hidden]))
        return replace(self, coordinates=self.coordinates[~hidden], values=self.values[~hidden], asked=asked)

    def find_asked(self) -> NDArray[np.int64]:
        """The coordinates asked for, each once and without those that are known.

        Returns
        -------
        numpy.ndarray of int, shape (rows, modes)
            The coordinates.
        """
        positions = positions_of(self.asked, self.shape)
        first = np.sort(np.unique(positions, return_index=True)[1])
        unknown = ~np.isin(positions[first], positions_of(self.coordinates, self.shape))
        return self.asked[first[unknown]]

    def name_entry(self, coordinates: Sequence[int]) -> str:
        """An entry as the table calls it, such as "city Oslo, year 2001".

        Parameters
        ----------
        coordinates : sequence of int
            The indices of the entry, counted from 0.

        Returns
        -------
        str
            The names of its columns and labels.
        """
        called = [index if own is None else own[index] for own, index in zip(self.labels, coordinates, strict=True)]
        return ", ".join(f"{column} {label}" for column, label in zip(self.columns, called, strict=False))

    def _check_distinct(self) -> None:
        positions = positions_of(self.coordinates, self.shape)
        order = np.argsort(positions, kind="stable")
        again = order[1:][np.diff(positions[order]) == 0]
        if len(again):
            raise InvalidInput(
                f"{len(again):,} rows give an entry that another row gave before, the first of them "
                f"{self.name_entry(self.coordinates[again.min()].tolist())}; give each entry once."
            )

    def _check_room(self, itemsize: int) -> None:
        needed, there = entries(self.shape) * itemsize, available_memory()
        if needed > there:
            raise TooLarge(
                f"The full tensor of shape {self.shape} would need {needed / 1e9:,.1f} GB and {there / 1e9:,.1f} GB of "
                "memory are free; keep it as a table (.tns, .csv or .parquet)."
            )


def default_columns(order: int) -> tuple[str, ...]:
    """What columns are called when nobody named them.

    >>> default_columns(2)
    ('mode_1', 'mode_2', 'value')
    """
    return (*(f"mode_{mode + 1}" for mode in range(order)), "value")
