"""Pixels: what pictures and clips share: shades, brightness, how opaque pixels are, which way up they are stored.

And what formats that hold one picture share, and pictures as Pillow reads them.

Where alpha is 0 there is no value, and the pixel counts as missing. So does the soft edge of such a hole: pixels that
are less opaque than the picture otherwise is, and that hang together with fully transparent ones. What a soft brush
left of them is no value to go by, and filled they would still shine through. Pixels that shine through elsewhere are
known, and stay as they are.
"""

from __future__ import annotations

import logging
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidSetting, UnreadableFile
from ...tensor import entries
from ..arriving import ArrivingArray
from ..contents import Contents, Metadata, Reading, opaque
from ..damage import check_room, readable
from ..file_array import cut, pieces, take
from ..format import Format
from ..scratch import Scratch, allocate
from .tags import ORIENTATION, read_exif

if TYPE_CHECKING:
    from PIL.Image import Image

_WITH_ALPHA = ("LA", "La", "PA", "RGBA", "RGBa")
_GRAY = ("1", "L", "LA", "La")
_SIXTEEN_BIT_GRAY = ("I", "I;16", "I;16B", "I;16L", "I;16N")
_PROFILE_CHANNELS = {b"GRAY": 1, b"RGB ": 3}
_NEIGHBOURS = np.ones((3, 3), dtype=bool)
_LOGGERS = ("tifffile", "PIL.Image", "PIL.PngImagePlugin", "PIL.TiffImagePlugin")
_ORIENTATION_IN_XMP = re.compile(rb'tiff:Orientation(?:="|>)([1-8])')
_WEIGHTS = (0.299, 0.587, 0.114)  # ITU-R Recommendation BT.601
_WHOLE_WEIGHTS = (19595, 38470, 7471)  # the same, times 2¹⁶
_ROWS = 256


