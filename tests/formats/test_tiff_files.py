"""How .tif files become arrays and arrays become .tif files."""

import json
import os
import struct
import tracemalloc
import zlib
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import tifffile
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from PIL import Image

from tensorfill.errors import TensorfillError, UnreadableFile
from tensorfill.formats.contents import Contents, Density, Metadata, Reading
from tensorfill.formats.pictures import tiff
from tensorfill.formats.pictures.tiff import Tiff
from tensorfill.formats.pictures.tiff_pages import catch_complaints

RNG = np.random.default_rng(0)
DTYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]


def written(path: Path, contents: Contents) -> Contents:
    path.unlink(missing_ok=True)
    assert Tiff().refuses(contents) is None
    Tiff().write(path, contents)
    return read(path)


def read(path: Path, **how: Any) -> Contents:
    return Tiff().read(path, Reading(**how))


def bits(array: NDArray[Any]) -> bytes:
    """So that NaNs compare too."""
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).tobytes()


@st.composite
def stacks(draw: st.DrawFn) -> Contents:
    dtype = np.dtype(draw(st.sampled_from(DTYPES))).newbyteorder(draw(st.sampled_from("<>")))
    kind = draw(st.sampled_from(["picture", "video", "cube", "volume", "array"]))
    rows, columns, colour = draw(st.integers(1, 9)), draw(st.integers(1, 9)), draw(st.booleans())
    pages = () if kind == "picture" else draw(st.sampled_from([(1,), (2,), (5,), (2, 2)]))
    channels = (3,) if colour and kind in ("picture", "video") and len(pages) < 2 else ()
    data = draw(arrays.arrays(dtype, (rows, columns, *pages, *channels)))
    alpha = None
    if channels or not pages or draw(st.booleans()):
        native = dtype.newbyteorder("=")
        top = 1 if dtype.kind == "f" else int(np.iinfo(native).max)
        alpha = np.full((rows, columns, *pages), top, dtype=native)
        alpha.flat[0] = draw(st.sampled_from([0, top]))
    rate = draw(st.sampled_from([None, Fraction(25), Fraction(30000, 1001)])) if kind == "video" else None
    bands = tuple(f"band {index}" for index in range(pages[0])) if kind == "cube" else ()
    waves = tuple(0.1 + 400 * index for index in range(len(bands)))
    affine = np.diag([0.1, 0.2, 0.3, 1.0]) if kind == "volume" and draw(st.booleans()) else None
    density = draw(st.sampled_from([None, Density((300, 1), (299, 7), "inch")]))
    metadata = Metadata(
        kind=kind,
        alpha=alpha,
        frame_rate=rate,
        band_names=bands,
        wavelengths=waves,
        wavelength_unit="nm" if bands else "",
        affine=affine,
        density=density,
    )
    return Contents(data, metadata=metadata)


@settings(max_examples=150, deadline=None)
@given(stacks())
def test_everything_comes_back(contents: Contents) -> None:
    with TemporaryDirectory() as folder:
        back = written(Path(folder) / "a.tif", contents)
    assert back.shape == contents.shape
    assert back.dtype == contents.dtype.newbyteorder("=")
    assert bits(back.data) == bits(contents.data)
    old, new = contents.metadata, back.metadata
    for name in ("kind", "frame_rate", "band_names", "wavelengths", "wavelength_unit", "density", "header"):
        assert getattr(new, name) == getattr(old, name), name
    for name in ("alpha", "affine"):
        np.testing.assert_array_equal(getattr(new, name), getattr(old, name))
    assert Tiff().losses(contents) == ()


def test_transparent_pixels_are_missing_and_nan_stays(tmp_path: Path) -> None:
    data = RNG.random((4, 5, 3)).astype(np.float32)
    data[1, 1] = np.nan
    alpha = np.ones((4, 5), np.float32)
    alpha[0, 0], alpha[3, 4] = 0, 0.5
    back = written(tmp_path / "a.tif", Contents(data, metadata=Metadata(kind="picture", alpha=alpha)))
    assert not back.known()[0, 0].any()
    assert not back.known()[1, 1].any()
    assert back.known().sum() == data.size - 6


