"""Patterns of holes by name, as commands and plans call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from inspect import signature

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidSetting

Pattern = Callable[..., NDArray[np.bool_]]
"""From shape, share to keep and seed; some also take a mode."""

_LISTED = (
    "scattered:uniform",
    "scattered:pixels",
    "scattered:fibres",
    "drawings:blocks",
    "drawings:boxes",
    "scattered:lines",
    "scattered:frames",
    "scattered:slices",
    "drawings:scratches",
    "drawings:text",
)
"""MODULE:FUNCTION, modules of this package. Adding a pattern is a file and a line here."""


def _load(entry: str) -> tuple[str, Pattern]:
    module, name = entry.split(":")
    return name, getattr(import_module(f".{module}", __package__), name)


PATTERNS: Mapping[str, Pattern] = dict(map(_load, _LISTED))


def mask(pattern: str, shape: Sequence[int], keep: float, seed: int) -> NDArray[np.bool_]:
    """What a pattern keeps of a tensor; True means kept. The same arguments give the same mask.

    >>> mask("slices-1", (3, 2), keep=0.5, seed=0).sum(axis=1).tolist()
    [0, 2, 2]
    """
    return _function(pattern)(shape, keep, seed)


def check_pattern(pattern: str) -> str:
    """The name, if there is such a pattern: one of `PATTERNS`, and `fibres` or `slices` with a mode, as in fibres-2."""
    _function(pattern)
    return pattern


def _function(pattern: str) -> Pattern:
    name, dash, mode = pattern.partition("-")
    if not dash and name in PATTERNS:
        return PATTERNS[name]
    if name in PATTERNS and "mode" in signature(PATTERNS[name]).parameters and mode in map(str, range(1, 10)):
        return partial(PATTERNS[name], mode=int(mode))
    raise InvalidSetting(
        f"There is no pattern {pattern!r}. The patterns are: {', '.join(PATTERNS)}; fibres and slices also along a "
        "mode, as in fibres-2."
    )