class StillPicture(Format):
    """One picture for looking at: gray or colour, whole numbers, or floats that become such."""

    picture: ClassVar[bool] = True
    most_pixels: ClassVar[int] = 2**31 - 1
    """The longest side that the format can declare."""
    most_bits: ClassVar[int] = 8

    def refuses(self, contents: Contents) -> str | None:
        """Only what a picture can show fits."""
        data, extension = contents.data, self.extensions[0]
        bits_fit = data.dtype.kind == "f" or (data.dtype.kind == "u" and 8 * data.dtype.itemsize <= self.most_bits)
        if not is_picture(contents) or not bits_fit:
            bits = "8-bit" if self.most_bits == 8 else "8-bit or 16-bit"
            return (
                f"A {extension} picture holds {bits} arrays (or floating point in [0, 1]) of shape (rows, columns) or "
                f"(rows, columns, 3). Got {describe(contents)} instead; write .npy or .npz."
            )
        if max(data.shape[:2]) > self.most_pixels:
            return (
                f"A {extension} picture has at most {self.most_pixels:,} rows and columns. "
                f"Got shape {data.shape} instead; write .tif or .npy."
            )
        return refuse_floats(data, f"a {extension} picture")

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Floating-point values become one of 256 steps; a profile or alpha may belong to something else."""
        colour = contents.ndim == 3
        alpha = tell_alpha(contents, channels=colour) if self.holds_alpha else ()
        return (*tell_rounding(contents, self.extensions[0]), *tell_profile(contents, 3 if colour else 1), *alpha)


def fit_profile(metadata: Metadata, channels: int) -> bytes:
    """The colour profile (ICC), if it is one for so many channels; else none, for its colours would be other ones."""
    return metadata.icc if _PROFILE_CHANNELS.get(metadata.icc[16:20]) == channels else b""


def tell_profile(contents: Contents, channels: int) -> tuple[str, ...]:
    """That a profile is left out."""
    icc = contents.metadata.icc
    if not icc or fit_profile(contents.metadata, channels):
        return ()
    space = icc[16:20].decode("latin-1").strip() or "unknown"
    return (f"The colour profile is one for {space}, not for a picture of {channels} channels; it is left out.",)


def tell_alpha(contents: Contents, *, channels: bool) -> tuple[str, ...]:
    """That alpha is left out, because it has another shape than the picture."""
    alpha, data = contents.metadata.alpha, contents.data
    if alpha is None or _belongs_to(alpha, data, channels=channels):
        return ()
    return (f"The transparency, of shape {alpha.shape}, does not belong to the array of shape {data.shape}; left out.",)


def to_contents(
    data: NDArray[Any],
    alpha: NDArray[Any] | None,
    how: Reading,
    notes: tuple[str, ...] = (),
    about: Mapping[str, Any] | None = None,
) -> Contents:
    """A stored picture or clip, turned upright, or its brightness if that was asked for; `about` are its metadata."""
    metadata = Metadata(**{"kind": "picture", **(about or {})})
    number = find_orientation(metadata)
    data, alpha = turn_upright(data, number), None if alpha is None else turn_upright(alpha, number)
    if how.gray and data.ndim == (3 if metadata.kind == "picture" else 4):
        data = brightness(data)
    return add_alpha(Contents(data, None, notes, metadata), alpha)


def add_alpha(upright: Contents, alpha: NDArray[Any] | None, scratch: Scratch | None = None) -> Contents:
    """The same, where pixels are as opaque as `alpha` says."""
    known, soft = find_known_pixels(alpha, upright.shape, scratch)
    metadata = replace(upright.metadata, alpha=alpha)
    return replace(upright, observed=known, notes=(*upright.notes, *soft), metadata=metadata)


def to_stored_samples(contents: Contents) -> NDArray[Any]:
    """Whole numbers as they are stored: turned back as they came, alpha behind the channels if there is any."""
    data = to_shades(contents.data)
    alpha = fit_alpha(contents.metadata.alpha, data, channels=data.ndim == 3)
    return turn_as_stored(data if alpha is None else np.dstack([data, alpha]), find_orientation(contents.metadata))


def find_known_pixels(
    alpha: NDArray[Any] | None, shape: tuple[int, ...], scratch: Scratch | None = None
) -> tuple[NDArray[np.bool_] | None, tuple[str, ...]]:
    """True where a pixel has a value, for every entry of an array of this shape, None if all have; and a note.

    Pixels have none where alpha is 0, and where it is less than that of the most opaque one and they touch such a
    pixel, one by one.
    """
    if alpha is None:
        return None, ()
    pages = [(slice(None), slice(None), *rest) for rest in np.ndindex(*alpha.shape[2:])]
    if all(bool((alpha[page] > 0).all()) for page in pages):
        return None, ()
    most = max(alpha[page].max() for page in pages)
    axes = (*range(2, len(shape)), 0, 1) if len(shape) == alpha.ndim else (*range(2, alpha.ndim), 0, 1, alpha.ndim)
    known = np.empty(shape, bool) if scratch is None else allocate(scratch, shape, bool, axes)
    soft = 0
    for page in pages:
        opacity = alpha[page]
        holes = _add_soft_edges(opacity, most)
        soft += int(np.count_nonzero(holes & (opacity > 0)))
        known[page] = ~holes if len(shape) == alpha.ndim else ~holes[..., None]
    note = f"{soft:,} pixels at the edge of transparent ones are half transparent; they count as missing, too."
    return known, (note,) if soft else ()


def _add_soft_edges(alpha: NDArray[Any], most: Any) -> NDArray[np.bool_]:
    from scipy.ndimage import binary_propagation

    clear: NDArray[np.bool_] = alpha == 0
    less = alpha < most
    return binary_propagation(clear, _NEIGHBOURS, less) if bool((less & ~clear).any()) else clear


def fit_alpha(alpha: NDArray[Any] | None, data: NDArray[Any], *, channels: bool) -> NDArray[Any] | None:
    """The alpha of these pixels on the scale of their dtype; None if there is none of the right shape."""
    if alpha is None or not _belongs_to(alpha, data, channels=channels):
        return None
    dtype = data.dtype.newbyteorder("=")
    if alpha.dtype.newbyteorder("=") == dtype:
        return alpha
    share = np.nan_to_num(alpha.astype(np.float64) / opaque(alpha.dtype)).clip(0.0, 1.0)
    if dtype.kind == "f":
        return share.astype(dtype)
    steps = np.where(share < 1, np.rint(share * opaque(dtype)), 0).astype(dtype)
    steps[share == 1] = opaque(dtype)  # 64 bits do not fit into a float
    # A pixel that shines through a little must not become missing.
    return np.where((alpha > 0) & (steps == 0), np.ones(1, dtype), steps)


def _belongs_to(alpha: NDArray[Any], data: NDArray[Any], *, channels: bool) -> bool:
    return alpha.shape == (data.shape[:-1] if channels else data.shape)


@contextmanager
def open_picture(path: Path, kind: str, pillow_name: str, file: BinaryIO | None = None) -> Iterator[Image]:
    """The picture as Pillow sees it, its size checked, not decoded yet; failures become one sentence.

    Pillow reads `file`, if it is given, instead of the one at `path`.
    """
    from PIL import Image

    with readable(path, kind), silence():
        try:
            with Image.open(file or path, formats=(pillow_name,)) as image:
                check_room(path, (image.height, image.width, len(image.getbands())), 1, path.stat().st_size)
                yield image
        except Image.DecompressionBombError as error:
            raise UnreadableFile(f"{path} has too many pixels for a picture; give it as .npy instead.") from error


@contextmanager
def silence() -> Iterator[None]:
    """No log lines and no warnings of Pillow and tifffile in the block: the user gets one sentence instead."""
    with ExitStack() as after:
        after.enter_context(warnings.catch_warnings(action="ignore"))
        for logger in map(logging.getLogger, _LOGGERS):
            after.callback(setattr, logger, "disabled", logger.disabled)
            logger.disabled = True
        yield


def split_alpha(image: Image) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """The values of Pillow's picture without alpha, and alpha (None if there is none)."""
    if image.mode in _SIXTEEN_BIT_GRAY:
        return np.asarray(image).astype(np.uint16), None
    if image.mode not in _WITH_ALPHA and "transparency" not in image.info:
        return np.array(image.convert("L" if image.mode in _GRAY else "RGB")), None
    with_alpha = np.array(image.convert("LA" if image.mode in _GRAY else "RGBA"))
    values = with_alpha[..., 0] if with_alpha.shape[2] == 2 else with_alpha[..., :3]
    return np.ascontiguousarray(values), np.ascontiguousarray(with_alpha[..., -1])