def test_other_programs_read_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    colour = RNG.integers(0, 256, (6, 8, 3), dtype=np.uint8)
    alpha = RNG.integers(1, 256, (6, 8), dtype=np.uint8)
    written(path, Contents(colour, metadata=Metadata(kind="picture", alpha=alpha)))
    np.testing.assert_array_equal(np.asarray(Image.open(path)), np.dstack([colour, alpha]))
    clip = RNG.integers(0, 65536, (6, 8, 4), dtype=np.uint16)
    written(path, Contents(clip, metadata=Metadata(kind="video")))
    np.testing.assert_array_equal(tifffile.imread(path), np.moveaxis(clip, 2, 0))


COLOUR = RNG.integers(0, 256, (37, 53, 3), dtype=np.uint8)
SMOOTH = np.add.outer(np.arange(300), np.arange(400)).astype(np.uint8)


@pytest.mark.parametrize("packing", ["tiff_lzw", "packbits", "tiff_adobe_deflate", "tiff_deflate", None])
@pytest.mark.parametrize(
    "data", [COLOUR, COLOUR[..., 0], SMOOTH, SMOOTH.astype(np.uint16) * 99, SMOOTH.astype(np.float32) / 7]
)
def test_what_pillow_packs_is_unpacked(tmp_path: Path, packing: str | None, data: NDArray[Any]) -> None:
    """Also as differences between neighbours."""
    predictors = (1, 3 if data.dtype.kind == "f" else 2) if packing in ("tiff_lzw", "tiff_adobe_deflate") else (1,)
    for predictor in predictors:
        Image.fromarray(data).save(tmp_path / "a.tif", compression=packing, tiffinfo={317: predictor})
        with tifffile.TiffFile(tmp_path / "a.tif") as tif:
            assert tif.pages[0].predictor == predictor
        back = read(tmp_path / "a.tif")
        np.testing.assert_array_equal(back.data, data)
        assert (back.dtype, back.metadata.kind) == (data.dtype, "picture")


@pytest.mark.parametrize("dtype", ["u2", "i4", "f8"])
def test_lzw_of_what_pillow_does_not_read_is_unpacked(tmp_path: Path, dtype: str) -> None:
    path, data = tmp_path / "a.tif", (RNG.random((36, 53, 3)) * 200).astype(dtype)
    strips = iter([lzw(data[top : top + 9].tobytes()) for top in range(0, 36, 9)])
    how = {"photometric": "rgb", "compression": "zlib", "rowsperstrip": 9}
    tifffile.imwrite(path, strips, shape=data.shape, dtype=dtype, **how)
    with tifffile.TiffFile(path, mode="r+") as tif:
        tif.pages[0].tags["Compression"].overwrite(5)
    np.testing.assert_array_equal(read(path).data, data)


def lzw(strip: bytes) -> bytes:
    """As Pillow packs a row of bytes."""
    file = BytesIO()
    Image.frombytes("L", (len(strip), 1), strip).save(file, "TIFF", compression="tiff_lzw")
    file.seek(0)
    with tifffile.TiffFile(file) as tif:
        (start,), (size,) = tif.pages[0].dataoffsets, tif.pages[0].databytecounts
    return file.getvalue()[start : start + size]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("options", [{"tile": (16, 32)}, {"rowsperstrip": 5}, {"planarconfig": "separate"}, {}])
@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8"])
def test_strips_tiles_planes_and_byte_orders(tmp_path: Path, order: Any, options: dict[str, Any], dtype: str) -> None:
    data = (RNG.random((50, 70, 3)) * 200).astype(dtype)
    stored = np.moveaxis(data, 2, 0) if "planarconfig" in options else data
    tifffile.imwrite(tmp_path / "a.tif", stored, photometric="rgb", byteorder=order, **options)
    np.testing.assert_array_equal(read(tmp_path / "a.tif").data, data)


def test_what_is_too_much_for_plain_tiff_is_written_as_bigtiff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = RNG.integers(0, 2**16, (6, 7, 5), dtype=np.uint16)
    for most in (pages.nbytes - 1, pages.nbytes):
        monkeypatch.setattr(tiff, "_BIG", most)
        found = written(tmp_path / "a.tif", Contents(pages, metadata=Metadata(kind="volume")))
        np.testing.assert_array_equal(found.data, pages)
        with tifffile.TiffFile(tmp_path / "a.tif") as file:
            assert file.is_bigtiff == (most < pages.nbytes)


