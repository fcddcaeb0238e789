"""WebP pictures, in .webp files: 8 bits in colour, written without loss."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np

from ..contents import Contents
from ..reading import Reading
from ..unkept import unkept
from .still import StillPicture, fit_profile, open_picture, split_alpha, to_contents, to_stored_samples


class Webp(StillPicture):
    """.webp files."""

    name: ClassVar[str] = "webp"
    extensions: ClassVar[tuple[str, ...]] = (".webp",)
    kind: ClassVar[str] = "a .webp picture"
    holds_alpha: ClassVar[bool] = True
    most_pixels: ClassVar[int] = 16_383

    def decode(self, path: Path, how: Reading) -> Contents:
        """Rows × columns × 3, always: there are no gray ones; transparent pixels are missing."""
        notes: tuple[str, ...] = ()
        with open_picture(path, self.kind, "WEBP") as image:
            if getattr(image, "n_frames", 1) > 1:
                notes = (f"{path} is animated; only its first frame is read.",)
            data, alpha = split_alpha(image)
            exif, xmp, icc = (image.info.get(key, b"") for key in ("exif", "xmp", "icc_profile"))
        about = {"exif": exif.removeprefix(b"Exif\0\0"), "xmp": xmp, "icc": icc}
        return to_contents(data, alpha, how, notes, about)

    def write(self, path: Path, contents: Contents) -> None:
        """Without loss, also of the colours of transparent pixels, with the picture's metadata."""
        from PIL import Image

        metadata, samples = contents.metadata, to_stored_samples(contents)
        if contents.ndim == 2:
            gray = samples.reshape(*samples.shape[:2], -1)
            samples = np.concatenate([np.repeat(gray[..., :1], 3, axis=2), gray[..., 1:]], axis=2)
        blocks = {"exif": metadata.exif, "xmp": metadata.xmp, "icc_profile": fit_profile(metadata, 3)}
        options = {key: value for key, value in blocks.items() if value}
        Image.fromarray(samples).save(path, format="WEBP", lossless=True, exact=True, **options)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """That there is no gray, and no density outside EXIF data."""
        gray = ("A .webp has no gray pictures; this one is written in colour, its channels alike.",)
        density = unkept(contents, self.kind, "alpha", "exif", "icc", "xmp")
        return (*super().losses(contents), *(gray if contents.ndim == 2 else ()), *density)