# Shades and frames


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
    if data.dtype.kind != "f" or isinstance(data, ArrivingArray):  # whoever makes that one has asked before
        return None
    smallest, largest = np.inf, -np.inf
    for region in pieces(data):
        part = take(data, region)
        looked_at = ~np.isnan(part) if holes else True
        smallest = float(np.minimum(smallest, np.min(part, where=looked_at, initial=np.inf)))
        largest = float(np.maximum(largest, np.max(part, where=looked_at, initial=-np.inf)))
    if smallest >= 0 and largest <= 1:
        return None
    got = "NaN" if np.isnan(smallest) else f"{smallest:g} to {largest:g}"
    return (
        f"Floating-point values must lie between 0 and 1 to become {what}. Got {got} instead; write .tif, .npy or .npz."
    )


def iterate_pages(data: NDArray[Any], modes: int = 1) -> Iterator[NDArray[Any]]:
    """Every page, (row, column[, channel]), of an array with so many modes of pages behind rows and columns.

    The last of these modes runs fastest. A few pages are read at a time.
    """
    sizes = data.shape[2 : 2 + modes]
    rest = entries(data.shape[:2]) * entries(data.shape[2 + modes :])
    for region in cut(sizes, rest * data.dtype.itemsize):
        some = take(data, (slice(None), slice(None), *region))
        for index in np.ndindex(*some.shape[2 : 2 + modes]):
            yield some[(slice(None), slice(None), *index)]


def has_equal_channels(data: NDArray[Any]) -> bool:
    """Whether all channels, the last mode, are alike."""
    for region in pieces(data):
        first = take(data, (*region[:-1], slice(0, 1)))
        if not (take(data, region) == first).all():
            return False
    return True


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


def brightness(colour: NDArray[Any]) -> NDArray[Any]:
    """0.299 R + 0.587 G + 0.114 B over the last mode, in the same dtype; whole numbers are rounded as Pillow does.

    >>> brightness(np.array([[255, 0, 0]], dtype=np.uint8))
    array([76], dtype=uint8)
    """
    out = np.empty(colour.shape[:-1], dtype=colour.dtype)
    for start in range(0, len(colour), _ROWS):  # in pieces, so that no wide copy of the whole is made
        part = colour[start : start + _ROWS]
        if colour.dtype.kind == "f":
            out[start : start + _ROWS] = part @ np.array(_WEIGHTS, dtype=np.float64)
        else:
            total = part.astype(np.int64) @ np.array(_WHOLE_WEIGHTS, dtype=np.int64)
            out[start : start + _ROWS] = (total + 2**15) >> 16
    return out


# Which way up


def find_orientation(metadata: Metadata) -> int:
    """Which of eight ways a picture is stored: the number that EXIF has for it, or else XMP; 1 if it is upright."""
    directory = read_exif(metadata.exif) if metadata.exif else None
    if directory is not None and directory.value(ORIENTATION):
        number = directory.number(ORIENTATION)
        return number if number is not None and 1 <= number <= 8 else 1
    match = _ORIENTATION_IN_XMP.search(metadata.xmp)
    return int(match[1]) if match else 1


def find_turns(number: int) -> tuple[bool, bool, bool]:
    """How a stored picture becomes upright: rows and columns change places, then rows turn round, then columns."""
    flips = (number - 1) % 4
    return number > 4, flips in (2, 3), flips in (1, 2)


def turn_upright(stored: NDArray[Any], number: int) -> NDArray[Any]:
    """A stored picture, (row, column, …), as it is to be seen.

    >>> turn_upright(np.array([[1, 2, 3]]), 6).tolist()  # the camera was turned
    [[1], [2], [3]]
    """
    swap, rows, columns = find_turns(number)
    turned = stored.swapaxes(0, 1) if swap else stored
    turned = turned[::-1] if rows else turned
    return np.ascontiguousarray(turned[:, ::-1] if columns else turned)


def turn_as_stored(seen: NDArray[Any], number: int) -> NDArray[Any]:
    """An upright picture as it is stored: what `turn_upright` undoes."""
    swap, rows, columns = find_turns(number)
    turned = seen[::-1] if rows else seen
    turned = turned[:, ::-1] if columns else turned
    return np.ascontiguousarray(turned.swapaxes(0, 1) if swap else turned)
