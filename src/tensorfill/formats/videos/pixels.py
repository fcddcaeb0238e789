"""The pixels of a decoded frame: libav has some two hundred layouts of them, we have gray and RGB."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..brightness import brightness
from .colour import BT601, BT709, BT2020, ColourCoding, usual_weights

_PLANAR = re.compile(r"(?P<kind>gray|yuvj?|yuva|gbra?)(?:\d\d\d)?p?(?P<bits>9|10|12|14|16)?(?P<order>le|be)?")
_PACKED = {  # where red, green and blue are among the numbers of a pixel
    "rgb24": (3, (0, 1, 2), "u1"),
    "bgr24": (3, (2, 1, 0), "u1"),
    "bgr0": (4, (2, 1, 0), "u1"),
    "bgra": (4, (2, 1, 0), "u1"),
    "rgba": (4, (0, 1, 2), "u1"),
    "rgb48le": (3, (0, 1, 2), "<u2"),
    "rgba64le": (4, (0, 1, 2), "<u2"),
}
_SAME_IN_PLANES = {
    "nv12": "yuv420p",
    "nv21": "yuv420p",
    "nv16": "yuv422p",
    "nv24": "yuv444p",
    "yuyv422": "yuv422p",
    "uyvy422": "yuv422p",
    "yvyu422": "yuv422p",
    "p010le": "yuv420p10le",
    "p016le": "yuv420p16le",
    "monob": "gray",
    "monow": "gray",
}
_WEIGHTS = {1: BT709, 5: BT601, 6: BT601, 9: BT2020}  # by libav's AVColorSpace
_NAMES = {BT601: "BT.601", BT709: "BT.709"}
_LIMITED, _FULL = 1, 2  # of libav's AVColorRange

_coding = lru_cache(maxsize=8)(ColourCoding)  # its tables serve all frames


@dataclass(frozen=True)
class Pixels:
    """The pixels of one frame, and what had to be decided about them."""

    values: NDArray[Any]
    """(row, column), or (row, column, channel)."""
    colour_layout: bool = False
    """Whether the file has room for colour, though there may be none."""
    bits: int = 8
    guessed: str | None = None
    """The colour coding that was assumed, because the file names none."""
    transparent: bool = False
    """Whether there was an alpha channel, which is left out."""


def pixels_of(frame: Any, *, gray: bool) -> Pixels:
    """The pixels of a frame of PyAV, upright; `gray`: brightness alone."""
    alpha = any(component.is_alpha for component in frame.format.components)
    name = frame.format.name
    if any(plane.line_size < 0 for plane in frame.planes) or not (name in _PACKED or _PLANAR.fullmatch(name)):
        frame = frame.reformat(format=_equivalent(frame.format))
    plain = _packed(frame, gray) if frame.format.name in _PACKED else _planar(frame, gray)
    return replace(plain, values=_upright(plain.values, frame), transparent=alpha)


def _equivalent(form: Any) -> str:
    """A layout that is read below and holds the same numbers, or else RGB."""
    deep = max(component.bits for component in form.components) > 8
    if form.name.startswith(("gray", "ya")):
        return "gray16le" if deep else "gray"
    return _SAME_IN_PLANES.get(form.name, "rgb48le" if deep else "rgb24")


def _packed(frame: Any, gray: bool) -> Pixels:
    numbers, places, dtype = _PACKED[frame.format.name]
    rows = _rows(frame.planes[0], frame.height, frame.width * numbers, dtype)
    colours = rows.reshape(frame.height, frame.width, numbers)[..., list(places)]
    return Pixels(brightness(colours) if gray else colours, True, 8 * np.dtype(dtype).itemsize)


def _planar(frame: Any, gray: bool) -> Pixels:
    found = _PLANAR.fullmatch(frame.format.name)
    assert found is not None
    bits, kind = int(found["bits"] or 8), found["kind"]
    dtype = "u1" if bits == 8 else (">u2" if found["order"] == "be" else "<u2")
    count = 1 if kind == "gray" else 3
    planes = tuple(_rows(plane, plane.height, plane.width, dtype) for plane in frame.planes[:count])
    if kind == "gray":
        coding = _coding(full=frame.color_range != _LIMITED, bits=bits)
        return Pixels(coding.gray(planes[0]), False, bits)
    if kind.startswith("gbr"):
        straight = _coding(full=True, bits=bits)
        colours = np.stack([straight.gray(planes[place]) for place in (2, 0, 1)], axis=-1)
        return Pixels(brightness(colours) if gray else colours, True, bits)
    guessed = frame.colorspace not in _WEIGHTS
    weights = usual_weights(frame.height, frame.width) if guessed else _WEIGHTS[frame.colorspace]
    coding = _coding(weights, full=frame.color_range == _FULL or kind == "yuvj", bits=bits)
    if gray or coding.colourless(planes):
        return Pixels(coding.gray(planes[0]), True, bits)
    return Pixels(coding.rgb(planes), True, bits, _NAMES[weights] if guessed else None)


def _rows(plane: Any, rows: int, numbers: int, dtype: str) -> NDArray[Any]:
    """The numbers of a plane without what is between its rows; a copy, because libav uses the memory again."""
    step = plane.line_size
    raw = np.frombuffer(plane, dtype=np.uint8)[: rows * step].reshape(rows, step)
    used = raw[:, : numbers * np.dtype(dtype).itemsize]
    return used.copy().view(dtype).astype(np.dtype(dtype).newbyteorder("="), copy=False)


def _upright(values: NDArray[Any], frame: Any) -> NDArray[Any]:
    turns = quarter_turns(frame)
    return np.rot90(values, turns) if turns else values


def quarter_turns(frame: Any) -> int:
    """How often a player turns this frame by 90 degrees, counterclockwise."""
    return round(getattr(frame, "rotation", 0) / 90) % 4
