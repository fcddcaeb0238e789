"""TimeAhead: how long a completion will still take, by its phases.

The forecast says how long each method takes by itself. How long earlier phases took compared with their forecasts, and
how quickly the present one gets on, corrects that for this machine and for these data.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from statistics import NormalDist

from ..telling import Phase

_SPREAD = 0.4  # a forecast is off by a factor of exp(±0.4), 1.5, or less in two of three cases
_SPREAD_AFTERWARDS = 0.25  # once earlier phases or files have told how long it takes here
_LONGEST_ODDS = 6.0  # deviations; nothing is told apart beyond
_ENOUGH = 0.25  # of the usual iterations, after which their pace tells more than the forecast
_DOUBT = 0.3  # of the whole forecast: how much of what was measured it takes to believe it as much as the pace before


class TimeAhead:
    """What is left of one completion. All seconds are without those spent compiling."""

    def __init__(
        self,
        expected: float,
        seconds_of: Callable[[str], float] | None = None,
        usual_iterations: Mapping[str, int] | None = None,
        *,
        pace: float = 1.0,
        known: bool = False,
        worked: Callable[[], float] = time.monotonic,
    ) -> None:
        """`expected` seconds in all, by forecasts; each took `pace` times its own before, which may be `known`."""
        self._expected = expected
        self._seconds_of = seconds_of
        self._usual = usual_iterations or {}
        self._before, self._known = pace, known
        self._worked = worked
        self._began = self._entered = worked()
        self._phase: Phase | None = None
        self._iterations = 0
        self._taken = self._forecast = 0.0  # by the phases that are over, and by their forecasts

    def enter(self, phase: Phase) -> None:
        """A phase begins, and the one before is over."""
        if self._phase is not None and self._seconds_of is not None:
            self._taken += self._worked() - self._entered
            self._forecast += self._seconds_of(self._phase.what)
        self._phase, self._entered, self._iterations = phase, self._worked(), 0

    def iterate(self) -> None:
        """The present phase has made an iteration."""
        self._iterations += 1

    def left(self) -> float:
        """Seconds until it is done."""
        spread = _SPREAD_AFTERWARDS if self._known or self._taken else _SPREAD
        if self._phase is None or self._seconds_of is None:
            return left_of(self._before * self._expected, self._worked() - self._began, spread)
        elapsed = self._worked() - self._entered
        forecast = self._seconds_of(self._phase.what)
        pace = self._pace()
        usual = self._usual.get(self._phase.what)
        if usual is not None and self._iterations >= _ENOUGH * usual:
            seen = usual * elapsed / self._iterations
            trust = min(1.0, self._iterations / usual)
            present = (1 - trust) * pace * forecast + trust * seen
            spread = _SPREAD_AFTERWARDS
        else:
            present = pace * forecast
        # What takes longer than it should says that the rest will, too.
        ahead = max(pace, (present if usual else elapsed) / forecast) if forecast > 0 else pace
        later = sum(times * self._seconds_of(name) for name, times in self._phase.later)
        return left_of(present, elapsed, spread) + ahead * later

    def _pace(self) -> float:
        """How long phases take compared with their forecasts."""
        doubt = _DOUBT * self._expected
        whole = self._forecast + doubt
        return (self._taken + self._before * doubt) / whole if whole > 0 else self._before


def left_of(expected: float, elapsed: float, spread: float) -> float:
    """The time left of something that was expected to take so long and is not done yet.

    That is the median of what is left if durations are log-normal around the forecast with standard deviation `spread`.
    So it never reaches zero: what takes longer than expected will probably take a little longer still.

    >>> round(left_of(10, 0, 0.6)), round(left_of(10, 5, 0.6)), round(left_of(10, 20, 0.6))
    (10, 6, 5)
    """
    if expected <= 0 or elapsed <= 0:
        return max(expected, 0.0)
    odds = NormalDist()
    so_far = min(math.log(elapsed / expected) / spread, _LONGEST_ODDS)
    middle = -odds.inv_cdf(odds.cdf(-so_far) / 2)
    return elapsed * math.expm1(spread * (middle - so_far))
