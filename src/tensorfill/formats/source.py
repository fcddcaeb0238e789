"""Opening a file to read it, with a clear sentence when that is not possible."""

import os
from pathlib import Path
from typing import BinaryIO

from ..errors import UnreadableFile


def check_source(path: Path, *, folder: bool) -> None:
    """Refuse what is not there, and a folder where a file is meant or the other way round."""
    # Not by Path's own ways to ask, which raise where a name is too long.
    if folder and os.path.isfile(path):
        raise UnreadableFile(f"{path} is a file, not a folder.")
    if folder and not os.path.isdir(path):
        raise UnreadableFile(f"There is no folder {path}.")
    if not folder and os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
        raise UnreadableFile(f"{path} is not an ordinary file, so it is not read.")  # a pipe would wait for ever
    if not folder:
        open_source(path).close()


def open_source(path: Path) -> BinaryIO:
    """The open file, or a clear error."""
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise UnreadableFile(f"There is no file {path}.") from error
    except IsADirectoryError as error:
        raise UnreadableFile(f"{path} is a folder, not a file.") from error
    except PermissionError as error:
        raise UnreadableFile(f"{path} may not be read: permission denied.") from error
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}.") from error
