"""Telling how far long work is: which phase it is in, what comes after it, how many rounds and how long it will take.

Whoever shows progress listens with `listening`; whoever works tells with `tell_phase` and `tell_round`. Nobody has to
listen, and in another thread nobody does. What is told becomes text that only shows: names come from files and from
strangers, and a terminal obeys some of what it is sent.
"""

from __future__ import annotations

import math
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import NormalDist
from threading import local


@dataclass(frozen=True)
class Phase:
    """What is being done.

    >>> Phase("comparing", "t-ctv", 2, 4).words
    'comparing: t-ctv, 2 of 4'
    """

    doing: str
    what: str = ""
    number: int = 1
    of: int = 1
    later: tuple[tuple[str, float], ...] = ()
    """Methods that are to run after this phase, and how often each, on average."""
    part: float = 1.0
    """What share of a run of the method this phase is."""

    @property
    def words(self) -> str:
        """In one line."""
        counted = f", {self.number:,} of {self.of:,}" if self.of > 1 else ""
        return f"{self.doing}: {self.what}{counted}" if self.what else self.doing + counted


@dataclass(frozen=True)
class Round:
    """One of several rounds of a phase, all about as long, begins."""

    left: float
    """How many there will be from here on, this one included, on average."""


_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""What makes a terminal show text the other way round."""
_CONTROLLING = ("Cc", "Cs", "Zl", "Zp")  # controls, broken bytes, ends of lines and paragraphs

Listener = Callable[[Phase | Round], None]


class _Current(local):
    """Who listens to this thread."""

    listener: Listener | None = None


_current = _Current()


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let `listener` hear what is told in this thread and within this block."""
    before, _current.listener = _current.listener, listener
    try:
        yield
    finally:
        _current.listener = before


def tell_phase(phase: Phase) -> None:
    """Tell whoever listens."""
    _tell(phase)


def tell_round(left: float) -> None:
    """Tell whoever listens that a round begins, and how many there will be from here on."""
    _tell(Round(left))


def _tell(told: Phase | Round) -> None:
    if _current.listener is not None:
        _current.listener(told)


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(42), duration(200), duration(5400)
    ('42 s', '3 min', '1 h 30 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def harmless(text: object) -> str:
    """The text on one line, with escape codes and the like spelled out.

    >>> harmless("two\\nlines, \\x1b[31mred.png")
    'two\\\\nlines, \\\\x1b[31mred.png'
    """
    return "".join(_spell(character) if _is_active(character) else character for character in str(text))


def _is_active(character: str) -> bool:
    return character in _TURNING or unicodedata.category(character) in _CONTROLLING


def _spell(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte of a file name that is no text
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


# Compiling, which nobody's forecast of the work counts


class _Compiling:
    """What this process has spent on it: seconds that have passed, and seconds of work."""

    spent = (0.0, 0.0)
    begun: tuple[float, float] | None = None


_compiling = _Compiling()


def tell_compiling(*, begins: bool) -> None:
    """Tell that it begins, or that it is over."""
    _compiling.spent = seconds_compiling()
    _compiling.begun = _clocks() if begins else None


def seconds_compiling() -> tuple[float, float]:
    """How long this process has compiled so far: seconds that have passed, and seconds of work."""
    if _compiling.begun is None:
        return _compiling.spent
    passed, worked = (now - then for now, then in zip(_clocks(), _compiling.begun, strict=True))
    return _compiling.spent[0] + passed, _compiling.spent[1] + worked


def _clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


# How long it will still take. The forecast says how long each method takes by itself; what a method took corrects that
# for its next run, and a little for others. If a method works in rounds, the first of them says how long that takes.

_SPREAD = 0.4  # a forecast is off by a factor of exp(±0.4), 1.5, or less in two of three cases
_SPREAD_AFTERWARDS = 0.25  # once earlier phases or files have told how long it takes here
_SPREAD_OF_ROUNDS = 0.25  # of what is left, when it is known how long a round takes
_LONGEST_ODDS = 6.0  # deviations; nothing is told apart beyond
_DOUBT = 1.0  # of the whole forecast: how much of what was measured it takes to believe it as much as the pace before


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