def test_a_stack_is_a_volume_and_a_clip_where_the_file_says_so(tmp_path: Path) -> None:
    pages = RNG.integers(0, 256, (5, 6, 7), dtype=np.uint8)
    tifffile.imwrite(tmp_path / "v.tif", pages, photometric="minisblack")
    volume = read(tmp_path / "v.tif")
    np.testing.assert_array_equal(volume.data, np.moveaxis(pages, 0, 2))
    assert (volume.metadata.kind, volume.metadata.frame_rate) == ("volume", None)
    tifffile.imwrite(tmp_path / "t.tif", pages, imagej=True, metadata={"axes": "TYX", "finterval": 0.04})
    clip = read(tmp_path / "t.tif")
    np.testing.assert_array_equal(clip.data, volume.data)
    assert (clip.metadata.kind, clip.metadata.frame_rate) == ("video", 25)
    tifffile.imwrite(tmp_path / "o.ome.tif", pages, metadata={"axes": "TYX"}, photometric="minisblack")
    assert read(tmp_path / "o.ome.tif").metadata.kind == "video"


def test_pages_without_entries_of_their_own_are_read(tmp_path: Path) -> None:
    pages = RNG.integers(0, 65536, (5, 6, 7), dtype=np.uint16)
    tifffile.imwrite(tmp_path / "a.tif", pages, imagej=True, truncate=True, metadata={"axes": "ZYX"})
    with tifffile.TiffFile(tmp_path / "a.tif") as tif:
        assert len(tif.pages) == 1
    np.testing.assert_array_equal(read(tmp_path / "a.tif").data, np.moveaxis(pages, 0, 2))
    part = read(tmp_path / "a.tif", frames=(2, 3))
    np.testing.assert_array_equal(part.data, np.moveaxis(pages[2:4], 0, 2))
    whole = (tmp_path / "a.tif").read_bytes()
    (tmp_path / "a.tif").write_bytes(whole[:-7])
    with pytest.raises(UnreadableFile, match="cut short"):
        read(tmp_path / "a.tif")


def test_samples_that_are_no_colours_are_bands(tmp_path: Path) -> None:
    data = RNG.integers(0, 65536, (6, 7, 5), dtype=np.uint16)
    tifffile.imwrite(tmp_path / "a.tif", data, photometric="minisblack", planarconfig="contig")
    back = read(tmp_path / "a.tif")
    np.testing.assert_array_equal(back.data, data)
    assert back.metadata.kind == "cube"


def test_white_as_0_is_turned_round_with_a_note(tmp_path: Path) -> None:
    tifffile.imwrite(tmp_path / "a.tif", SMOOTH, photometric="miniswhite", bigtiff=True)
    back = read(tmp_path / "a.tif")
    np.testing.assert_array_equal(back.data, 255 - SMOOTH)
    assert "White is stored as 0" in back.notes[0]


def test_palettes_fax_and_jpeg_are_read_by_pillow(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    palette = Image.fromarray(COLOUR).quantize(200)
    palette.save(path, compression="tiff_lzw")
    np.testing.assert_array_equal(read(path).data, np.asarray(palette.convert("RGB")))
    Image.fromarray(SMOOTH > 90).save(path, compression="group4")
    np.testing.assert_array_equal(read(path).data, (SMOOTH > 90) * np.uint8(255))
    Image.fromarray(COLOUR).save(path, compression="jpeg")
    assert read(path).shape == COLOUR.shape
    Image.fromarray(SMOOTH > 90).save(path, save_all=True, append_images=[Image.fromarray(SMOOTH > 9)])
    assert read(path).shape == (300, 400, 2)
    assert read(path, frames=(1, 1)).data[0, 10, 0] == 255


def test_a_compression_that_nobody_knows_is_named(tmp_path: Path) -> None:
    """Pillow would unpack this one, but to 8 bits."""
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, COLOUR.astype(np.uint16), compression="lzma", photometric="rgb")
    with pytest.raises(UnreadableFile, match="packed by LZMA in a way that is not known here; save it without"):
        read(path)


def test_pages_unlike_the_first_are_left_out_with_a_note(tmp_path: Path) -> None:
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        file.write(SMOOTH)
        file.write(COLOUR[..., 0])
    back = read(tmp_path / "a.tif")
    np.testing.assert_array_equal(back.data, SMOOTH)
    assert "also has 1 pages unlike the first" in back.notes[0]


