"""Patterns of holes by name, as commands and plans call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidSetting
from .boxes import blocks, boxes
from .drawings import scratches, text
from .scattered import fibres, pixels, uniform
from .whole import frames, lines, slices

Pattern = Callable[[Sequence[int], float, int], NDArray[np.bool_]]

PATTERNS: Mapping[str, Pattern] = {
    "uniform": uniform,
    "pixels": pixels,
    "fibres": fibres,
    "blocks": blocks,
    "boxes": boxes,
    "lines": lines,
    "frames": frames,
    "slices": slices,
    "scratches": scratches,
    "text": text,
}
_WITH_MODE = {"fibres": fibres, "slices": slices}


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
    if name in _WITH_MODE and mode in map(str, range(1, 10)):
        return partial(_WITH_MODE[name], mode=int(mode))
    raise InvalidSetting(
        f"There is no pattern {pattern!r}. The patterns are: {', '.join(PATTERNS)}; fibres and slices also along a "
        "mode, as in fibres-2."
    )
