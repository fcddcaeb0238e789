"""How pictures become arrays and arrays become pictures."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tensorfill import formats
from tensorfill.errors import InvalidInput, UnreadableFile

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
    alpha[0, 0], alpha[0, 1] = 0, 1
    image.putalpha(Image.fromarray(alpha))
    contents = saved(tmp_path / "a.png", image)
    assert contents.observed is not None
    assert contents.observed.shape == contents.data.shape == ((6, 8, 3) if mode == "RGBA" else (6, 8))
    assert not contents.observed[0, 0].any()
    assert contents.observed[0, 1].all(), "partly transparent is known"
    assert contents.observed.sum() == contents.observed.size - contents.observed[0, 0].size


def test_a_transparent_palette_entry_is_missing(tmp_path: Path) -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.putdata([0, 1])
    contents = saved(tmp_path / "a.png", image, transparency=0)
    assert contents.observed is not None
    assert contents.observed.tolist() == [[[False] * 3, [True] * 3]]


def test_alpha_without_holes_is_dropped(tmp_path: Path) -> None:
    contents = saved(tmp_path / "a.png", Image.fromarray(COLOUR).convert("RGBA"))
    assert contents.observed is None
    np.testing.assert_array_equal(contents.data, COLOUR)


def test_a_photo_taken_sideways_is_read_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # orientation: turn by a quarter
    assert saved(tmp_path / "a.jpg", Image.fromarray(COLOUR), exif=exif).data.shape == (8, 6, 3)


def test_sixteen_bit_colour_is_read_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(sixteen_bit_colour_png())
    contents = formats.read(path)
    assert contents.data.tolist() == [[[1, 2, 3]]]
    assert "16 bits per channel, of which 8 are read" in contents.notes[0]


def sixteen_bit_colour_png() -> bytes:
    import struct
    import zlib

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    pixels = b"\0" + bytes([1, 9, 2, 9, 3, 9])
    header = struct.pack(">IIBBBBB", 1, 1, 16, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


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
        np.zeros((4, 4, 3), np.uint16),
        np.zeros((2, 4, 4, 3), np.uint8),
    ],
)
def test_what_a_picture_cannot_hold_is_refused(tmp_path: Path, data: NDArray[np.generic]) -> None:
    with pytest.raises(InvalidInput, match=r"A .png picture holds .* instead; write .npy or .npz"):
        formats.write(tmp_path / "a.png", formats.Contents(data))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("values", [[[0.0, 1.5]], [[-0.5, 1.0]]])
def test_floats_outside_0_to_1_are_refused(tmp_path: Path, values: list[list[float]]) -> None:
    with pytest.raises(InvalidInput, match="must lie between 0 and 1"):
        formats.write(tmp_path / "a.png", formats.Contents(np.array(values)))


@pytest.mark.parametrize("extension", [".png", ".jpg"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.8])
def test_a_picture_cut_short_is_refused(tmp_path: Path, extension: str, share: float) -> None:
    path = tmp_path / f"a{extension}"
    formats.write(path, formats.Contents(np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)))
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(UnreadableFile, match="not a readable picture"):
        formats.read(path)


def test_a_picture_too_large_to_open_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.fromarray(COLOUR).save(tmp_path / "a.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 4)
    with pytest.raises(UnreadableFile, match="too many pixels"):
        formats.read(tmp_path / "a.png")