def test_no_other_file_is_opened_for_ome(tmp_path: Path) -> None:
    tifffile.imwrite(tmp_path / "secret.ome.tif", np.full((4, 4), 7, np.uint8), metadata={"axes": "YX"})
    xml = (
        '<OME><Image ID="Image:0"><Pixels DimensionOrder="XYZCT" Type="uint8" SizeX="4" SizeY="4" SizeZ="1" SizeC="1" '
        'SizeT="2"><TiffData IFD="0" FirstT="1" PlaneCount="1"><UUID FileName="secret.ome.tif">x</UUID></TiffData>'
        "</Pixels></Image></OME>"
    )
    tifffile.imwrite(tmp_path / "a.tif", np.zeros((4, 4), np.uint8), description=xml, metadata=None)
    assert not read(tmp_path / "a.tif").data.any()


def test_a_description_cut_short_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.ome.tif"
    tifffile.imwrite(path, SMOOTH, metadata={"axes": "YX"})
    with tifffile.TiffFile(path) as tif:
        said = tif.pages[0].tags["ImageDescription"]
        end = said.valueoffset + said.count
    content = path.read_bytes()
    assert end > max(tif.pages[0].dataoffsets) + SMOOTH.size, "it stands behind the pixels"
    path.write_bytes(content[: end - 10])
    with pytest.raises(UnreadableFile, match="cut short"):
        read(path)


