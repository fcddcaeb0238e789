"""How much memory there is for this process, how much of it is free, and giving back what was freed.

Three have a say: the machine, the process's own limits (`ulimit -v`, `ulimit -d`), and the control groups that it is
in, as in a container or under a service manager. The smallest counts.
"""

import ctypes
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import psutil

_MEMBERSHIPS = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")


@cache
def physical_memory() -> int:
    """Bytes of memory that this process may ever have, asked once: every method that is compared wants to know."""
    return min([int(psutil.virtual_memory().total), *(limit for limit, _ in _limits())])


def available_memory() -> int:
    """Bytes that can be had without pushing others out, within all limits."""
    left = (max(0, limit - used) for limit, used in _limits())
    return min([int(psutil.virtual_memory().available), *left])


def return_freed_memory() -> None:
    """Hand freed memory back to the system: glibc keeps it, in pieces that are too small for the next large array."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


def _limits() -> Iterator[tuple[int, int]]:
    """Every limit that this process is under, and how much of it is used."""
    yield from _own_limits()
    yield from _group_limits()


def _own_limits() -> Iterator[tuple[int, int]]:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    used = psutil.Process().memory_info()
    for kind, name in (("RLIMIT_AS", "vms"), ("RLIMIT_DATA", "data")):
        limit = resource.getrlimit(getattr(resource, kind))[0] if hasattr(resource, kind) else resource.RLIM_INFINITY
        if limit != resource.RLIM_INFINITY:
            yield limit, getattr(used, name, 0)


def _group_limits() -> Iterator[tuple[int, int]]:
    """Those of the groups that this process is in, and of the groups around them, of both kinds that Linux has."""
    for folder in _groups_of(""):
        yield from _group_limit(folder, "memory.max", "memory.current", "inactive_file ")
    for folder in _groups_of("memory"):
        yield from _group_limit(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ")


def _groups_of(controller: str) -> Iterator[Path]:
    """Folders, from the top down; in a container the top one may be all that is to be seen."""
    top = _GROUPS / controller
    yield top
    try:
        lines = _MEMBERSHIPS.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            folder = top
            for part in Path(path).parts[1:]:
                folder = folder / part
                yield folder


def _group_limit(folder: Path, limit: str, used: str, cached: str) -> Iterator[tuple[int, int]]:
    try:
        most, now = (int((folder / name).read_text()) for name in (limit, used))
        lines = (folder / "memory.stat").read_text().splitlines()
        kept = next(int(line.split()[1]) for line in lines if line.startswith(cached))
    except (OSError, ValueError, StopIteration):  # no such group, or "max": no limit
        return
    yield most, max(0, now - kept)  # what only keeps files at hand is given up when it is needed
