"""How pictures become arrays and arrays become pictures."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tensorfill import formats
from tensorfill.errors import InvalidInput, TensorfillError, UnreadableFile
from tensorfill.formats.brightness import brightness

COLOUR = np.random.default_rng(0).integers(0, 256, (6, 8, 3), dtype=np.uint8)
GRAY = COLOUR[..., 0]


def saved(path: Path, image: Image.Image, **options: object) -> formats.Contents:
    image.save(path, **options)
    return formats.read(path)


@pytest.mark.parametrize("data", [COLOUR, GRAY, GRAY.astype(np.uint16) * 257, GRAY.astype(">u2") * 257])
def test_png_keeps_every_bit(tmp_path: Path, data: NDArray[np.generic]) -> None:
    assert formats.write(tmp_path / "a.png", formats.Contents(data)) == ()
    back = formats.read(tmp_path / "a.png").data
    np.testing.assert_array_equal(back, data)
    assert back.dtype == data.dtype.newbyteorder("=")


def test_colour_is_row_column_channel_and_gray_is_two_dimensional(tmp_path: Path) -> None:
    assert saved(tmp_path / "c.png", Image.fromarray(COLOUR)).data.shape == (6, 8, 3)
    assert saved(tmp_path / "g.png", Image.fromarray(GRAY)).data.shape == (6, 8)


def test_palettes_and_other_colour_spaces_become_rgb(tmp_path: Path) -> None:
    assert saved(tmp_path / "p.png", Image.fromarray(COLOUR).convert("P")).data.shape == (6, 8, 3)
    assert saved(tmp_path / "k.jpg", Image.fromarray(COLOUR).convert("CMYK")).data.shape == (6, 8, 3)


def test_black_and_white_becomes_gray(tmp_path: Path) -> None:
    data = saved(tmp_path / "b.png", Image.fromarray(GRAY).convert("1")).data
    assert data.dtype == np.uint8
    assert set(np.unique(data)) == {0, 255}


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_fully_transparent_pixels_are_missing(tmp_path: Path, mode: str) -> None:
    image = Image.fromarray(COLOUR).convert(mode)
    alpha = np.full((6, 8), 255, np.uint8)
    alpha[0, 0], alpha[5, 7] = 0, 1
    image.putalpha(Image.fromarray(alpha))
    contents = saved(tmp_path / "a.png", image)
    assert contents.observed is not None
    assert contents.observed.shape == contents.data.shape == ((6, 8, 3) if mode == "RGBA" else (6, 8))
    assert not contents.observed[0, 0].any()
    assert contents.observed[5, 7].all(), "partly transparent by itself is known"
    assert contents.observed.sum() == contents.observed.size - contents.observed[0, 0].size


def soft_hole() -> tuple[Image.Image, np.ndarray]:
    """A picture with a hole that a soft brush made, and a pixel that shines through elsewhere."""
    alpha = np.full((6, 8), 255, np.uint8)
    alpha[2, 1:6] = 200, 90, 0, 90, 200
    alpha[5, 0] = 128
    image = Image.fromarray(COLOUR).convert("RGBA")
    image.putalpha(Image.fromarray(alpha))
    return image, alpha


@pytest.mark.parametrize("name", ["a.png", "a.tif", "a.webp"])
def test_the_soft_edge_of_a_transparent_hole_is_missing_too(tmp_path: Path, name: str) -> None:
    image, alpha = soft_hole()
    contents = saved(tmp_path / name, image, **({"lossless": True} if name == "a.webp" else {}))
    assert np.argwhere(~contents.known()[..., 0]).tolist() == [[2, column] for column in range(1, 6)]
    assert (
        "4 pixels at the edge of transparent ones are half transparent; they count as missing, too." in contents.notes
    )
    filled = contents.filled(contents.data).metadata.alpha
    assert filled is not None
    assert filled[2].tolist() == [255] * 8, "what was filled is opaque"
    assert filled[5, 0] == 128, "what was not stays as it is"
    np.testing.assert_array_equal(contents.metadata.alpha, alpha)


def test_a_picture_that_shines_through_everywhere_is_known(tmp_path: Path) -> None:
    image = Image.fromarray(COLOUR).convert("RGBA")
    alpha = np.full((6, 8), 100, np.uint8)
    alpha[0, 0] = 0
    image.putalpha(Image.fromarray(alpha))
    contents = saved(tmp_path / "a.png", image)
    assert (~contents.known()).sum() == 3
    filled = contents.filled(contents.data).metadata.alpha
    assert filled is not None
    assert (filled == 100).all(), "as opaque as the rest"


def test_a_transparent_palette_entry_is_missing(tmp_path: Path) -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.putdata([0, 1])
    contents = saved(tmp_path / "a.png", image, transparency=0)
    assert contents.observed is not None
    assert contents.observed.tolist() == [[[False] * 3, [True] * 3]]


def test_alpha_without_holes_is_kept_but_hides_nothing(tmp_path: Path) -> None:
    contents = saved(tmp_path / "a.png", Image.fromarray(COLOUR).convert("RGBA"))
    assert contents.observed is None
    np.testing.assert_array_equal(contents.data, COLOUR)
    np.testing.assert_array_equal(contents.metadata.alpha, np.full((6, 8), 255, np.uint8))


@pytest.mark.parametrize("data", [COLOUR, GRAY])
def test_alpha_is_written_again(tmp_path: Path, data: NDArray[np.uint8]) -> None:
    alpha = np.arange(48, dtype=np.uint8).reshape(6, 8)
    contents = formats.Contents(data, metadata=formats.Metadata(kind="picture", alpha=alpha))
    assert formats.write(tmp_path / "a.png", contents) == ()
    back = formats.read(tmp_path / "a.png")
    np.testing.assert_array_equal(back.data, data)
    np.testing.assert_array_equal(back.metadata.alpha, alpha)
    assert back.metadata.kind == "picture"
    assert "no transparency" in formats.write(tmp_path / "a.jpg", contents)[-1]


def test_alpha_follows_floats_to_8_bits(tmp_path: Path) -> None:
    alpha = np.array([[0.0, 1e-9, 0.5, 1.0]])
    formats.write(tmp_path / "a.png", formats.Contents(np.ones((1, 4)), metadata=formats.Metadata(alpha=alpha)))
    assert formats.read(tmp_path / "a.png").metadata.alpha.tolist() == [[0, 1, 128, 255]], (
        "not missing, if only hardly there"
    )


def test_alpha_of_something_else_is_left_out_and_said_so(tmp_path: Path) -> None:
    contents = formats.Contents(GRAY, metadata=formats.Metadata(alpha=np.zeros((2, 2), np.uint8)))
    assert "does not belong to the array" in formats.write(tmp_path / "a.png", contents)[0]
    assert formats.read(tmp_path / "a.png").metadata.alpha is None


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_few_bits_of_gray_and_the_one_that_is_transparent(tmp_path: Path, bits: int) -> None:
    shades = 2**bits
    packed = np.packbits(np.unpackbits(np.arange(shades, dtype=np.uint8)[:, None], axis=1)[:, 8 - bits :].ravel())
    header = struct.pack(">IIBBBBB", shades, 1, bits, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"tRNS", b"\0\1") + chunk(b"IDAT", zlib.compress(b"\0" + packed.tobytes()))
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b""))
    contents = formats.read(tmp_path / "a.png")
    assert contents.data.tolist() == [[255 * shade // (shades - 1) for shade in range(shades)]]
    assert contents.known().tolist() == [[shade != 1 for shade in range(shades)]]
    assert f"has {bits}-bit grays" in contents.notes[0]


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


@pytest.mark.parametrize("extension", [".png", ".jpg"])
def test_gray_is_the_brightness_that_pillow_finds(tmp_path: Path, extension: str) -> None:
    Image.fromarray(COLOUR).save(tmp_path / f"a{extension}")
    gray = formats.read(tmp_path / f"a{extension}", gray=True)
    with Image.open(tmp_path / f"a{extension}") as image:
        np.testing.assert_array_equal(gray.data, np.asarray(image.convert("L")))
    assert gray.metadata.kind == "picture"


def test_every_colour_is_as_bright_as_pillow_says() -> None:
    steps = np.arange(0, 256, 5, dtype=np.uint8)
    cube = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, steps.size, 3)
    np.testing.assert_array_equal(brightness(cube), np.asarray(Image.fromarray(cube).convert("L")))
    np.testing.assert_allclose(brightness(cube / 255.0), (cube / 255.0) @ [0.299, 0.587, 0.114])


def test_a_photo_taken_sideways_is_read_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # orientation: turn by a quarter
    assert saved(tmp_path / "a.jpg", Image.fromarray(COLOUR), exif=exif).data.shape == (8, 6, 3)


def test_cmyk_is_read_as_rgb_with_a_note(tmp_path: Path) -> None:
    contents = saved(tmp_path / "k.jpg", Image.fromarray(COLOUR).convert("CMYK"))
    assert "read as RGB" in contents.notes[0]


def test_only_the_first_frame_of_an_animated_png_is_read(tmp_path: Path) -> None:
    frames = [Image.fromarray(GRAY), Image.fromarray(255 - GRAY)]
    contents = saved(tmp_path / "a.png", frames[0], save_all=True, append_images=frames[1:])
    np.testing.assert_array_equal(contents.data, GRAY)
    assert "only its first frame" in contents.notes[0]


def test_floats_between_0_and_1_are_scaled_with_a_note(tmp_path: Path) -> None:
    losses = formats.write(tmp_path / "a.png", formats.Contents(np.array([[0.0, 0.5, 1.0]])))
    assert "scaled by 255" in losses[0]
    assert formats.read(tmp_path / "a.png").data.tolist() == [[0, 128, 255]]


def test_jpg_says_that_it_is_lossy(tmp_path: Path) -> None:
    assert "lossy" in formats.write(tmp_path / "a.jpeg", formats.Contents(COLOUR))[0]
    assert formats.read(tmp_path / "a.jpeg").data.shape == COLOUR.shape


@pytest.mark.parametrize(
    "data",
    [
        np.zeros((4, 4), np.int64),
        np.zeros((4, 4), bool),
        np.zeros((4, 4, 4), np.uint8),
        np.zeros((4, 4, 3), np.uint32),
        np.zeros((0, 4), np.uint8),
        np.zeros((2, 4, 4, 3), np.uint8),
    ],
)
def test_what_a_picture_cannot_hold_is_refused(tmp_path: Path, data: NDArray[np.generic]) -> None:
    with pytest.raises(InvalidInput, match=r"A .png picture holds .* instead; write .npy or .npz"):
        formats.write(tmp_path / "a.png", formats.Contents(data))
    assert list(tmp_path.iterdir()) == []


def test_a_clip_of_three_frames_is_no_colour_picture(tmp_path: Path) -> None:
    clip = formats.Contents(COLOUR, metadata=formats.Metadata(kind="video"))
    with pytest.raises(InvalidInput, match=r"Got uint8 of shape \(6, 8, 3\) \(video\) instead"):
        formats.write(tmp_path / "a.png", clip)


@pytest.mark.parametrize("values", [[[0.0, 1.5]], [[-0.5, 1.0]], [[np.nan, 1.0]]])
def test_floats_outside_0_to_1_are_refused(tmp_path: Path, values: list[list[float]]) -> None:
    with pytest.raises(InvalidInput, match="must lie between 0 and 1"):
        formats.write(tmp_path / "a.png", formats.Contents(np.array(values)))


@pytest.mark.parametrize("extension", [".png", ".jpg"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 0.999])
def test_a_picture_cut_short_is_refused(tmp_path: Path, extension: str, share: float) -> None:
    path = tmp_path / f"a{extension}"
    formats.write(path, formats.Contents(np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)))
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(UnreadableFile, match="damaged, cut short, or something else"):
        formats.read(path)


def test_a_picture_too_large_to_open_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.fromarray(COLOUR).save(tmp_path / "a.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 4)
    with pytest.raises(UnreadableFile, match="too many pixels"):
        formats.read(tmp_path / "a.png")


def test_a_flipped_bit_in_a_png_is_always_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    formats.write(path, formats.Contents(COLOUR))
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        with pytest.raises(UnreadableFile):
            formats.read(path)


def test_a_jpg_is_cut_short_even_if_its_thumbnail_is_whole(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "a.jpg", comment=b"\xff\xd8\xff\xd9")
    whole = (tmp_path / "a.jpg").read_bytes()
    (tmp_path / "a.jpg").write_bytes(whole[:-2])
    with pytest.raises(UnreadableFile, match="cut short"):
        formats.read(tmp_path / "a.jpg")


def test_how_much_a_jpg_changes(tmp_path: Path) -> None:
    waves = np.sin(np.arange(100) / 3)[:, None] * np.cos(np.arange(120) / 5)
    smooth = (127.5 + 127.5 * waves).astype(np.uint8)
    formats.write(tmp_path / "a.jpg", formats.Contents(smooth))
    change = np.abs(formats.read(tmp_path / "a.jpg").data.astype(int) - smooth)
    assert 0 < change.max() <= 12
    assert change.mean() < 1


def test_a_jpg_that_asks_for_thousands_of_rounds_is_refused(tmp_path: Path) -> None:
    Image.new("L", (4000, 4000)).save(tmp_path / "a.jpg", progressive=True)
    assert formats.read(tmp_path / "a.jpg").shape == (4000, 4000)
    whole = (tmp_path / "a.jpg").read_bytes()
    scan = whole[whole.rindex(b"\xff\xda") : -2]
    (tmp_path / "a.jpg").write_bytes(whole[:-2] + 400 * scan + whole[-2:])
    with pytest.raises(UnreadableFile, match="damaged"):
        formats.read(tmp_path / "a.jpg")


@pytest.mark.parametrize("data", [GRAY, COLOUR])
def test_bmp_keeps_every_byte(tmp_path: Path, data: np.ndarray) -> None:
    assert formats.write(tmp_path / "a.bmp", formats.Contents(data)) == ()
    back = formats.read(tmp_path / "a.bmp")
    np.testing.assert_array_equal(back.data, data)
    assert back.metadata.kind == "picture"


def test_webp_keeps_every_colour_and_says_that_it_has_no_gray(tmp_path: Path) -> None:
    assert formats.write(tmp_path / "a.webp", formats.Contents(COLOUR)) == ()
    np.testing.assert_array_equal(formats.read(tmp_path / "a.webp").data, COLOUR)
    losses = formats.write(tmp_path / "b.webp", formats.Contents(GRAY))
    assert losses == ("A .webp has no gray pictures; this one is written in colour, its channels alike.",)
    np.testing.assert_array_equal(formats.read(tmp_path / "b.webp").data, np.repeat(GRAY[..., None], 3, axis=2))


def test_webp_keeps_alpha_and_what_is_beneath(tmp_path: Path) -> None:
    image, alpha = soft_hole()
    contents = saved(tmp_path / "a.png", image)
    formats.write(tmp_path / "b.webp", contents)
    back = formats.read(tmp_path / "b.webp")
    np.testing.assert_array_equal(back.data, COLOUR)
    np.testing.assert_array_equal(back.metadata.alpha, alpha)


@pytest.mark.parametrize("extension", ["bmp", "webp"])
def test_eight_bits_are_all_that_fits(tmp_path: Path, extension: str) -> None:
    with pytest.raises(TensorfillError, match=rf"A .{extension} picture holds 8-bit arrays"):
        formats.write(tmp_path / f"a.{extension}", formats.Contents(COLOUR.astype(np.uint16)))


def test_of_an_animated_webp_the_first_frame_is_read_and_that_is_told(tmp_path: Path) -> None:
    frames = [Image.fromarray(COLOUR), Image.fromarray(255 - COLOUR)]
    frames[0].save(tmp_path / "a.webp", save_all=True, append_images=frames[1:], lossless=True)
    read = formats.read(tmp_path / "a.webp")
    np.testing.assert_array_equal(read.data, COLOUR)
    assert any("animated; only its first frame is read" in note for note in read.notes)
