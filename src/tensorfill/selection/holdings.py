"""How often entries are held out to compare methods by."""

from __future__ import annotations

from ..method import SHORT

_TINY = 2**10  # entries up to which trying again costs next to nothing
HOLDINGS, _TINY_HOLDINGS = 4, 12
"""How often entries are held out at high effort, or where that costs little."""


def holdings(size: int) -> int:
    """How often entries of a tensor of this size are held out, at most, at normal effort."""
    return _TINY_HOLDINGS if size <= _TINY else HOLDINGS if size <= SHORT else 1
