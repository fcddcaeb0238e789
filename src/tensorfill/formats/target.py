"""Where files are written: checked beforehand, and put in place in one step so that nobody sees half of them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import UnreadableFile

_EXCHANGE = 2  # of renameat2, Linux
_HERE = -100


def check_target(path: Path, *, force: bool, folder: bool = False) -> None:
    """Refuse a place that cannot be written, or that is taken unless `force`; `folder`: a folder is to be there."""
    try:
        _check_target(path, force, folder)
    except OSError as error:  # a name too long, a broken mount
        raise UnreadableFile(f"{path} cannot be written: {error.strerror or error}.") from error


def _check_target(path: Path, force: bool, folder: bool) -> None:
    parent = path.parent
    if path.is_dir() and not folder:
        raise UnreadableFile(f"{path} is a folder; give the name of a file to write.")
    if not parent.is_dir():
        raise UnreadableFile(f"There is no folder {parent} to write {path.name} in.")
    if path.exists() and not (path.is_dir() if folder else path.is_file()):
        raise UnreadableFile(f"{path} is not an ordinary {'folder' if folder else 'file'}, so it is not replaced.")
    if path.exists() and not force:
        raise UnreadableFile(f"{path} is already there; add --force to replace it.")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise UnreadableFile(f"{path} may not be written: permission denied in {parent.resolve()}.")


@contextmanager
def staged(path: Path) -> Iterator[Path]:
    """A name in an empty folder; what is in that folder when the block ends well takes its place beside `path`.

    The file or folder of that name comes last, after others that belong to it. When the block fails, nothing changes.
    """
    target = path.resolve()  # through a link, so that the link stays one
    stage = target.with_name(f".tensorfill-{secrets.token_hex(6)}.part")
    try:
        stage.mkdir()
        yield stage / target.name
        made = sorted(stage.iterdir(), key=lambda part: part.name == target.name)
        for part in made:
            _sync(part)
        for part in made:
            _replace(part, target.with_name(part.name))
        _sync_folder(target.parent)
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)


@contextmanager
def atomically(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the name `path` when the block ends well, and vanishes when it does not."""
    with staged(path) as part, part.open("xb") as file:
        yield file


def _sync(part: Path) -> None:
    for file in part.rglob("*") if part.is_dir() else (part,):
        if file.is_file():
            with file.open("rb") as opened:
                os.fsync(opened.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        with contextlib.suppress(OSError):  # not every file system can
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _replace(part: Path, target: Path) -> None:
    """Rename; a folder changes places with the one that is there, which is then deleted with the stage."""
    if not (part.is_dir() and target.is_dir()) or not any(target.iterdir()):
        part.replace(target)
    elif not _exchanged(part, target):
        aside = part.with_name(f"{part.name}.old")
        target.rename(aside)
        part.rename(target)


def _exchanged(first: Path, second: Path) -> bool:
    """Whether the system could let two names change places in one step."""
    try:
        exchange = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    return bool(exchange(_HERE, os.fsencode(first), _HERE, os.fsencode(second), _EXCHANGE) == 0)
