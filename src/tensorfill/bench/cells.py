"""Cells: what is known so far about each method on each dataset, as the tables of a running bench show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

from ..rows import Row
from .runs import Run


class Cells:
    """Rows of a bench gathered by experiment, line (label, rank, rate and pattern where they vary) and dataset."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._lines: dict[str, list[str]] = defaultdict(list)
        self._columns: dict[str, list[str]] = defaultdict(list)
        self._found: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
        self._rates: dict[str, set[float]] = defaultdict(set)
        self._patterns: dict[str, set[str]] = defaultdict(set)
        for run in runs:
            self._rates[run.experiment].add(run.rate)
            self._patterns[run.experiment].add(run.pattern)
        self._place = {run.id: (run.experiment, self._line(run), run.data.name) for run in runs}
        for experiment, line, column in self._place.values():
            for names, name in ((self._lines, line), (self._columns, column)):
                if name not in names[experiment]:
                    names[experiment].append(name)

    def add(self, row: Row) -> None:
        """A row that was found."""
        if row.id in self._place:
            self._found[self._place[row.id]].append(row)

    def place(self, run: Run) -> tuple[str, str, str]:
        """Experiment, line and dataset of a run."""
        return self._place[run.id]

    def lines(self, experiment: str) -> list[str]:
        """The lines of an experiment's table."""
        return self._lines[experiment]

    def columns(self, experiment: str) -> list[str]:
        """Its datasets."""
        return self._columns[experiment]

    def text(self, experiment: str, line: str, column: str) -> str:
        """The mean RMSE over the seeds so far, or what happened instead; empty where nothing is known."""
        rows = self._found.get((experiment, line, column), [])
        errors = [row.rmse for row in rows if row.status == "ok" and row.rmse is not None]
        if errors:
            return f"{fmean(errors):.4f}"
        return rows[0].status if rows else ""

    def _line(self, run: Run) -> str:
        rank = run.settings.get("rank")
        varied = [run.label]
        if run.experiment == "ranks" and isinstance(rank, list):
            varied.append(f"rank {max(rank)}")
        if len(self._rates[run.experiment]) > 1:
            varied.append(f"{run.rate:.0%}")
        if len(self._patterns[run.experiment]) > 1:
            varied.append(run.pattern)
        return ", ".join(varied)
