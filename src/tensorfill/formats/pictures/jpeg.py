"""JPEG pictures, in .jpg files: small, but values change a little when they are written."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, ClassVar

from ..contents import Contents
from ..damage import damaged
from ..metadata import Metadata
from ..reading import Reading
from ..source import open_source
from .jpeg_segments import read_about, too_long, with_about
from .profile import fitting_profile
from .still import StillPicture, opened, picture_contents, pixels, stored_samples

_KIND = "a .jpg picture"
_SCAN = b"\xff\xda"
_MOST_WORK = 5_000_000_000  # pixels to go over in all; a file can ask for thousands of rounds


class Jpeg(StillPicture):
    """.jpg files, which change values a little."""

    name: ClassVar[str] = "jpeg"
    extensions: ClassVar[tuple[str, ...]] = (".jpg", ".jpeg")
    lossless_extension: ClassVar[str | None] = ".png"
    most_pixels: ClassVar[int] = 65_500  # what libjpeg allows

    def decode(self, path: Path, how: Reading) -> Contents:
        """Gray as 2-D, colour as rows × columns × 3, turned upright as the camera says."""
        with open_source(path) as file:
            scans = _scans(file)
            file.seek(0)
            about = read_about(file)
        notes = []
        with opened(path, _KIND, "JPEG") as image:
            if getattr(image, "n_frames", 1) > 1:
                notes.append(f"{path} has several pictures in it; only the first one is read.")
            if image.mode == "CMYK":
                notes.append(f"{path} is in CMYK, the colours of print; it is read as RGB.")
            if scans * image.width * image.height > _MOST_WORK:
                raise damaged(path, _KIND)
            image.load()
            data, _ = pixels(image)
        return picture_contents(data, None, how, tuple(notes), about)

    def write(self, path: Path, contents: Contents) -> None:
        """The array as a picture of high quality, with all that is told about it; neither mask nor alpha are kept."""
        from PIL import Image

        metadata, icc = _kept(contents)
        plain = io.BytesIO()
        samples = stored_samples(replace(contents, metadata=metadata))
        Image.fromarray(samples).save(plain, format="JPEG", quality=95, subsampling=0)
        path.write_bytes(with_about(plain.getvalue(), metadata, icc))

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """JPEG is lossy."""
        lossy = "A .jpg is lossy, so observed entries change a little too; write .png to keep them exactly."
        alpha = () if contents.metadata.alpha is None else ("A .jpg has no transparency; it is left out.",)
        long = too_long(contents.metadata, _kept(contents)[1])
        left = (f"A .jpg has no room for {' and '.join(long)}; left out.",) if long else ()
        return (*super().losses(contents), lossy, *alpha, *left)


def _kept(contents: Contents) -> tuple[Metadata, bytes]:
    """What a .jpg can hold of the metadata, and the colour profile."""
    metadata = replace(contents.metadata, alpha=None)
    if "EXIF data" in too_long(metadata, b""):
        metadata = replace(metadata, exif=b"")  # and it says nothing about which way up it is, either
    return metadata, fitting_profile(metadata, 3 if contents.ndim == 3 else 1)


def _scans(file: BinaryIO) -> int:
    """How often the decoder goes over the picture; those of thumbnails count too."""
    scans, last = 0, b""
    while piece := file.read(2**20):
        scans += (last + piece).count(_SCAN)
        last = piece[-1:]
    return scans
