"""PNG pictures of every depth, and damage that a library would have let through."""

import tracemalloc
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from png_bytes import chunk, png

from tensorfill.errors import UnreadableFile
from tensorfill.formats.contents import Contents, Reading
from tensorfill.formats.pictures.png import Png

RNG = np.random.default_rng(0)
COLOUR = RNG.integers(0, 65536, (9, 7, 3), dtype=np.uint16)
ROWS = b"".join(b"\0" + row.astype(">u2").tobytes() for row in COLOUR)
"""As they are, filter 0."""
SIXTEEN = {"colour": 2, "bits": 16}


def read(path: Path, content: bytes) -> Contents:
    path.write_bytes(content)
    return Png().read(path, Reading())


def test_pictures_of_many_blocks_of_rows_come_back_and_pillow_reads_them(tmp_path: Path) -> None:
    data = RNG.integers(0, 65536, (200, 33, 3), dtype=np.uint16)
    for name, values in (("c.png", data), ("g.png", data[..., 0])):
        Png().write(tmp_path / name, Contents(values))
        np.testing.assert_array_equal(Png().read(tmp_path / name, Reading()).data, values)
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "g.png")), data[..., 0])
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "c.png")), data >> 8)


def test_what_other_programs_filter_is_read(tmp_path: Path) -> None:
    """Rows of all five filters, filtered here by the definition, byte by byte."""
    data = RNG.integers(0, 65536, (10, 6, 3), dtype=np.uint16)
    raw = data.astype(">u2").reshape(10, -1).view(np.uint8).astype(int)
    rows = b""
    for i, row in enumerate(raw):
        above = raw[i - 1] if i else np.zeros_like(row)
        left, corner = (np.concatenate([np.zeros(6, int), line[:-6]]) for line in (row, above))
        forecasts = (0 * row, left, above, (left + above) // 2, np.vectorize(paeth)(left, above, corner))
        rows += bytes([i % 5]) + ((row - forecasts[i % 5]) % 256).astype(np.uint8).tobytes()
    np.testing.assert_array_equal(read(tmp_path / "a.png", png(6, 10, rows, **SIXTEEN)).data, data)


def paeth(a: int, b: int, c: int) -> int:
    return min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]


def test_a_colour_that_is_declared_transparent_is_missing(tmp_path: Path) -> None:
    key = chunk(b"tRNS", COLOUR[2, 3].astype(">u2").tobytes())
    back = read(tmp_path / "a.png", png(7, 9, ROWS, **SIXTEEN, more=key))
    np.testing.assert_array_equal(back.data, COLOUR)
    assert np.argwhere(~back.known()[..., 0]).tolist() == [[2, 3]]


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_few_bits_of_gray_and_the_one_that_is_transparent(tmp_path: Path, bits: int) -> None:
    shades = 2**bits
    packed = np.packbits(np.unpackbits(np.arange(shades, dtype=np.uint8)[:, None], axis=1)[:, 8 - bits :].ravel())
    key = chunk(b"tRNS", b"\0\1")
    contents = read(tmp_path / "a.png", png(shades, 1, b"\0" + packed.tobytes(), bits=bits, more=key))
    assert contents.data.tolist() == [[255 * shade // (shades - 1) for shade in range(shades)]]
    assert contents.known().tolist() == [[shade != 1 for shade in range(shades)]]
    assert f"has {bits}-bit grays" in contents.notes[0]


def test_interlaced_colour_of_16_bits_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"interlaced 16-bit picture in colour .* save it without interlacing"):
        read(tmp_path / "a.png", png(7, 9, ROWS, **SIXTEEN, interlace=1))


@pytest.mark.parametrize(
    ("columns", "rows", "size", "how"),
    [
        *((5, 7, 42, {}), (9, 7, 21, {"bits": 1}), (3, 7, 21, {"bits": 4}), (4, 7, 14, {"bits": 2})),
        *((8, 8, 64 + 15, {"interlace": 1}), (1, 1, 2, {"interlace": 1})),
        *((3, 2, 6 + 4, {"interlace": 1}), (5, 1, 5 + 4, {"interlace": 1})),
    ],
)
def test_a_byte_too_few_is_noticed(tmp_path: Path, columns: int, rows: int, size: int, how: dict[str, int]) -> None:
    assert read(tmp_path / "a.png", png(columns, rows, bytes(size), **how)).shape == (rows, columns)
    with pytest.raises(UnreadableFile, match="damaged"):
        read(tmp_path / "a.png", png(columns, rows, bytes(size - 1), **how))


@pytest.mark.parametrize("how", [SIXTEEN, {"colour": 6}])
def test_cut_anywhere_or_with_any_bit_flipped_it_is_refused(tmp_path: Path, how: dict[str, int]) -> None:
    whole = png(
        1,
        3,
        b"".join(b"\0" + row[:1].tobytes().ljust(8, b"7")[: 6 if how is SIXTEEN else 4] for row in COLOUR[:3]),
        **how,
    )
    assert read(tmp_path / "a.png", whole).shape == (3, 1, 3)
    flipped = (
        whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :] for at, bit in product(range(len(whole)), (1, 64))
    )
    for content in (*(whole[:cut] for cut in range(len(whole))), *flipped):
        with pytest.raises(UnreadableFile):
            read(tmp_path / "a.png", content)


def test_pixels_that_unpack_to_more_than_they_should_stop_there(tmp_path: Path) -> None:
    content = png(7, 9, bytes(50_000_000), **SIXTEEN)
    tracemalloc.start()
    with pytest.raises(UnreadableFile, match="damaged"):
        read(tmp_path / "a.png", content)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
