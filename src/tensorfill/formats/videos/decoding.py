"""Decoding: the frames of any video that libav knows, all of them or none, as gray or RGB.

libav has some two hundred layouts of pixels. It brings them to planes here, and `colour.py` brings planes to colours.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from .. import damage
from ..contents import Contents, Metadata, Reading
from ..damage import check_room, damaged, readable, require
from ..file_array import FileArray, is_in_memory
from ..pictures.pixels import brightness, choose_frames
from ..scratch import Scratch, allocate
from .clip import MOST_PIXELS, count_batch
from .colour import BT601, BT709, BT2020, ColourCoding, choose_weights
from .wholeness import Y4M, RunningTime, check_checksums, check_length, find_rate

_OPTIONS = {"protocol_whitelist": "file", "max_pixels": str(MOST_PIXELS)}
_STRICT = {"err_detect": "crccheck+explode", "max_pixels": str(MOST_PIXELS)}
_THREADS = 2
_KEPT = 10  # frames that a decoder may hold on to, because others are built upon them
_PIXEL = 16  # bytes, for a frame on its way to gray or RGB

_PLANAR = re.compile(r"(?P<kind>gray|yuvj?|yuva|gbra?)(?:\d\d\d)?p?(?P<bits>9|10|12|14|16)?(?P<order>le|be)?")
_SAMPLING = {(2, 2): "420", (2, 1): "422", (1, 1): "444", (4, 1): "411", (1, 2): "440"}  # columns and rows per colour
_WEIGHTS = {1: BT709, 5: BT601, 6: BT601, 9: BT2020}  # by libav's AVColorSpace
_LIMITED, _FULL = 1, 2  # of libav's AVColorRange
_TURNS = ("", "90 degrees counterclockwise", "180 degrees", "90 degrees clockwise")

_FIRST_GUESS = 64  # frames, where a file does not say how many there are

_get_coding = lru_cache(maxsize=8)(ColourCoding)  # its tables serve all frames


def read_video(path: Path, how: Reading, kind: str, containers: str) -> Contents:
    """The frames as (row, column, frame), or (row, column, frame, channel) if there is colour in any."""
    wanted, whole = choose_frames(how, path), how.frames is None
    if whole:
        check_length(path)
    with open_video(path, kind, format_whitelist=containers) as (container, stream):
        time = RunningTime.of(container, stream)
        expected = len(range(time.declared)[wanted.start : wanted.stop])
        check_room(path, (stream.height, stream.width, max(1, expected)), 1, scratch=how.scratch)
        damage.allow(_KEPT * _PIXEL * stream.height * stream.width)
        reader = PixelReader(path, gray=how.gray, silent=container.format.name == Y4M)
        stack = FrameStack(path, expected, how.scratch)
        for frame in _decode(path, kind, container, stream):
            damage.allow(_PIXEL * frame.height * frame.width)  # time, too: every frame has to come soon
            if time.number in wanted:
                stack.add(reader.read(frame))
            time.see(frame)
            if time.number == wanted.stop:
                break
        if not time.number:
            raise damaged(path, kind)
        choose_frames(how, path, time.number)  # refused, if the file has fewer
        data = stack.finish()
        handed_over = data.nbytes if is_in_memory(data) else 0
        damage.allow(handed_over + path.stat().st_size)  # which is for checksums
        notes = (*_describe(path, container, time), *reader.describe(colour=data.ndim == 4))
        if whole:
            notes += _check_running_time(path, kind, containers, time)
            check_checksums(path)  # only now: a frame that cannot be decoded is named by its number
        return Contents(data, None, notes, Metadata(kind="video", frame_rate=find_rate(stream)))


@contextmanager
def open_video(path: Path, kind: str, **options: str) -> Iterator[tuple[Any, Any]]:
    """The container and its first stream of pictures, ready to decode."""
    av = require("av", "video", path)
    damage.allow(0)  # libav is in memory by now
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
    return UnreadableFile(
        f"{path} is damaged or cut short after frame {number - 1}; what comes before can be read with "
        f"frames=(0, {number - 1})."
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


class PixelReader:
    """Reads one frame of PyAV after the other, and notes what a user should know about how.

    `gray`: brightness alone. `silent`: the format has no place to say how colours are coded, and BT.601 is usual.
    """

    def __init__(self, path: Path, *, gray: bool, silent: bool) -> None:
        self._path, self._gray, self._silent = path, gray, silent
        self._notes: dict[str, None] = {}  # each once, in the order in which they came up
        self._colour_layout = False

    def read(self, frame: Any) -> NDArray[Any]:
        """Gray or RGB, upright."""
        turns = round(getattr(frame, "rotation", 0) / 90) % 4
        if any(component.is_alpha for component in frame.format.components):
            self._note(f"The transparency of {self._path} is not kept.")
        if any(plane.line_size < 0 for plane in frame.planes) or not _PLANAR.fullmatch(frame.format.name):
            frame = _make_planar(frame)
        values = self._read_planes(frame)
        if turns:
            self._note(f"{self._path} is turned by {_TURNS[turns]}, as it asks for.")
        return np.rot90(values, turns) if turns else values

    def describe(self, *, colour: bool) -> tuple[str, ...]:
        """Sentences about all frames; `colour`: there was some in one of them."""
        plain = self._colour_layout and not colour and not self._gray
        return (*((f"{self._path} has no colour in it, so it is read as gray.",) if plain else ()), *self._notes)

    def _note(self, sentence: str) -> None:
        self._notes[sentence] = None

    def _read_planes(self, frame: Any) -> NDArray[Any]:
        found = _PLANAR.fullmatch(frame.format.name)
        assert found is not None
        bits, kind = int(found["bits"] or 8), found["kind"]
        if bits not in (8, 16):
            self._note(f"The {bits} bits of each value of {self._path} are scaled to 16, so that white is 65535.")
        dtype = "u1" if bits == 8 else (">u2" if found["order"] == "be" else "<u2")
        planes = tuple(_copy_plane(plane, dtype) for plane in frame.planes[: 1 if kind == "gray" else 3])
        if kind == "gray":
            return _get_coding(full=frame.color_range != _LIMITED, bits=bits).to_gray(planes[0])
        self._colour_layout = True
        if kind.startswith("gbr"):
            straight = _get_coding(full=True, bits=bits)
            colours = np.stack([straight.to_gray(planes[place]) for place in (2, 0, 1)], axis=-1)
            return brightness(colours) if self._gray else colours
        weights = _WEIGHTS.get(frame.colorspace) or choose_weights(frame.height, frame.width)
        coding = _get_coding(weights, full=frame.color_range == _FULL or kind == "yuvj", bits=bits)
        if self._gray or not coding.has_colour(planes):
            return coding.to_gray(planes[0])
        if frame.colorspace not in _WEIGHTS and not (self._silent and weights == BT601):
            name = "BT.601" if weights == BT601 else "BT.709"
            self._note(f"{self._path} does not say how its colours are coded; {name} is assumed, as players do.")
        return coding.to_rgb(planes)


def _make_planar(frame: Any) -> Any:
    """The same numbers in planes, or else RGB in planes."""
    form = frame.format
    bits = max(component.bits for component in form.components)
    deep = "16le" if bits > 8 else ""
    yuv = not (form.has_palette or form.is_rgb or form.name.startswith("xyz"))
    if yuv and sum(not component.is_alpha for component in form.components) == 1:
        return frame.reformat(format=f"gray{deep}")
    sampling = _SAMPLING.get((64 // form.chroma_width(64), 64 // form.chroma_height(64)))
    if yuv and sampling:
        return frame.reformat(format=f"yuv{sampling}p" + (f"{bits}le" if deep else ""))
    # Straight to planes, 5 bits would be off by 7 levels.
    packed = frame.reformat(format="rgb48le" if deep else "rgb24")
    return packed.reformat(format=f"gbrp{deep}")


def _copy_plane(plane: Any, dtype: str) -> NDArray[Any]:
    """The numbers of a plane without what is between its rows; a copy, because libav uses the memory again."""
    raw = np.frombuffer(plane, dtype=np.uint8)[: plane.height * plane.line_size].reshape(plane.height, -1)
    used = raw[:, : plane.width * np.dtype(dtype).itemsize]
    return used.copy().view(dtype).astype(np.dtype(dtype).newbyteorder("="), copy=False)


class FrameStack:
    """Collects frames; there is room for `expected` of them at first, and never for more than memory allows.

    With a `scratch` those of a long clip go to the disk, one after the other. Gray frames and frames in colour may be
    mixed: then all become colour.
    """

    def __init__(self, path: Path, expected: int = 0, scratch: Scratch | None = None) -> None:
        self._path = path
        self._expected = expected
        self._scratch = scratch
        self._waiting: list[NDArray[Any]] = []
        self._array: Any = None
        self._stored = 0

    def add(self, frame: NDArray[Any]) -> None:
        """One more frame, (row, column) or (row, column, channel), of the size and dtype of those before."""
        before = self._waiting[0] if self._waiting else self._array
        if before is not None and (before.shape[:2] != frame.shape[:2] or before.dtype != frame.dtype):
            number = self._stored + len(self._waiting)
            raise UnreadableFile(
                f"{self._path} changes its size or its depth at frame {number}, from {_describe_size(before)} to "
                f"{_describe_size(frame)}; read the part before it with frames=(0, {number - 1})."
            )
        self._waiting.append(frame)
        if len(self._waiting) >= count_batch(frame.nbytes):
            self._store()

    def finish(self) -> NDArray[Any]:
        """All of them as one array. At least one must have been added."""
        self._store()
        there = (slice(None), slice(None), slice(0, self._stored))
        if isinstance(self._array, FileArray):
            return cast(NDArray[Any], self._array.part((*there, ...)))
        found: NDArray[Any] = self._array
        return found if found.shape[2] == self._stored else found[there].copy()

    def _store(self) -> None:
        if not self._waiting:
            return
        frames, self._waiting = self._waiting, []
        colour = any(frame.ndim == 3 for frame in frames) or (self._array is not None and self._array.ndim == 4)
        self._make_room(len(frames), frames[0], colour=colour)
        if colour:
            frames = [
                frame if frame.ndim == 3 else np.broadcast_to(frame[..., None], (*frame.shape, 3)) for frame in frames
            ]
        self._put(self._stored, np.stack(frames))
        self._stored += len(frames)

    def _put(self, start: int, frames: NDArray[Any]) -> None:
        """Frames, now the first mode."""
        self._array[:, :, start : start + len(frames)] = np.moveaxis(frames, 0, 2)

    def _make_room(self, count: int, like: NDArray[Any], *, colour: bool) -> None:
        """Make the array larger or coloured where needed."""
        needed, old = self._stored + count, self._array
        if old is not None and old.shape[2] >= needed and (old.ndim == 4) == colour:
            return
        doubled = _FIRST_GUESS if old is None else 2 * old.shape[2]
        length = self._expected if self._expected >= needed else max(needed, doubled)
        shape = (*like.shape[:2], length, 3) if colour else (*like.shape[:2], length)
        check_room(self._path, shape, like.dtype.itemsize, scratch=self._scratch)
        if isinstance(old, FileArray) and self._scratch is not None and old.ndim == len(shape):
            self._array = self._scratch.extend(old, 2, length)
            return
        size = int(np.prod(shape, dtype=object)) * like.dtype.itemsize
        if self._scratch is None or not self._scratch.takes(size):
            damage.allow(size)
        self._array = allocate(self._scratch, shape, like.dtype, (2, 0, 1, 3)[: len(shape)])
        if old is not None:
            self._copy(old, count_batch(like.nbytes))

    def _copy(self, old: Any, batch: int) -> None:
        colour = self._array.ndim > old.ndim
        for start in range(0, self._stored, batch):
            kept = np.moveaxis(old[:, :, start : min(start + batch, self._stored)], 2, 0)
            self._put(start, np.broadcast_to(kept[..., None], (*kept.shape, 3)) if colour else kept)
        if isinstance(old, FileArray) and self._scratch is not None:
            self._scratch.discard(old)


def _describe_size(frame: Any) -> str:
    return f"{frame.shape[1]} × {frame.shape[0]} pixels of {8 * frame.dtype.itemsize} bits"
