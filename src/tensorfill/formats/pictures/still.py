"""Still pictures: what formats that hold one picture share, how opaque pixels are, and pictures as Pillow reads them.

Where alpha is 0 there is no value, and the pixel counts as missing. So does the soft edge of such a hole: pixels that
are less opaque than the picture otherwise is, and that hang together with fully transparent ones. What a soft brush
left of them is no value to go by, and filled they would still shine through. Pixels that shine through elsewhere are
known, and stay as they are.
"""

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
from ..contents import Contents, Metadata, opaque
from ..damage import readable
from ..format import Format
from ..limits import check_room
from ..reading import Reading
from ..shades import describe, is_picture, refuse_floats, tell_rounding, to_shades
from .tags import find_orientation, turn_as_stored, turn_upright

if TYPE_CHECKING:
    from PIL.Image import Image

_WITH_ALPHA = ("LA", "La", "PA", "RGBA", "RGBa")
_GRAY = ("1", "L", "LA", "La")
_SIXTEEN_BIT_GRAY = ("I", "I;16", "I;16B", "I;16L", "I;16N")
_PROFILE_CHANNELS = {b"GRAY": 1, b"RGB ": 3}
_NEIGHBOURS = np.ones((3, 3), dtype=bool)
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
    known, soft = find_known_pixels(alpha, data.shape)
    return Contents(data, known, (*notes, *soft), replace(metadata, alpha=alpha))


def to_stored_samples(contents: Contents) -> NDArray[Any]:
    """Whole numbers as they are stored: turned back as they came, alpha behind the channels if there is any."""
    data = to_shades(contents.data)
    alpha = fit_alpha(contents.metadata.alpha, data, channels=data.ndim == 3)
    return turn_as_stored(data if alpha is None else np.dstack([data, alpha]), find_orientation(contents.metadata))


def find_known_pixels(
    alpha: NDArray[Any] | None, shape: tuple[int, ...]
) -> tuple[NDArray[np.bool_] | None, tuple[str, ...]]:
    """True where a pixel has a value, for every entry of an array of this shape, None if all have; and a note."""
    if alpha is None or bool((alpha > 0).all()):
        return None, ()
    holes = _add_soft_edges(alpha)
    soft = int(np.count_nonzero(holes & (alpha > 0)))
    notes = (f"{soft:,} pixels at the edge of transparent ones are half transparent; they count as missing, too.",)
    known = ~holes
    return (known if known.shape == shape else np.broadcast_to(known[..., None], shape).copy()), notes if soft else ()


def _add_soft_edges(alpha: NDArray[Any]) -> NDArray[np.bool_]:
    """Fully transparent pixels, and those less opaque than the most opaque one that touch them, one by one."""
    from scipy.ndimage import binary_propagation

    clear: NDArray[np.bool_] = alpha == 0
    less = alpha < alpha.max()
    if not bool((less & ~clear).any()):
        return clear
    holes = np.empty(alpha.shape, dtype=bool)
    for rest in np.ndindex(*alpha.shape[2:]):
        place = (slice(None), slice(None), *rest)
        holes[place] = binary_propagation(clear[place], _NEIGHBOURS, less[place])
    return holes


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
