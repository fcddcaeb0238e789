"""NIfTI volumes: values, scaling, affine map and header, and what is refused."""

from __future__ import annotations

from pathlib import Path

import nibabel
import numpy as np
import pytest
from array_files import read

from tensorfill.errors import TensorfillError
from tensorfill.formats import Contents, Metadata
from tensorfill.formats.arrays.nifti import Nifti

VOLUME = np.arange(60, dtype=np.int16).reshape(3, 4, 5)
AFFINE = np.array([[0.0, 2, 0, -90], [1.5, 0, 0, 10], [0, 0, -3, 7], [0, 0, 0, 1]])


@pytest.mark.parametrize("kind", [nibabel.Nifti1Image, nibabel.Nifti2Image])
@pytest.mark.parametrize("ending", [".nii", ".nii.gz"])
def test_the_header_of_another_program_is_kept(tmp_path: Path, kind: type, ending: str) -> None:
    image = kind(VOLUME, AFFINE)
    image.header.set_zooms((1.5, 2.0, 3.0))
    image.header.set_xyzt_units("mm", "sec")
    image.header["descrip"] = b"T1 of a phantom"
    image.header.set_qform(AFFINE, code="scanner")
    image.header.extensions.append(nibabel.nifti1.Nifti1Extension("comment", b"not to be lost"))
    nibabel.save(image, tmp_path / f"a{ending}")
    contents = read(tmp_path / f"a{ending}")
    np.testing.assert_array_equal(contents.data, VOLUME)
    np.testing.assert_allclose(contents.metadata.affine, AFFINE)
    Nifti().write(tmp_path / f"b{ending}", contents.fill(VOLUME.astype(np.float32)))
    back = nibabel.load(tmp_path / f"b{ending}")
    assert isinstance(back, kind)
    assert back.header["descrip"] == b"T1 of a phantom"
    assert back.header.get_zooms() == (1.5, 2.0, 3.0)
    assert back.header.get_xyzt_units() == ("mm", "sec")
    assert back.header.extensions[0].get_content() == b"not to be lost"
    assert back.header["qform_code"] == 1
    assert back.get_data_dtype() == np.float32
    np.testing.assert_array_equal(back.affine, image.affine)


def test_big_endian_files_are_read_as_this_machine_counts(tmp_path: Path) -> None:
    image = nibabel.Nifti1Image(VOLUME, AFFINE, nibabel.Nifti1Header(endianness=">"))
    image.set_data_dtype(np.int16)
    nibabel.save(image, tmp_path / "a.nii")
    contents = read(tmp_path / "a.nii")
    assert contents.dtype == np.int16
    assert contents.dtype.isnative
    Nifti().write(tmp_path / "b.nii", contents)
    np.testing.assert_array_equal(read(tmp_path / "b.nii").data, VOLUME)
    np.testing.assert_array_equal(read(tmp_path / "b.nii").metadata.affine, contents.metadata.affine)


def test_scaled_values_become_floating_point_and_stay_the_same_afterwards(tmp_path: Path) -> None:
    image = nibabel.Nifti1Image(VOLUME, AFFINE)
    image.header.set_slope_inter(0.1, -3.0)
    image.header.set_data_dtype(np.int16)
    nibabel.save(image, tmp_path / "a.nii")
    contents = read(tmp_path / "a.nii")
    np.testing.assert_array_equal(contents.data, nibabel.load(tmp_path / "a.nii").get_fdata())
    assert contents.dtype == np.float64
    assert "to be multiplied by 0.1, plus -3: it is read as float64" in contents.notes[0]
    Nifti().write(tmp_path / "b.nii", contents)
    back = read(tmp_path / "b.nii")
    np.testing.assert_array_equal(back.data, contents.data)
    assert back.notes == ()


def test_long_modes_are_written_as_nifti_2(tmp_path: Path) -> None:
    long = np.arange(40_000, dtype=np.int32).reshape(40_000, 1, 1)
    Nifti().write(tmp_path / "a.nii", Contents(long))
    assert isinstance(nibabel.load(tmp_path / "a.nii"), nibabel.Nifti2Image)
    np.testing.assert_array_equal(read(tmp_path / "a.nii").data, long)


def test_any_wrong_byte_in_the_header_is_refused_or_harmless(tmp_path: Path) -> None:
    Nifti().write(tmp_path / "a.nii", Contents(VOLUME, metadata=Metadata(affine=AFFINE)))
    whole = (tmp_path / "a.nii").read_bytes()
    for place in range(352):
        (tmp_path / "a.nii").write_bytes(whole[:place] + bytes([whole[place] ^ 0xA5]) + whole[place + 1 :])
        try:
            assert read(tmp_path / "a.nii").ndim == 3
        except TensorfillError as error:
            assert str(tmp_path) in str(error)  # noqa: PT017


def test_what_cannot_be_written_is_told() -> None:
    nifti = Nifti()
    assert "one to seven modes" in str(nifti.refuses(Contents(np.ones((1,) * 8))))
    assert "one to seven modes" in str(nifti.refuses(Contents(np.ones((2, 0)))))
    assert "no numbers of type float16" in str(nifti.refuses(Contents(np.ones((2, 2), "f2"))))
    assert "no numbers of type bool" in str(nifti.refuses(Contents(np.ones((2, 2), bool))))
    masked = Contents(VOLUME, VOLUME > 3)
    assert nifti.losses(masked) == ("A NIfTI file does not keep which entries are known.",)
    gone = Contents(np.where(VOLUME > 3, 1.0, np.nan), VOLUME > 3)
    assert nifti.losses(gone) == ()
    fine = Contents(VOLUME, metadata=Metadata(affine=np.diag([0.1, 1, 1, 1])))
    assert nifti.losses(fine) == ("NIfTI keeps three rows of the affine map, in single precision.",)
