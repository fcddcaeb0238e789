"""Folders of numbered pictures: every picture is a frame of a clip."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...errors import UnreadableFile
from ..contents import Contents, opaque
from ..damage import readable
from ..format import Format
from ..metadata import Metadata
from ..reading import Reading
from ..room import check_room
from ..unkept import unkept
from .asked_frames import asked_frames
from .bmp import Bmp
from .jpeg import Jpeg
from .numbered import Numbered, is_frame, numbered
from .png import Png
from .still import described, is_picture
from .tiff import Tiff
from .webp import Webp

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
        return tuple(sorted(file.name for file in path.iterdir() if not is_frame(file)))

    def decode(self, path: Path, how: Reading) -> Contents:
        """(row, column, frame[, channel]), in the order of the numbers."""
        with readable(path, "a folder"):
            clip = numbered(path)
        wanted = [clip.numbers[index] for index in asked_frames(how, len(clip.numbers), path)]
        present = [number for number in wanted if number in clip.names]
        if not present:
            raise UnreadableFile(f"None of the frames asked for is there in {path}.")
        first = _picture(clip, present[0], how)
        shape = (*first.shape[:2], len(wanted), *first.shape[2:])
        check_room(path, shape, first.dtype.itemsize)
        data = np.zeros(shape, dtype=first.dtype)
        known = np.zeros(shape, dtype=bool)
        alpha: Any = None
        notes = list(first.notes)
        about: list[Metadata | None] = []
        for index, number in enumerate(wanted):
            if number not in clip.names:
                about.append(None)
                continue
            frame = first if number == present[0] else _picture(clip, number, how)
            _check_alike(frame, first, clip, number, present[0])
            about.append(replace(frame.metadata, alpha=None))
            data[:, :, index] = frame.data
            known[:, :, index] = True if frame.observed is None else frame.observed
            if frame.metadata.alpha is not None:
                if alpha is None:
                    alpha = np.full(shape[:3], opaque(first.dtype), dtype=first.dtype)
                alpha[:, :, index] = frame.metadata.alpha
        gone = [number for number in wanted if number not in clip.names]
        if alpha is not None and gone:
            alpha[:, :, [wanted.index(number) for number in gone]] = 0
        header = {"names": tuple(clip.name(number) for number in wanted), "about": tuple(about)}
        metadata = Metadata(kind="video", alpha=alpha, header=header, header_of="frames")
        observed = None if known.all() else known
        return Contents(data, observed, (*notes, *_notes(clip, gone)), metadata)

    def write(self, path: Path, contents: Contents) -> None:
        """A picture for every frame, by the names it came with if there are any."""
        path.mkdir()
        for index, name in enumerate(_names(contents)):
            form = next(form for form in _FORMATS if name.lower().endswith(form.extensions))
            form.write(path / name, _frame(contents, index))

    def refuses(self, contents: Contents) -> str | None:
        """Clips fit, if their frames fit into .png or .tif files."""
        clip = contents.ndim == 3 or (contents.ndim == 4 and contents.shape[3] == 3)
        if not clip or 0 in contents.shape or contents.metadata.kind == "picture":
            return (
                "A folder of frames holds clips of shape (rows, columns, frames) or (rows, columns, frames, 3). "
                f"Got {described(contents)} instead; write .npy or .npz."
            )
        return Tiff().refuses(_frame(contents, 0))

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """The frame rate, and names that had to change."""
        found = []
        rate = contents.metadata.frame_rate
        if rate is not None:
            found.append(f"A folder of frames does not keep the frame rate, {float(rate):g} per second.")
        came, now = _told_names(contents), _names(contents)
        if came and came != now:
            suffix = Path(now[0]).suffix
            found.append(
                f"The frames are written as {suffix}, not {Path(came[0]).suffix}, so that every value is kept."
            )
        return (*found, *unkept(contents, "a folder of frames", "alpha", "frame_rate"))


def _picture(clip: Numbered, number: int, how: Reading) -> Contents:
    path = clip.folder / clip.names[number]
    form = next(form for form in _FORMATS if clip.suffix.lower() in form.extensions)
    frame = form.read(path, Reading(gray=how.gray))
    if not isinstance(frame, Contents) or not is_picture(frame):
        raise UnreadableFile(f"{path} must be one picture to be a frame of a clip. Got a stack of them instead.")
    return frame


def _check_alike(frame: Contents, first: Contents, clip: Numbered, number: int, before: int) -> None:
    if frame.shape != first.shape or frame.dtype != first.dtype:
        raise UnreadableFile(
            f"All frames in {clip.folder} must be alike. Got {first.dtype} of shape {first.shape} in "
            f"{clip.names[before]} and {frame.dtype} of shape {frame.shape} in {clip.names[number]}."
        )


def _notes(clip: Numbered, gone: list[int]) -> list[str]:
    found = []
    if gone:
        found.append(f"{len(gone)} frames are not there and count as missing: {_listed([clip.name(n) for n in gone])}.")
    if clip.others:
        found.append(f"Not read, because they are no frames of the clip in {clip.folder}: {_listed(clip.others)}.")
    return found


def _listed(names: Any) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (
        f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    )


def _told_names(contents: Contents) -> tuple[str, ...]:
    """The names that the frames came with, if there is one for each and none that leads elsewhere."""
    metadata = contents.metadata
    names = tuple(metadata.header.get("names", ())) if metadata.header_of == "frames" else ()
    plain = all(isinstance(name, str) and Path(name).name == name for name in names)
    return names if plain and len(set(names)) == len(names) == contents.shape[2] else ()


def _names(contents: Contents) -> tuple[str, ...]:
    dtype = contents.dtype
    bits_of_png = dtype.kind == "u" and dtype.itemsize <= 2
    came = _told_names(contents) or tuple(f"frame_{index + 1:04d}.png" for index in range(contents.shape[2]))
    if Path(came[0]).suffix.lower() in _keeping(contents):
        return came
    return tuple(f"{Path(name).stem}{'.png' if bits_of_png else '.tif'}" for name in came)


def _keeping(contents: Contents) -> tuple[str, ...]:
    """The extensions of pictures that keep every value of the frames."""
    whole = contents.dtype.kind == "u"
    if not whole or contents.dtype.itemsize > 2:
        return (".tif", ".tiff")
    bytes_only: tuple[str, ...] = (".bmp",) if contents.metadata.alpha is None else ()
    bytes_only += (".webp",) if contents.ndim == 4 else ()
    return (".png", ".tif", ".tiff", *(bytes_only if contents.dtype.itemsize == 1 else ()))


def _frame(contents: Contents, index: int) -> Contents:
    alpha, header = contents.metadata.alpha, contents.metadata.header
    if alpha is not None:
        alpha = alpha[:, :, index] if alpha.shape == contents.shape[:3] else None
    about = header.get("about", ()) if contents.metadata.header_of == "frames" else ()
    own = about[index] if len(about) == contents.shape[2] and isinstance(about[index], Metadata) else None
    return Contents(contents.data[:, :, index], metadata=replace(own or Metadata(kind="picture"), alpha=alpha))
