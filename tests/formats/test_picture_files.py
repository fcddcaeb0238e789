"""How pictures become arrays and arrays become pictures."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tensorfill import formats
from tensorfill.errors import InvalidInput, UnreadableFile
from tensorfill.formats import Contents, Metadata
from tensorfill.formats.pictures.pixels import brightness

COLOUR = np.random.default_rng(0).integers(0, 256, (6, 8, 3), dtype=np.uint8)
GRAY = COLOUR[..., 0]


def saved(path: Path, image: Image.Image, **options: object) -> Contents:
    image.save(path, **options)
    return formats.read(path)


def with_alpha(alpha: NDArray[np.uint8], mode: str = "RGBA") -> Image.Image:
    image = Image.fromarray(COLOUR).convert(mode)
    image.putalpha(Image.fromarray(alpha))
    return image


def soft_hole() -> NDArray[np.uint8]:
    """A hole that a soft brush made, and a pixel that shines through elsewhere."""
    alpha = np.full((6, 8), 255, np.uint8)
    alpha[2, 1:6] = 200, 90, 0, 90, 200
    alpha[5, 0] = 128
    return alpha


@pytest.mark.parametrize(
    ("name", "mode", "shape", "note"),
    [
        ("a.png", "RGB", (6, 8, 3), None),
        ("a.png", "L", (6, 8), None),
        ("a.png", "P", (6, 8, 3), None),
        ("a.png", "1", (6, 8), "has 1-bit grays"),
        ("a.jpg", "CMYK", (6, 8, 3), "read as RGB"),
    ],
)
def test_gray_has_two_modes_and_all_else_becomes_rgb(
    tmp_path: Path, name: str, mode: str, shape: tuple[int, ...], note: str | None
) -> None:
    image = Image.fromarray(COLOUR).convert(mode)
    contents = saved(tmp_path / name, image)
    assert (contents.shape, contents.dtype, contents.metadata.kind) == (shape, np.uint8, "picture")
    assert note is None if not contents.notes else (note or "") in contents.notes[0]
    if name == "a.png":
        np.testing.assert_array_equal(contents.data, np.asarray(image.convert("L" if len(shape) == 2 else "RGB")))


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_fully_transparent_pixels_are_missing(tmp_path: Path, mode: str) -> None:
    alpha = np.full((6, 8), 255, np.uint8)
    alpha[0, 0], alpha[5, 7] = 0, 1
    contents = saved(tmp_path / "a.png", with_alpha(alpha, mode))
    known = contents.known()
    assert known.shape == contents.data.shape == ((6, 8, 3) if mode == "RGBA" else (6, 8))
    assert np.argwhere(~known.reshape(6, 8, -1).any(axis=2)).tolist() == [[0, 0]]
    assert known[5, 7].all(), "partly transparent by itself is known"


@pytest.mark.parametrize("name", ["a.png", "a.tif", "a.webp"])
def test_the_soft_edge_of_a_transparent_hole_is_missing_too(tmp_path: Path, name: str) -> None:
    alpha = soft_hole()
    contents = saved(tmp_path / name, with_alpha(alpha), **({"lossless": True} if name == "a.webp" else {}))
    assert np.argwhere(~contents.known()[..., 0]).tolist() == [[2, column] for column in range(1, 6)]
    assert (
        "4 pixels at the edge of transparent ones are half transparent; they count as missing, too." in contents.notes
    )
    filled = contents.fill(contents.data).metadata.alpha
    assert filled is not None
    assert filled[2].tolist() == [255] * 8, "what was filled is opaque"
    assert filled[5, 0] == 128, "what was not stays as it is"
    np.testing.assert_array_equal(contents.metadata.alpha, alpha)


def test_a_picture_that_shines_through_everywhere_is_known(tmp_path: Path) -> None:
    alpha = np.full((6, 8), 100, np.uint8)
    alpha[0, 0] = 0
    contents = saved(tmp_path / "a.png", with_alpha(alpha))
    assert (~contents.known()).sum() == 3
    filled = contents.fill(contents.data).metadata.alpha
    assert filled is not None
    assert (filled == 100).all(), "as opaque as the rest"


def test_a_transparent_palette_entry_is_missing(tmp_path: Path) -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.putdata([0, 1])
    assert saved(tmp_path / "a.png", image, transparency=0).known().tolist() == [[[False] * 3, [True] * 3]]


def test_alpha_follows_floats_to_8_bits(tmp_path: Path) -> None:
    alpha = np.array([[0.0, 1e-9, 0.5, 1.0]])
    formats.write(tmp_path / "a.png", Contents(np.ones((1, 4)), metadata=Metadata(alpha=alpha)))
    assert formats.read(tmp_path / "a.png").metadata.alpha.tolist() == [[0, 1, 128, 255]], "hardly there is not missing"


def test_alpha_that_does_not_fit_is_left_out_and_said_so(tmp_path: Path) -> None:
    contents = Contents(GRAY, metadata=Metadata(alpha=np.zeros((2, 2), np.uint8)))
    assert "does not belong to the array" in formats.write(tmp_path / "a.png", contents)[0]
    assert formats.read(tmp_path / "a.png").metadata.alpha is None
    assert "no transparency" in formats.write(tmp_path / "a.jpg", contents)[-1]


def test_every_colour_is_as_bright_as_pillow_says() -> None:
    steps = np.arange(0, 256, 5, dtype=np.uint8)
    cube = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, steps.size, 3)
    np.testing.assert_array_equal(brightness(cube), np.asarray(Image.fromarray(cube).convert("L")))
    np.testing.assert_allclose(brightness(cube / 255.0), (cube / 255.0) @ [0.299, 0.587, 0.114])


@pytest.mark.parametrize("extension", ["png", "webp"])
def test_only_the_first_frame_of_an_animated_picture_is_read(tmp_path: Path, extension: str) -> None:
    frames = [Image.fromarray(COLOUR), Image.fromarray(255 - COLOUR)]
    contents = saved(tmp_path / f"a.{extension}", frames[0], save_all=True, append_images=frames[1:], lossless=True)
    np.testing.assert_array_equal(contents.data, COLOUR)
    assert "only its first frame" in contents.notes[0]


def test_a_jpg_is_cut_short_even_if_its_thumbnail_is_whole(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "a.jpg", comment=b"\xff\xd8\xff\xd9")
    (tmp_path / "a.jpg").write_bytes((tmp_path / "a.jpg").read_bytes()[:-2])
    with pytest.raises(UnreadableFile, match="cut short"):
        formats.read(tmp_path / "a.jpg")


def test_a_picture_too_large_to_open_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.fromarray(COLOUR).save(tmp_path / "a.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 4)
    with pytest.raises(UnreadableFile, match="too many pixels"):
        formats.read(tmp_path / "a.png")


@pytest.mark.parametrize("name", ["a.bmp", "a.webp"])
@pytest.mark.parametrize("data", [GRAY, COLOUR])
def test_bmp_and_webp_keep_every_byte(tmp_path: Path, name: str, data: NDArray[np.uint8]) -> None:
    """A .webp has no gray, and that is said."""
    as_colour = name == "a.webp" and data.ndim == 2
    said = ("A .webp has no gray pictures; this one is written in colour, its channels alike.",)
    assert formats.write(tmp_path / name, Contents(data)) == (said if as_colour else ())
    back = formats.read(tmp_path / name)
    np.testing.assert_array_equal(back.data, np.repeat(data[..., None], 3, axis=2) if as_colour else data)
    assert back.metadata.kind == "picture"
    with pytest.raises(InvalidInput, match=rf"{name[1:]} picture holds 8-bit arrays"):
        formats.write(tmp_path / name, Contents(data.astype(np.uint16)))


def test_webp_keeps_alpha_and_what_is_beneath(tmp_path: Path) -> None:
    formats.write(tmp_path / "b.webp", saved(tmp_path / "a.png", with_alpha(soft_hole())))
    back = formats.read(tmp_path / "b.webp")
    np.testing.assert_array_equal(back.data, COLOUR)
    np.testing.assert_array_equal(back.metadata.alpha, soft_hole())
