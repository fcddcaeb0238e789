"""Pickles that would leave a mark if anybody loaded them."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class _Trap:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (str(self.path), "w")


@dataclass(frozen=True)
class Marker:
    """A file that is not there, unless a pickle was loaded."""

    path: Path

    @property
    def left(self) -> bool:
        """Whether a pickle was loaded."""
        return self.path.exists()

    def pickle(self, rng: np.random.Generator) -> bytes:
        """A pickle of any protocol."""
        return pickle.dumps([_Trap(self.path)], protocol=int(rng.integers(0, pickle.HIGHEST_PROTOCOL + 1)))

    def objects(self) -> NDArray[Any]:
        """An array with such a thing in it."""
        found = np.empty((2, 2), dtype=object)
        found[:] = _Trap(self.path)
        return found
