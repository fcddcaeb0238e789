"""Plain lines: how a bench goes, one line for each run that ends, for where no terminal is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..rows import Row
from .runs import Run

Say = Callable[[str], None]


class PlainLines:
    """Says what ends as it ends."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._done = 0
        self._all = 0

    def begin(self, runs: Sequence[Run], kept: Sequence[Row], jobs: int) -> None:
        """How much there is to do."""
        ids = {run.id for run in runs}
        self._all, self._done = len(runs), sum(row.id in ids for row in kept)
        if self._done:
            self._say(f"{self._done} of {self._all} runs are there already.")

    def started(self, run: Run) -> None:
        """Nothing is said about it."""

    def finished(self, run: Run, row: Row, seconds: float) -> None:
        """One line."""
        self._done += 1
        self._say(f"[{self._done}/{self._all}] {run.title}: {outcome(row)}")

    def note(self, sentence: str) -> None:
        """One line too."""
        self._say(f"Note: {sentence}")

    def glance(self) -> None:
        """Nothing changes by itself."""


def outcome(row: Row) -> str:
    """A row in a few words."""
    if row.status == "ok" and row.rmse is not None and row.seconds is not None:
        stopped = ", stopped by the time limit" if row.stop == "time" else ""
        return f"RMSE {row.rmse:.4f} in {row.seconds:.1f} s{stopped}"
    return f"{row.status}. {row.error}"
