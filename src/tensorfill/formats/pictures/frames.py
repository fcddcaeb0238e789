"""Folders of numbered pictures: every picture is a frame of a clip.

The files of the clip are those whose names differ by a number only, in the order of that number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, UnreadableFile
from ..contents import Contents, Metadata, Reading, describe_loss, opaque
from ..damage import check_room, readable
from ..file_array import FileArray, take
from ..format import Format
from ..scratch import Scratch, allocate
from .by_pillow import Bmp, Jpeg, Webp
from .pixels import choose_frames, describe, has_frames, is_picture
from .png import Png
from .tiff import Tiff

_FORMATS: tuple[Format, ...] = (Png(), Jpeg(), Tiff(), Bmp(), Webp())
_MOST_NAMED = 5
_PICTURES = tuple(extension for form in _FORMATS for extension in form.extensions)
_NAME = re.compile(r"(?P<prefix>.*?)(?P<number>[0-9]{1,18})(?P<suffix>\.[A-Za-z]+)")
_MOST_GAPS = 20  # times as many as there are pictures


class Frames(Format):
    """Folders such as clip/ with frame_0001.png, frame_0002.png and so on.

    A gap in the numbers is a missing frame. Frames are written as .png, or as .tif where they came from such or hold
    something else than 8 or 16 bits; never as .jpg, which would change them.
    """

    name: ClassVar[str] = "frames"
    extensions: ClassVar[tuple[str, ...]] = ()
    folder: ClassVar[bool] = True

    def strangers(self, path: Path) -> tuple[str, ...]:
        """Whatever is no numbered picture."""
        return tuple(sorted(file.name for file in path.iterdir() if not is_frame(file.name)))

    def decode(self, path: Path, how: Reading) -> Contents:
        """(row, column, frame[, channel]), in the order of the numbers."""
        with readable(path, "a folder"):
            clip = find_clip(path)
        wanted = [clip.numbers[index] for index in choose_frames(how, path, len(clip.numbers))]
        present = [number for number in wanted if number in clip.names]
        if not present:
            raise UnreadableFile(f"None of the frames asked for is there in {path}.")
        first = _read_picture(clip, present[0], how)
        shape = (*first.shape[:2], len(wanted), *first.shape[2:])
        check_room(path, shape, first.dtype.itemsize, scratch=how.scratch)
        axes, whole = (2, 0, 1, 3)[: len(shape)], len(present) == len(wanted)
        data, known = (allocate(how.scratch, shape, dtype, axes) for dtype in (first.dtype, bool))
        alpha: NDArray[Any] | None = None
        about: list[Metadata | None] = [None] * len(wanted)
        for index, number in enumerate(wanted):
            if number not in clip.names:
                continue
            frame = first if number == present[0] else _read_picture(clip, number, how)
            _check_alike(frame, first, clip, number, present[0])
            about[index] = replace(frame.metadata, alpha=None)
            data[:, :, index] = frame.data
            known[:, :, index] = True if frame.observed is None else frame.observed
            whole = whole and (frame.observed is None or bool(frame.observed.all()))
            if frame.metadata.alpha is not None:
                if alpha is None:
                    alpha = _make_opaque(how.scratch, shape[:3], first.dtype)
                alpha[:, :, index] = frame.metadata.alpha
        gone = [index for index, number in enumerate(wanted) if number not in clip.names]
        if alpha is not None:
            for index in gone:
                alpha[:, :, index] = 0
        names = tuple(clip.name(number) for number in wanted)
        metadata = Metadata(
            kind="video", alpha=alpha, header={"names": names, "about": tuple(about)}, header_of="frames"
        )
        notes = (*first.notes, *_describe_others(clip, [names[index] for index in gone]))
        if whole and how.scratch is not None and isinstance(known, FileArray):
            how.scratch.discard(known)
        return Contents(data, None if whole else known, notes, metadata)

    def write(self, path: Path, contents: Contents) -> None:
        """A picture for every frame, by the names it came with if there are any."""
        path.mkdir()
        for index, name in enumerate(_choose_names(contents)):
            _choose_format(name).write(path / name, _take_frame(contents, index))

    def page_mode(self, contents: Contents) -> int | None:
        """That of frames."""
        return 2

    def refuses(self, contents: Contents) -> str | None:
        """Clips fit, if their frames fit into .png or .tif files."""
        if not has_frames(contents):
            return (
                "A folder of frames holds clips of shape (rows, columns, frames) or (rows, columns, frames, 3). "
                f"Got {describe(contents)} instead; write .npy or .npz."
            )
        rows, columns, _, *channels = contents.shape
        example = np.broadcast_to(np.zeros((), contents.dtype), (rows, columns, *channels))
        return Tiff().refuses(Contents(example, metadata=Metadata(kind="picture")))

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """The frame rate, and names that had to change."""
        found = []
        rate = contents.metadata.frame_rate
        if rate is not None:
            found.append(f"A folder of frames does not keep the frame rate, {float(rate):g} per second.")
        before, now = _find_names(contents), _choose_names(contents)
        if before and before != now:
            suffixes = Path(now[0]).suffix, Path(before[0]).suffix
            found.append("The frames are written as {}, not {}, so that every value is kept.".format(*suffixes))
        return (*found, *describe_loss(contents, "a folder of frames", "alpha", "frame_rate"))


def _make_opaque(scratch: Scratch | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    alpha: NDArray[Any] = allocate(scratch, shape, dtype, (2, 0, 1))
    for index in range(shape[2]):
        alpha[:, :, index] = opaque(dtype)
    return alpha


def _choose_format(name: str) -> Format:
    return next(form for form in _FORMATS if name.lower().endswith(form.extensions))


def _read_picture(clip: Numbered, number: int, how: Reading) -> Contents:
    path = clip.folder / clip.names[number]
    frame = _choose_format(path.name).read(path, Reading(gray=how.gray))
    if not isinstance(frame, Contents) or not is_picture(frame):
        raise UnreadableFile(f"{path} must be one picture to be a frame of a clip. Got a stack of them instead.")
    return frame


def _check_alike(frame: Contents, first: Contents, clip: Numbered, number: int, before: int) -> None:
    if frame.shape != first.shape or frame.dtype != first.dtype:
        raise UnreadableFile(
            f"All frames in {clip.folder} must be alike. Got {first.dtype} of shape {first.shape} in "
            f"{clip.names[before]} and {frame.dtype} of shape {frame.shape} in {clip.names[number]}."
        )


def _describe_others(clip: Numbered, gone: Sequence[str]) -> list[str]:
    found = []
    if gone:
        found.append(f"{len(gone)} frames are not there and count as missing: {_join(gone)}.")
    if clip.others:
        found.append(f"Not read, because they are no frames of the clip in {clip.folder}: {_join(clip.others)}.")
    return found


def _join(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _find_names(contents: Contents) -> tuple[str, ...]:
    """The names that the frames came with, if there is one for each and none that leads elsewhere."""
    metadata = contents.metadata
    names = tuple(metadata.header.get("names", ())) if metadata.header_of == "frames" else ()
    plain = all(isinstance(name, str) and Path(name).name == name for name in names)
    return names if plain and len(set(names)) == len(names) == contents.shape[2] else ()


def _choose_names(contents: Contents) -> tuple[str, ...]:
    """The names that the frames came with, if their format keeps every value; else .png or .tif."""
    names = _find_names(contents) or tuple(f"frame_{index + 1:04d}.png" for index in range(contents.shape[2]))
    keeping: tuple[str, ...] = (".tif", ".tiff")
    if contents.dtype.kind == "u" and contents.dtype.itemsize <= 2:
        keeping = (".png", *keeping)
    if contents.dtype == np.uint8:
        keeping += (".bmp",) if contents.metadata.alpha is None else ()
        keeping += (".webp",) if contents.ndim == 4 else ()
    if Path(names[0]).suffix.lower() in keeping:
        return names
    return tuple(f"{Path(name).stem}{keeping[0]}" for name in names)


def _take_frame(contents: Contents, index: int) -> Contents:
    alpha, header = contents.metadata.alpha, contents.metadata.header
    if alpha is not None:
        alpha = alpha[:, :, index] if alpha.shape == contents.shape[:3] else None
    about = header.get("about", ()) if contents.metadata.header_of == "frames" else ()
    own = about[index] if len(about) == contents.shape[2] and isinstance(about[index], Metadata) else None
    return Contents(
        take(contents.data, (slice(None), slice(None), index)),
        metadata=replace(own or Metadata(kind="picture"), alpha=alpha),
    )


@dataclass(frozen=True)
class Numbered:
    """Pictures by their numbers; a number between the first and the last one without a picture is a gap."""

    folder: Path
    prefix: str
    suffix: str
    names: dict[int, str]
    others: tuple[str, ...]
    """Other files in the folder, and folders."""

    @property
    def numbers(self) -> range:
        """All numbers from the first to the last one."""
        return range(min(self.names), max(self.names) + 1)

    def name(self, number: int) -> str:
        """The name of a picture, or what it would be called if it were there."""
        widths = {len(name) - len(self.prefix) - len(self.suffix) for name in self.names.values()}
        width = widths.pop() if len(widths) == 1 else 0
        return self.names.get(number, f"{self.prefix}{number:0{width}d}{self.suffix}")


def is_frame(name: str) -> bool:
    """Whether a file of this name is called like a frame of a clip."""
    match = _NAME.fullmatch(name)
    return match is not None and match["suffix"].lower() in _PICTURES


def find_clip(folder: Path) -> Numbered:
    """The pictures of the clip in a folder; refused where there is none, or more than one."""
    groups, others = _group(folder)
    if not groups:
        raise UnreadableFile(
            f"{folder} must hold pictures with numbered names, such as frame_0001.png. There is none in it."
        )
    ranked = sorted(groups, key=lambda key: len(groups[key]), reverse=True)
    if len(ranked) > 1 and len(groups[ranked[0]]) == len(groups[ranked[1]]):
        first, second = (next(iter(groups[key].values())) for key in ranked[:2])
        raise InvalidInput(
            f"{folder} must hold the pictures of one clip. Got {first} and {second}, each with as many others like it."
        )
    (prefix, suffix), names = ranked[0], groups[ranked[0]]
    rest = [name for key in ranked[1:] for name in groups[key].values()]
    clip = Numbered(folder, prefix, suffix, names, tuple(sorted(others + rest)))
    if len(clip.numbers) > (_MOST_GAPS + 1) * len(names):
        raise InvalidInput(
            f"The pictures in {folder} are numbered from {clip.numbers[0]} to {clip.numbers[-1]}, and only "
            f"{len(names)} are there: number them without large gaps."
        )
    return clip


def find_sets(folder: Path) -> list[str]:
    """A name from every set of two or more pictures whose names differ by a number only."""
    try:
        groups, _ = _group(folder)
    except (OSError, InvalidInput):
        return []
    return [next(iter(names.values())) for names in groups.values() if len(names) > 1]


def _group(folder: Path) -> tuple[dict[tuple[str, str], dict[int, str]], list[str]]:
    """Names by number, for each prefix and suffix; and the names that are no numbered pictures."""
    groups: dict[tuple[str, str], dict[int, str]] = {}
    others = []
    for entry in folder.iterdir():
        if entry.name.startswith("."):
            continue
        match = _NAME.fullmatch(entry.name)
        if match is None or not is_frame(entry.name) or not entry.is_file():
            others.append(entry.name)
            continue
        names = groups.setdefault((match["prefix"], match["suffix"]), {})
        number = int(match["number"])
        if number in names:
            raise InvalidInput(f"{folder} has two pictures with the number {number}: {names[number]} and {entry.name}.")
        names[number] = entry.name
    return {key: dict(sorted(names.items())) for key, names in groups.items()}, others
