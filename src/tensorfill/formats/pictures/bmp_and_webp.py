"""BMP and WebP pictures: 8 bits, gray or colour in .bmp files, always colour in .webp files; both keep every value."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..contents import Contents, describe_loss
from ..reading import Reading
from .still import StillPicture, fit_profile, open_picture, split_alpha, to_contents, to_shades, to_stored_samples
from .tag_directory import density_field, find_orientation, find_turns, to_unit

_METRES_PER_INCH = 0.0254


class Bmp(StillPicture):
    """.bmp files."""

    name: ClassVar[str] = "bmp"
    extensions: ClassVar[tuple[str, ...]] = (".bmp",)
    kind: ClassVar[str] = "a .bmp picture"
    most_pixels: ClassVar[int] = 65_500
    """Few programs open larger ones."""

    def decode(self, path: Path, how: Reading) -> Contents:
        """Gray as 2-D, colour as rows × columns × 3; palettes become RGB."""
        with open_picture(path, self.kind, "BMP") as image:
            per_inch = image.info.get("dpi", (0, 0))
            data, alpha = split_alpha(image)
        across, down = (round(each / _METRES_PER_INCH) for each in per_inch)
        return to_contents(data, alpha, how, about=density_field((across, 1), (down, 1), "metre"))

    def write(self, path: Path, contents: Contents) -> None:
        """The array as a picture, upright; neither mask nor alpha are kept."""
        from PIL import Image

        density = contents.metadata.density
        options: dict[str, Any] = {}
        if density is not None and density.unit:
            across, down = (float(each) for each in to_unit(density, "inch"))
            options["dpi"] = (down, across) if find_turns(find_orientation(contents.metadata))[0] else (across, down)
        Image.fromarray(to_shades(contents.data)).save(path, format="BMP", **options)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Alpha, and all metadata but the density."""
        return (*super().losses(contents), *describe_loss(contents, self.kind, "density"))


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
        density = describe_loss(contents, self.kind, "alpha", "exif", "icc", "xmp")
        return (*super().losses(contents), *(gray if contents.ndim == 2 else ()), *density)
