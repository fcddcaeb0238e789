"""Standard normal numbers, drawn on all cores: the same for any number of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .threads import share

_PIECES = 8
_SMALL = 2**15  # numbers that are not worth sharing


def standard_normal(shape: tuple[int, ...], dtype: DTypeLike, *seed: int) -> NDArray[Any]:
    """An array of them; every piece has a stream of its own."""
    found: NDArray[Any] = np.empty(shape, dtype)
    flat = found.reshape(-1)
    pieces = 1 if flat.size < _SMALL else _PIECES
    cuts = np.linspace(0, flat.size, pieces + 1).astype(np.int64)

    def draw(piece: int) -> None:
        part = flat[cuts[piece] : cuts[piece + 1]]
        np.random.default_rng([*seed, piece]).standard_normal(dtype=part.dtype, out=part)

    share(draw, pieces)
    return found
