"""Damage that a library would have let through, and what nobody means by a name or a size."""

import io
import struct
import zipfile
import zlib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tensorfill import formats
from tensorfill.errors import InvalidInput, UnreadableFile
from tensorfill.formats import Contents, Metadata

CLIP = (np.add.outer(np.arange(16 * 20).reshape(16, 20), 9 * np.arange(5)) % 251).astype(np.uint8)


def png(columns: int, rows: int, pixels: bytes, *, colour: int = 0, bits: int = 8, interlace: int = 0) -> bytes:
    header = struct.pack(">IIBBBBB", columns, rows, bits, colour, 0, 0, interlace)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(pixels)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize(("columns", "bits", "row"), [(5, 8, 6), (9, 1, 3), (3, 4, 3), (4, 2, 2)])
def test_a_png_with_a_byte_too_few_is_refused(tmp_path: Path, columns: int, bits: int, row: int) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(png(columns, 7, bytes(7 * row), bits=bits))
    assert formats.read(path).shape == (7, columns)
    path.write_bytes(png(columns, 7, bytes(7 * row - 1), bits=bits))
    with pytest.raises(UnreadableFile, match="damaged"):
        formats.read(path)


@pytest.mark.parametrize(("columns", "rows", "size"), [(8, 8, 64 + 15), (1, 1, 2), (3, 2, 6 + 4), (5, 1, 5 + 4)])
def test_an_interlaced_png_with_a_byte_too_few_is_refused(tmp_path: Path, columns: int, rows: int, size: int) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(png(columns, rows, bytes(size), interlace=1))
    assert formats.read(path).shape == (rows, columns)
    path.write_bytes(png(columns, rows, bytes(size - 1), interlace=1))
    with pytest.raises(UnreadableFile, match="damaged"):
        formats.read(path)


def test_a_png_whose_palette_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(5, 7, bytes(42), colour=3))
    with pytest.raises(UnreadableFile, match="damaged"):
        formats.read(tmp_path / "a.png")


def test_a_wrong_bit_in_any_part_of_a_mkv_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.mkv"
    formats.write(path, Contents(CLIP, metadata=Metadata(kind="video", frame_rate=Fraction(25))))
    whole = path.read_bytes()
    width = whole.index(b"\xb0\x81\x14\xba\x81\x10") + 2
    frames = whole.index(b"\x1f\x43\xb6\x75") + 20
    for place in (width, width + 3, whole.index(b"FRAME_RATE") + 3, *range(frames, frames + 900, 97)):
        path.write_bytes(whole[:place] + bytes((whole[place] ^ 1,)) + whole[place + 1 :])
        with pytest.raises(UnreadableFile, match="damaged"):
            formats.read(path)


@pytest.mark.parametrize("name", ["../data", "/data", "a/../../data", r"..\data", r"C:\data"])
def test_a_name_that_leads_out_of_an_archive_is_refused(tmp_path: Path, name: str) -> None:
    array = io.BytesIO()
    np.save(array, CLIP)
    for ending in (".npz", ".zarr.zip"):
        path = tmp_path / f"a{ending}"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(f"{name}.npy", array.getvalue())
        with pytest.raises(UnreadableFile, match="a name that leads out of it"):
            formats.read(path)


def test_a_table_of_more_modes_than_an_array_can_have_is_refused(tmp_path: Path) -> None:
    for ending, sign in ((".csv", ","), (".tns", " ")):
        path = tmp_path / f"a{ending}"
        path.write_text(sign.join(map(str, range(1, 35))) + "\n")
        with pytest.raises(InvalidInput, match=r"at most 32 columns of coordinates. Got 33 instead"):
            formats.read(path)


def test_a_clip_with_a_damaged_frame_is_not_taken_for_photos(tmp_path: Path) -> None:
    from tensorfill.formats.folder_role import is_clip

    for number in range(4):
        Image.fromarray(CLIP[:, :, number]).save(tmp_path / f"{number}.png")
    for content in (b"", b"hello", (tmp_path / "0.png").read_bytes()[:20]):
        (tmp_path / "2.png").write_bytes(content)
        assert is_clip(tmp_path)
        with pytest.raises(UnreadableFile, match=r"2\.png is not a \.png picture"):
            formats.read(tmp_path)
