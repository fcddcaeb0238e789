"""The live lines that tell how far the work is, silent where nobody watches; and how long it will still take.

The forecast says how long each method takes by itself; what a method took corrects that for its next run, and a little
for others. If a method works in rounds and tells how many are left, the first of them says how long that takes.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from statistics import NormalDist
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
from ..telling import Phase, Round, duration, harmless, seconds_compiling
from .app import in_flags
from .console import describe_step, say

_ALMOST = 0.98  # of the bar; it is full when the work is done
_CORES_USED = 1.8  # by methods, of the two that forecasts were measured on
_SOME_WORK = 0.4  # seconds, which tell as much as what was known before
_BAR = 20  # columns
_BESIDES = 57  # columns for the bar and what else stands beside a name
_SHORTEST_NAME = 12
_SPREAD = 0.4  # a forecast is off by a factor of exp(±0.4), 1.5, or less in two of three cases
_SPREAD_AFTERWARDS = 0.25  # once earlier phases or files have told how long it takes here
_SPREAD_OF_ROUNDS = 0.25  # of what is left, when it is known how long a round takes
_LONGEST_ODDS = 6.0  # deviations; nothing is told apart beyond
_DOUBT = 1.0  # of the whole forecast: how much of what was measured it takes to believe it as much as the pace before
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


# The time ahead


class TimeAhead:
    """What is left of one completion. Seconds are those of work, see `ProgressLine`."""

    def __init__(
        self,
        expected: float,
        seconds_of: Callable[[str], float] | None = None,
        *,
        pace: float = 1.0,
        known: bool = False,
        worked: Callable[[], float] = time.monotonic,
    ) -> None:
        """`expected` seconds in all, by forecasts; each took `pace` times its own before, which may be `known`."""
        self._expected = expected
        self._seconds_of = seconds_of
        self._before, self._known = pace, known
        self._worked = worked
        self._began = self._entered = worked()
        self._phase: Phase | None = None
        self._taken: dict[str, float] = {}  # by methods that have run
        self._forecast = 0.0  # of these
        self._round: Round | None = None
        self._round_began = 0.0
        self._round_seconds: float | None = None  # that the one before took

    def enter(self, phase: Phase) -> None:
        """A phase begins, and the one before is over."""
        before = self._phase
        if before is not None and before.part == 1 and self._seconds_of is not None and before.what not in self._taken:
            self._taken[before.what] = self._worked() - self._entered
            self._forecast += self._seconds_of(before.what)
        self._phase, self._entered = phase, self._worked()
        self._round = self._round_seconds = None

    def begin_round(self, told: Round) -> None:
        """A round of the present phase begins, and the one before is over."""
        now = self._worked()
        if self._round is not None:
            self._round_seconds = now - self._round_began
        self._round, self._round_began = told, now

    def left(self) -> float:
        """Seconds until it is done."""
        if self._phase is None or self._seconds_of is None:
            spread = _SPREAD_AFTERWARDS if self._known else _SPREAD
            return self._estimate_phase_left(self._before * self._expected, self._worked() - self._began, spread)
        elapsed, present = self._worked() - self._entered, self._phase.part * self._expect(self._phase.what)
        spread = _SPREAD_AFTERWARDS if self._known or self._phase.what in self._taken else _SPREAD
        later = sum(times * self._later(name, present, elapsed) for name, times in self._phase.later)
        return self._estimate_phase_left(present, elapsed, spread) + later

    def _estimate_phase_left(self, expected: float, elapsed: float, spread: float) -> float:
        """By its rounds, once one of them is over; else by how long it should take."""
        if self._round is None or self._round_seconds is None:
            return estimate_left(expected, elapsed, spread)
        rounds = self._round.left * self._round_seconds
        return estimate_left(rounds, self._worked() - self._round_began, _SPREAD_OF_ROUNDS)

    def _expect(self, method: str) -> float:
        """How long a run of this method takes: as long as the one before, or its forecast at the pace so far."""
        assert self._seconds_of is not None
        return self._taken.get(method, self._pace() * self._seconds_of(method))

    def _later(self, method: str, present: float, elapsed: float) -> float:
        """The same for one that comes later: what takes longer than it should will do so the next time, too."""
        expected = self._expect(method)
        assert self._phase is not None
        return expected * max(1.0, elapsed / present) if method == self._phase.what and present > 0 else expected

    def _pace(self) -> float:
        """How long methods take compared with their forecasts: what one took says a little about others."""
        doubt = _DOUBT * self._expected
        whole = self._forecast + doubt
        return (sum(self._taken.values()) + self._before * doubt) / whole if whole > 0 else self._before


def estimate_left(expected: float, elapsed: float, spread: float) -> float:
    """The time left of something that was expected to take so long and is not done yet.

    That is the median of what is left if durations are log-normal around the forecast with standard deviation `spread`.
    So it never reaches zero: what takes longer than expected will probably take a little longer still.

    >>> round(estimate_left(10, 0, 0.6)), round(estimate_left(10, 5, 0.6)), round(estimate_left(10, 20, 0.6))
    (10, 6, 5)
    """
    if expected <= 0 or elapsed <= 0:
        return max(expected, 0.0)
    odds = NormalDist()
    so_far = min(math.log(elapsed / expected) / spread, _LONGEST_ODDS)
    middle = -odds.inv_cdf(odds.cdf(-so_far) / 2)
    return elapsed * math.expm1(spread * (middle - so_far))


def measure_pace() -> float:
    """How many times longer a core works here. How much of it others leave to us shows while the work is done."""
    numbers = np.linspace(0.0, 1.0, int(np.prod(_SHAPE))).reshape(_SHAPE)
    taken = []
    for _ in range(_ROUNDS):
        began = time.thread_time()
        fft.idctn(fft.dctn(numbers, axes=(0, 1)), axes=(0, 1))
        taken.append(time.thread_time() - began)
    return float(np.clip(np.median(taken) / _REFERENCE, 1 / _MOST_PACE, _MOST_PACE))