def test_nothing_is_logged_about_untidy_files(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tifffile.imwrite(tmp_path / "a.tif", SMOOTH)
    with tifffile.TiffFile(tmp_path / "a.tif") as tif:
        place = tif.pages[0].tags["Software"].offset
    content = bytearray((tmp_path / "a.tif").read_bytes())
    struct.pack_into("<H", content, place + 2, 99)  # no such type
    (tmp_path / "a.tif").write_bytes(content)
    np.testing.assert_array_equal(read(tmp_path / "a.tif").data, SMOOTH)
    assert caplog.records == []


def test_a_strip_that_unpacks_to_far_more_than_it_should_is_refused_early(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    bomb = zlib.compress(bytes(50_000_000))
    tifffile.imwrite(path, iter([bomb]), shape=(4, 4), dtype=np.uint8, compression="zlib", rowsperstrip=4)
    tracemalloc.start()
    with pytest.raises(UnreadableFile, match="damaged"):
        read(path)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_the_last_strip_may_be_padded_and_no_bit_of_it_changes_unnoticed(tmp_path: Path) -> None:
    path, data = tmp_path / "a.tif", np.arange(30, dtype=np.uint8).reshape(6, 5)
    strips = [zlib.compress(data[:4].tobytes()), zlib.compress(data[4:].tobytes() + bytes(10))]
    tifffile.imwrite(path, iter(strips), shape=(6, 5), dtype=np.uint8, compression="zlib", rowsperstrip=4)
    np.testing.assert_array_equal(read(path).data, data)
    whole = path.read_bytes()
    start = whole.index(strips[1])
    for place in range(start, start + len(strips[1])):
        for bit in range(8 if place - start != len(strips[1]) - 5 else 0):  # before the checksum, a few bits are unused
            path.write_bytes(whole[:place] + bytes((whole[place] ^ 1 << bit,)) + whole[place + 1 :])
            with pytest.raises(UnreadableFile, match="damaged"):
                read(path)


@pytest.mark.parametrize("shape", [(6, 24, 32), (2, 3, 24, 32), (6, 24, 32, 3), (6, 3, 24, 32)])
def test_pages_whose_entries_tifffile_left_out_are_read(tmp_path: Path, shape: tuple[int, ...]) -> None:
    data = np.arange(np.prod(shape), dtype=np.uint16).reshape(shape)
    apart = shape == (6, 3, 24, 32)
    colour = apart or shape[-1] == 3
    how = {"photometric": "rgb" if colour else "minisblack", "planarconfig": "separate" if apart else None}
    tifffile.imwrite(tmp_path / "a.tif", data, truncate=True, **how)
    expected = np.moveaxis(data, 1, 3) if apart else data
    expected = np.moveaxis(expected, (-3, -2), (0, 1)) if colour else np.moveaxis(expected, (-2, -1), (0, 1))
    np.testing.assert_array_equal(read(tmp_path / "a.tif").data, expected)


def test_nonsense_in_the_description_is_not_believed(tmp_path: Path) -> None:
    for said in ({"shape": [2, 0, 1], "axes": "TYX"}, {"shape": ["x"], "axes": 3}, {"shape": None}, "[" * 9999):
        text = said if isinstance(said, str) else json.dumps(said)
        tifffile.imwrite(tmp_path / "a.tif", SMOOTH, description=text, metadata=None)
        np.testing.assert_array_equal(read(tmp_path / "a.tif").data, SMOOTH)
    told = json.dumps({"shape": [10**9, 300, 400], "axes": "TYX"})
    tifffile.imwrite(tmp_path / "a.tif", SMOOTH, description=told, metadata=None)
    with pytest.raises(TensorfillError):
        read(tmp_path / "a.tif")


@pytest.mark.parametrize("packing", ["jpeg", "group4"])
def test_what_libtiff_complains_about_is_refused_and_not_printed(
    tmp_path: Path, packing: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.tif"
    Image.fromarray(COLOUR if packing == "jpeg" else SMOOTH > 90).save(path, compression=packing)
    with tifffile.TiffFile(path) as tif:
        start, length = tif.pages[0].dataoffsets[0], tif.pages[0].databytecounts[0]
    content = bytearray(path.read_bytes())
    content[start + 4 : start + length] = b"\xff\xcf" * ((length - 4) // 2) + b"\0" * (length % 2)
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match="damaged"):
        read(path)
    assert capfd.readouterr() == ("", "")


def test_what_others_print_meanwhile_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with catch_complaints():
        os.write(2, b"progress: 10 %\n")
    assert capfd.readouterr() == ("", "progress: 10 %\n")


HYPER = np.random.default_rng(5).integers(0, 255, (2, 4, 3, 6, 8), dtype=np.uint8)
"""Two frames of four slices in three channels."""


@pytest.mark.parametrize("how", [{"imagej": True}, {"ome": True}, {"photometric": "minisblack"}])
def test_hyperstacks_are_read_by_their_axes_and_written_back_with_them(tmp_path: Path, how: dict[str, Any]) -> None:
    tifffile.imwrite(tmp_path / "a.tif", HYPER, metadata={"axes": "TZCYX"}, **how)
    found = read(tmp_path / "a.tif")
    np.testing.assert_array_equal(found.data, HYPER.transpose(3, 4, 0, 1, 2))
    assert found.metadata.axes == "YXTZC"
    assert found.notes == ()
    Tiff().write(tmp_path / "b.tif", found)
    with tifffile.TiffFile(tmp_path / "a.tif") as before, tifffile.TiffFile(tmp_path / "b.tif") as after:
        assert after.series[0].axes == "TZCYX"
        np.testing.assert_array_equal(after.asarray(), HYPER)
        assert after.imagej_metadata == before.imagej_metadata
        assert after.is_ome == before.is_ome


def test_what_imagej_says_about_units_comes_back(tmp_path: Path) -> None:
    told = {"axes": "ZCYX", "spacing": 2.5, "unit": "um", "mode": "composite", "Labels": list("ABCDEFGHIJKL")}
    tifffile.imwrite(tmp_path / "a.tif", HYPER[0], imagej=True, metadata=told, resolution=(3.0, 3.0))
    found = read(tmp_path / "a.tif")
    assert found.shape == (6, 8, 4, 3)
    assert found.metadata.axes == "YXZC"
    Tiff().write(tmp_path / "b.tif", found)
    with tifffile.TiffFile(tmp_path / "a.tif") as before, tifffile.TiffFile(tmp_path / "b.tif") as after:
        assert after.imagej_metadata == before.imagej_metadata
        assert after.pages[0].tags["XResolution"].value == before.pages[0].tags["XResolution"].value


def test_of_a_hyperstack_frames_are_read_along_its_first_mode(tmp_path: Path) -> None:
    tifffile.imwrite(tmp_path / "a.tif", HYPER, imagej=True, metadata={"axes": "TZCYX"})
    found = read(tmp_path / "a.tif", frames=(1, 1))
    np.testing.assert_array_equal(found.data, HYPER[1:].transpose(3, 4, 0, 1, 2))
    Tiff().write(tmp_path / "b.tif", found)
    back = read(tmp_path / "b.tif")
    np.testing.assert_array_equal(back.data, found.data)
    assert back.metadata.axes == "YXTZC"


def test_axes_that_do_not_fit_the_pages_are_told(tmp_path: Path) -> None:
    lines = "ImageJ=1.54\nimages=12\nchannels=5\nslices=4\nhyperstack=true\n"
    tifffile.imwrite(tmp_path / "a.tif", HYPER[0].reshape(12, 6, 8), description=lines, metadata=None)
    found = read(tmp_path / "a.tif")
    assert found.shape == (6, 8, 12)
    assert "also 4 slices, 5 channels: they do not fit, and are read one by one." in found.notes[0]
