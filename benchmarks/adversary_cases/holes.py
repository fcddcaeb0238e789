"""Patterns of holes: what is known of a tensor. True means known; something always is, and something is missing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Shape = tuple[int, ...]
Pattern = Callable[[Shape, np.random.Generator], Mask]


def scattered(share: float, shape: Shape, rng: np.random.Generator) -> Mask:
    """Known one by one."""
    return rng.random(shape) < share


def one_entry(shape: Shape, rng: np.random.Generator) -> Mask:
    """All but one entry is missing."""
    known = np.zeros(shape, dtype=bool)
    known.flat[rng.integers(known.size)] = True
    return known


def one_slice(shape: Shape, rng: np.random.Generator) -> Mask:
    """One index of the last long mode is known, in the middle."""
    known = np.zeros(shape, dtype=bool)
    mode = _last_long(shape)
    _at(known, mode)[shape[mode] // 2] = True
    return known


def every_third_slice(shape: Shape, rng: np.random.Generator) -> Mask:
    """Two of three indices of the last long mode are missing."""
    known = np.zeros(shape, dtype=bool)
    _at(known, _last_long(shape))[::3] = True
    return known


def small_block(shape: Shape, rng: np.random.Generator) -> Mask:
    """One box is missing, a fifth of every mode."""
    known = np.ones(shape, dtype=bool)
    known[_box(shape, 0.2, rng)] = False
    return known


def block(shape: Shape, rng: np.random.Generator) -> Mask:
    """One box is missing, two fifths of every mode."""
    known = np.ones(shape, dtype=bool)
    known[_box(shape, 0.4, rng)] = False
    return known


def several_blocks(shape: Shape, rng: np.random.Generator) -> Mask:
    """Boxes in the first two modes are missing, all that is behind them too."""
    plane = np.ones(shape[:2], dtype=bool)
    for _ in range(6):
        plane[_box(shape[:2], 0.2, rng)] = False
    return np.array(np.broadcast_to(plane.reshape(*shape[:2], *[1] * (len(shape) - 2)), shape))


def corner(shape: Shape, rng: np.random.Generator) -> Mask:
    """One box is missing at the end of all modes."""
    known = np.ones(shape, dtype=bool)
    known[tuple(slice(size - max(1, round(0.4 * size)), size) for size in shape)] = False
    return known


def fibres(shape: Shape, rng: np.random.Generator) -> Mask:
    """Half of the fibres of the last mode are missing: pixels with all their colours, sensors with all their times."""
    return np.array(np.broadcast_to(rng.random((*shape[:-1], 1)) < 0.5, shape))


def first_fibres(shape: Shape, rng: np.random.Generator) -> Mask:
    """Three of ten fibres of the first mode are missing."""
    return np.array(np.broadcast_to(rng.random((1, *shape[1:])) < 0.7, shape))


def lines(shape: Shape, rng: np.random.Generator) -> Mask:
    """Four of ten rows are missing, other ones in every slice."""
    return np.array(np.broadcast_to(rng.random((shape[0], 1, *shape[2:])) < 0.6, shape))


def stretches(shape: Shape, rng: np.random.Generator) -> Mask:
    """Sensors that fail for a while: stretches of the longest mode are missing, other ones at every other index."""
    mode = int(np.argmax(shape))
    known = np.ones(shape, dtype=bool)
    rows = np.moveaxis(known, mode, -1)
    for index in np.ndindex(*rows.shape[:-1]):
        for _ in range(2):
            start = rng.integers(shape[mode])
            rows[index][start : start + max(1, shape[mode] // 8)] = False
    return known


def lost_slice(shape: Shape, rng: np.random.Generator) -> Mask:
    """One index of the last long mode is missing, in the middle."""
    known = np.ones(shape, dtype=bool)
    mode = _last_long(shape)
    _at(known, mode)[shape[mode] // 2] = False
    return known


def lost_slices(shape: Shape, rng: np.random.Generator) -> Mask:
    """A third of the indices of the last long mode is missing, anywhere."""
    known = np.ones(shape, dtype=bool)
    mode = _last_long(shape)
    _at(known, mode)[rng.choice(shape[mode], max(1, shape[mode] // 3), replace=False)] = False
    return known


def lost_end(shape: Shape, rng: np.random.Generator) -> Mask:
    """The last fifth of the last long mode is missing."""
    known = np.ones(shape, dtype=bool)
    mode = _last_long(shape)
    _at(known, mode)[-max(1, shape[mode] // 5) :] = False
    return known


def lost_beginning(shape: Shape, rng: np.random.Generator) -> Mask:
    """The first fifth of the first mode is missing."""
    known = np.ones(shape, dtype=bool)
    known[: max(1, shape[0] // 5)] = False
    return known


def lost_in_two_modes(shape: Shape, rng: np.random.Generator) -> Mask:
    """Two indices of the first mode and one of the last long one are missing."""
    return _lost_rows(shape) & lost_slice(shape, rng)


def _lost_rows(shape: Shape) -> Mask:
    known = np.ones(shape, dtype=bool)
    known[[shape[0] // 4, (2 * shape[0]) // 3]] = False
    return known


def _last_long(shape: Shape) -> int:
    """The last mode with more than four indices, which could be time; the longest if there is none."""
    long = [mode for mode, size in enumerate(shape) if size > 4]
    return long[-1] if long else int(np.argmax(shape))


def _at(known: Mask, mode: int) -> Mask:
    return np.moveaxis(known, mode, 0)


def _box(shape: Shape, share: float, rng: np.random.Generator) -> tuple[slice, ...]:
    """A box of this share of every mode, at a random place."""
    sides = [max(1, round(share * size)) for size in shape]
    starts = [int(rng.integers(size - side + 1)) for size, side in zip(shape, sides, strict=True)]
    return tuple(slice(start, start + side) for start, side in zip(starts, sides, strict=True))


def _both(one: Pattern, other: Pattern, shape: Shape, rng: np.random.Generator) -> Mask:
    """Only what is known in both."""
    return one(shape, rng) & other(shape, rng)


_SCATTERED: dict[str, Pattern] = {
    f"scattered-{round(100 * share):02d}": partial(scattered, share)
    for share in (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.95)
}
_SHAPED: dict[str, Pattern] = {
    pattern.__name__.replace("_", "-"): pattern
    for pattern in (
        *(small_block, block, several_blocks, corner, fibres, first_fibres, lines, stretches),
        *(lost_slice, lost_slices, lost_end, lost_beginning, lost_in_two_modes, every_third_slice),
        *(one_entry, one_slice),
    )
}
_MIXED: dict[str, Pattern] = {
    "scattered-70+lost-slice": partial(_both, partial(scattered, 0.7), lost_slice),
    "scattered-30+lost-slices": partial(_both, partial(scattered, 0.3), lost_slices),
    "scattered-50+block": partial(_both, partial(scattered, 0.5), block),
    "scattered-90+lost-in-two-modes": partial(_both, partial(scattered, 0.9), lost_in_two_modes),
    "lines+block": partial(_both, lines, block),
    "fibres+lost-end": partial(_both, fibres, lost_end),
    "stretches+lost-beginning": partial(_both, stretches, lost_beginning),
}
HOLES: dict[str, Pattern] = _SCATTERED | _SHAPED | _MIXED


def make_holes(name: str, shape: Shape, rng: np.random.Generator) -> Mask:
    """What is known, by a pattern's name; at least one entry is, and at least one is not."""
    known = np.array(HOLES[name](shape, rng))
    if not known.any():
        known.flat[rng.integers(known.size)] = True
    if known.all():
        known.flat[rng.integers(1, known.size)] = False
    return known
