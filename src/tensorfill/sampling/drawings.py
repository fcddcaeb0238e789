"""Holes that hang together: blocks and boxes, and scratches and writing over a picture, as damage is in life.

One after the other is drawn at a random place, overlapping, cut off at the border, until the number of hidden entries,
or pixels, is round((1 − keep) · all). The last one is cut short for that. A side of a box is between 1/16 and 1/6 of
its mode: its inside has no known neighbour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidSetting
from .checks import MOST_CHANNELS, check_picture

_SMALLEST, _LARGEST = 16, 6
"""A side is between n/16 and n/6 long."""
_Places = tuple[NDArray[np.int64], NDArray[np.int64]]
_WORDS = ("the", "holes", "of", "a", "picture", "are", "filled", "from", "what", "is", "known", "around", "them")
_SMALLEST_SIDE = 16


def blocks(shape: Sequence[int], keep: float, seed: int) -> NDArray[np.bool_]:
    """Hide rectangles of modes 1 and 2, in all channels and frames alike: what is behind them is never seen."""
    whole = check_picture("blocks", shape, keep, seed)
    kept = _mask_outside(whole[:2], keep, seed)
    return np.array(np.broadcast_to(kept.reshape(*whole[:2], *[1] * (len(whole) - 2)), whole))


def boxes(shape: Sequence[int], keep: float, seed: int) -> NDArray[np.bool_]:
    """Hide rectangles of modes 1 and 2 for a stretch of frames or bands, all channels alike.

    Channels are modes after the second of at most 4 indices. Of a picture they are the same as `blocks`.
    """
    whole = check_picture("boxes", shape, keep, seed)
    sides = tuple(1 if mode > 2 and size <= MOST_CHANNELS else size for mode, size in enumerate(whole, start=1))
    return np.array(np.broadcast_to(_mask_outside(sides, keep, seed), whole))


def _count_hidden(size: int, keep: float) -> int:
    """How many of a number of entries are to be hidden; never all."""
    return min(round((1 - keep) * size), size - 1)


def _mask_outside(shape: tuple[int, ...], keep: float, seed: int) -> NDArray[np.bool_]:
    rng = np.random.default_rng(seed)
    kept = np.ones(shape, dtype=np.bool_)
    missing = _count_hidden(kept.size, keep)
    while missing > 0:
        box = kept[tuple(_stretch(size, rng) for size in shape)]
        places = np.nonzero(box)
        box[tuple(place[:missing] for place in places)] = False
        missing -= len(places[0])
    return kept


def _stretch(size: int, rng: np.random.Generator) -> slice:
    """A side of a box. It may begin before the first index, so that no entry is likelier to be hidden than others."""
    shortest = max(1, round(size / _SMALLEST))
    length = int(rng.integers(shortest, max(shortest, round(size / _LARGEST)), endpoint=True)) if size > 1 else 1
    start = int(rng.integers(1 - length, size))
    return slice(max(start, 0), start + length)


def scratches(shape: Sequence[int], keep: float, seed: int) -> NDArray[np.bool_]:
    """Hide thin lines that bend a little, as on an old photograph; 1 to 3 pixels wide, more on large pictures."""
    return _draw("scratches", shape, keep, seed, _scratch)


def text(shape: Sequence[int], keep: float, seed: int) -> NDArray[np.bool_]:
    """Hide words, in sizes of 1/20 to 1/8 of the rows and 10 pixels or more.

    They are set in the type that comes with Pillow. Other versions of it may draw it a little differently.
    """
    whole = check_picture("text", shape, keep, seed)
    if min(whole[:2]) < _SMALLEST_SIDE:
        raise InvalidSetting(
            f"The pattern 'text' needs {_SMALLEST_SIDE} rows and columns or more, to have room for a letter. "
            f"Got shape {whole} instead."
        )
    return _draw("text", shape, keep, seed, _word)


def _draw(
    pattern: str,
    shape: Sequence[int],
    keep: float,
    seed: int,
    stroke: Callable[[tuple[int, int], np.random.Generator], _Places],
) -> NDArray[np.bool_]:
    whole = check_picture(pattern, shape, keep, seed)
    rng = np.random.default_rng(seed)
    kept = np.ones(whole[:2], dtype=np.bool_)
    missing = _count_hidden(kept.size, keep)
    while missing > 0:
        rows, columns = stroke((whole[0], whole[1]), rng)
        inside = (rows >= 0) & (rows < whole[0]) & (columns >= 0) & (columns < whole[1])
        places = np.ravel_multi_index((rows[inside], columns[inside]), kept.shape)
        new = np.array([place for place in dict.fromkeys(places.tolist()) if kept.flat[place]], dtype=np.int64)
        kept.flat[new[:missing]] = False
        missing -= len(new)
    return np.array(np.broadcast_to(kept.reshape(*whole[:2], *[1] * (len(whole) - 2)), whole))


def _scratch(shape: tuple[int, int], rng: np.random.Generator) -> _Places:
    """The pixels of a line from its beginning to its end."""
    side = max(shape)
    steps = 2 * int(rng.integers(max(2, side // 4), side + 2))
    width = int(rng.integers(1, 4)) * max(1, round(side / 512))
    # It turns as a random walk does, by about 20 degrees over its length.
    angles = rng.uniform(0, 2 * np.pi) + np.cumsum(rng.normal(0, 0.35 / np.sqrt(steps), steps))
    starts = [rng.uniform(0, size) for size in shape]
    across = [start + 0.5 * np.cumsum(turn(angles)) for start, turn in zip(starts, (np.sin, np.cos), strict=True)]
    brush = np.arange(width) - (width - 1) / 2
    rows, columns = np.broadcast_arrays(across[0][:, None, None] + brush[:, None], across[1][:, None, None] + brush)
    return np.floor(rows).astype(np.int64).ravel(), np.floor(columns).astype(np.int64).ravel()


def _word(shape: tuple[int, int], rng: np.random.Generator) -> _Places:
    """The pixels of a word, row by row."""
    from PIL import Image, ImageDraw, ImageFont

    smallest = max(10, shape[0] // 20)
    font = ImageFont.load_default(int(rng.integers(smallest, max(smallest, shape[0] // 8), endpoint=True)))
    word = str(rng.choice(_WORDS))
    left, top, right, bottom = (round(edge) for edge in font.getbbox(word))
    picture = Image.new("1", (right - left + 1, bottom - top + 1))
    ImageDraw.Draw(picture).text((-left, -top), word, fill=1, font=font)
    rows, columns = np.nonzero(np.asarray(picture))
    height, width = picture.height, picture.width
    return rows + int(rng.integers(1 - height, shape[0])), columns + int(rng.integers(1 - width, shape[1]))
