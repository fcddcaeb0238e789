"""Pictures: rows, columns and, in colour, three channels; transparent pixels are missing."""

from __future__ import annotations

import struct
import warnings
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import UnreadableFile
from .contents import Contents

if TYPE_CHECKING:
    from PIL.Image import Image

_DAMAGED = (OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error)
_WITH_ALPHA = ("LA", "La", "PA", "RGBA", "RGBa")
_SIXTEEN_BIT_GRAY = ("I", "I;16", "I;16B", "I;16L", "I;16N")


class Picture:
    """What .png and .jpg files share: reading, and the check of what an 8-bit picture can hold."""

    extensions: ClassVar[tuple[str, ...]]
    picture: ClassVar[bool] = True
    pillow_name: ClassVar[str]
    pillow_options: ClassVar[dict[str, Any]]

    def read(self, file: BinaryIO, name: str) -> Contents:
        """Gray as 2-D, colour as rows × columns × 3, fully transparent pixels marked as missing."""
        image, notes = _open(file, name)
        data, alpha = _pixels(image)
        if alpha is None or alpha.all():
            return Contents(data, None, notes)
        known = alpha if data.ndim == 2 else np.repeat(alpha[..., None], data.shape[2], axis=2)
        return Contents(data, known, notes)

    def read_mask(self, file: BinaryIO, name: str) -> NDArray[np.bool_]:
        """True where a pixel is neither black nor transparent; 2-D unless the channels differ."""
        contents = self.read(file, name)
        mask: NDArray[np.bool_] = contents.known(contents.data != 0)
        if mask.ndim == 3 and (mask == mask[..., :1]).all():
            return mask[..., 0]
        return mask

    def refuses(self, data: NDArray[Any]) -> str | None:
        """Only what a picture can show fits."""
        extension = self.extensions[0]
        if not self._holds(data):
            return (
                f"A {extension} picture holds {self._holdings()}. "
                f"Got {data.dtype} of shape {data.shape} instead; write .npy or .npz."
            )
        if data.dtype.kind == "f" and data.size:
            smallest, largest = float(np.nanmin(data)), float(np.nanmax(data))
            if smallest < 0 or largest > 1:
                return (
                    f"Floating-point values must lie between 0 and 1 to become a {extension} picture. "
                    f"Got {smallest:g} to {largest:g} instead; write .npy or .npz."
                )
        return None

    def losses(self, data: NDArray[Any]) -> tuple[str, ...]:
        """Floating-point values become one of 256 steps."""
        if data.dtype.kind == "f":
            return (f"The floating-point values are scaled by 255 and rounded to 8 bits in {self.extensions[0]}.",)
        return ()

    def write(self, file: BinaryIO, contents: Contents) -> None:
        """The array as a picture; the mask is not kept."""
        from PIL import Image

        data = contents.data
        if data.dtype.kind == "f":
            data = np.rint(data * 255.0).astype(np.uint8)
        native = np.ascontiguousarray(data, dtype=data.dtype.newbyteorder("="))
        Image.fromarray(native).save(file, format=self.pillow_name, **self.pillow_options)

    def _holds(self, data: NDArray[Any]) -> bool:
        flat_or_colour = data.ndim == 2 or (data.ndim == 3 and data.shape[2] == 3)
        return flat_or_colour and (data.dtype == np.uint8 or data.dtype.kind == "f")

    def _holdings(self) -> str:
        return "8-bit arrays (or floating point in [0, 1]) of shape (rows, columns) or (rows, columns, 3)"


class Png(Picture):
    """.png files, which keep every bit."""

    extensions: ClassVar[tuple[str, ...]] = (".png",)
    pillow_name: ClassVar[str] = "PNG"
    pillow_options: ClassVar[dict[str, Any]] = {}

    def _holds(self, data: NDArray[Any]) -> bool:
        sixteen_bit_gray = data.ndim == 2 and data.dtype.kind == "u" and data.dtype.itemsize == 2
        return sixteen_bit_gray or super()._holds(data)

    def _holdings(self) -> str:
        return f"{super()._holdings()}, or 16-bit arrays of shape (rows, columns)"


class Jpeg(Picture):
    """.jpg files, which change values a little."""

    extensions: ClassVar[tuple[str, ...]] = (".jpg", ".jpeg")
    pillow_name: ClassVar[str] = "JPEG"
    pillow_options: ClassVar[dict[str, Any]] = {"quality": 95, "subsampling": 0}

    def read_mask(self, file: BinaryIO, name: str) -> NDArray[np.bool_]:
        """Refused: after compression, black is no longer exactly black."""
        raise UnreadableFile(
            f"{name} cannot serve as a mask: a .jpg blurs what is known into what is not; save it as .png."
        )

    def losses(self, data: NDArray[Any]) -> tuple[str, ...]:
        """JPEG is lossy."""
        lossy = "A .jpg is lossy, so observed entries change a little too; write .png to keep them exactly."
        return (*super().losses(data), lossy)


def _open(file: BinaryIO, name: str) -> tuple[Image, tuple[str, ...]]:
    from PIL import Image, ImageOps

    header = file.read(26)
    file.seek(0)
    try:
        with warnings.catch_warnings():
            # The user chose the file, so a merely large one is no reason for Pillow's warning.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(file, formats=("PNG", "JPEG"))
            image.load()
            upright = ImageOps.exif_transpose(image)
    except Image.DecompressionBombError as error:
        raise UnreadableFile(f"{name} has too many pixels for a picture; give it as .npy instead.") from error
    except _DAMAGED as error:
        raise UnreadableFile(
            f"{name} is not a readable picture: it is damaged, cut short, or something else by that name."
        ) from error
    notes = []
    if header.startswith(b"\x89PNG") and header[24:25] == b"\x10" and header[25] != 0:
        notes.append(f"{name} has 16 bits per channel, of which 8 are read; give 16-bit colour as .npy.")
    if getattr(image, "n_frames", 1) > 1:
        notes.append(f"{name} is animated; only its first frame is read.")
    return upright, tuple(notes)


def _pixels(image: Image) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """The values without alpha, and True where alpha is above zero (None without alpha)."""
    if image.mode in _SIXTEEN_BIT_GRAY:
        return np.asarray(image).astype(np.uint16), None
    if image.mode not in _WITH_ALPHA and "transparency" not in image.info:
        gray = image.mode in ("1", "L")
        return np.array(image.convert("L" if gray else "RGB")), None
    with_alpha = np.array(image.convert("LA" if image.mode in ("1", "L", "LA", "La") else "RGBA"))
    values = with_alpha[..., 0] if with_alpha.shape[2] == 2 else with_alpha[..., :3]
    return np.ascontiguousarray(values), with_alpha[..., -1] > 0
