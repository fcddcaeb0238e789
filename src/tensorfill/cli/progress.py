"""The live lines that tell how far the work is, silent where nobody watches; and how long it will still take."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from types import TracebackType
from typing import Self

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text
from scipy import fft

from ..completion import Snapshot
from ..telling import Phase, Round, TimeAhead, duration, harmless, seconds_compiling
from .app import in_flags
from .console import describe_step, say

_ALMOST = 0.98  # of the bar; it is full when the work is done
_CORES_USED = 1.8  # by methods, of the two that forecasts were measured on
_SOME_WORK = 0.4  # seconds, which tell as much as what was known before
_BAR = 20  # columns
_BESIDES = 57  # columns for the bar and what else stands beside a name
_SHORTEST_NAME = 12
_ROUNDS = 12
_REFERENCE = 0.0046  # seconds for one round on a core of the machine that forecasts were measured on
_SHAPE = (192, 192, 12)
_MOST_PACE = 8.0


class ProgressLine:
    """Shows the latest iteration on standard error if that is a terminal, and counts iterations anywhere.

    A line for the file and, with several, one for all of them; below, the phase and what is being done in it. The time
    left comes from forecasts, corrected by how long earlier phases and files took compared with their own.
    """

    def __init__(self, files: int = 1, *, quiet: bool = False) -> None:
        self.iterations = 0
        self.quiet = quiet
        self._files = files
        self._done = 0
        self._expected = 0.0
        self._ahead = TimeAhead(0.0)
        self._phase = ""
        self._forecasts: list[float] = []  # of files that are done
        self._taken: list[float] = []
        self._began = self._started = time.monotonic()
        self._moment = self._clocks()
        self._stretch = 1.0  # seconds that passed for one of work, in the file before
        self._name = self._doing = ""
        self._shown = sys.stderr.isatty() and not quiet
        self._live: Live | None = None

    def begin(
        self,
        name: str,
        expected_seconds: float,
        doing: str = "preparing",
        *,
        seconds_of: Callable[[str], float] | None = None,
    ) -> None:
        """A new file, and how long it will take; 0 while nobody knows. `seconds_of` a method that is run for it."""
        self.iterations = 0
        self._expected = expected_seconds
        self._started = time.monotonic()
        self._moment = self._clocks()
        self._ahead = TimeAhead(
            expected_seconds,
            seconds_of,
            pace=self._pace(),
            known=bool(self._taken),
            worked=lambda: self._clocks()[1],
        )
        self._name, self._doing, self._phase = name, doing, ""
        if self._shown and self._live is None:
            # A new one each time: one of rich that goes on after a stop deletes what was printed in between.
            self._live = _live(self._rows, lambda: "  ".join(part for part in (self._phase, self._doing) if part))
            self._live.start()

    def tell(self, doing: str) -> None:
        """What is being done now."""
        self._doing = doing

    def enter(self, told: Phase | Round) -> None:
        """The listener to hand to `telling.listening`."""
        if isinstance(told, Round):
            self._ahead.begin_round(told)
            return
        self._ahead.enter(told)
        self._phase, self._doing = told.words, ""

    def pause(self) -> None:
        """The file is done. Clear the lines, so that what is printed next stands alone; `begin` brings them back."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        if self._expected:
            self._forecasts.append(self._expected)
            self._taken.append(self._clocks()[1] - self._moment[1])
            self._stretch = self._passing()
            self._expected = 0.0

    def finish(self) -> None:
        """All about the file is done, or it has failed."""
        self._done += 1
        self._expected = 0.0

    def watch(self, snapshot: Snapshot) -> None:
        """The watcher to hand to the library."""
        self.iterations += 1
        self.tell(describe_step(snapshot.step))

    def time_left(self) -> float:
        """Seconds until the current file is done, by what is known so far."""
        return self._passing() * self._ahead.left()

    def time_left_in_all(self) -> float:
        """Seconds until the last file is done, if those to come are like those that were."""
        left = self._ahead.left()
        # Part of what the first takes is loading, which the others will find done.
        first = min(self._clocks()[1] - self._moment[1] + left, self._pace() * self._expected)
        one = sum(self._taken) / len(self._taken) if self._taken else first
        return self._passing() * (left + one * max(0, self._files - self._done - 1))

    def _pace(self) -> float:
        """How long files take compared with their forecasts; before there are any, by how quick the machine is."""
        if self._forecasts:
            return sum(self._taken) / sum(self._forecasts)
        return self._machine_pace

    @staticmethod
    def _clocks() -> tuple[float, float]:
        """Seconds that have passed, and seconds of work as on two cores that nobody else uses; without compiling."""
        passed, worked = seconds_compiling()
        return time.monotonic() - passed, (time.process_time() - worked) / _CORES_USED

    def _passing(self) -> float:
        """How many seconds pass for one of work: more where others use the machine too, fewer where it has more cores.

        What has passed since the file began tells, the more the longer it is; at first, what it was for the one before.
        """
        passed, worked = (now - then for now, then in zip(self._clocks(), self._moment, strict=True))
        return (passed + self._stretch * _SOME_WORK) / (max(0.0, worked) + _SOME_WORK)

    @cached_property
    def _machine_pace(self) -> float:
        return measure_pace() if self._shown else 1.0  # where nobody looks, it is not worth the time

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _rows(self) -> list[Row]:
        """The lines as they are now; called whenever they are drawn."""
        known, elapsed, left = self._expected > 0, self._elapsed(), self.time_left()
        share = min(elapsed / max(elapsed + left, 1e-9), _ALMOST) if known else 0.0
        rows = [Row(self._name, share, elapsed, left if known else None)]
        if self._files > 1:
            whole = self.time_left_in_all() if known else None
            told, began = f"{self._done} of {self._files} files", time.monotonic() - self._began
            rows.insert(0, Row(told, (self._done + share) / self._files, began, whole))
        return rows

    def say(self, sentence: str) -> None:
        """Print a line on standard error without breaking the live ones."""
        if self.quiet:
            return
        if self._live is None:
            say(sentence, err=True)
        else:
            self._live.console.print(harmless(sentence), markup=False, highlight=False, soft_wrap=True)

    def note(self, sentence: str) -> None:
        """The same with a sentence of the library, in words of the command."""
        self.say(f"Note: {in_flags(sentence)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pause()


@dataclass(frozen=True)
class Row:
    """A line: its name, the share that is done, seconds gone by, and seconds left if that is known."""

    name: str
    share: float
    elapsed: float
    left: float | None


def shorten(name: str, room: int) -> str:
    """A name that fits, with its end, which tells more than its middle.

    >>> shorten("holiday_in_the_mountains.png", 16)
    'holiday_…ins.png'
    """
    if len(name) <= room:
        return name
    end = (room - 1) // 2
    return f"{name[: room - 1 - end]}…{name[-end:]}"


def _live(rows: Callable[[], list[Row]], doing: Callable[[], str]) -> Live:
    console, spinner = Console(stderr=True), Spinner("dots", style="progress.spinner")

    def drawn() -> Group:
        room = max(_SHORTEST_NAME, console.width - _BESIDES)
        table = Table.grid(padding=(0, 1))
        for row in rows():
            clock = Text(str(timedelta(seconds=int(row.elapsed))), style="progress.elapsed")
            left = "" if row.left is None else f"about {duration(row.left)} left"
            known = row.share > 0 or row.left is not None
            bar = ProgressBar(total=1.0, completed=row.share, width=_BAR) if known else Text(" " * _BAR)
            table.add_row(spinner, Text(shorten(harmless(row.name), room)), bar, clock, Text(left))
        return Group(table, Text(f"  {harmless(doing())}", style="dim", no_wrap=True, overflow="ellipsis"))

    return Live(get_renderable=drawn, console=console, transient=True, refresh_per_second=10, redirect_stdout=False)


def measure_pace() -> float:
    """How many times longer a core works here. How much of it others leave to us shows while the work is done."""
    numbers = np.linspace(0.0, 1.0, int(np.prod(_SHAPE))).reshape(_SHAPE)
    taken = []
    for _ in range(_ROUNDS):
        began = time.thread_time()
        fft.idctn(fft.dctn(numbers, axes=(0, 1)), axes=(0, 1))
        taken.append(time.thread_time() - began)
    return float(np.clip(np.median(taken) / _REFERENCE, 1 / _MOST_PACE, _MOST_PACE))
