"""WebP pictures, in .webp files: 8 bits in colour, written without loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..contents import Contents
from ..reading import Reading
from ..unkept import unkept
from .profile import fitting_profile
from .still import StillPicture, opened, picture_contents, pixels, stored_samples

_KIND = "a .webp picture"
_EXIF = b"Exif\0\0"


class Webp(StillPicture):
    """.webp files."""

    name: ClassVar[str] = "webp"
    extensions: ClassVar[tuple[str, ...]] = (".webp",)
    holds_alpha: ClassVar[bool] = True
    most_pixels: ClassVar[int] = 16_383

    def decode(self, path: Path, how: Reading) -> Contents:
        """Rows × columns × 3, always: there are no gray ones; transparent pixels are missing."""
        notes = []
        with opened(path, _KIND, "WEBP") as image:
            if getattr(image, "n_frames", 1) > 1:
                notes.append(f"{path} is animated; only its first frame is read.")
            image.load()
            data, alpha = pixels(image)
            told = {name: image.info.get(key, b"") for name, key in _BLOCKS.items()}
        told["exif"] = told["exif"].removeprefix(_EXIF)
        return picture_contents(data, alpha, how, tuple(notes), told)

    def write(self, path: Path, contents: Contents) -> None:
        """Without loss, also of the colours of transparent pixels, with all that is told about the picture."""
        from PIL import Image

        metadata, samples = contents.metadata, stored_samples(contents)
        if samples.ndim == 2 or samples.shape[2] == 2:
            gray = samples.reshape(*samples.shape[:2], -1)
            samples = np.concatenate([np.repeat(gray[..., :1], 3, axis=2), gray[..., 1:]], axis=2)
        icc = fitting_profile(metadata, 3)
        blocks: dict[str, Any] = {"exif": metadata.exif, "xmp": metadata.xmp, "icc_profile": icc}
        given = {key: value for key, value in blocks.items() if value}
        Image.fromarray(samples).save(path, format="WEBP", lossless=True, exact=True, **given)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """That there is no gray, and no density outside EXIF data."""
        gray = ("A .webp has no gray pictures; this one is written in colour, its channels alike.",)
        kept = ("alpha", "exif", "icc", "xmp")
        density = unkept(contents, "a .webp picture", *kept)
        return (*super().losses(contents), *(gray if contents.ndim == 2 else ()), *density)


_BLOCKS = {"exif": "exif", "xmp": "xmp", "icc": "icc_profile"}
