"""Display: how a bench goes. Plain lines where no terminal is; else a live table of errors, and the time left."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ..rows import Row
from ..telling import duration, harmless
from .plan import Run
from .runner import FAILURES, Show

_CELL = 9  # characters of a column
_OTHER_LINES = 7  # of the screen: headings, what is running, the bar


def describe_outcome(row: Row) -> str:
    """A row in a few words."""
    if row.status == "ok" and row.rmse is not None and row.seconds is not None:
        stopped = ", stopped by the time limit" if row.stop == "time" else ""
        return f"RMSE {row.rmse:.4f} in {row.seconds:.1f} s{stopped}"
    return f"{row.status}. {row.error}"


class PlainLines(Show):
    """Says what ends as it ends, one line for each run."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._done = self._all = 0

    def begin(self, runs: Sequence[Run], kept: Sequence[Row], jobs: int) -> None:
        """How much there is to do."""
        ids = {run.id for run in runs}
        self._all, self._done = len(runs), sum(row.id in ids for row in kept)
        if self._done:
            self._say(f"{self._done} of {self._all} runs are there already.")

    def finished(self, run: Run, row: Row, seconds: float) -> None:
        """One line."""
        self._done += 1
        self._say(f"[{self._done}/{self._all}] {run.title}: {describe_outcome(row)}")

    def note(self, sentence: str) -> None:
        """One line too."""
        self._say(f"Note: {sentence}")


class LiveTable(Show):
    """Methods × datasets of the experiment at work; failures are printed above it and stay."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, vertical_overflow="crop")
        self._waiting: dict[str, Run] = {}
        self._running: dict[str, tuple[Run, float]] = {}
        self._all = self._failures = 0

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def begin(self, runs: Sequence[Run], kept: Sequence[Row], jobs: int) -> None:
        """Take what is there already into the table."""
        done = {row.id for row in kept}
        self._all = len(runs)
        self._waiting = {run.id: run for run in runs if run.id not in done}
        self._cells, self._left = Cells(runs), TimeLeft(jobs)
        self._at: Run | None = next(iter(runs), None)
        for row in kept:
            self._cells.add(row)

    def started(self, run: Run) -> None:
        """Show what is running."""
        self._running[run.id] = (self._waiting.pop(run.id), time.monotonic())
        self._at = run
        self.glance()

    def finished(self, run: Run, row: Row, seconds: float) -> None:
        """Put its error into the table."""
        self._running.pop(run.id, None)
        self._cells.add(row)
        self._left.learn(run, seconds)
        if row.status in FAILURES:
            self._failures += 1
            self._print(f"{run.title}: {describe_outcome(row)}", style="red")
        self.glance()

    def note(self, sentence: str) -> None:
        """A line above the table."""
        self._print(f"Note: {sentence}")

    def glance(self) -> None:
        """Draw it anew."""
        self._live.update(self.draw(), refresh=True)

    def _print(self, sentence: str, style: str | None = None) -> None:
        self._console.print(harmless(sentence), style=style, markup=False, highlight=False, soft_wrap=True)

    def draw(self) -> Group:
        """The table, what is running, and the bar."""
        now = time.monotonic()
        running = [(run, now - since) for run, since in self._running.values()]
        lines = [Text(f"{run.title}  {spent:.0f} s", style="dim", no_wrap=True) for run, spent in running]
        done = self._all - len(self._waiting) - len(self._running)
        left = self._left.seconds(self._waiting.values(), running)
        told = f"{done} of {self._all} runs" + (f", about {duration(left)} left" if left is not None else "")
        if self._failures:
            told += f", {self._failures} went wrong"
        bar = Table.grid(padding=(0, 2, 0, 0))
        width = min(30, self._console.width)
        bar.add_row(ProgressBar(total=max(self._all, 1), completed=done, width=width), Text(told))
        return Group(*([] if self._at is None else [self._draw_table(self._at)]), *lines, bar)

    def _draw_table(self, run: Run) -> Table:
        """As many lines and columns around the run as the screen holds."""
        experiment, line, column = self._cells.place(run)
        lines, columns = self._cells.lines(experiment), self._cells.columns(experiment)
        wide = max(map(len, lines))
        columns = choose_around(columns, column, max(1, (self._console.width - wide - 2) // (_CELL + 2)))
        lines = choose_around(lines, line, max(1, self._console.height - _OTHER_LINES - len(self._running)))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column(experiment, no_wrap=True)
        for name in columns:
            table.add_column(Text(name), no_wrap=True, justify="right", width=_CELL)
        busy = {self._cells.place(run) for run, _ in self._running.values()}
        for name in lines:
            places = [(experiment, name, column) for column in columns]
            table.add_row(Text(name), *(self._draw_cell(place, busy=place in busy) for place in places))
        return table

    def _draw_cell(self, place: tuple[str, str, str], *, busy: bool) -> Text:
        found = self._cells.text(*place)
        style = "red" if found in FAILURES else "dim" if found and not found[0].isdigit() else ""
        return Text(found + (" …" if busy and not found else "…" if busy else ""), style=style)


def choose_around(names: Sequence[str], name: str, most: int) -> list[str]:
    """At most so many neighbours of a name, itself among them.

    >>> choose_around("abcdefg", "f", 3), choose_around("abc", "a", 5)
    (['e', 'f', 'g'], ['a', 'b', 'c'])
    """
    middle = list(names).index(name)
    start = max(0, min(middle - most // 2, len(names) - most))
    return list(names)[start : start + most]


class Cells:
    """Rows of a bench gathered by experiment, line (label, rank, rate and pattern where they vary) and dataset."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._rates: dict[str, set[float]] = defaultdict(set)
        self._patterns: dict[str, set[str]] = defaultdict(set)
        for run in runs:
            self._rates[run.experiment].add(run.rate)
            self._patterns[run.experiment].add(run.pattern)
        self._place = {run.id: (run.experiment, self._line(run), run.data.name) for run in runs}
        self._found: dict[tuple[str, str, str], list[Row]] = defaultdict(list)

    def add(self, row: Row) -> None:
        """A row that was found."""
        if row.id in self._place:
            self._found[self._place[row.id]].append(row)

    def place(self, run: Run) -> tuple[str, str, str]:
        """Experiment, line and dataset of a run."""
        return self._place[run.id]

    def lines(self, experiment: str) -> list[str]:
        """The lines of an experiment's table."""
        return list(dict.fromkeys(line for name, line, _ in self._place.values() if name == experiment))

    def columns(self, experiment: str) -> list[str]:
        """Its datasets."""
        return list(dict.fromkeys(column for name, _, column in self._place.values() if name == experiment))

    def text(self, experiment: str, line: str, column: str) -> str:
        """The mean RMSE over the seeds so far, or what happened instead; empty where nothing is known."""
        rows = self._found.get((experiment, line, column), [])
        errors = [row.rmse for row in rows if row.status == "ok" and row.rmse is not None]
        if errors:
            return f"{fmean(errors):.4f}"
        return rows[0].status if rows else ""

    def _line(self, run: Run) -> str:
        rank = run.settings.get("rank")
        parts = [run.label]
        if run.experiment == "ranks" and isinstance(rank, list):
            parts.append(f"rank {max(rank)}")
        if len(self._rates[run.experiment]) > 1:
            parts.append(f"{run.rate:.0%}")
        if len(self._patterns[run.experiment]) > 1:
            parts.append(run.pattern)
        return ", ".join(parts)


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
