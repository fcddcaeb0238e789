"""Still pictures: what formats that hold one picture share, and pictures as Pillow reads them."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableFile
from ..brightness import brightness
from ..contents import Contents, Metadata
from ..damage import readable
from ..format import Format
from ..limits import check_room
from ..reading import Reading
from .alpha import find_known_pixels, fit_alpha
from .tag_directory import find_orientation, turn_as_stored, turn_upright

if TYPE_CHECKING:
    from PIL.Image import Image

_WITH_ALPHA = ("LA", "La", "PA", "RGBA", "RGBa")
_GRAY = ("1", "L", "LA", "La")
_SIXTEEN_BIT_GRAY = ("I", "I;16", "I;16B", "I;16L", "I;16N")
_PROFILE_CHANNELS = {b"GRAY": 1, b"RGB ": 3}
_LOGGERS = ("tifffile", "PIL.Image", "PIL.PngImagePlugin", "PIL.TiffImagePlugin")


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
        """Floating-point values become one of 256 steps; a profile may be one for other channels."""
        channels = 3 if contents.ndim == 3 else 1
        return (*float_losses(contents, self.extensions[0]), *profile_losses(contents, channels))


def is_picture(contents: Contents) -> bool:
    """Whether this is gray or colour, and not, say, a clip of three frames; at least one pixel large."""
    shape = contents.shape
    if 0 in shape or (contents.ndim == 3 and contents.metadata.kind in ("video", "volume")):
        return False
    return contents.ndim == 2 or (contents.ndim == 3 and shape[2] == 3)


def describe(contents: Contents) -> str:
    """The array in a few words, for a sentence about what is wrong with it."""
    kind = contents.metadata.kind
    return f"{contents.dtype} of shape {contents.shape}" + (f" ({kind})" if kind in ("video", "volume") else "")


def refuse_floats(data: NDArray[Any], what: str) -> str | None:
    """Why floating-point values cannot become shades of `what`: they are not all between 0 and 1."""
    if data.dtype.kind != "f":
        return None
    smallest, largest = float(np.min(data)), float(np.max(data))
    if smallest >= 0 and largest <= 1:
        return None
    got = "NaN" if np.isnan(smallest) else f"{smallest:g} to {largest:g}"
    return (
        f"Floating-point values must lie between 0 and 1 to become {what}. Got {got} instead; write .tif, .npy or .npz."
    )


def float_losses(contents: Contents, extension: str) -> tuple[str, ...]:
    """That floating-point values are rounded."""
    if contents.data.dtype.kind != "f":
        return ()
    return (f"The floating-point values are scaled by 255 and rounded to 8 bits in {extension}.",)


def fit_profile(metadata: Metadata, channels: int) -> bytes:
    """The colour profile (ICC), if it is one for so many channels; else none, for its colours would be other ones."""
    return metadata.icc if _PROFILE_CHANNELS.get(metadata.icc[16:20]) == channels else b""


def profile_losses(contents: Contents, channels: int) -> tuple[str, ...]:
    """That a profile is left out."""
    icc = contents.metadata.icc
    if not icc or fit_profile(contents.metadata, channels):
        return ()
    space = icc[16:20].decode("latin-1").strip() or "unknown"
    return (f"The colour profile is one for {space}, not for a picture of {channels} channels; it is left out.",)


def alpha_losses(contents: Contents, channels: bool) -> tuple[str, ...]:
    """That alpha is left out, because it has another shape than the picture."""
    alpha, data = contents.metadata.alpha, contents.data
    if alpha is None or fit_alpha(alpha, data, channels) is not None:
        return ()
    return (f"The transparency, of shape {alpha.shape}, does not belong to the array of shape {data.shape}; left out.",)


def to_shades(data: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers of the machine's byte order; floats in [0, 1] scaled by 255."""
    if data.dtype.kind == "f":
        data = np.rint(data.astype(np.float64) * 255.0).astype(np.uint8)
    return np.ascontiguousarray(data, dtype=data.dtype.newbyteorder("="))


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
    known, soft = find_known_pixels(alpha, data.shape)
    return Contents(data, known, (*notes, *soft), replace(metadata, alpha=alpha))


def to_stored_samples(contents: Contents) -> NDArray[Any]:
    """Whole numbers as they are stored: turned back as they came, alpha behind the channels if there is any."""
    data = to_shades(contents.data)
    alpha = fit_alpha(contents.metadata.alpha, data, channels=data.ndim == 3)
    return turn_as_stored(data if alpha is None else np.dstack([data, alpha]), find_orientation(contents.metadata))


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
