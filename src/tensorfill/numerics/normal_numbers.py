"""Standard normal numbers, drawn on all cores: the same for any number of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .pieces import count_pieces, cut
from .threads import share


def standard_normal(shape: tuple[int, ...], dtype: DTypeLike, *seed: int) -> NDArray[Any]:
    """An array of them; every piece has a stream of its own."""
    found: NDArray[Any] = np.empty(shape, dtype)
    flat = found.reshape(-1)
    cuts = cut(flat.size, count_pieces(flat.size))

    def draw(piece: int) -> None:
        part = flat[cuts[piece] : cuts[piece + 1]]
        np.random.default_rng([*seed, piece]).standard_normal(dtype=part.dtype, out=part)

    share(draw, len(cuts) - 1)
    return found
