"""The colours of one GIF frame: at most 256, of which one may mean transparent."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST = 256
GRAYS = np.repeat(np.arange(MOST, dtype=np.uint8)[:, None], 3, axis=1)


def few_enough(frame: NDArray[np.uint8], known: NDArray[np.bool_] | None) -> bool:
    """Whether all colours of the known pixels fit."""
    return len(np.unique(_codes(frame, known))) <= _room(known)


def indexed(frame: NDArray[np.uint8], known: NDArray[np.bool_] | None) -> tuple[Any, Any, int | None]:
    """Indices, their colours, and the index that means transparent; colours are merged where they are too many."""
    codes, where = np.unique(_codes(frame, known), return_inverse=True)
    if len(codes) <= _room(known):
        colours = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=1).astype(np.uint8)
        found = where.reshape(-1)
    else:
        found, colours = _merged(frame if known is None else frame[known], _room(known))
    table = np.zeros((MOST, 3), dtype=np.uint8)
    table[: len(colours)] = colours
    if known is None or known.all():
        return found.reshape(frame.shape[:2]).astype(np.uint8), table, None
    indices = np.full(known.shape, MOST - 1, dtype=np.uint8)
    indices[known] = found
    return indices, table, MOST - 1


def _room(known: NDArray[np.bool_] | None) -> int:
    return MOST if known is None or known.all() else MOST - 1


def _codes(frame: NDArray[np.uint8], known: NDArray[np.bool_] | None) -> NDArray[np.int32]:
    pixels = (frame if known is None else frame[known]).astype(np.int32)
    if frame.ndim == 2:
        return pixels * 0x010101
    return pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2]


def _merged(pixels: NDArray[np.uint8], most: int) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """Pixels of any arrangement as indices of `most` colours: Pillow's median cut, and three rounds of k-means."""
    from PIL import Image

    shades = pixels if pixels.shape[-1] == 3 else np.repeat(pixels.reshape(-1)[:, None], 3, axis=1)
    flat = np.ascontiguousarray(shades.reshape(1, -1, 3))
    image = Image.fromarray(flat).quantize(
        colors=most, method=Image.Quantize.MEDIANCUT, kmeans=3, dither=Image.Dither.NONE
    )
    colours = np.array(image.getpalette(), dtype=np.uint8).reshape(-1, 3)[:most]
    return np.asarray(image).reshape(-1), colours
