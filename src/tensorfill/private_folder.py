"""A folder for what is kept from one process to the next where there is no home: temporary, and one user's alone."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path

_USUAL_TEMPORARY = ("/tmp", "/var/tmp")


@cache
def private_folder() -> Path | None:
    """A folder that only this user can write and read; None where there is none to be had.

    Compiled code that is loaded from it is run, so another user must not be able to put anything there, or to put
    another folder in its place. The current folder, which Python takes for temporary where no other can be written, is
    not littered.
    """
    if not hasattr(os, "geteuid"):  # on Windows there always is a home
        return None
    for place in (os.environ.get("TMPDIR"), *_USUAL_TEMPORARY):
        if place and (folder := _private_in(Path(place))):
            return folder
    return None


def _private_in(place: Path) -> Path | None:
    folder = place / f"tensorfill-{os.geteuid()}"
    with suppress(OSError):
        if _keeps_names(place):
            folder.mkdir(mode=0o700, exist_ok=True)
            if _is_ours_alone(folder) and os.access(folder, os.W_OK | os.X_OK):
                return folder.absolute()
    return None


def _keeps_names(place: Path) -> bool:
    """Whether others cannot rename what is ours in it."""
    mode = place.stat().st_mode
    return bool(mode & stat.S_ISVTX) or not mode & (stat.S_IWGRP | stat.S_IWOTH)


def _is_ours_alone(folder: Path) -> bool:
    found = folder.lstat()  # a link is not ours, wherever it leads
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
