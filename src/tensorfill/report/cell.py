"""Cells: the runs of one method on one dataset, over all seeds, as one entry of a table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, stdev

from ..rows import DataCard, Row


@dataclass(frozen=True)
class Spread:
    """A mean over seeds and its standard deviation (n − 1 in the denominator); None for a single seed."""

    mean: float
    deviation: float | None
    count: int


@dataclass(frozen=True)
class Cell:
    """What the runs of a method on a dataset found, one run per seed."""

    data: DataCard
    label: str
    method: str
    runs: tuple[Row, ...]
    there: bool = True
    """Whether the data is: where it is not, methods that were not even asked have no data either."""

    @property
    def good(self) -> tuple[Row, ...]:
        """The runs that ended with a completion."""
        return tuple(run for run in self.runs if run.status == "ok")

    def over_seeds(self, value: Callable[[Row], float | None]) -> Spread | None:
        """Mean and spread of a value over the runs that have it; None if none has."""
        found = [number for run in self.good if (number := value(run)) is not None and math.isfinite(number)]
        if not found:
            return None
        return Spread(fmean(found), stdev(found) if len(found) > 1 else None, len(found))

    @property
    def rmse(self) -> Spread | None:
        """RMSE over all entries."""
        return self.over_seeds(lambda run: run.rmse)

    @property
    def time_limited(self) -> bool:
        """Whether a run was stopped by its time limit."""
        return any(run.stop == "time" for run in self.good)

    @property
    def complaint(self) -> str | None:
        """A word or two where there is no number: "no data", "failed"; "not finite" where the numbers overflowed."""
        if self.good:
            return None if self.rmse is not None else "not finite"
        if not self.runs:
            return "not run" if self.there else "no data"
        return Counter(run.status for run in self.runs).most_common(1)[0][0]
