"""Files that are sound, files that are not, and what was done to them."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Random = "np.random.Generator"


@dataclass(frozen=True)
class Link:
    """A symbolic link; one that begins with @ leads to a file beside the folder of the damaged one."""

    target: str


@dataclass(frozen=True)
class Pipe:
    """A named pipe, in which nobody writes: who opens it waits for ever."""


Piece = bytes | Link | Pipe
Pieces = Mapping[str, Piece]
"""Files by their paths; a path of a folder ends with a slash."""


@dataclass(frozen=True)
class Sound:
    """A file, or a folder of files, that can be read; and which bytes of it cannot change unnoticed."""

    what: str
    name: str
    files: Mapping[str, bytes]
    checked: tuple[tuple[str, int, int, int], ...] = ()
    """Stretches of files, from a byte up to another, and how many bits of them must flip to be noticed."""
    cuts: Mapping[str, int] = field(default_factory=dict)
    """Files that cannot be cut short unnoticed, and up to which length."""
    options: tuple[str, ...] = ()
    """What the command needs to know besides the name."""


@dataclass(frozen=True)
class Damaged:
    """What was done, as words for the name of the file; and the files."""

    what: str
    name: str
    files: Pieces
    options: tuple[str, ...] = ()

    def put(self, folder: Path) -> Path:
        """Write it into a folder of its own; returns what is to be read."""
        folder.mkdir()
        for name, piece in self.files.items():
            path = folder / name
            (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
            if isinstance(piece, Link):
                path.symlink_to(piece.target.replace("@", f"{folder.parent.parent}/"))
            elif isinstance(piece, Pipe):
                os.mkfifo(path)
            elif not name.endswith("/"):
                path.write_bytes(piece)
        return folder / self.name


def packed(start: int, stop: int) -> tuple[int, int, int]:
    """A stretch that deflate made: one bit may be unused, or flipped may mean the same; three are not."""
    return start, stop, 3


def whole(what: str, name: str, content: bytes, *checked: tuple[int, ...], cut: int | None = None) -> Sound:
    """A sound file that can be cut anywhere, or up to a length, and not be read any more.

    Every bit of the stretches `checked` counts, unless they say that more must flip.
    """
    stretches = tuple((name, start, stop, *(bits or [1])) for start, stop, *bits in checked)
    return Sound(what, name, {name: content}, stretches, {name: len(content) if cut is None else cut})


def one(what: str, name: str, content: Piece, *options: str) -> Damaged:
    """A damaged thing that is a single file."""
    return Damaged(what, name, {name: content}, options)


def written(name: str, save: Callable[[Path], object]) -> dict[str, bytes]:
    """The files that are there after `save(path)`, by their paths in the folder of `path`."""
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder) / name)
        found = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def content_of(name: str, save: Callable[[Path], object]) -> bytes:
    """The one file that is there after `save(path)`."""
    return written(name, save)[name]


def in_words(what: str) -> str:
    """For the name of a file.

    >>> in_words("a .png, bit 3 of byte 77 flipped")
    'a-png-bit-3-of-byte-77-flipped'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", what).strip("-")[:80]
