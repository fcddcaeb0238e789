"""The known entries of a sparse tensor, by the indices that occur, and grouped by the indices of every mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..numerics.threads import cut_groups, share
from ..observed import ObservedTensor

Indices = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class GroupedEntries:
    """Rows stand for the indices of a mode of which something is known; the others have no row of their own."""

    indices: Indices
    """The row of every known entry in every mode: modes × entries."""
    rows: tuple[Indices, ...]
    """For every mode, the row of every index; one past the last row where nothing is known."""
    orders: tuple[Indices, ...]
    """For every mode, the entries sorted by row."""
    starts: tuple[NDArray[np.int64], ...]
    """For every mode, where the entries of a row begin in that order, and the end."""

    @classmethod
    def of(cls, observed: ObservedTensor) -> GroupedEntries:
        """Those of a tensor."""
        indices = np.empty((observed.order, observed.count), dtype=np.int32)
        rows: list[Indices] = []
        counts: list[int] = []
        after = observed.positions
        for mode in range(observed.order - 1, -1, -1):  # the last one varies fastest
            after, given = np.divmod(after, observed.shape[mode])
            seen = np.zeros(observed.shape[mode], dtype=bool)
            seen[given] = True
            number = np.cumsum(seen, dtype=np.int32) - np.int32(1)
            indices[mode] = number[given]
            counts.append(int(number[-1]) + 1)
            number[~seen] = counts[-1]
            rows.append(number)
        return cls._grouped(indices, tuple(rows[::-1]), counts[::-1])

    @classmethod
    def _grouped(cls, indices: Indices, rows: tuple[Indices, ...], counts: list[int]) -> GroupedEntries:
        orders = np.empty_like(indices)
        starts = [np.zeros(1, np.int64)] * len(indices)

        def group(mode: int) -> None:
            sizes = np.bincount(indices[mode], minlength=counts[mode])[: counts[mode]]
            starts[mode] = np.concatenate([[0], np.cumsum(sizes)])
            sort_by_row(indices[mode], starts[mode][:-1].copy(), orders[mode])

        share(group, len(indices))
        return cls(indices, rows, tuple(orders), tuple(starts))

    @property
    def counts(self) -> tuple[int, ...]:
        """How many rows every mode has."""
        return tuple(len(starts) - 1 for starts in self.starts)

    @property
    def order(self) -> int:
        """How many modes there are."""
        return len(self.indices)

    def pieces(self, mode: int) -> list[int]:
        """Where to cut the rows of a mode into pieces of about as many entries."""
        return cut_groups(self.starts[mode])


@compiled(nogil=True)
def sort_by_row(rows, place, order):  # type: ignore[no-untyped-def]
    """order = the entries sorted by row, those of a row as they come; `place`, where rows begin, is written over."""
    for entry in range(len(rows)):
        row = rows[entry]
        order[place[row]] = entry
        place[row] += 1
