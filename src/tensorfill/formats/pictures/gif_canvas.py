"""The canvas of a GIF: what is to be seen after each of its images is drawn over the ones before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..damage import damaged
from ..room import check_room
from .gif_blocks import Blocks, ImageBlock

KIND = "a .gif file"
_CLEARED, _BROUGHT_BACK = 2, 3
Shown = tuple[NDArray[np.uint8], NDArray[np.bool_]]


def shown(blocks: Blocks, path: Path) -> Iterator[Shown]:
    """After every image: the colours, (rows, columns, 3), and True where there is one; both change with the next."""
    colours = np.zeros((blocks.height, blocks.width, 3), dtype=np.uint8)
    known = np.zeros((blocks.height, blocks.width), dtype=bool)
    for image in blocks.images:
        before = (colours.copy(), known.copy()) if image.disposal == _BROUGHT_BACK else None
        if image.height > blocks.height or image.width > blocks.width:
            raise damaged(path, KIND)
        place = np.s_[image.top : image.top + image.height, image.left : image.left + image.width]
        # What would lie outside the canvas is cut off.
        indices = _indices(image, path)[: max(0, blocks.height - image.top), : max(0, blocks.width - image.left)]
        table = image.table if image.table is not None else blocks.table
        if table is None:
            raise damaged(path, KIND)
        if image.transparent is None:
            colours[place], known[place] = table[indices], True
        else:
            drawn = indices != image.transparent
            colours[place][drawn] = table[indices[drawn]]
            known[place] |= drawn
        yield colours, known
        if image.disposal == _CLEARED:
            colours[place], known[place] = 0, False
        elif before is not None:
            colours, known = before


def _indices(image: ImageBlock, path: Path) -> NDArray[np.uint8]:
    from .lzw import decode

    check_room(path, (image.height, image.width), 1, len(image.packed))
    out = np.empty(image.height * image.width, dtype=np.uint8)
    if decode(np.frombuffer(image.packed, dtype=np.uint8), out, image.first_bits, False) != len(out):
        raise damaged(path, KIND)
    rows = out.reshape(image.height, image.width)
    if not image.interlaced:
        return rows
    order = [row for start, step in ((0, 8), (4, 8), (2, 4), (1, 2)) for row in range(start, image.height, step)]
    straight = np.empty_like(rows)
    straight[order] = rows
    return straight
