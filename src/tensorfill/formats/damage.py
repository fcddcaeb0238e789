"""Refusing what cannot be read: files that are not there, damaged bytes, libraries that are not installed.

And limits of memory and time: what a file may declare, and what the child process that decodes it may take.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from .. import memory
from ..errors import TensorfillError, TooLarge, UnreadableFile
from ..tensor import entries
from .scratch import Scratch

try:
    import resource
except ImportError:  # Windows: no limits there
    resource = None  # type: ignore[assignment]

_SMALL = 2**20  # bytes
_SPARED = 2**28  # bytes of a disk that are left free
_SUSPICIOUS = 2**30  # bytes; below it, nobody is hurt
_MOST_TIMES = 2000  # deflate can pack about a thousand bytes into one
_MOST_TIMES_ON_DISK = 500  # of a file; in a store of chunks, those that were never written take nothing
_MARGIN = 2**29  # bytes, for libraries and what they keep in caches
_PATIENCE = 4  # seconds of computing
_SLOWEST = 10_000_000  # bytes per second, unpacked
_started = False
_free_at_start = 0


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


# Limits


def check_room(
    path: Path, shape: Sequence[int], itemsize: int, stored: int | None = None, *, scratch: Scratch | None = None
) -> None:
    """Refuse an array that would not fit twice, or that is absurdly large for a file of `stored` bytes.

    What goes to `scratch`, because it is large, must fit on that disk instead. Looked at before anything of that size
    is made.
    """
    needed = entries(shape) * itemsize
    if needed <= _SMALL:  # asking the system takes longer than making it, and a film has many frames
        return
    there = available_memory()
    size = f"{' × '.join(map(str, shape))}, {needed / 1e9:,.1f} GB"
    if scratch is not None and scratch.takes(needed):
        _check_disk(path, needed, size, scratch, too_large_for_memory=2 * needed > there)
    elif 2 * needed > there:
        raise TooLarge(
            f"{path} declares an array of {size}, and {there / 1e9:,.1f} GB of memory are free; "
            "give a smaller part of it."
        )
    if stored is not None and needed > _SUSPICIOUS and needed > _MOST_TIMES * max(stored, 1):
        raise UnreadableFile(
            f"{path} has {stored:,} bytes and declares an array of {size}: it is damaged, or made to fill the memory."
        )


def _check_disk(path: Path, needed: int, size: str, scratch: Scratch, *, too_large_for_memory: bool) -> None:
    """Refuse what the disk has no room for, and what memory has none for either if the file is very small for it."""
    packed = count_bytes(path)
    most = _MOST_TIMES if path.is_dir() else _MOST_TIMES_ON_DISK
    if too_large_for_memory and needed > most * max(packed, 1):
        raise UnreadableFile(
            f"{path} has {packed:,} bytes and declares an array of {size}: it is damaged, or made to fill the disk."
        )
    if needed > (free := scratch.free) - _SPARED:
        raise TooLarge(
            f"{path} declares an array of {size}, which does not fit into memory as a whole, and "
            f"{free / 1e9:,.1f} GB of disk are free in {scratch.folder.parent} to keep it meanwhile; give a smaller "
            "part of it, or another place for the output."
        )


def count_bytes(path: Path) -> int:
    """The size of a file, or of all files in a folder."""
    if not path.is_dir():
        return path.stat().st_size
    return sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(path) for name in names)


def start() -> None:
    """From now on this process may only take what `allow` grants, and a little for the libraries themselves."""
    global _started, _free_at_start
    _started, _free_at_start = resource is not None, memory.available_memory()
    allow(0)


def available_memory() -> int:
    """Bytes that can be had; in the child, those that `allow` could grant rather than what it has granted so far."""
    return _free_at_start if _started else memory.available_memory()


def allow(count: int) -> None:
    """Grant memory and time for decoding `count` bytes more: what goes beyond is a mistake of the file.

    In the child process only; elsewhere nothing is limited.
    """
    if not _started:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_AS, _virtual_memory() + 3 * count + _MARGIN)
    _limit(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + _PATIENCE + count // _SLOWEST)


def _limit(which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (soft, hard))


def _virtual_memory() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:  # not Linux
        return 2**40
    return pages * resource.getpagesize()
