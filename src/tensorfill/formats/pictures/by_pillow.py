"""Pictures of 8 bits that Pillow reads and writes: JPEG, which changes values a little, BMP and WebP, which do not.

Of a .jpg Pillow reads and writes the segments, too; only the density in the first one is written by hand, for Pillow
knows only inches. Format of metadata: ITU-T T.871 (JFIF); JEITA CP-3451, section 4.7 (EXIF); ICC.1, annex B.4; Adobe,
XMP part 3.
"""

from __future__ import annotations

import io
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..contents import Contents, Density, Metadata, Reading, describe_loss
from ..damage import damaged
from .pixels import (
    StillPicture,
    find_orientation,
    find_turns,
    fit_profile,
    open_picture,
    split_alpha,
    to_contents,
    to_shades,
    to_stored_samples,
)
from .tags import read_exif, to_density, to_unit

_EXIF, _XMP = b"Exif\0\0", b"http://ns.adobe.com/xap/1.0/\0"
_OF_PIXELS = ("APP14",)
_FRONTS_OF_PIXELS = (b"JFIF\0", b"JFXX\0", b"ICC_PROFILE\0", b"MPF\0", _EXIF)
"""How pixels are coded, small copies of them, where further pictures lie; and what has a field of its own."""
_LONGEST = 65_533  # bytes of a segment
_ROOM = {
    "exif": ("EXIF data", _LONGEST - len(_EXIF)),
    "xmp": ("XMP", _LONGEST - len(_XMP)),
    "icc": ("the colour profile", 255 * (_LONGEST - len(b"ICC_PROFILE\0") - 2)),
}
"""How many bytes of a field fit, and what it is called."""
_UNITS: dict[int, Any] = {0: "", 1: "inch", 2: "centimetre"}
_DENSITY_PLACE = 13
"""Where a file that Pillow wrote has the unit and the density: in its first segment, JFIF."""
_SCAN = b"\xff\xda"
_MOST_WORK = 5_000_000_000  # pixels to go over in all; a file can ask for thousands of rounds
_METRES_PER_INCH = 0.0254


class Jpeg(StillPicture):
    """.jpg files, which change values a little."""

    name: ClassVar[str] = "jpeg"
    extensions: ClassVar[tuple[str, ...]] = (".jpg", ".jpeg")
    kind: ClassVar[str] = "a .jpg picture"
    lossless_extension: ClassVar[str | None] = ".png"
    most_pixels: ClassVar[int] = 65_500  # what libjpeg allows

    def decode(self, path: Path, how: Reading) -> Contents:
        """Gray as 2-D, colour as rows × columns × 3, turned upright as the camera says."""
        notes = []
        with open_picture(path, self.kind, "JPEG") as image:
            if getattr(image, "n_frames", 1) > 1:
                notes.append(f"{path} has several pictures in it; only the first one is read.")
            if image.mode == "CMYK":
                notes.append(f"{path} is in CMYK, the colours of print; it is read as RGB.")
            # The decoder goes over the picture once for each scan; those of thumbnails are counted, too.
            if path.read_bytes().count(_SCAN) * image.width * image.height > _MOST_WORK:
                raise damaged(path, self.kind)
            about = _read_about(image)
            data, _ = split_alpha(image)
        return to_contents(data, None, how, tuple(notes), about)

    def write(self, path: Path, contents: Contents) -> None:
        """The array as a picture of high quality, with its metadata; neither mask nor alpha are kept."""
        from PIL import Image

        metadata, _ = _fit(contents)
        samples = to_stored_samples(replace(contents, metadata=metadata))
        segments = [(0xE1, _XMP + metadata.xmp)] if metadata.xmp else []
        if metadata.header_of == self.name:
            segments += metadata.header.get("segments", ())
        options: dict[str, Any] = {
            "exif": _EXIF + metadata.exif if metadata.exif else b"",
            "icc_profile": metadata.icc,
            "extra": b"".join(struct.pack(">BBH", 0xFF, code, len(body) + 2) + body for code, body in segments),
        }
        out = io.BytesIO()
        Image.fromarray(samples).save(out, format="JPEG", quality=95, subsampling=0, **options)
        if metadata.density is not None:
            out.seek(_DENSITY_PLACE)
            out.write(_pack_density(metadata.density))
        path.write_bytes(out.getbuffer())

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """JPEG is lossy."""
        lossy = "A .jpg is lossy, so observed entries change a little too; write .png to keep them exactly."
        alpha = () if contents.metadata.alpha is None else ("A .jpg has no transparency; it is left out.",)
        _, long = _fit(contents)
        left = (f"A .jpg has no room for {' and '.join(long)}; left out.",) if long else ()
        return (*super().losses(contents), lossy, *alpha, *left)


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
        return to_contents(data, alpha, how, about=to_density((across, 1), (down, 1), "metre"))

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
    """.webp files, always in colour."""

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
        return to_contents(data, alpha, how, notes, {"exif": exif.removeprefix(_EXIF), "xmp": xmp, "icc": icc})

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


def _read_about(image: Any) -> dict[str, Any]:
    """Fields of `Metadata`, from the segments that Pillow found in front of the pixels of a .jpg."""
    exif = image.info.get("exif", b"").removeprefix(_EXIF)
    fields: dict[str, Any] = {"exif": exif, "icc": image.info.get("icc_profile") or b""}
    others = []
    for name, body in image.applist:
        if name == "APP1" and body.startswith(_XMP):
            fields["xmp"] = body[len(_XMP) :]
        elif name not in _OF_PIXELS and not body.startswith(_FRONTS_OF_PIXELS):
            others.append((0xFE if name == "COM" else 0xE0 + int(name.removeprefix("APP")), body))
    if others:
        fields |= {"header": {"segments": tuple(others)}, "header_of": Jpeg.name}
    across, down = image.info.get("jfif_density", (0, 0))
    unit = _UNITS.get(image.info.get("jfif_unit", 0), "")
    if unit or across != down:  # that pixels are square is nothing to keep
        fields |= to_density((across, 1), (down, 1), unit)
    directory = read_exif(exif)
    if "density" not in fields and directory is not None:
        fields |= directory.density()
    return fields


def _fit(contents: Contents) -> tuple[Metadata, list[str]]:
    """What a .jpg can hold of the metadata; and what is too long for it, in words."""
    metadata = replace(contents.metadata, alpha=None)
    metadata = replace(metadata, icc=fit_profile(metadata, 3 if contents.ndim == 3 else 1))
    long = {key: name for key, (name, most) in _ROOM.items() if len(getattr(metadata, key)) > most}
    cleared: dict[str, Any] = dict.fromkeys(long, b"")
    return replace(metadata, **cleared), list(long.values())


def _pack_density(density: Density) -> bytes:
    unit = density.unit if density.unit in ("", "centimetre") else "inch"
    number = next(number for number, name in _UNITS.items() if name == unit)
    across, down = (min(max(1, round(value)), 65_535) for value in to_unit(density, unit))
    return struct.pack(">BHH", number, across, down)
