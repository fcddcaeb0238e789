"""Folders of numbered pictures: every picture is a frame of a clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..contents import Contents, Metadata, describe_loss, opaque
from ..damage import readable
from ..format import Format
from ..limits import check_room
from ..reading import Reading
from .bmp_and_webp import Bmp, Webp
from .jpeg import Jpeg
from .numbered import Numbered, choose_frames, find_numbered, is_frame
from .png import Png
from .still import describe, is_picture
from .tiff import Tiff

_FORMATS: tuple[Format, ...] = (Png(), Jpeg(), Tiff(), Bmp(), Webp())
_MOST_NAMED = 5


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
            clip = find_numbered(path)
        wanted = [clip.numbers[index] for index in choose_frames(how, len(clip.numbers), path)]
        present = [number for number in wanted if number in clip.names]
        if not present:
            raise UnreadableFile(f"None of the frames asked for is there in {path}.")
        first = _read_picture(clip, present[0], how)
        shape = (*first.shape[:2], len(wanted), *first.shape[2:])
        check_room(path, shape, first.dtype.itemsize)
        data, known = np.zeros(shape, dtype=first.dtype), np.zeros(shape, dtype=bool)
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
            if frame.metadata.alpha is not None:
                if alpha is None:
                    alpha = np.full(shape[:3], opaque(first.dtype), dtype=first.dtype)
                alpha[:, :, index] = frame.metadata.alpha
        gone = [index for index, number in enumerate(wanted) if number not in clip.names]
        if alpha is not None:
            alpha[:, :, gone] = 0
        names = tuple(clip.name(number) for number in wanted)
        metadata = Metadata(
            kind="video", alpha=alpha, header={"names": names, "about": tuple(about)}, header_of="frames"
        )
        notes = (*first.notes, *_notes(clip, [names[index] for index in gone]))
        return Contents(data, None if known.all() else known, notes, metadata)

    def write(self, path: Path, contents: Contents) -> None:
        """A picture for every frame, by the names it came with if there are any."""
        path.mkdir()
        for index, name in enumerate(_choose_names(contents)):
            _format_of(name).write(path / name, _take_frame(contents, index))

    def refuses(self, contents: Contents) -> str | None:
        """Clips fit, if their frames fit into .png or .tif files."""
        clip = contents.ndim == 3 or (contents.ndim == 4 and contents.shape[3] == 3)
        if not clip or 0 in contents.shape or contents.metadata.kind == "picture":
            return (
                "A folder of frames holds clips of shape (rows, columns, frames) or (rows, columns, frames, 3). "
                f"Got {describe(contents)} instead; write .npy or .npz."
            )
        return Tiff().refuses(_take_frame(contents, 0))

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """The frame rate, and names that had to change."""
        found = []
        rate = contents.metadata.frame_rate
        if rate is not None:
            found.append(f"A folder of frames does not keep the frame rate, {float(rate):g} per second.")
        before, now = _names_in_metadata(contents), _choose_names(contents)
        if before and before != now:
            suffixes = Path(now[0]).suffix, Path(before[0]).suffix
            found.append("The frames are written as {}, not {}, so that every value is kept.".format(*suffixes))
        return (*found, *describe_loss(contents, "a folder of frames", "alpha", "frame_rate"))


def _format_of(name: str) -> Format:
    return next(form for form in _FORMATS if name.lower().endswith(form.extensions))


def _read_picture(clip: Numbered, number: int, how: Reading) -> Contents:
    path = clip.folder / clip.names[number]
    frame = _format_of(path.name).read(path, Reading(gray=how.gray))
    if not isinstance(frame, Contents) or not is_picture(frame):
        raise UnreadableFile(f"{path} must be one picture to be a frame of a clip. Got a stack of them instead.")
    return frame


def _check_alike(frame: Contents, first: Contents, clip: Numbered, number: int, before: int) -> None:
    if frame.shape != first.shape or frame.dtype != first.dtype:
        raise UnreadableFile(
            f"All frames in {clip.folder} must be alike. Got {first.dtype} of shape {first.shape} in "
            f"{clip.names[before]} and {frame.dtype} of shape {frame.shape} in {clip.names[number]}."
        )


def _notes(clip: Numbered, gone: Sequence[str]) -> list[str]:
    found = []
    if gone:
        found.append(f"{len(gone)} frames are not there and count as missing: {_join(gone)}.")
    if clip.others:
        found.append(f"Not read, because they are no frames of the clip in {clip.folder}: {_join(clip.others)}.")
    return found


def _join(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _names_in_metadata(contents: Contents) -> tuple[str, ...]:
    """The names that the frames came with, if there is one for each and none that leads elsewhere."""
    metadata = contents.metadata
    names = tuple(metadata.header.get("names", ())) if metadata.header_of == "frames" else ()
    plain = all(isinstance(name, str) and Path(name).name == name for name in names)
    return names if plain and len(set(names)) == len(names) == contents.shape[2] else ()


def _choose_names(contents: Contents) -> tuple[str, ...]:
    """The names that the frames came with, if their format keeps every value; else .png or .tif."""
    names = _names_in_metadata(contents) or tuple(f"frame_{index + 1:04d}.png" for index in range(contents.shape[2]))
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
    return Contents(contents.data[:, :, index], metadata=replace(own or Metadata(kind="picture"), alpha=alpha))
