"""Whether a container file is as it was written and has all its frames, where libav does not look.

It takes a file that ends too early for one with fewer frames. And of the checksums in a .mkv file it looks at none: a
part begins with the bytes BF 84, and the CRC-32 of all that follows in 4 bytes, the lowest first (RFC 8794, section
11.3.1, and RFC 9559). Without these, one wrong bit in the number of columns gives other frames.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

from ...errors import UnreadableFile
from ..damage import damaged, open_source

RATE_TAG, COUNT_TAG = "FRAME_RATE", "FRAME_COUNT"
"""Where a .mkv that we write has its frame rate, as a fraction, and its number of frames."""
Y4M = "yuv4mpegpipe"
"""What libav calls .y4m files."""

_SLACK = 2  # frames; many files are off by one
_FASTEST = 30_000  # frames per second; what libav makes of more in a .mkv
_RESOLUTION = Fraction(1, 1000)  # seconds; what .mkv files count in
_UNEVEN = 1.25  # how much longer the longest step between frames is than the shortest; less is rounding or jitter

_EBML, _SEGMENT, _CHECKSUM = b"\x1a\x45\xdf\xa3", b"\x18\x53\x80\x67", b"\xbf\x84"
_PIECE = 2**20


def check_length(path: Path) -> None:
    """Refuse a .mkv or .avi file that ends before it should; others, or what declares no length, pass."""
    with open_source(path) as file:
        start, declared = file.read(12), 0
        if start[:4] == _EBML:
            declared = _open_segment(file)
        elif start[:4] == b"RIFF" and start[8:] == b"AVI ":
            declared = 8 + int.from_bytes(start[4:8], "little")
        there = file.seek(0, 2)
    if declared > there:
        raise UnreadableFile(
            f"{path} is cut short: it declares {declared:,} bytes and has {there:,}; get it again as a whole, or read "
            "the frames that are there with frames=(FIRST, LAST)."
        )


def check_checksums(path: Path) -> None:
    """Refuse a .mkv file of which a part is not as it was written; other files and parts without checksum pass."""
    with open_source(path) as file:
        end = _open_segment(file)
        while file.tell() < end:
            first = file.read(1)
            if not first or first[0] < 0x10:
                return
            file.seek(8 - first[0].bit_length(), 1)  # behind the rest of the part's name, of 1 to 4 bytes in all
            size = _read_size(file)
            if size is None:
                return
            if not _has_right_checksum(file, size):
                raise damaged(path, "a video")


def _open_segment(file: BinaryIO) -> int:
    """Go to the first part in the segment of a .mkv file, which holds all but a small head; where it ends, or 0."""
    file.seek(0)
    head = _read_size(file) if file.read(4) == _EBML else None
    if head is None:
        return 0
    file.seek(head, 1)
    size = _read_size(file) if file.read(4) == _SEGMENT else None
    return 0 if size is None else file.tell() + size


def _read_size(file: BinaryIO) -> int | None:
    """A number of 1 to 8 bytes, as many as there are zero bits before the first one; all ones means unknown."""
    first = file.read(1)
    if not first or not first[0]:
        return None
    length = 9 - first[0].bit_length()
    size = int.from_bytes(first + file.read(length - 1), "big") - (1 << 7 * length)
    return None if size == (1 << 7 * length) - 1 else size


def _has_right_checksum(file: BinaryIO, size: int) -> bool:
    """Whether a part has the checksum that it tells, if it tells one; afterwards the file stands behind it."""
    end = file.tell() + size
    lead = file.read(min(size, 6))
    if len(lead) < 6 or not lead.startswith(_CHECKSUM):
        file.seek(end)
        return True
    checksum, left = 0, size - len(lead)
    while left and (piece := file.read(min(left, _PIECE))):
        checksum = zlib.crc32(piece, checksum)
        left -= len(piece)
    return checksum == int.from_bytes(lead[2:], "little")


@dataclass
class RunningTime:
    """What a container declares, and what was seen of it; times of frames are whole numbers of ticks."""

    declared: int
    """How many frames there should be; 0 if the container says nothing we could rely on."""
    uncertainty: int = 0
    """How many frames the times in the file cannot tell apart."""
    slack: int = _SLACK
    """How many frames may be missing."""
    rate: Fraction | None = None
    """By which a duration became a number of frames; it may be an average. None if the frames were counted."""
    number: int = 0
    """How many frames were seen."""
    _last: int | None = None
    _tick: Fraction | None = None
    _shortest: int = 0
    _longest: int = 0

    @classmethod
    def of(cls, container: Any, stream: Any) -> RunningTime:
        """The number of frames if there is one, else duration times rate."""
        if stream.frames > 0:
            # Codecs that build frames upon others may rightly leave some out, at a cut; FFV1 does not.
            return cls(stream.frames, slack=0 if stream.codec_context.name == "ffv1" else _SLACK)
        seconds, rate = _find_seconds(container, stream), stream.average_rate
        if seconds is None or not rate:
            return cls(0)
        frames = round(seconds * rate)
        if container.format.name == Y4M:  # libav's guess, from the length of the file
            return cls(frames, uncertainty=frames)
        uncertainty = round(rate * _RESOLUTION)
        if stream.metadata.get(COUNT_TAG) == str(frames):  # alone, a tag may be left over from a longer video
            return cls(frames, uncertainty, slack=0)
        return cls(frames, uncertainty, rate=rate)

    def see(self, frame: Any) -> None:
        """Another frame."""
        if frame.pts is not None and self._last is not None:
            step = frame.pts - self._last
            self._shortest, self._longest = min(step, self._shortest or step), max(step, self._longest)
        self._tick, self._last = frame.time_base, frame.pts
        self.number += 1

    @property
    def uneven(self) -> bool:
        """Whether some frames are shown longer than others."""
        return self._longest - self._shortest > 1 and self._longest > _UNEVEN * self._shortest

    def count_missing(self, number: int) -> int:
        """How many frames are not there, when there are this many."""
        if self.rate is not None and self.uneven and self._last is not None and self._tick is not None:
            number = round((self._last * self._tick + 1 / self.rate) * self.rate)
        gone = self.declared - number if self.declared else 0
        return gone if abs(gone) > self.uncertainty else 0

    def check(self, path: Path) -> tuple[str, ...]:
        """Refuse fewer frames than declared; a difference of one or two is a note."""
        missing = self.count_missing(self.number)
        should = f"{path} should have {self.number + missing} frames and has {self.number}"
        if missing > self.slack:
            raise UnreadableFile(
                f"{should}: it is damaged or cut short; what is there can be read with frames=(0, {self.number - 1})."
            )
        return (f"{should}, which are read.",) if missing else ()


def find_rate(stream: Any) -> Fraction | None:
    """Frames per second, on average."""
    rate = stream.average_rate or stream.guessed_rate
    if not rate:
        return None
    try:
        tag = Fraction(stream.metadata.get(RATE_TAG, ""))
    except (ValueError, ZeroDivisionError):
        return Fraction(rate)
    near = abs(min(tag, _FASTEST) / rate - 1) < Fraction(1, 1000)
    return tag if near else Fraction(rate)


def _find_seconds(container: Any, stream: Any) -> Fraction | None:
    """How long the pictures last; the container's duration may be that of a longer sound track."""
    if stream.duration and stream.time_base:
        return Fraction(stream.duration * stream.time_base)
    try:
        hours, minutes, seconds = stream.metadata.get("DURATION", "").split(":")
        return int(hours) * 3600 + int(minutes) * 60 + Fraction(seconds)
    except (ValueError, ZeroDivisionError):
        alone = container.duration and len(container.streams) == len(container.streams.video)
        return Fraction(container.duration, 1_000_000) if alone else None
