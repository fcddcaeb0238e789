"""Wanted: the entries that `--only FILE` asks for, found in the data before the work and answered after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..completion import Completion
from ..errors import InvalidInput
from ..estimates.estimate import predicts_unseen
from ..formats import Contents, DataFile, Entries, TableFormat
from ..formats.contents import Reading
from ..formats.tables.listing import Answers, Listing
from ..labels import UNSEEN, Axes, Found

_BLOCK = 2**20  # entries that are predicted together


def check_tables(only: DataFile, output: DataFile, uncertainty: DataFile | None) -> None:
    """Refuse what is no table, if only some entries are written."""
    roles = (
        ("--only reads", only),
        ("With --only, -o writes", output),
        ("With --only, --uncertainty writes", uncertainty),
    )
    for what, file in roles:
        if file is not None and not isinstance(file.form, TableFormat):
            raise InvalidInput(f"{what} a table: .csv, .tsv, .parquet or .tns. Got {file.path} instead.")


@dataclass(frozen=True, eq=False)
class Wanted:
    """A table of wanted entries, and where they are in the data."""

    listing: Listing
    axes: Axes
    value: str
    """What the column of values is called."""
    found: Found

    @classmethod
    def read(
        cls, file: DataFile, source: Contents | Entries, data: DataFile, how: Reading, outputs: Sequence[DataFile]
    ) -> Wanted:
        """Refused if the table does not ask for entries of the data, or an output could not list them."""
        assert isinstance(file.form, TableFormat)  # which is checked before anything is read
        if not isinstance(source, Entries):
            raise InvalidInput(
                f"--only {file} names entries by their coordinates, and {data} is no table with a line per entry; if "
                "it can be read as one, add --table long."
            )
        axes = source.axes
        for place in outputs:
            refusal = place.form.refuses_listing(axes) if isinstance(place.form, TableFormat) else None
            if refusal is not None:
                raise InvalidInput(f"{place}: {refusal}")
        listing = file.form.read_listing(file.path, Reading(table=how.table), axes)
        return cls(listing, axes, source.columns[-1], listing.find(axes))

    def answer(self, done: Completion, *, raw: bool) -> tuple[Listing, tuple[str, ...]]:
        """The table with a column of values, and what there is to note about it."""
        known = self._seen | predicts_unseen(done.estimate)
        dtype = np.dtype(np.float64) if raw else done.observed.dtype
        values = np.zeros(len(known), dtype)
        for rows in _blocks(np.flatnonzero(known)):
            values[rows] = done.predict(Found(self.found.coordinates[rows], ""), raw=raw)
        notes = self._note_unseen(done)
        if self.value in self.listing.columns:
            notes += (f"What is in the column {self.value!r} of {self.listing.table} was not looked at.",)
        if dtype.kind in "iu":
            notes += ("Values are rounded, because all that are known are whole numbers; --raw writes decimals.",)
        return self.listing.with_answers(self.value, Answers(values, known)), notes

    def answer_deviations(self, done: Completion) -> Listing:
        """The table with a column of deviations."""
        known = self._seen | (predicts_unseen(done.estimate) and done.deviations_at is not None)
        values = np.zeros(len(known))
        for rows in _blocks(np.flatnonzero(known)):
            values[rows] = done.predict(Found(self.found.coordinates[rows], ""), deviation=True)[1]
        return self.listing.with_answers(f"{self.value}_deviation", Answers(values, known))

    @property
    def _seen(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.asarray((self.found.coordinates != UNSEEN).all(axis=1))

    def _note_unseen(self, done: Completion) -> tuple[str, ...]:
        if not self.found.first_unseen:
            return ()
        count, total = int(np.count_nonzero(~self._seen)), len(self._seen)
        what = (
            "these values come from the other coordinates alone"
            if predicts_unseen(done.estimate)
            else f"{done.method} tells nothing about them, so they have no value"
        )
        return (
            f"{count:,} of the {total:,} wanted entries have a label that is not in the data, the first of them "
            f"{self.found.first_unseen}; {what}.",
        )


def _blocks(rows: np.ndarray[tuple[int], np.dtype[np.intp]]) -> list[np.ndarray[tuple[int], np.dtype[np.intp]]]:
    return [rows[first : first + _BLOCK] for first in range(0, len(rows), _BLOCK)]
