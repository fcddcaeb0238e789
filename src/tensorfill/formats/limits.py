"""Limits of memory and time, in the child process that decodes files; elsewhere they do nothing."""

from __future__ import annotations

from pathlib import Path

from .. import memory

try:
    import resource
except ImportError:  # Windows: no limits there
    resource = None  # type: ignore[assignment]

_MARGIN = 2**29  # bytes, for libraries and what they keep in caches
_PATIENCE = 4  # seconds of computing
_SLOWEST = 10_000_000  # bytes per second, unpacked
_started = False
_free_at_start = 0


def start() -> None:
    """From now on this process may only take what `allow` grants, and a little for the libraries themselves."""
    global _started, _free_at_start
    _started, _free_at_start = resource is not None, memory.available_memory()
    allow(0)


def available_memory() -> int:
    """Bytes that can be had; in the child, those that `allow` could grant rather than what it has granted so far."""
    return _free_at_start if _started else memory.available_memory()


def allow(count: int) -> None:
    """Grant memory and time for decoding `count` bytes more: what goes beyond is a mistake of the file."""
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
