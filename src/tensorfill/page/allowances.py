"""Allowances: how much memory and time each piece of work may take, and what is said of work that takes more."""

from __future__ import annotations

from dataclasses import dataclass

from ..memory import available_memory
from ..telling import duration

_MOST = 4 * 2**30  # bytes of memory for anything but a run
_UNUSED = 2**29  # bytes of addresses that threads and libraries reserve, and never use


@dataclass(frozen=True)
class Allowance:
    """What a piece of work may take, and what is said of work that takes more."""

    seconds: float = 60.0
    """In all, from its beginning to its answer."""
    bytes: int | None = None
    """Of memory, beyond what the libraries take; None leaves that to the system."""
    nice: int = 0
    """How far it stands back for others, the server above all."""
    too_long: str = "This took longer than it may; the file is damaged, or too large for the page."
    too_large: str = "This needs more memory than the page may take; use the command line, or a smaller part."
    died: str = "The work ended without an answer; the file is damaged, or too large for the page."


def allow_painting() -> Allowance:
    """What may be taken by what somebody waits for who paints: masks, and estimates."""
    return Allowance(seconds=60.0, bytes=min(_MOST, available_memory()), nice=1)


def allow_reading() -> Allowance:
    """What may be taken by the reading of a file, whatever is in it."""
    return Allowance(seconds=90.0, bytes=min(_MOST, available_memory()), nice=2)


@dataclass(frozen=True)
class RunLimits:
    """What one run may take; whoever needs more uses the command."""

    seconds: float = 12 * 3600.0
    """After this long it stops and keeps the best so far."""
    to_tell: float = 900.0
    """So much longer it may take to write and show what it has found."""
    bytes: int | None = None
    """Of memory; None: all that is free when it begins."""

    def allow(self) -> Allowance:
        """What the system holds a run to."""
        free = available_memory() if self.bytes is None else self.bytes
        seconds = self.seconds + self.to_tell
        return Allowance(
            seconds=seconds,
            bytes=free + _UNUSED,
            nice=10,
            too_long=f"This took longer than {duration(seconds)}, and was ended; choose a quicker method.",
            too_large=f"This needs more than the {free / 1e9:.1f} GB of memory that it may take; choose a method that "
            "needs less, or fewer frames, or use the command line.",
            died="The run ended without an answer, perhaps because the memory was not enough; choose another method.",
        )
