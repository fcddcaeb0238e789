"""Live table: the errors so far, what is running, and how long it will take, on a terminal."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ..harmless import harmless
from ..rows import Row
from .cells import Cells
from .durations import duration
from .plain_lines import outcome
from .runner import FAILURES
from .runs import Run
from .time_left import TimeLeft

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.table import Table
    from rich.text import Text

_CELL = 9  # characters of a column
_OTHER_LINES = 7  # of the screen: headings, what is running, the bar


class LiveTable:
    """Methods × datasets of the experiment at work; failures are printed above it and stay."""

    def __init__(self, console: Console) -> None:
        from rich.live import Live

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
            self._print(f"{run.title}: {outcome(row)}", style="red")
        self.glance()

    def note(self, sentence: str) -> None:
        """A line above the table."""
        self._print(f"Note: {sentence}")

    def glance(self) -> None:
        """Draw it anew."""
        self._live.update(self._drawn(), refresh=True)

    def _print(self, sentence: str, style: str | None = None) -> None:
        self._console.print(harmless(sentence), style=style, markup=False, highlight=False, soft_wrap=True)

    def _drawn(self) -> Group:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        now = time.monotonic()
        running = [(run, now - since) for run, since in self._running.values()]
        lines = [Text(f"{run.title}  {spent:.0f} s", style="dim", no_wrap=True) for run, spent in running]
        done = self._all - len(self._waiting) - len(self._running)
        left = self._left.seconds(self._waiting.values(), running)
        told = f"{done} of {self._all} runs" + (f", about {duration(left)} left" if left is not None else "")
        if self._failures:
            told += f", {self._failures} went wrong"
        bar = Table.grid(padding=(0, 2, 0, 0))
        bar.add_row(
            ProgressBar(total=max(self._all, 1), completed=done, width=min(30, self._console.width)), Text(told)
        )
        table = [] if self._at is None else [self._table(self._at)]
        return Group(*table, *lines, bar)

    def _table(self, run: Run) -> Table:
        """As many lines and columns around the run as the screen holds."""
        from rich.table import Table
        from rich.text import Text

        experiment, line, column = self._cells.place(run)
        lines, columns = self._cells.lines(experiment), self._cells.columns(experiment)
        wide = max(map(len, lines))
        columns = around(columns, column, max(1, (self._console.width - wide - 2) // (_CELL + 2)))
        lines = around(lines, line, max(1, self._console.height - _OTHER_LINES - len(self._running)))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column(experiment, no_wrap=True)
        for name in columns:
            table.add_column(Text(name), no_wrap=True, justify="right", width=_CELL)
        at_work = {self._cells.place(run) for run, _ in self._running.values()}
        for name in lines:
            cells = [self._cell(experiment, name, column, (experiment, name, column) in at_work) for column in columns]
            table.add_row(Text(name), *cells)
        return table

    def _cell(self, experiment: str, line: str, column: str, busy: bool) -> Text:
        from rich.text import Text

        found = self._cells.text(experiment, line, column)
        style = "red" if found in FAILURES else "dim" if found and not found[0].isdigit() else ""
        return Text(found + (" …" if busy and not found else "…" if busy else ""), style=style)


def around(names: Sequence[str], name: str, most: int) -> list[str]:
    """At most so many neighbours of a name, itself among them.

    >>> around("abcdefg", "f", 3), around("abc", "a", 5)
    (['e', 'f', 'g'], ['a', 'b', 'c'])
    """
    middle = list(names).index(name)
    start = max(0, min(middle - most // 2, len(names) - most))
    return list(names)[start : start + most]
