"""Peak memory: how much more of it a piece of work needed than its process held before."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from ..completion import Snapshot, Watch
from ..memory import return_freed_memory

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"  # the code by which Linux forgets the largest size a process ever had


class PeakMemory:
    """Counts from when it is made. What a watcher needs for itself is left out where the system can tell (Linux).

    Elsewhere the largest size of the process cannot be forgotten: then it is what it has grown by, a lower bound.
    """

    def __init__(self) -> None:
        self._highest = 0
        return_freed_memory()  # what is only kept for later would hide as much of what is needed now
        self._resettable = _reset()
        self._before = _status("VmRSS") if self._resettable else _largest_ever()

    def exclude(self, watch: Callable[[Snapshot], bool | None]) -> Watch:
        """The same watcher, its memory not counted."""

        def watch_apart(snapshot: Snapshot) -> bool | None:
            self._look()
            try:
                return watch(snapshot)
            finally:
                return_freed_memory()
                _reset()

        return watch_apart

    def bytes(self) -> int | None:
        """The peak so far; None if this system does not tell."""
        self._look()
        return None if self._before is None else max(0, self._highest - self._before)

    def _look(self) -> None:
        now = _status("VmHWM") if self._resettable else _largest_ever()
        self._highest = max(self._highest, now or 0)


def _reset() -> bool:
    """Whether the largest size so far could be forgotten."""
    try:
        _CLEAR.write_text(_RESET_PEAK)
    except OSError:
        return False
    return _status("VmHWM") is not None and _status("VmRSS") is not None


def _status(name: str) -> int | None:
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), None)


def _largest_ever() -> int | None:
    try:
        import resource
    except ImportError:
        return None
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024
