"""Which methods `auto` compares on a tensor, and how often entries are held out for that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..tensor import entries

Effort = Literal["low", "normal", "high"]

_NORMAL = ("t-ctv",)
_NORMAL_WITH_HOLES = ("linear",)
_NORMAL_IF_SMALL = ("scaled-spectral", "nearest-slices", "spc", "tnn", "ncpc")
_NORMAL_WITH_HOLES_IF_WIDE = ("lrtc-tnn",)
_NORMAL_IF_SHORT = ("linear", "mean-fill")
_NOT_WORTH_TRYING = ("auto", "spectral", "zero-fill", "mean-fill", "dual", "dual-demo")
_WIDE = 5  # columns for every row of an unfolding: with fewer, low rank says little, and is slow to find
_SMALL, _LARGE = 2**18, 2**22  # entries
TINY, SHORT = 2**10, 2**14
"""Entries up to which trying again costs next to nothing, and little."""
HOLDINGS, _TINY_HOLDINGS = 4, 12
"""How often entries are held out at high effort, or where that costs little."""


def methods_tried(effort: str, shape: Sequence[int], *, shaped_holes: bool = False) -> tuple[str, ...]:
    """The methods compared on a tensor of this shape, spectral first."""
    from .registry import available_methods  # which has the class that uses this

    size = entries(shape)
    if effort == "low":
        return ("spectral",)
    if effort == "high":
        return ("spectral", *(name for name in available_methods() if name not in _NOT_WORTH_TRYING))
    names = ["spectral"]
    if size <= _LARGE:
        names += _NORMAL
    if shaped_holes:
        names += _NORMAL_WITH_HOLES
    if size <= _SMALL:
        names += _NORMAL_IF_SMALL
        if shaped_holes and size >= _WIDE * max(shape) ** 2:
            names += _NORMAL_WITH_HOLES_IF_WIDE
    if size <= SHORT:
        names += _NORMAL_IF_SHORT
    return tuple(dict.fromkeys(names))


def holdings(size: int) -> int:
    """How often entries of a tensor of this size are held out, at most, at normal effort."""
    return _TINY_HOLDINGS if size <= TINY else HOLDINGS if size <= SHORT else 1
