"""The live lines that tell how far the work is; silent where nobody watches."""

from __future__ import annotations

import math
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

import typer

from .forecasting import duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.progress import Progress, Task, TaskID

    from ..completion import Iteration, Snapshot

_ALMOST = 0.98  # of the bar; what takes longer than expected waits there


class ProgressLine:
    """Shows the latest iteration on standard error if that is a terminal, and counts iterations anywhere.

    With several files there is a second line for all of them. The time left is what was forecast, corrected by how
    long earlier files took compared with their own forecasts.
    """

    def __init__(self, files: int = 1, *, quiet: bool = False) -> None:
        self.iterations = 0
        self.quiet = quiet
        self._files = files
        self._done = 0
        self._expected = 0.0
        self._forecasts: list[float] = []  # of files that are done
        self._taken: list[float] = []
        self._started = time.monotonic()
        self._progress: Progress | None = _bars(self._look) if sys.stderr.isatty() and not quiet else None
        self._all: TaskID | None = None
        self._task: TaskID | None = None
        if self._progress is not None:
            if files > 1:
                self._all = self._progress.add_task(f"0 of {files} files", total=1.0)
            self._task = self._progress.add_task("preparing", total=1.0)

    def begin(self, name: str, expected_seconds: float) -> None:
        """A new file, and how long it will take."""
        self.iterations = 0
        self._expected = expected_seconds
        self._started = time.monotonic()
        if self._progress is not None and self._task is not None:
            self._progress.reset(self._task, description=f"{name}: preparing")
            self._progress.start()

    def pause(self) -> None:
        """Clear the lines, so that what is printed next stands alone; `begin` brings them back."""
        if self._progress is not None:
            self._progress.stop()

    def finish(self) -> None:
        """The file is done, or has failed."""
        self._done += 1
        self._forecasts.append(self._expected)
        self._taken.append(time.monotonic() - self._started)
        self._expected = 0.0
        if self._progress is not None and self._all is not None:
            self._progress.update(self._all, description=f"{self._done} of {self._files} files")

    def watch(self, snapshot: Snapshot) -> None:
        """The watcher to hand to the library."""
        self.iterations += 1
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, description=described(snapshot.step))

    def time_left(self) -> float:
        """Seconds until the current file is done, by what is known so far."""
        return max(0.0, self._pace() * self._expected - self._elapsed())

    def time_left_in_all(self) -> float:
        """Seconds until the last file is done, if those to come are like those that were."""
        mean = sum(self._taken) / len(self._taken) if self._taken else self._elapsed() + self.time_left()
        return self.time_left() + mean * max(0, self._files - self._done - 1)

    def _pace(self) -> float:
        """How long files take compared with their forecasts."""
        return sum(self._taken) / sum(self._forecasts) if sum(self._forecasts) > 0 else 1.0

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _look(self, task: Task) -> str:
        """How far a line is, as its bar and in words; called whenever the lines are drawn."""
        if not self._expected:
            task.completed = self._done / self._files if task.id == self._all else 0.0
            return ""
        left = self.time_left()
        share = min(self._elapsed() / max(self._elapsed() + left, 1e-9), _ALMOST)
        if task.id == self._all:
            task.completed = (self._done + share) / self._files
            left = self.time_left_in_all()
        else:
            task.completed = share
        return f"about {duration(left)} left" if left > 0 else "any moment now"

    def say(self, sentence: str) -> None:
        """Print a line on standard error without breaking the live one."""
        if self.quiet:
            return
        if self._progress is None:
            typer.echo(sentence, err=True)
        else:
            self._progress.console.print(sentence, markup=False, highlight=False, soft_wrap=True)

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()


def described(step: Iteration) -> str:
    """One iteration in one line."""
    line = f"iteration {step.iteration}  cost {step.cost:.6g}"
    if math.isfinite(step.gradient_norm):  # not every method has a gradient
        line += f"  gradient {step.gradient_norm:.2e}"
    return line if step.relative_gap is None else f"{line}  gap {step.relative_gap:.2e}"


def _bars(look: Callable[[Task], str]) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Left(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(look(task))

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        Left(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
