"""Opening a file to read it, with a clear sentence when that is not possible."""

from pathlib import Path
from typing import BinaryIO

from ..errors import UnreadableFile


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
