"""TIFF files of the kinds that Pillow reads exactly: black and white, palettes, JPEG or fax inside."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import UnreadableFile
from ..brightness import brightness
from ..contents import Contents
from ..damage import damaged
from ..metadata import Metadata
from ..reading import Reading
from ..room import check_room
from .alpha import known_pixels
from .asked_frames import asked_frames
from .libtiff_complaints import complaints_as_damage
from .still import opened, pixels
from .tiff_chain import KIND

_EXACT = ("1", "L", "LA", "RGB", "RGBA", "P", "I;16", "I;16B", "CMYK", "YCbCr")


def read_by_pillow(path: Path, how: Reading, page: Any, count: int, about: Mapping[str, Any]) -> Contents:
    """The pages of the first one's size, (row, column[, page][, channel]), which Pillow turns upright.

    `page` is the first one as tifffile sees it, `about` what is told beside its pixels.
    """
    from PIL import UnidentifiedImageError

    try:
        with opened(path, KIND, "TIFF") as image:
            if image.mode not in _EXACT or not _exactly(page):
                raise _unknown(path, page)
            wanted = asked_frames(how, count, path) if count > 1 else range(1)
            check_room(path, (image.height, image.width, len(wanted), 4), 1, path.stat().st_size)
            size, mode, found = image.size, image.mode, []
            for index in wanted:
                image.seek(index)
                if (image.size, image.mode) == (size, mode):
                    with complaints_as_damage(path):
                        image.load()
                    found.append(pixels(image))
    except UnreadableFile as error:
        if isinstance(error.__cause__, UnidentifiedImageError):
            raise _unknown(path, page) from error
        raise
    notes = [] if len(found) == len(wanted) else [f"{path} also has pages of other shapes; they are not read."]
    if mode == "CMYK":
        notes.append(f"{path} is in CMYK, the colours of print; it is read as RGB.")
    data = found[0][0] if count == 1 else np.stack([values for values, _ in found], axis=2)
    first = found[0][1]
    alpha = None
    if first is not None:
        alpha = first if count == 1 else np.stack([part for _, part in found if part is not None], axis=2)
    colour = found[0][0].ndim == 3
    if how.gray and colour:
        data, colour = brightness(data), False
    kind: Any = "picture" if count == 1 else "video" if found[0][0].ndim == 3 else "volume"
    known, soft = known_pixels(alpha, data.shape)
    metadata = Metadata(kind=kind, alpha=alpha, **about, header_of="tiff" if "header" in about else "")
    return Contents(data, known, (*notes, *soft), metadata)


def _exactly(page: Any) -> bool:
    """Whether Pillow keeps all bits: of 16-bit colour it reads 8."""
    bits = page.bitspersample
    return bits in (1, 2, 4, 8) or (bits == 16 and page.samplesperpixel == 1)


def _unknown(path: Path, page: Any) -> UnreadableFile:
    if not all(isinstance(said, int) for said in (page.compression, page.photometric, page.bitspersample)):
        return damaged(path, KIND)
    packing = getattr(page.compression, "name", page.compression)
    colours = getattr(page.photometric, "name", page.photometric)
    return UnreadableFile(
        f"{path} cannot be read: its pixels ({page.bitspersample} bits, {colours}) are packed by {packing} in a way "
        "that is not known here; save it without compression."
    )
