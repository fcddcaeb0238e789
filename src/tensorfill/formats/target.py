"""Where a file is to be written: whether it can be, looked at before anything is computed."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import UnwritableFile


def check_target(path: Path, *, force: bool, folder: bool = False) -> None:
    """Refuse a place that cannot be written, or that is taken unless `force`; `folder`: a folder is to be there."""
    try:
        _check_target(path, force, folder)
    except OSError as error:  # a name too long, a broken mount
        raise UnwritableFile(f"{path} cannot be written: {error.strerror or error}.") from error


def _check_target(path: Path, force: bool, folder: bool) -> None:
    parent = path.parent
    if os.path.islink(os.path.realpath(path)):
        raise UnwritableFile(f"{path} is a link that leads back to itself, so nothing can be written there.")
    if path.is_dir() and not folder:
        raise UnwritableFile(f"{path} is a folder; give the name of a file to write.")
    if not parent.is_dir():
        raise UnwritableFile(f"There is no folder {parent} to write {path.name} in.")
    if path.exists() and not (path.is_dir() if folder else path.is_file()):
        raise UnwritableFile(f"{path} is not an ordinary {'folder' if folder else 'file'}, so it is not replaced.")
    if path.exists() and not force:
        raise UnwritableFile(f"{path} is already there; add --force to replace it.")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise UnwritableFile(f"{path} may not be written: permission denied in {os.path.realpath(parent)}.")
