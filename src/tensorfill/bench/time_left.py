"""Time left: a guess from the runs that are done, by method and size."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from .runs import Run


class TimeLeft:
    """Learns what a run of each method takes: a little for any run, and the rest by the entry."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._done: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        """By label, and of all under "": entries and seconds."""

    def learn(self, run: Run, seconds: float) -> None:
        """A run took that long, from the start of its process to its end."""
        for key in (run.label, ""):
            self._done[key].append((math.prod(run.data.shape), seconds))

    def seconds(self, waiting: Iterable[Run], running: Iterable[tuple[Run, float]]) -> float | None:
        """What is left, given how long those that are running have been; None as long as nothing is known."""
        if not self._done[""]:
            return None
        under_way = [max(0.0, self._guess(run) - spent) for run, spent in running]
        ahead = sum(map(self._guess, waiting))
        return max((ahead + sum(under_way)) / self._jobs, *under_way, 0.0)

    def _guess(self, run: Run) -> float:
        least = min(seconds for _, seconds in self._done[""])
        done = self._done.get(run.label) or self._done[""]
        beyond = sum(seconds - least for _, seconds in done) / sum(entries for entries, _ in done)
        guess = least + beyond * math.prod(run.data.shape)
        return guess if run.time_limit is None else min(guess, least + 2 * run.time_limit)
