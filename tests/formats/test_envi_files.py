"""ENVI cubes: order of axes and bytes, what is missing, what is kept, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from array_files import read
from spectral.io import envi as spectral_envi

from tensorfill import formats
from tensorfill.errors import TensorfillError, UnreadableFile
from tensorfill.formats import Contents, Metadata
from tensorfill.formats.arrays.envi import Envi

CUBE = np.arange(24, dtype=np.int16).reshape(2, 3, 4)


def header_with(path: Path, **lines: str) -> None:
    """Change fields of a header; an underscore stands for a space."""
    wanted = {name.replace("_", " "): value for name, value in lines.items()}
    kept = [line for line in path.read_text().splitlines() if line.partition("=")[0].strip() not in wanted]
    path.write_text("\n".join([*kept, *(f"{name} = {value}" for name, value in wanted.items() if value), ""]))


@pytest.mark.parametrize("interleave", ["bsq", "bil", "bip"])
@pytest.mark.parametrize("order", ["0", "1"])
def test_the_library_spectral_reads_the_same(tmp_path: Path, interleave: str, order: str) -> None:
    metadata = Metadata(
        wavelengths=(1.0, 2.0, 3.0, 4.5), header={"interleave": interleave, "byte order": order}, header_of="envi"
    )
    Envi().write(tmp_path / "a.hdr", Contents(CUBE, metadata=metadata))
    image = spectral_envi.open(tmp_path / "a.hdr")
    np.testing.assert_array_equal(np.asarray(image.load()), CUBE)
    assert image.bands.centers == [1.0, 2.0, 3.0, 4.5]
    spectral_envi.save_image(str(tmp_path / "b.hdr"), CUBE, interleave=interleave, byteorder=int(order))
    np.testing.assert_array_equal(read(tmp_path / "b.hdr").data, CUBE)


def test_a_value_to_be_ignored_and_bad_bands_are_missing(tmp_path: Path) -> None:
    Envi().write(tmp_path / "a.hdr", Contents(CUBE))
    header_with(tmp_path / "a.hdr", data_ignore_value="5", bbl="{1, 1, 0, 1}")
    contents = read(tmp_path / "a.hdr")
    expected = CUBE != 5
    expected[:, :, 2] = False
    np.testing.assert_array_equal(contents.observed, expected)
    np.testing.assert_array_equal(contents.data, CUBE)
    assert contents.notes[0].endswith("says that 5 is to be ignored: 1 entries are missing.")
    assert contents.notes[1].endswith("lists 1 bad bands (counted from 0: 2): they are missing.")
    assert Envi().losses(contents) == ()
    Envi().write(tmp_path / "b.hdr", contents)
    again = read(tmp_path / "b.hdr")
    np.testing.assert_array_equal(again.observed, expected)
    np.testing.assert_array_equal(again.data, CUBE)


def test_what_was_filled_is_no_longer_bad_or_ignored(tmp_path: Path) -> None:
    Envi().write(tmp_path / "a.hdr", Contents(CUBE))
    header_with(tmp_path / "a.hdr", data_ignore_value="5", bbl="{1, 1, 0, 1}")
    filled = read(tmp_path / "a.hdr").fill(np.where(CUBE == 7, CUBE, 5).astype(np.int16))
    Envi().write(tmp_path / "b.hdr", filled)
    assert read(tmp_path / "b.hdr").observed is None
    assert "bbl = {1, 1, 1, 1}" in (tmp_path / "b.hdr").read_text()


def test_values_are_never_written_over_and_a_mask_that_is_lost_is_told(tmp_path: Path) -> None:
    contents = Contents(CUBE, CUBE > 3)
    Envi().write(tmp_path / "a.hdr", contents)
    np.testing.assert_array_equal(read(tmp_path / "a.hdr").data, CUBE)
    assert Envi().losses(contents) == ("An ENVI file does not keep which entries are known.",)


@pytest.mark.parametrize(
    ("header", "numbers"),
    [*(("a.hdr", f"a{ending}") for ending in (".dat", ".raw", ".bsq", "", ".IMG")), ("a.img.hdr", "a.img")],
)
def test_header_and_numbers_may_have_other_names_and_bytes_in_front(tmp_path: Path, header: str, numbers: str) -> None:
    Envi().write(tmp_path / "a.hdr", Contents(CUBE))
    header_with(tmp_path / "a.hdr", header_offset="5")
    (tmp_path / "a.hdr").rename(tmp_path / header)
    content = (tmp_path / "a.img").read_bytes()
    (tmp_path / "a.img").unlink()
    (tmp_path / numbers).write_bytes(b"front" + content)
    np.testing.assert_array_equal(read(tmp_path / header).data, CUBE)


@pytest.mark.parametrize("text", [b"", b"NRRD0004\n", b"\x00\xff" * 300])
def test_something_else_under_the_name_is_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "a.hdr").write_bytes(text)
    with pytest.raises(UnreadableFile, match="its first line must be 'ENVI'"):
        read(tmp_path / "a.hdr")


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    assert "rows, columns and bands" in str(Envi().refuses(Contents(np.ones((2, 3, 4, 5)))))
    assert "rows, columns and bands" in str(Envi().refuses(Contents(np.ones((2, 0, 4)))))
    assert "no numbers of type bool" in str(Envi().refuses(Contents(CUBE > 3)))
    assert "becomes (2, 3, 1)" in Envi().losses(Contents(CUBE[:, :, 0]))[0]
    named = Contents(CUBE, metadata=Metadata(band_names=("a, b", "c", "d", "e")))
    assert "no commas" in Envi().losses(named)[0]
    Envi().write(tmp_path / "a.hdr", named)
    assert read(tmp_path / "a.hdr").metadata.band_names == ("a b", "c", "d", "e")


def test_wavelengths_that_are_not_one_per_band_are_told_and_kept_as_text(tmp_path: Path) -> None:
    Envi().write(tmp_path / "a.hdr", Contents(CUBE))
    header_with(tmp_path / "a.hdr", wavelength="{1.0, 2.0}")
    contents = read(tmp_path / "a.hdr")
    assert contents.metadata.wavelengths == ()
    assert "not one number per band" in contents.notes[0]
    Envi().write(tmp_path / "b.hdr", replace(contents, notes=()))
    assert "wavelength = {1.0, 2.0}" in (tmp_path / "b.hdr").read_text()


@pytest.mark.parametrize("header", ["cube.hdr", "cube.img.hdr"])
def test_the_file_with_the_numbers_leads_to_its_header(tmp_path: Path, header: str) -> None:
    (tmp_path / "cube.img").write_bytes(b"12")
    with pytest.raises(UnreadableFile, match=r"cube\.img holds numbers alone; the header .*cube\.hdr, is missing"):
        formats.read(tmp_path / "cube.img")
    (tmp_path / header).write_text("ENVI\n")
    with pytest.raises(UnreadableFile, match=rf"that .*{header} describes; give that file instead"):
        formats.read(tmp_path / "cube.img")


def test_numbers_that_are_there_already_are_not_replaced_unless_asked(tmp_path: Path) -> None:
    (tmp_path / "new.img").write_bytes(b"12")
    with pytest.raises(TensorfillError, match=r"new\.img is already there; add force=True to replace it"):
        formats.DataFile.of(tmp_path / "new.hdr").check_place(force=False)


def test_an_output_is_named_by_its_header_too(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"named by its header, .*new\.hdr; new\.img lies beside it"):
        formats.write(tmp_path / "new.img", formats.Contents(np.ones((2, 2, 2))))


def test_half_of_a_nifti_pair_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "pair.hdr").write_bytes((348).to_bytes(4, "little") + bytes(344))
    with pytest.raises(UnreadableFile, match=r"one half of a NIfTI or Analyze pair.*save it as one \.nii file"):
        formats.read(tmp_path / "pair.hdr")
