"""The private temporary folder of one page: one user's alone, gone when the server ends, however it ends."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from ..errors import UnwritableFile

_PREFIX = "tensorfill-page-"


def make_private_folder() -> Path:
    """A new folder that only this user can look into; its name tells which process it belongs to.

    What servers left that were killed, so that they could not tidy up, is removed on the way.
    """
    _remove_orphans()
    try:
        return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    except OSError as error:
        raise UnwritableFile(f"There is no place for temporary files: {error.strerror or error}.") from error


def remove_folder(folder: Path) -> None:
    """Remove it with all that is in it."""
    shutil.rmtree(folder, ignore_errors=True)


def free_bytes(folder: Path) -> int:
    """How much room there is on its disk."""
    return shutil.disk_usage(folder).free


def _remove_orphans() -> None:
    with suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            number = folder.name.removeprefix(_PREFIX).partition("-")[0]
            if number.isdecimal() and _is_ours(folder) and not _is_running(int(number)):
                remove_folder(folder)


def _is_ours(folder: Path) -> bool:
    with suppress(OSError):
        found = folder.lstat()
        return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
    return False


def _is_running(number: int) -> bool:
    if os.name != "posix":  # to ask there is to end it
        return True
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
