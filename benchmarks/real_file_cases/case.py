"""A damaged file, and what cases have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .material import Data, Mask

HOLE = np.array([255, 0, 255], dtype=np.uint8)

Checks = dict[str, bool]


@dataclass(frozen=True)
class Case:
    """A damaged file, how to complete it, and what must be so afterwards."""

    name: str
    damage: str
    truth: Data
    known: Mask
    command: tuple[str, ...]
    output: Path
    given: Data | None = None
    """What the damaged file holds, where that is not the truth: a lossy one."""
    reading: dict[str, Any] = field(default_factory=dict)
    check: Callable[[Any], Checks] = lambda found: {}
    view: Callable[[Data], Data] | None = None
    """What of the data is shown in the documentation, as 8 bits."""


def colours(known: Mask) -> Mask:
    """The mask for three channels."""
    return np.repeat(known[..., None], 3, axis=-1)


def widened(mask: Mask) -> Mask:
    """One pixel more on every side, along rows and columns."""
    wide = mask.copy()
    wide[1:] |= mask[:-1]
    wide[:-1] |= mask[1:]
    also = wide.copy()
    also[:, 1:] |= wide[:, :-1]
    also[:, :-1] |= wide[:, 1:]
    return also


def shades(data: Data, truth: Data) -> Data:
    """As 8 bits, from the smallest value of the truth to its largest."""
    low, high = float(truth.min()), float(truth.max())
    return np.rint(np.clip((data - low) / (high - low), 0, 1) * 255).astype(np.uint8)


def gray_rgb(data: Data) -> Data:
    """Three channels, whatever there was."""
    return data if data.ndim == 3 else np.repeat(data[..., None], 3, axis=2)
