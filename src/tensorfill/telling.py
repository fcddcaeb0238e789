"""Telling how far long work is: which phase it is in, what comes after it, and how many rounds it will take.

Whoever shows progress listens with `listening`; whoever works tells with `tell_phase` and `tell_round`. Nobody has to
listen, and in another thread nobody does. What is told becomes text that only shows: names come from files and from
strangers, and a terminal obeys some of what it is sent.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
