"""Decoding: the frames of any video that libav knows, all of them or none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import UnreadableFile
from .. import limits
from ..contents import Contents, Metadata
from ..damage import damaged, readable, require
from ..limits import check_room
from ..reading import Reading
from .clip import MOST_PIXELS, FrameStack, check_frames, choose_frames
from .pixels import PixelReader
from .wholeness import Y4M, RunningTime, check_checksums, check_length, find_rate

_OPTIONS = {"protocol_whitelist": "file", "max_pixels": str(MOST_PIXELS)}
_STRICT = {"err_detect": "crccheck+explode", "max_pixels": str(MOST_PIXELS)}
_THREADS = 2
_KEPT = 10  # frames that a decoder may hold on to, because others are built upon them
_PIXEL = 16  # bytes, for a frame on its way to gray or RGB


def read_video(path: Path, how: Reading, kind: str, containers: str) -> Contents:
    """The frames as (row, column, frame), or (row, column, frame, channel) if there is colour in any."""
    wanted, whole = choose_frames(how), how.frames is None
    if whole:
        check_length(path)
    with open_video(path, kind, format_whitelist=containers) as (container, stream):
        time = RunningTime.of(container, stream)
        expected = len(range(time.declared)[wanted.start : wanted.stop])
        check_room(path, (stream.height, stream.width, max(1, expected)), 1)
        limits.allow(_KEPT * _PIXEL * stream.height * stream.width)
        reader = PixelReader(path, gray=how.gray, silent=container.format.name == Y4M)
        stack = FrameStack(path, expected)
        for frame in _decode(path, kind, container, stream):
            limits.allow(_PIXEL * frame.height * frame.width)  # time, too: every frame has to come soon
            if time.number in wanted:
                stack.add(reader.read(frame))
            time.see(frame)
            if time.number == wanted.stop:
                break
        if not time.number:
            raise damaged(path, kind)
        check_frames(how, time.number, path)
        data = stack.finish()
        limits.allow(data.nbytes + path.stat().st_size)  # to hand it over, and for checksums
        notes = (*_describe(path, container, time), *reader.describe(colour=data.ndim == 4))
        if whole:
            notes += _check_running_time(path, kind, containers, time)
            check_checksums(path)  # only now: a frame that cannot be decoded is named by its number
        return Contents(data, None, notes, Metadata(kind="video", frame_rate=find_rate(stream)))


@contextmanager
def open_video(path: Path, kind: str, **options: str) -> Iterator[tuple[Any, Any]]:
    """The container and its first stream of pictures, ready to decode."""
    av = require("av", "video", path)
    limits.allow(0)  # libav is in memory by now
    everything = {**_OPTIONS, **options}
    # An absolute name cannot be taken for an address such as http:.
    with (
        readable(path, kind),
        av.open(os.path.abspath(path), options=everything, metadata_errors="ignore") as container,
    ):
        stream = next(iter(container.streams.video), None)
        if stream is None:
            raise UnreadableFile(f"{path} has no pictures in it that could be read.")
        if stream.codec_context is None:
            raise UnreadableFile(f"{path} is coded in a way that the installed libav cannot decode.")
        stream.codec_context.options = _STRICT
        # What FFV1 logs must be known before the next frame, and a thread must not log while others wait for its end.
        stream.codec_context.thread_type = "SLICE" if stream.codec_context.name == "ffv1" else "AUTO"
        stream.codec_context.thread_count = _THREADS
        yield container, stream


def _decode(path: Path, kind: str, container: Any, stream: Any) -> Iterator[Any]:
    """Every frame; the first one that cannot be decoded is an error, because what follows may be built upon it."""
    av = require("av", "video", path)
    number, end = 0, 0
    with _capture_errors(av, stream.codec_context.name) as logs:
        try:
            for packet in container.demux(stream):
                frames = packet.decode()
                wrong = any(codec == "ffv1" for _, codec, _ in logs)
                if wrong or packet.is_corrupt or any(frame.is_corrupt for frame in frames):
                    raise _describe_damage(path, kind, number)
                for frame in frames:
                    yield frame
                    number += 1
                end = packet.pos + packet.size if packet.size else end
        except av.error.FFmpegError as error:
            raise _describe_damage(path, kind, number) from error
    if container.format.name == Y4M and end != path.stat().st_size:  # libav leaves out half a frame
        raise _describe_damage(path, kind, number)


@contextmanager
def _capture_errors(av: Any, codec: str) -> Iterator[list[tuple[int, str, str]]]:
    """What is logged while FFV1 is decoded: the decoder looks at checksums, and says only there what is wrong."""
    if codec != "ffv1":
        yield []
        return
    level, skipping = av.logging.get_level(), av.logging.get_skip_repeated()
    av.logging.set_level(av.logging.ERROR)
    av.logging.set_skip_repeated(False)
    try:
        with av.logging.Capture(local=False) as logs:
            yield logs
    finally:
        av.logging.set_level(level)
        av.logging.set_skip_repeated(skipping)


def _describe_damage(path: Path, kind: str, number: int) -> UnreadableFile:
    if number == 0:
        return damaged(path, kind)
    before = "--frames 0" if number == 1 else f"--frames 0-{number - 1}"
    return UnreadableFile(
        f"{path} is damaged or cut short after frame {number - 1}; what comes before can be read with {before}."
    )


def _check_running_time(path: Path, kind: str, containers: str, time: RunningTime) -> tuple[str, ...]:
    """Refuse fewer frames than declared, unless an edit list leaves them out on purpose, as in a trimmed .mp4."""
    if time.count_missing(time.number) > time.slack:
        with open_video(path, kind, format_whitelist=containers, ignore_editlist="1") as (container, stream):
            stored = sum(packet.size > 0 for packet in container.demux(stream))
            edited = "mov" in container.format.name and time.count_missing(stored) <= time.slack
        if edited:
            return (f"{path} leaves out {stored - time.number} of its {stored} frames on purpose, as players do too.",)
    return time.check(path)


def _describe(path: Path, container: Any, time: RunningTime) -> Iterator[str]:
    """What a user should know about the file as a whole."""
    if container.streams.audio:
        yield f"The sound of {path} is not kept."
    if len(container.streams.video) > 1:
        yield f"{path} has {len(container.streams.video)} streams of pictures, and only the first is read."
    if time.uneven:
        yield f"The frames of {path} are not evenly spaced in time; its frame rate is an average."
