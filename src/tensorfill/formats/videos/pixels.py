"""The pixels of a decoded frame: libav has some two hundred layouts of them, we have gray and RGB."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..brightness import brightness
from .colour import BT601, BT709, BT2020, ColourCoding, usual_weights

_PLANAR = re.compile(r"(?P<kind>gray|yuvj?|yuva|gbra?)(?:\d\d\d)?p?(?P<bits>9|10|12|14|16)?(?P<order>le|be)?")
_SAMPLING = {(2, 2): "420", (2, 1): "422", (1, 1): "444", (4, 1): "411", (1, 2): "440"}  # columns and rows per colour
_WEIGHTS = {1: BT709, 5: BT601, 6: BT601, 9: BT2020}  # by libav's AVColorSpace
_LIMITED, _FULL = 1, 2  # of libav's AVColorRange
_TURNS = ("", "90 degrees counterclockwise", "180 degrees", "90 degrees clockwise")

_coding = lru_cache(maxsize=8)(ColourCoding)  # its tables serve all frames


class PixelReader:
    """Reads one frame of PyAV after the other, and notes what a user should know about how.

    `gray`: brightness alone. `silent`: the format has no place to say how colours are coded, and BT.601 is usual.
    """

    def __init__(self, path: Path, *, gray: bool, silent: bool) -> None:
        self._path, self._gray, self._silent = path, gray, silent
        self._notes: dict[str, None] = {}  # each once, in the order in which they came up
        self._colour_layout = False

    def read(self, frame: Any) -> NDArray[Any]:
        """Gray or RGB, upright."""
        turns = round(getattr(frame, "rotation", 0) / 90) % 4
        if any(component.is_alpha for component in frame.format.components):
            self._note(f"The transparency of {self._path} is not kept.")
        if any(plane.line_size < 0 for plane in frame.planes) or not _PLANAR.fullmatch(frame.format.name):
            frame = _make_planar(frame)
        values = self._read_planes(frame)
        if turns:
            self._note(f"{self._path} is turned by {_TURNS[turns]}, as it asks for.")
        return np.rot90(values, turns) if turns else values

    def describe(self, *, colour: bool) -> tuple[str, ...]:
        """Sentences about all frames; `colour`: there was some in one of them."""
        plain = self._colour_layout and not colour and not self._gray
        return (*((f"{self._path} has no colour in it, so it is read as gray.",) if plain else ()), *self._notes)

    def _note(self, sentence: str) -> None:
        self._notes[sentence] = None

    def _read_planes(self, frame: Any) -> NDArray[Any]:
        found = _PLANAR.fullmatch(frame.format.name)
        assert found is not None
        bits, kind = int(found["bits"] or 8), found["kind"]
        if bits not in (8, 16):
            self._note(f"The {bits} bits of each value of {self._path} are scaled to 16, so that white is 65535.")
        dtype = "u1" if bits == 8 else (">u2" if found["order"] == "be" else "<u2")
        planes = tuple(_copy_plane(plane, dtype) for plane in frame.planes[: 1 if kind == "gray" else 3])
        if kind == "gray":
            return _coding(full=frame.color_range != _LIMITED, bits=bits).to_gray(planes[0])
        self._colour_layout = True
        if kind.startswith("gbr"):
            straight = _coding(full=True, bits=bits)
            colours = np.stack([straight.to_gray(planes[place]) for place in (2, 0, 1)], axis=-1)
            return brightness(colours) if self._gray else colours
        weights = _WEIGHTS.get(frame.colorspace) or usual_weights(frame.height, frame.width)
        coding = _coding(weights, full=frame.color_range == _FULL or kind == "yuvj", bits=bits)
        if self._gray or not coding.has_colour(planes):
            return coding.to_gray(planes[0])
        if frame.colorspace not in _WEIGHTS and not (self._silent and weights == BT601):
            name = "BT.601" if weights == BT601 else "BT.709"
            self._note(f"{self._path} does not say how its colours are coded; {name} is assumed, as players do.")
        return coding.to_rgb(planes)


def _make_planar(frame: Any) -> Any:
    """The same numbers in planes, or else RGB in planes."""
    form = frame.format
    bits = max(component.bits for component in form.components)
    deep = "16le" if bits > 8 else ""
    yuv = not (form.has_palette or form.is_rgb or form.name.startswith("xyz"))
    if yuv and sum(not component.is_alpha for component in form.components) == 1:
        return frame.reformat(format=f"gray{deep}")
    sampling = _SAMPLING.get((64 // form.chroma_width(64), 64 // form.chroma_height(64)))
    if yuv and sampling:
        return frame.reformat(format=f"yuv{sampling}p" + (f"{bits}le" if deep else ""))
    packed = frame.reformat(
        format="rgb48le" if deep else "rgb24"
    )  # straight to planes, 5 bits would be off by 7 levels
    return packed.reformat(format=f"gbrp{deep}")


def _copy_plane(plane: Any, dtype: str) -> NDArray[Any]:
    """The numbers of a plane without what is between its rows; a copy, because libav uses the memory again."""
    raw = np.frombuffer(plane, dtype=np.uint8)[: plane.height * plane.line_size].reshape(plane.height, -1)
    used = raw[:, : plane.width * np.dtype(dtype).itemsize]
    return used.copy().view(dtype).astype(np.dtype(dtype).newbyteorder("="), copy=False)
