"""Shades: what pictures and clips have in common, the numbers that can be seen, and the frames that are asked for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidSetting, UnreadableFile
from .contents import Contents
from .reading import Reading


def describe(contents: Contents) -> str:
    """The array in a few words, for a sentence about what is wrong with it."""
    kind = contents.metadata.kind
    return f"{contents.dtype} of shape {contents.shape}" + (f" ({kind})" if kind in ("video", "volume") else "")


def is_picture(contents: Contents) -> bool:
    """Whether this is gray or colour, and not, say, a clip of three frames; at least one pixel large."""
    shape = contents.shape
    if 0 in shape or (contents.ndim == 3 and contents.metadata.kind in ("video", "volume")):
        return False
    return contents.ndim == 2 or (contents.ndim == 3 and shape[2] == 3)


def has_frames(contents: Contents) -> bool:
    """Whether this could be frames, gray or in colour; at least one pixel of them."""
    colour = contents.ndim == 4 and contents.shape[3] == 3
    return 0 not in contents.shape and (contents.ndim == 3 or colour) and contents.metadata.kind != "picture"


def refuse_floats(data: NDArray[Any], what: str, *, holes: bool = False) -> str | None:
    """Why floating-point values cannot become shades of `what`: not all lie between 0 and 1; `holes`: NaN may be."""
    if data.dtype.kind != "f":
        return None
    looked_at = ~np.isnan(data) if holes else True
    smallest = float(np.min(data, where=looked_at, initial=np.inf))
    largest = float(np.max(data, where=looked_at, initial=-np.inf))
    if smallest >= 0 and largest <= 1:
        return None
    got = "NaN" if np.isnan(smallest) else f"{smallest:g} to {largest:g}"
    return (
        f"Floating-point values must lie between 0 and 1 to become {what}. Got {got} instead; write .tif, .npy or .npz."
    )


def tell_rounding(contents: Contents, extension: str) -> tuple[str, ...]:
    """That floating-point values are rounded."""
    if contents.data.dtype.kind != "f":
        return ()
    return (f"The floating-point values are scaled by 255 and rounded to 8 bits in {extension}.",)


def to_shades(data: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers of the machine's byte order; floats in [0, 1] scaled by 255, and NaN is black."""
    if data.dtype.kind == "f":
        data = np.rint(np.nan_to_num(data.astype(np.float64), nan=0.0) * 255.0).astype(np.uint8)
    return np.ascontiguousarray(data, dtype=data.dtype.newbyteorder("="))


def choose_frames(how: Reading, path: Path, count: int | None = None) -> range:
    """The frames that are asked for, counted from 0, or all; `count` is how many there are, None if not known yet."""
    if count == 0:
        raise UnreadableFile(f"{path} has no pictures in it.")
    there = sys.maxsize if count is None else count
    first, last = how.frames or (0, there - 1)
    if not 0 <= first <= last < there:
        all_there = "" if count is None else f", within 0 … {there - 1}, all that {path} has"
        raise InvalidSetting(
            f"'frames' must be the first and the last frame to read, counted from 0{all_there}. "
            f"Got frames=({first}, {last}) instead."
        )
    return range(first, last + 1)
