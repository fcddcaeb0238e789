"""Refusing what cannot be read: files that are not there, damaged bytes, libraries that are not installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import TensorfillError, UnreadableFile


@contextmanager
def readable(path: Path, kind: str) -> Iterator[None]:
    """Turns any failure of the block into one sentence; `kind` is what the file should be, such as "a .mat file".

    What parsers raise on damaged bytes is not documented, so nothing is let through.
    """
    try:
        yield
    except TensorfillError:
        raise
    except (FileNotFoundError, PermissionError) as error:
        raise unreadable(error, Path(error.filename or path)) from error
    except MemoryError as error:
        raise UnreadableFile(f"{path} asks for more memory than there is: it is damaged, or too large.") from error
    except Exception as error:
        raise damaged(path, kind) from error


def damaged(path: Path, kind: str) -> UnreadableFile:
    """The sentence itself."""
    return UnreadableFile(f"{path} is not {kind} that can be read: it is damaged, cut short, or something else.")


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
    except OSError as error:
        raise unreadable(error, path) from error


def unreadable(error: OSError, path: Path) -> UnreadableFile:
    """What the system has against reading a file, in one sentence."""
    if isinstance(error, FileNotFoundError):
        return UnreadableFile(f"There is no file {path}.")
    if isinstance(error, IsADirectoryError):
        return UnreadableFile(f"{path} is a folder, not a file.")
    if isinstance(error, PermissionError):
        return UnreadableFile(f"{path} may not be read: permission denied.")
    return UnreadableFile(f"{path} cannot be read: {error.strerror or error}.")


class Extra(NamedTuple):
    """A library that is not always installed."""

    module: str
    name: str
    """What pip calls it, as in tensorfill[NAME]."""


def require(module: str, extra: str, path: Path) -> Any:
    """A library that is not always installed, or one line that says how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise UnreadableFile(
            f"{path} needs {module.partition('.')[0]}, which is not installed: pip install 'tensorfill[{extra}]'"
        ) from error
