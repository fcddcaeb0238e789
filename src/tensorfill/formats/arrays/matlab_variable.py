"""A variable of a MATLAB file, listed before its values are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from .choice import Found

KIND = "a .mat file"


@dataclass(frozen=True)
class Variable:
    """Name, size and type; `what` says what it is if it holds no real numbers."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any] | None
    what: str
    load: Callable[[], NDArray[Any]]

    def found(self) -> Found:
        """What is needed to choose among several."""
        return Found(self.shape, self.dtype)

    def values(self, path: Path) -> NDArray[Any]:
        """The numbers, or one sentence if there are none."""
        if self.dtype is None:
            raise InvalidInput(
                f"'{self.name}' in {path} must hold real numbers (integers or floating point). Got {self.what} instead."
            )
        return self.load()
