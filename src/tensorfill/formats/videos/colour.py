"""Brightness and colour of digital video: from the planes Y, Cb and Cr to gray or RGB, and back.

Y = Kr R + (1 − Kr − Kb) G + Kb B, Cb = (B − Y) / (2 − 2 Kb), Cr = (R − Y) / (2 − 2 Kr), with R, G, B in [0, 1]. Stored
in 8 bits, Y takes the levels 16 to 235 and Cb, Cr those from 16 to 240 around 128 ("limited"), or all of them ("full").
Kr and Kb are those of ITU-R BT.601, BT.709 or BT.2020.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .chroma_size import enlarge, halve

Planes = tuple[NDArray[Any], ...]
"""Y, or Y, Cb and Cr, the latter two possibly of half the width or height."""
Values = NDArray[np.float32]

BT601 = (0.299, 0.114)
BT709 = (0.2126, 0.0722)
BT2020 = (0.2627, 0.0593)

_LARGEST_STANDARD = (576, 1024)  # rows and columns


def usual_weights(rows: int, columns: int) -> tuple[float, float]:
    """Kr and Kb of a video that does not tell them: BT.601, and BT.709 for high definition, as players have it."""
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

    @property
    def _luma_scale(self) -> tuple[np.float32, np.float32]:
        """The level of black, and how many there are up to white."""
        step = 2.0 ** (self.bits - 8)
        return (
            (np.float32(0), np.float32(256 * step - 1))
            if self.full
            else (np.float32(16 * step), np.float32(219 * step))
        )

    @property
    def _chroma_scale(self) -> np.float32:
        step = 2.0 ** (self.bits - 8)
        return np.float32(256 * step - 1 if self.full else 224 * step)

    @cached_property
    def _luma(self) -> Values:
        """Y in [0, 1] for every level."""
        black, span = self._luma_scale
        return (np.arange(2**self.bits, dtype=np.float32) - black) / span

    @cached_property
    def _chroma(self) -> Values:
        """Cb or Cr in [−0.5, 0.5] for every level."""
        return (np.arange(2**self.bits, dtype=np.float32) - np.float32(self.neutral)) / self._chroma_scale

    @cached_property
    def _shades(self) -> NDArray[Any]:
        return self._picture(self._luma)

    def gray(self, luma: NDArray[Any]) -> NDArray[Any]:
        """The plane Y as shades from black, 0, to white."""
        return luma if self.full and self.bits in (8, 16) else self._shades.take(luma, mode="clip")

    def colourless(self, planes: Planes) -> bool:
        """Whether there is no colour anywhere."""
        return all(bool((plane == self.neutral).all()) for plane in planes[1:])

    def rgb(self, planes: Planes) -> NDArray[Any]:
        """Red, green and blue as the last mode."""
        (red, blue), green = self.weights, 1 - sum(self.weights)
        luma = self._luma.take(planes[0], mode="clip")
        cb, cr = (enlarge(self._chroma.take(plane, mode="clip"), luma.shape) for plane in planes[1:])
        colours = (
            luma + np.float32(2 - 2 * red) * cr,
            luma - np.float32(2 * blue * (1 - blue) / green) * cb - np.float32(2 * red * (1 - red) / green) * cr,
            luma + np.float32(2 - 2 * blue) * cb,
        )
        return np.stack([self._picture(colour) for colour in colours], axis=-1)

    def planes(self, picture: NDArray[Any], *, halved: bool) -> Planes:
        """Y, Cb and Cr of a gray or an RGB picture up to `white`; `halved`: 4:2:0, else 4:4:4."""
        (red, blue), green = self.weights, 1 - sum(self.weights)
        black, span = self._luma_scale
        shades: Values = picture.astype(np.float32) / np.float32(self.white)
        colours = (shades,) * 3 if picture.ndim == 2 else tuple(shades[..., channel] for channel in range(3))
        luma: Values = np.float32(red) * colours[0] + np.float32(green) * colours[1] + np.float32(blue) * colours[2]
        chroma = [(colours[2] - luma) / np.float32(2 - 2 * blue), (colours[0] - luma) / np.float32(2 - 2 * red)]
        if halved:
            chroma = [halve(plane) for plane in chroma]
        cb, cr = (self._stored(plane * self._chroma_scale + np.float32(self.neutral)) for plane in chroma)
        return self._stored(luma * span + black), cb, cr

    def _picture(self, values: Values) -> NDArray[Any]:
        return _whole(values * np.float32(self.white), self.white, 8 if self.bits == 8 else 16)

    def _stored(self, levels: Values) -> NDArray[Any]:
        return _whole(levels, 2**self.bits - 1, self.bits)


def _whole(values: Values, largest: int, bits: int) -> NDArray[Any]:
    rounded: NDArray[Any] = np.clip(np.rint(values), 0, largest).astype(np.uint8 if bits == 8 else np.uint16)
    return rounded
