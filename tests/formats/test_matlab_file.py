"""One array of a MATLAB file, old and new, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from scipy import io

from tensorfill.errors import InvalidInput, UnreadableFile
from tensorfill.formats.matlab_file import read_variable

VERSIONS = ["5", "7", "7.3"]


def write(path: Path, version: str, **variables: Any) -> None:
    """A .mat file as MATLAB would write it."""
    if version != "7.3":
        io.savemat(path, variables, do_compression=version == "7")
        return
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in variables.items():
            if isinstance(value, dict):
                group = file.create_group(name)
                group.attrs["MATLAB_class"] = np.bytes_("struct")
            else:
                array = np.asarray(value)
                dataset = file.create_dataset(name, data=array.T)
                dataset.attrs["MATLAB_class"] = np.bytes_("double" if array.dtype == np.float64 else array.dtype.name)
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64"])
@pytest.mark.parametrize("version", VERSIONS)
def test_an_array_comes_back_as_matlab_shows_it(tmp_path: Path, version: str, dtype: str) -> None:
    cube = np.arange(24).reshape(2, 3, 4).astype(dtype)
    write(tmp_path / "a.mat", version, reflectances=cube, wavelengths=np.arange(4.0))
    back = read_variable(tmp_path / "a.mat", "reflectances")
    np.testing.assert_array_equal(back, cube)
    assert back.dtype == cube.dtype


@pytest.mark.parametrize("version", VERSIONS)
def test_a_variable_on_its_own_needs_no_name(tmp_path: Path, version: str) -> None:
    write(tmp_path / "a.mat", version, whatever=np.ones((2, 3, 4)))
    assert read_variable(tmp_path / "a.mat").shape == (2, 3, 4)


@pytest.mark.parametrize("version", VERSIONS)
def test_without_a_name_there_must_be_one_variable(tmp_path: Path, version: str) -> None:
    write(tmp_path / "a.mat", version, a=np.ones((2, 2)), b=np.ones((2, 2)))
    with pytest.raises(UnreadableFile, match=r"should hold one variable. The variables in it are: 'a', 'b'.$"):
        read_variable(tmp_path / "a.mat")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_missing_variable_is_told_with_those_that_are_there(tmp_path: Path, version: str) -> None:
    write(tmp_path / "a.mat", version, cube=np.ones((2, 2)), out=np.ones((2, 2)))
    with pytest.raises(
        UnreadableFile, match=r"has no variable 'reflectances'. The variables in it are: 'cube', 'out'.$"
    ):
        read_variable(tmp_path / "a.mat", "reflectances")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_structure_is_refused(tmp_path: Path, version: str) -> None:
    write(tmp_path / "a.mat", version, reflectances={"data": 1.0})
    with pytest.raises(InvalidInput, match=r"^'reflectances' in .*a.mat must"):
        read_variable(tmp_path / "a.mat", "reflectances")


def test_text_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.mat", "5", name="ribeira")
    with pytest.raises(InvalidInput, match="must hold real numbers"):
        read_variable(tmp_path / "a.mat", "name")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9])
def test_a_file_cut_short_is_refused(tmp_path: Path, version: str, share: float) -> None:
    path = tmp_path / "a.mat"
    write(path, version, a=np.random.default_rng(0).random((30, 20, 10)))
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(UnreadableFile, match=r"not a readable .mat file: it is damaged, cut short, or something else"):
        read_variable(path, "a")


def test_something_else_under_the_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text("row,column,value\n1,2,3\n" * 30)
    with pytest.raises(UnreadableFile, match=r"not a readable .mat file"):
        read_variable(tmp_path / "a.mat", "a")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"^There is no file .*a.mat.$"):
        read_variable(tmp_path / "a.mat", "a")


def test_without_h5py_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.mat", "7.3", a=np.ones((2, 2)))
    write(tmp_path / "b.mat", "5", a=np.ones((2, 2)))
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(
        UnreadableFile, match=r"a.mat is a MATLAB 7.3 file.*: pip install 'tensorfill\[hyperspectral\]'$"
    ):
        read_variable(tmp_path / "a.mat", "a")
    assert read_variable(tmp_path / "b.mat", "a").shape == (2, 2)
