"""How long a video is said to be, to notice when frames are missing."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...errors import UnreadableFile
from .frame_clock import FrameClock

RATE_TAG, COUNT_TAG = "FRAME_RATE", "FRAME_COUNT"
"""Where a .mkv that we write has its frame rate, as a fraction, and its number of frames."""

_SLACK = 2  # frames; many files are off by one
_MOST_TOLD = 30_000  # frames per second; what libav makes of more in a .mkv
_RESOLUTION = Fraction(1, 1000)  # seconds; what .mkv files count in


@dataclass(frozen=True)
class RunningTime:
    """What a container declares; 0 frames means that it says nothing we could rely on."""

    frames: int
    counted: bool = True
    """Whether somebody counted the frames; otherwise this is their time times a rate that may be an average."""
    uncertainty: int = 0
    """How many frames the times in the file cannot tell apart."""
    slack: int = _SLACK
    rate: Fraction = Fraction(0)

    @classmethod
    def declared(cls, container: Any, stream: Any) -> RunningTime:
        """The number of frames if there is one, else duration times rate."""
        if stream.frames > 0:
            # Codecs that build frames upon others may rightly leave some out, at a cut; FFV1 does not.
            return cls(stream.frames, slack=0 if stream.codec_context.name == "ffv1" else _SLACK)
        seconds, rate = _seconds(container, stream), stream.average_rate
        if seconds is None or not rate:
            return cls(0)
        frames, uncertainty = round(seconds * rate), round(rate * _RESOLUTION)
        if stream.metadata.get(COUNT_TAG) == str(frames):  # alone, a tag may be left over from a longer video
            return cls(frames, True, uncertainty, slack=0)
        return cls(frames, False, uncertainty, rate=rate)

    def missing(self, number: int, clock: FrameClock) -> int:
        """How many frames are not there, when there are this many."""
        if not self.frames:
            return 0
        if not self.counted and clock.uneven and clock.last_shown is not None:
            number = round((clock.last_shown + 1 / self.rate) * self.rate)
        gone = self.frames - number
        return gone if abs(gone) > self.uncertainty else 0

    def check(self, path: Path, number: int, clock: FrameClock) -> tuple[str, ...]:
        """Refuse fewer frames than declared; a difference of one or two is told."""
        missing = self.missing(number, clock)
        if missing > self.slack:
            raise UnreadableFile(
                f"{path} should have {number + missing} frames and has {number}: it is damaged or cut short; "
                f"what is there can be read with --frames 0-{number - 1}."
            )
        return (f"{path} should have {number + missing} frames and has {number}, which are read.",) if missing else ()


def frame_rate(stream: Any) -> Fraction | None:
    """Frames per second, on average."""
    rate = stream.average_rate or stream.guessed_rate
    if not rate:
        return None
    try:
        told = Fraction(stream.metadata.get(RATE_TAG, ""))
    except (ValueError, ZeroDivisionError):
        return Fraction(rate)
    near = abs(min(told, _MOST_TOLD) / rate - 1) < Fraction(1, 1000)
    return told if near else Fraction(rate)


def _seconds(container: Any, stream: Any) -> Fraction | None:
    """How long the pictures last; the container's duration may be that of a longer sound track."""
    if stream.duration and stream.time_base:
        return Fraction(stream.duration * stream.time_base)
    if found := _clock(stream.metadata.get("DURATION", "")):
        return found
    if container.duration and len(container.streams) == len(container.streams.video):
        return Fraction(container.duration, 1_000_000)
    return None


def _clock(text: str) -> Fraction | None:
    """Seconds from hours:minutes:seconds."""
    try:
        hours, minutes, seconds = text.split(":")
        return int(hours) * 3600 + int(minutes) * 60 + Fraction(seconds)
    except (ValueError, ZeroDivisionError):
        return None
