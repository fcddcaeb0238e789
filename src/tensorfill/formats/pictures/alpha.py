"""Alpha: how opaque pixels are. Where it is 0 there is no value, and the pixel counts as missing.

So does the soft edge of such a hole: pixels that are less opaque than the picture otherwise is, and that hang together
with fully transparent ones. What a soft brush left of them is no value to go by, and filled they would still shine
through. Pixels that shine through elsewhere are known, and stay as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contents import opaque

_NEIGHBOURS = np.ones((3, 3), dtype=bool)


def find_known_pixels(
    alpha: NDArray[Any] | None, shape: tuple[int, ...]
) -> tuple[NDArray[np.bool_] | None, tuple[str, ...]]:
    """True where a pixel has a value, for every entry of an array of this shape, None if all have; and a note."""
    if alpha is None or bool((alpha > 0).all()):
        return None, ()
    holes = _add_soft_edges(alpha)
    soft = int(np.count_nonzero(holes & (alpha > 0)))
    notes = (f"{soft:,} pixels at the edge of transparent ones are half transparent; they count as missing, too.",)
    known = ~holes
    return (known if known.shape == shape else np.broadcast_to(known[..., None], shape).copy()), notes if soft else ()


def _add_soft_edges(alpha: NDArray[Any]) -> NDArray[np.bool_]:
    """Fully transparent pixels, and those less opaque than the most opaque one that touch them, one by one."""
    from scipy.ndimage import binary_propagation

    clear: NDArray[np.bool_] = alpha == 0
    less = alpha < alpha.max()
    if not bool((less & ~clear).any()):
        return clear
    holes = np.empty(alpha.shape, dtype=bool)
    for rest in np.ndindex(*alpha.shape[2:]):
        place = (slice(None), slice(None), *rest)
        holes[place] = binary_propagation(clear[place], _NEIGHBOURS, less[place])
    return holes


def fit_alpha(alpha: NDArray[Any] | None, data: NDArray[Any], channels: bool) -> NDArray[Any] | None:
    """The alpha of these pixels on the scale of their dtype; None if there is none of the right shape."""
    if alpha is None or alpha.shape != (data.shape[:-1] if channels else data.shape):
        return None
    dtype = data.dtype.newbyteorder("=")
    if alpha.dtype.newbyteorder("=") == dtype:
        return alpha
    share = np.nan_to_num(alpha.astype(np.float64) / opaque(alpha.dtype)).clip(0.0, 1.0)
    if dtype.kind == "f":
        return share.astype(dtype)
    steps = np.where(share < 1, np.rint(share * opaque(dtype)), 0).astype(dtype)
    steps[share == 1] = opaque(dtype)  # 64 bits do not fit into a float
    # A pixel that shines through a little must not become missing.
    return np.where((alpha > 0) & (steps == 0), np.ones(1, dtype), steps)
