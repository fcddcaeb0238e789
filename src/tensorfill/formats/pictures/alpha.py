"""Alpha: how opaque pixels are. Where it is 0 there is no value, and the pixel counts as missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contents import opaque


def known_pixels(alpha: NDArray[Any] | None, shape: tuple[int, ...]) -> NDArray[np.bool_] | None:
    """True where a pixel is not fully transparent, for every entry of an array of this shape; None if all are."""
    if alpha is None:
        return None
    opaque = alpha > 0
    if opaque.all():
        return None
    return opaque if opaque.shape == shape else np.broadcast_to(opaque[..., None], shape).copy()


def fitting_alpha(alpha: NDArray[Any] | None, data: NDArray[Any], channels: bool) -> NDArray[Any] | None:
    """The alpha of these pixels on the scale of their dtype; None if there is none of the right shape."""
    if alpha is None or alpha.shape != (data.shape[:-1] if channels else data.shape):
        return None
    native = data.dtype.newbyteorder("=")
    return alpha if alpha.dtype.newbyteorder("=") == native else _rescaled(alpha, native)


def _rescaled(alpha: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    share = np.nan_to_num(alpha.astype(np.float64) / opaque(alpha.dtype)).clip(0.0, 1.0)
    if dtype.kind == "f":
        return share.astype(dtype)
    steps = np.where(share < 1, np.rint(share * opaque(dtype)), 0).astype(dtype)
    steps[share == 1] = opaque(dtype)  # 64 bits do not fit into a float
    # A pixel that shines through a little must not become missing.
    return np.where((alpha > 0) & (steps == 0), np.ones(1, dtype), steps)
