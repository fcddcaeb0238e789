"""Numbered pictures: the files of a folder whose names differ by a number only, in the order of that number.

And which frames of a clip are asked for, whatever file it is in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ...errors import InvalidInput, InvalidSetting, UnreadableFile
from ..reading import Reading

_PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp")
_NAME = re.compile(r"(?P<prefix>.*?)(?P<number>[0-9]{1,18})(?P<suffix>\.[A-Za-z]+)")
_MOST_GAPS = 20  # times as many as there are pictures


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


def choose_frames(how: Reading, count: int, path: Path) -> range:
    """All frames of a clip, or those from the first to the last one asked for, counted from 0."""
    if count == 0:
        raise UnreadableFile(f"{path} has no pictures in it.")
    if how.frames is None:
        return range(count)
    first, last = how.frames
    if not 0 <= first <= last < count:
        raise InvalidSetting(
            f"The frames to read of {path} must be a first and a last one between 0 and {count - 1}. "
            f"Got {first} and {last} instead."
        )
    return range(first, last + 1)


def is_frame(name: str) -> bool:
    """Whether a file of this name is called like a frame of a clip."""
    match = _NAME.fullmatch(name)
    return match is not None and match["suffix"].lower() in _PICTURES


def find_numbered(folder: Path) -> Numbered:
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


def find_numbered_sets(folder: Path) -> list[str]:
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
