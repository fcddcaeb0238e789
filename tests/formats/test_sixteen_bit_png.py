"""PNG pictures with 16 bits per channel."""

import struct
import tracemalloc
import zlib
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from PIL import Image

from tensorfill.errors import TensorfillError, UnreadableFile
from tensorfill.formats.contents import Contents
from tensorfill.formats.metadata import Metadata
from tensorfill.formats.pictures.png import Png
from tensorfill.formats.reading import Reading

RNG = np.random.default_rng(0)
COLOUR = RNG.integers(0, 65536, (9, 7, 3), dtype=np.uint16)


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(height: int, width: int, colour: int, rows: bytes, *, interlace: int = 0, more: bytes = b"") -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 16, colour, 0, 0, interlace)
    body = chunk(b"IHDR", header) + more + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def unfiltered(data: NDArray[np.uint16]) -> bytes:
    """Rows as they are, filter 0."""
    return b"".join(b"\0" + row.astype(">u2").tobytes() for row in data)


def read(path: Path, content: bytes) -> Contents:
    path.write_bytes(content)
    return Png().read(path, Reading())


@settings(max_examples=100, deadline=None)
@given(
    st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 3])).flatmap(
        lambda shape: arrays.arrays(st.sampled_from([np.uint8, np.uint16]), shape)
    ),
    st.booleans(),
)
def test_every_depth_with_and_without_alpha_comes_back(data: NDArray[Any], with_alpha: bool) -> None:
    values = data[..., 0] if data.shape[2] == 1 else data
    alpha = np.ascontiguousarray(data[::-1, ::-1, 0]) if with_alpha else None
    contents = Contents(values, metadata=Metadata(kind="picture", alpha=alpha))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.png"
        Png().write(path, contents)
        back = Png().read(path, Reading())
    np.testing.assert_array_equal(back.data, values)
    assert back.dtype == values.dtype
    np.testing.assert_array_equal(back.metadata.alpha, alpha)
    known = back.known().reshape(*data.shape[:2], -1)[..., 0]
    assert alpha is not None or known.all()
    if alpha is not None:
        assert not known[alpha == 0].any()
        assert known[alpha == alpha.max()].all() or alpha.max() == 0
    assert Png().losses(contents) == ()


def test_pictures_of_many_blocks_of_rows_come_back(tmp_path: Path) -> None:
    data = RNG.integers(0, 65536, (200, 33, 3), dtype=np.uint16)
    Png().write(tmp_path / "a.png", Contents(data))
    np.testing.assert_array_equal(Png().read(tmp_path / "a.png", Reading()).data, data)


def test_pillow_reads_what_is_written(tmp_path: Path) -> None:
    Png().write(tmp_path / "g.png", Contents(COLOUR[..., 0]))
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "g.png")), COLOUR[..., 0])
    Png().write(tmp_path / "c.png", Contents(COLOUR))
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "c.png")), COLOUR >> 8)


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
    np.testing.assert_array_equal(read(tmp_path / "a.png", png(10, 6, 2, rows)).data, data)


def paeth(a: int, b: int, c: int) -> int:
    return min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]


def test_a_colour_that_is_declared_transparent_is_missing(tmp_path: Path) -> None:
    key = chunk(b"tRNS", COLOUR[2, 3].astype(">u2").tobytes())
    back = read(tmp_path / "a.png", png(9, 7, 2, unfiltered(COLOUR), more=key))
    np.testing.assert_array_equal(back.data, COLOUR)
    assert back.observed is not None
    assert np.argwhere(~back.observed[..., 0]).tolist() == [[2, 3]]


def test_brightness_has_16_bits_too(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(9, 7, 2, unfiltered(COLOUR)))
    gray = Png().read(tmp_path / "a.png", Reading(gray=True))
    assert gray.dtype == np.uint16
    assert np.abs(gray.data - COLOUR @ np.array([0.299, 0.587, 0.114])).max() < 1


def test_interlaced_colour_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"interlaced 16-bit picture in colour .* save it without interlacing"):
        read(tmp_path / "a.png", png(9, 7, 2, unfiltered(COLOUR), interlace=1))


@pytest.mark.parametrize(
    "content",
    [
        png(9, 7, 2, unfiltered(COLOUR)[:-1]),
        png(9, 7, 2, unfiltered(COLOUR) + b"\0"),
        png(9, 7, 2, b"\5" + unfiltered(COLOUR)[1:]),
        png(9, 7, 3, unfiltered(COLOUR)),
        png(9, 7, 5, unfiltered(COLOUR)),
        png(0, 7, 2, b""),
        png(9, 7, 2, unfiltered(COLOUR)).replace(b"IDAT", b"iDAT"),
        b"\x89PNG\r\n\x1a\n" + chunk(b"IEND", b""),
        png(2**31 - 1, 2**31 - 1, 2, b"\0"),
        png(30_000, 30_000, 6, b"\0" * 9999),
    ],
    ids=["short", "long", "filter", "palette", "colour", "empty", "checksum", "headless", "absurd", "too large"],
)
def test_damage_and_absurd_sizes_are_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(TensorfillError):
        read(tmp_path / "a.png", content)


def test_cut_anywhere_or_with_any_bit_flipped_it_is_refused(tmp_path: Path) -> None:
    whole = png(3, 4, 2, unfiltered(COLOUR[:3, :4]))
    flipped = (
        whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :] for at, bit in product(range(len(whole)), (1, 64))
    )
    for content in (*(whole[:cut] for cut in range(len(whole))), *flipped):
        with pytest.raises(UnreadableFile):
            read(tmp_path / "a.png", content)


def test_pixels_without_their_checksum_are_refused(tmp_path: Path) -> None:
    packed = zlib.compress(unfiltered(COLOUR))
    content = png(9, 7, 2, unfiltered(COLOUR)).replace(chunk(b"IDAT", packed), chunk(b"IDAT", packed[:-2]))
    with pytest.raises(UnreadableFile, match="cut short"):
        read(tmp_path / "a.png", content)


def test_pixels_that_unpack_to_more_than_they_should_stop_there(tmp_path: Path) -> None:
    content = png(9, 7, 2, bytes(50_000_000))
    tracemalloc.start()
    with pytest.raises(UnreadableFile, match="damaged"):
        read(tmp_path / "a.png", content)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
