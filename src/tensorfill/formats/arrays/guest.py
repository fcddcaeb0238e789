"""The process that reads a file on behalf of another, within bounds of memory and time."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from ...errors import TensorfillError
from ..contents import Contents
from .guarded import Allow
from .wire import send, send_error

try:
    import resource
except ImportError:  # Windows: no bounds there
    resource = None  # type: ignore[assignment]

_READERS = {"hdf5": "hdf5_reading", "mat": "matlab_hdf5", "zarr": "zarr_reading"}
_MARGIN = 2**29  # bytes, for libraries and what they keep in caches
_PATIENCE = 4  # seconds of computing
_SLOWEST = 10_000_000  # bytes per second, unpacked


def allow(count: int) -> None:
    """Bound memory and time for an array of that many bytes: what goes beyond is a mistake of the file."""
    if resource is None:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _bound(resource.RLIMIT_AS, _virtual_memory() + 3 * count + _MARGIN)
    _bound(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + _PATIENCE + count // _SLOWEST)


def _bound(which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (soft, hard))


def _virtual_memory() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:  # not Linux
        return 2**40
    return pages * resource.getpagesize()


def main(arguments: list[str]) -> None:
    """Read, hand over, and end at once: a library that stumbled need not tidy up."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a library that prints must not disturb the numbers
    reader, path, *dataset = arguments
    read: Callable[[Path, str | None, Allow], Contents] = import_module(f".{_READERS[reader]}", __package__).read
    allow(0)
    try:
        send(out, read(Path(path), dataset[0] if dataset else None, allow))
    except TensorfillError as error:
        send_error(out, error)
    out.close()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
