"""Whether what a file declares fits into memory, looked at before anything of that size is made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import TooLarge, UnreadableFile
from ..tensor import entries
from .limits import available_memory

_SMALL = 2**20  # bytes
_SUSPICIOUS = 2**30  # bytes; below it, nobody is hurt
_MOST_TIMES = 2000  # deflate can pack about a thousand bytes into one


def check_room(path: Path, shape: Sequence[int], itemsize: int, stored: int | None = None) -> None:
    """Refuse an array that would not fit twice, or that is absurdly large for a file of `stored` bytes."""
    needed = entries(shape) * itemsize
    if needed <= _SMALL:  # asking the system takes longer than making it, and a film has many frames
        return
    there = available_memory()
    size = " × ".join(map(str, shape))
    if 2 * needed > there:
        raise TooLarge(
            f"{path} declares an array of {size}, {_gigabytes(needed)}, and {_gigabytes(there)} of memory are free; "
            "give a smaller part of it."
        )
    if stored is not None and needed > _SUSPICIOUS and needed > _MOST_TIMES * max(stored, 1):
        raise UnreadableFile(
            f"{path} has {stored:,} bytes and declares an array of {size}, {_gigabytes(needed)}: it is damaged, or "
            "made to fill the memory."
        )


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:,.1f} GB"
