"""Brightness and colour of digital video: from the planes Y, Cb and Cr to gray or RGB, and back.

Y = Kr R + (1 − Kr − Kb) G + Kb B, Cb = (B − Y) / (2 − 2 Kb), Cr = (R − Y) / (2 − 2 Kr), with R, G, B in [0, 1]. Stored
in 8 bits, Y takes the levels 16 to 235 and Cb, Cr those from 16 to 240 around 128 ("limited"), or all of them ("full").
Kr and Kb are those of ITU-R BT.601, BT.709 or BT.2020. Cb and Cr often have half the width or height of Y.

By hand, because libav's own conversion, swscale, is less exact, even with accurate_rnd and full_chroma_int: what it
writes in 8 bits comes back off by two levels, in 16 bits by 280 of 65535, and reading 16 bits alone is off by 3, or by
255 where not all levels are used. What is written here with all levels comes back off by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Planes = tuple[NDArray[Any], ...]
"""Y, or Y, Cb and Cr, the latter two possibly of half the width or height."""
Values = NDArray[np.float32]

BT601 = (0.299, 0.114)
BT709 = (0.2126, 0.0722)
BT2020 = (0.2627, 0.0593)

_LARGEST_STANDARD = (576, 1024)  # rows and columns


def choose_weights(rows: int, columns: int) -> tuple[float, float]:
    """Kr and Kb of a video that does not name them: BT.601, and BT.709 for high definition, as players have it."""
    return BT601 if rows <= _LARGEST_STANDARD[0] and columns <= _LARGEST_STANDARD[1] else BT709


@dataclass(frozen=True)
class ColourCoding:
    """How the numbers in the planes are meant."""

    weights: tuple[float, float] = BT601
    """Kr and Kb."""
    full: bool = False
    bits: int = 8

    @property
    def white(self) -> int:
        """The largest value of the pictures: 8 bits stay so, more become 16."""
        return 255 if self.bits == 8 else 65535

    @property
    def neutral(self) -> int:
        """What Cb and Cr are where there is no colour."""
        return int(2 ** (self.bits - 1))

    @cached_property
    def _scale(self) -> tuple[np.float32, ...]:
        """The level of black, how many levels there are from there to white, and how many Cb and Cr have."""
        step = 2.0 ** (self.bits - 8)
        every = 256 * step - 1
        return tuple(map(np.float32, (0, every, every) if self.full else (16 * step, 219 * step, 224 * step)))

    @cached_property
    def _levels(self) -> tuple[Values, Values]:
        """For every level, Y in [0, 1], and Cb or Cr in [−0.5, 0.5]."""
        black, luma, chroma = self._scale
        stored = np.arange(2**self.bits, dtype=np.float32)
        return (stored - black) / luma, (stored - np.float32(self.neutral)) / chroma

    @cached_property
    def _shades(self) -> NDArray[Any]:
        return self._to_picture(self._levels[0])

    def to_gray(self, luma: NDArray[Any]) -> NDArray[Any]:
        """The plane Y as shades from black, 0, to white."""
        return luma if self.full and self.bits in (8, 16) else self._shades.take(luma, mode="clip")

    def has_colour(self, planes: Planes) -> bool:
        """Whether there is colour anywhere."""
        return any(bool((plane != self.neutral).any()) for plane in planes[1:])

    def to_rgb(self, planes: Planes) -> NDArray[Any]:
        """Red, green and blue as the last mode."""
        (red, blue), green = self.weights, 1 - sum(self.weights)
        luma = self._levels[0].take(planes[0], mode="clip")
        cb, cr = (_enlarge(self._levels[1].take(plane, mode="clip"), luma.shape) for plane in planes[1:])
        colours = (
            luma + np.float32(2 - 2 * red) * cr,
            luma - np.float32(2 * blue * (1 - blue) / green) * cb - np.float32(2 * red * (1 - red) / green) * cr,
            luma + np.float32(2 - 2 * blue) * cb,
        )
        return np.stack([self._to_picture(colour) for colour in colours], axis=-1)

    def to_planes(self, picture: NDArray[Any], *, halved: bool) -> Planes:
        """Y, Cb and Cr of a gray or an RGB picture up to `white`; `halved`: 4:2:0, else 4:4:4."""
        (red, blue), green = self.weights, 1 - sum(self.weights)
        black, span, chroma_span = self._scale
        shades: Values = picture.astype(np.float32) / np.float32(self.white)
        colours = (shades,) * 3 if picture.ndim == 2 else tuple(shades[..., channel] for channel in range(3))
        luma: Values = np.float32(red) * colours[0] + np.float32(green) * colours[1] + np.float32(blue) * colours[2]
        chroma = [(colours[2] - luma) / np.float32(2 - 2 * blue), (colours[0] - luma) / np.float32(2 - 2 * red)]
        if halved:
            chroma = [_halve(plane) for plane in chroma]
        levels = (luma * span + black, *(plane * chroma_span + np.float32(self.neutral) for plane in chroma))
        return tuple(_round(plane, 2**self.bits - 1) for plane in levels)

    def _to_picture(self, values: Values) -> NDArray[Any]:
        return _round(values * np.float32(self.white), self.white)


def _round(values: Values, largest: int) -> NDArray[Any]:
    rounded: NDArray[Any] = np.clip(np.rint(values), 0, largest).astype(np.uint8 if largest < 256 else np.uint16)
    return rounded


def _halve(plane: Values) -> Values:
    """Means of 2 × 2; the last row or column of an odd size stands twice."""
    rows, columns = plane.shape
    even = np.pad(plane, ((0, rows % 2), (0, columns % 2)), mode="edge")
    means: Values = (even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2]) / np.float32(4)
    return means


def _enlarge(plane: Values, shape: Sequence[int]) -> Values:
    """To the rows and columns of the brightness, linearly between the centres of the pixels."""
    for axis, size in enumerate(shape):
        small = plane.shape[axis]
        if small == size:
            continue
        factor = -(-size // small)
        places = np.clip((np.arange(size) + 0.5) / factor - 0.5, 0, small - 1)
        before = np.floor(places).astype(np.intp)
        share = (places - before).astype(np.float32).reshape((-1, 1) if axis == 0 else (1, -1))
        first = plane.take(before, axis)
        plane = first + share * (plane.take(np.minimum(before + 1, small - 1), axis) - first)
    return plane
