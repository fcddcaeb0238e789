"""One sentence for a file whose bytes are not what its name promises, whatever the library that read it raised."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

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
    except FileNotFoundError as error:
        raise UnreadableFile(f"There is no file {error.filename or path}.") from error
    except PermissionError as error:
        raise UnreadableFile(f"{path} may not be read: permission denied.") from error
    except MemoryError as error:
        raise UnreadableFile(f"{path} asks for more memory than there is: it is damaged, or too large.") from error
    except Exception as error:
        raise damaged(path, kind) from error


def damaged(path: Path, kind: str) -> UnreadableFile:
    """The sentence itself."""
    return UnreadableFile(f"{path} is not {kind} that can be read: it is damaged, cut short, or something else.")


class Extra(NamedTuple):
    """A library that is not always installed."""

    module: str
    name: str
    """What pip calls it, as in tensorfill[NAME]."""


def needed(module: str, extra: str, path: Path) -> Any:
    """A library that is not always installed, or one line that says how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise UnreadableFile(
            f"{path} needs {module.partition('.')[0]}, which is not installed: pip install 'tensorfill[{extra}]'"
        ) from error
