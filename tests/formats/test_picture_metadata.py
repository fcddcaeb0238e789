"""EXIF data, colour profile, XMP, density and which way up: they come back byte for byte, in all formats with them."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms

from tensorfill import formats
from tensorfill.formats import Contents, Metadata
from tensorfill.formats.contents import Density

COLOUR = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)
RGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
XMP = b'<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/">a caption</x:xmpmeta>'
FORMATS = ["png", "jpg", "tif"]
HOLDERS = [*FORMATS, "webp"]
ORIENTATION, MAKE, EXIF, GPS = 0x0112, 0x010F, 0x8769, 0x8825


def exif(orientation: int = 1, *, little: bool = True) -> Image.Exif:
    """What a camera tells, with directories of its own for EXIF and GPS."""
    told = Image.Exif()
    told.endian = "<" if little else ">"
    told[ORIENTATION], told[MAKE], told[0x0132] = orientation, "A maker", "2026:11:18 12:00:00"
    told.get_ifd(EXIF).update({0x829A: (1, 250), 0x9003: "2026:11:18 12:00:00", 0x927C: b"notes of the maker \0\1\2"})
    told.get_ifd(GPS).update({1: "N", 2: (52.0, 30.0, 15.0)})
    return told


def photo(path: Path, *, orientation: int = 1, little: bool = True, pixels: np.ndarray = COLOUR) -> Path:
    """A picture with all of it, made by Pillow."""
    how: dict[str, Any] = {} if path.suffix == ".webp" else {"dpi": (300, 150)}
    if path.suffix == ".webp":
        how |= {"lossless": True, "exact": True}
    data = exif(orientation, little=little)
    xmp = {"pnginfo": png_text()} if path.suffix == ".png" else {"xmp": XMP}
    if path.suffix == ".tif":
        data[700] = XMP
        xmp = {}
    icc = RGB if pixels.ndim == 3 else b""
    Image.fromarray(pixels).save(path, exif=data, icc_profile=icc or None, **how, **xmp)
    return path


def png_text() -> Any:
    from PIL.PngImagePlugin import PngInfo

    told = PngInfo()
    told.add_itxt("XML:com.adobe.xmp", XMP.decode())
    told.add_text("Title", "a picture")
    return told


def blocks(path: Path) -> dict[str, Any]:
    """What Pillow finds in a file."""
    with Image.open(path) as image:
        told = image.getexif()
        xmp = image.info.get("xmp") or image.info.get("XML:com.adobe.xmp", "").encode()
        return {
            "icc": image.info.get("icc_profile"),
            "xmp": xmp,
            "dpi": tuple(map(float, image.info.get("dpi", ()))),
            "orientation": told.get(ORIENTATION, 1),
            "make": told.get(MAKE),
            "exif": {code: str(value) for code, value in told.get_ifd(EXIF).items()},
            "gps": {code: str(value) for code, value in told.get_ifd(GPS).items()},
            "block": None if path.suffix == ".tif" else image.info["exif"].removeprefix(b"Exif\0\0"),
        }


def through(source: Path, target: Path) -> Contents:
    """Read and written again as it is."""
    found = formats.read_contents(source)
    formats.write(target, found)
    return found


@pytest.mark.parametrize("little", [True, False])
@pytest.mark.parametrize("last", HOLDERS)
@pytest.mark.parametrize("first", HOLDERS)
def test_every_block_comes_along(tmp_path: Path, first: str, last: str, little: bool) -> None:
    source = photo(tmp_path / f"a.{first}", orientation=8, little=little)
    through(source, tmp_path / f"b.{last}")
    old, new = blocks(source), blocks(tmp_path / f"b.{last}")
    if first != last:
        dots = old.pop("dpi"), new.pop("dpi")
        assert "webp" in (first, last) or np.allclose(*dots, rtol=1e-3)
        if "tif" in (first, last):  # its fields are a part of the file, not a block of their own
            del old["block"], new["block"]
    assert new == old


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("extension", HOLDERS)
def test_pictures_are_read_upright_and_stored_as_they_were(tmp_path: Path, extension: str, orientation: int) -> None:
    from PIL import ImageOps

    source = photo(tmp_path / f"a.{extension}", orientation=orientation)
    found = through(source, tmp_path / f"b.{extension}")
    with Image.open(source) as image:
        seen = np.asarray(ImageOps.exif_transpose(image))
    np.testing.assert_array_equal(found.data, seen)
    again = formats.read_contents(tmp_path / f"b.{extension}")
    if extension == "jpg":
        assert again.shape == found.shape
    else:
        np.testing.assert_array_equal(again.data, found.data)
    assert blocks(tmp_path / f"b.{extension}")["orientation"] == orientation


def test_a_format_without_it_gets_an_upright_picture(tmp_path: Path) -> None:
    found = through(photo(tmp_path / "a.png", orientation=6), tmp_path / "b.npy")
    np.testing.assert_array_equal(formats.read_contents(tmp_path / "b.npy").data, found.data)
    assert found.shape == (7, 5, 3)


@pytest.mark.parametrize("name", ["b.npy", "b.npz", "b.bmp", "b.gif", "b.mat", "b.mkv"])
def test_a_format_that_has_no_place_for_it_says_so(tmp_path: Path, name: str) -> None:
    found = formats.read_contents(photo(tmp_path / "a.png"))
    contents = replace(found, metadata=replace(found.metadata, kind="video")) if name == "b.mkv" else found
    losses = " ".join(formats.write(tmp_path / name, contents))
    for lost in ("EXIF data", "the colour profile", "XMP"):
        assert lost in losses
    assert ("pixel density" in losses) == (name != "b.bmp")


def test_text_and_other_chunks_of_a_png_stay(tmp_path: Path) -> None:
    through(photo(tmp_path / "a.png"), tmp_path / "b.png")
    with Image.open(tmp_path / "b.png") as image:
        assert image.text["Title"] == "a picture"


@pytest.mark.parametrize(("unit", "across"), [("", (2, 1)), ("inch", (300, 1)), ("centimetre", (118, 1))])
def test_a_jpeg_keeps_the_unit_of_its_density(tmp_path: Path, unit: Any, across: tuple[int, int]) -> None:
    density = Density(across, (1, 1), unit)
    formats.write(tmp_path / "a.jpg", Contents(COLOUR, metadata=Metadata(kind="picture", density=density)))
    assert formats.read_contents(tmp_path / "a.jpg").metadata.density == density


def test_comments_and_other_segments_of_a_jpeg_stay(tmp_path: Path) -> None:
    plain = io.BytesIO()
    Image.fromarray(COLOUR).save(plain, "JPEG", comment=b"a comment")
    segment = b"\xff\xed\x00\x0aPhotosho"
    (tmp_path / "a.jpg").write_bytes(plain.getvalue()[:2] + segment + plain.getvalue()[2:])
    through(tmp_path / "a.jpg", tmp_path / "b.jpg")
    assert segment in (tmp_path / "b.jpg").read_bytes()
    with Image.open(tmp_path / "b.jpg") as image:
        assert image.info["comment"] == b"a comment"


def test_other_tags_of_a_tiff_stay_and_so_does_its_description(tmp_path: Path) -> None:
    import tifffile

    place = (1.5, 2.5, 0.0, 30.0, 60.0, 0.0)
    artist = "Jörg".encode()
    tags = [(33922, "d", 6, place, True), (50839, "B", 5, b"ij\0\1\2", True), (315, "s", 0, artist, True)]
    tifffile.imwrite(
        tmp_path / "a.tif", COLOUR, byteorder=">", extratags=tags, description="A view of the harbour", metadata=None
    )
    through(tmp_path / "a.tif", tmp_path / "b.tif")
    with tifffile.TiffFile(tmp_path / "b.tif") as tif:
        page = tif.pages[0]
        assert page.tags[33922].value == place
        assert bytes(page.tags[50839].value) == b"ij\0\1\2"
        assert page.description == "A view of the harbour"
    assert artist in (tmp_path / "b.tif").read_bytes(), "letters beyond ASCII are not replaced"
    through(tmp_path / "b.tif", tmp_path / "c.jpg")
    assert artist in (tmp_path / "c.jpg").read_bytes()


def test_the_profile_of_a_colour_picture_is_not_put_on_a_gray_one(tmp_path: Path) -> None:
    found = formats.read(photo(tmp_path / "a.png"), gray=True)
    losses = formats.write(tmp_path / "b.png", found)
    assert losses == ("The colour profile is one for RGB, not for a picture of 1 channels; it is left out.",)
    assert blocks(tmp_path / "b.png")["icc"] is None


def test_exif_data_too_long_for_a_jpeg_is_told(tmp_path: Path) -> None:
    found = formats.read_contents(photo(tmp_path / "a.png", orientation=6))
    told = replace(found.metadata, exif=found.metadata.exif + bytes(70_000))
    losses = formats.write(tmp_path / "b.jpg", Contents(found.data, metadata=told))
    assert "A .jpg has no room for EXIF data; left out." in losses
    assert formats.read_contents(tmp_path / "b.jpg").shape == found.shape, "still upright"


def test_frames_of_a_clip_keep_theirs(tmp_path: Path) -> None:
    folder = tmp_path / "clip"
    folder.mkdir()
    for number in (1, 2):
        photo(folder / f"f{number}.png", orientation=6)
    formats.write(tmp_path / "back", formats.read(folder), format="frames")
    for number in (1, 2):
        assert blocks(tmp_path / "back" / f"f{number}.png") == blocks(folder / f"f{number}.png")


@pytest.mark.parametrize("extension", FORMATS)
def test_damaged_exif_data_does_not_spoil_the_picture(tmp_path: Path, extension: str) -> None:
    Image.fromarray(COLOUR).save(tmp_path / f"a.{extension}", exif=b"Exif\0\0II*\0\xff\xff\xff\xff")
    found = through(tmp_path / f"a.{extension}", tmp_path / f"b.{extension}")
    assert found.shape == COLOUR.shape
