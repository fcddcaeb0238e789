"""Decoding: the frames of any video that libav knows, all of them or none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import UnreadableFile
from ..contents import Contents
from ..damage import damaged, needed, readable
from ..metadata import Metadata
from ..reading import Reading
from ..room import check_room
from .clip_array import MOST_PIXELS
from .ffv1_checksums import Ffv1Checksums
from .frame_clock import FrameClock
from .frame_range import FrameRange
from .frame_stack import FrameStack
from .matroska_checksums import check_checksums
from .pixels import pixels_of
from .remarks import Remarks
from .running_time import RunningTime, frame_rate
from .wholeness import check_whole

_KIND = "a video"
# Containers that bring everything with them: a playlist could name any file or address.
_CONTAINERS = "matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,avi"
_OPTIONS = {"format_whitelist": _CONTAINERS, "protocol_whitelist": "file", "max_pixels": str(MOST_PIXELS)}
_STRICT = {"err_detect": "crccheck+explode", "max_pixels": str(MOST_PIXELS)}
_THREADS = 2


def read_video(path: Path, how: Reading) -> Contents:
    """The frames as (row, column, frame), or (row, column, frame, channel) if there is colour in any."""
    wanted = FrameRange.asked(how)
    if wanted.whole:
        check_whole(path)
    with opened(path) as (container, stream):
        time = RunningTime.declared(container, stream)
        expected = wanted.count(time.frames)
        check_room(path, (stream.height, stream.width, max(1, expected)), 1)
        stack, remarks, clock, number = FrameStack(path, expected), Remarks(path), FrameClock(), 0
        for frame in _frames(path, container, stream):
            if wanted.over(number):
                break
            clock.see(frame)
            if number in wanted:
                pixels = pixels_of(frame, gray=how.gray)
                stack.add(pixels.values)
                remarks.see(frame, pixels)
            number += 1
        if not number:
            raise damaged(path, _KIND)
        wanted.check(number, path)
        length = _check_length(path, time, number, clock) if wanted.whole else ()
        if wanted.whole:
            check_checksums(path)  # only now: a frame that cannot be decoded is told by its number
        data = stack.array()
        notes = remarks.sentences(container, colour=data.ndim == 4, gray=how.gray, uneven=clock.uneven)
        return Contents(data, None, (*notes, *length), Metadata(kind="video", frame_rate=frame_rate(stream)))


def _check_length(path: Path, time: RunningTime, number: int, clock: FrameClock) -> tuple[str, ...]:
    """Refuse fewer frames than declared, unless an edit list leaves them out on purpose, as in a trimmed .mp4."""
    if time.missing(number, clock) > time.slack:
        with opened(path, ignore_editlist="1") as (container, stream):
            stored = sum(packet.size > 0 for packet in container.demux(stream))
            edited = "mov" in container.format.name and not time.missing(stored, clock) > time.slack
        if edited:
            return (f"{path} leaves out {stored - number} of its {stored} frames on purpose, as players do too.",)
    return time.check(path, number, clock)


@contextmanager
def opened(path: Path, **more: str) -> Iterator[tuple[Any, Any]]:
    """The container and its first stream of pictures, ready to decode."""
    av = needed("av", "video", path)
    options = {**_OPTIONS, **more}
    # An absolute name cannot be taken for an address such as http:.
    with readable(path, _KIND), av.open(os.path.abspath(path), options=options, metadata_errors="ignore") as container:
        stream = next(iter(container.streams.video), None)
        if stream is None:
            raise UnreadableFile(f"{path} has no pictures in it that could be read.")
        if stream.codec_context is None:
            raise UnreadableFile(f"{path} is coded in a way that the installed libav cannot decode.")
        stream.codec_context.options = _STRICT
        stream.codec_context.thread_type = "AUTO"
        stream.codec_context.thread_count = _THREADS
        yield container, stream


def _frames(path: Path, container: Any, stream: Any) -> Iterator[Any]:
    """Every frame; the first one that cannot be decoded is an error, because what follows may be built upon it."""
    av = needed("av", "video", path)
    checksums = Ffv1Checksums() if stream.codec_context.name == "ffv1" else None
    number = 0
    try:
        for packet in container.demux(stream):
            if checksums is not None and packet.size:
                checksums.see(bytes(packet))
                if checksums.wrong is not None:
                    raise _broken(path, checksums.wrong)
            if packet.is_corrupt:
                raise _broken(path, number)
            for frame in packet.decode():
                if frame.is_corrupt:
                    raise _broken(path, number)
                yield frame
                number += 1
    except av.error.FFmpegError as error:
        raise _broken(path, number) from error


def _broken(path: Path, number: int) -> UnreadableFile:
    if number == 0:
        return damaged(path, _KIND)
    before = "--frames 0" if number == 1 else f"--frames 0-{number - 1}"
    return UnreadableFile(f"{path} is damaged after frame {number - 1}; what comes before can be read with {before}.")
