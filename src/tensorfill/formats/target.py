"""Where a file is written: checked beforehand, and replaced in one step so that nobody sees half of it."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import UnreadableFile


def check_target(path: Path, *, force: bool) -> None:
    """Refuse a place that cannot be written, or that is taken unless `force`."""
    try:
        _check_target(path, force)
    except OSError as error:  # a name too long, a broken mount
        raise UnreadableFile(f"{path} cannot be written: {error.strerror or error}.") from error


def _check_target(path: Path, force: bool) -> None:
    folder = path.parent
    if path.is_dir():
        raise UnreadableFile(f"{path} is a folder; give the name of a file to write.")
    if not folder.is_dir():
        raise UnreadableFile(f"There is no folder {folder} to write {path.name} in.")
    if path.exists() and not path.is_file():
        raise UnreadableFile(f"{path} is not an ordinary file, so it is not replaced.")
    if path.exists() and not force:
        raise UnreadableFile(f"{path} is already there; add --force to replace it.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UnreadableFile(f"{path} may not be written: permission denied in {folder.resolve()}.")


@contextmanager
def atomically(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the name `path` when the block ends well, and vanishes when it does not."""
    target = path.resolve()  # through a link, so that the link stays one
    part = target.with_name(f".tensorfill-{secrets.token_hex(6)}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)
