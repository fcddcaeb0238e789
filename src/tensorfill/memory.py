"""How much memory this machine has, how much of it is free, and giving back what was freed."""

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


def physical_memory() -> int | None:
    """Bytes of memory, or None where the system does not say."""
    if not hasattr(os, "sysconf"):
        return None
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def available_memory() -> int | None:
    """Bytes that can be had without pushing others out, within the limit of a container; None where nobody says."""
    there = [amount for amount in (_free(), _left_in_group()) if amount is not None]
    return min(there) if there else physical_memory()


def give_back() -> None:
    """Hand freed memory back to the system: glibc keeps it, in pieces that are too small for the next large array."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


def _free() -> int | None:
    try:
        lines = _MEMINFO.read_text().splitlines()
    except OSError:  # not Linux
        return None
    found = (line.split()[1] for line in lines if line.startswith("MemAvailable:"))
    return next((int(kilobytes) * 1024 for kilobytes in found), None)


def _left_in_group() -> int | None:
    try:
        limit, used = (int((_GROUP / name).read_text()) for name in ("memory.max", "memory.current"))
        cached = next(
            int(line.split()[1])
            for line in (_GROUP / "memory.stat").read_text().splitlines()
            if line.startswith("inactive_file ")
        )
    except (OSError, ValueError, StopIteration):  # no such limit
        return None
    return max(0, limit - used + cached)
