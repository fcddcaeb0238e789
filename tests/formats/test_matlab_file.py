"""One array of a MATLAB file, old and new: what comes back, what is kept, and what is refused."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from array_files import check_same, decode_here, read, save
from scipy import io

from tensorfill.errors import InvalidInput
from tensorfill.formats import Contents, Metadata
from tensorfill.formats.arrays.matlab import Matlab, read_variable


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    decode_here(monkeypatch)


@pytest.mark.parametrize(
    ("kind", "value", "called"),
    [
        ("mat 7", "ribeira", "text"),
        ("mat 4", "ribeira", "text"),
        ("mat 7", np.ones((2, 2)) * 1j, "complex numbers"),
        ("mat 4", np.ones((2, 2)) * 1j, "complex numbers"),
        ("mat 7", np.array([[1, "a"]], dtype=object), "a cell array"),
        ("mat 5", {"data": 1.0}, "a structure"),
        ("mat 7.3", {"data": 1.0}, "a structure"),
    ],
)
def test_what_is_not_a_real_number_is_called_by_its_name(tmp_path: Path, kind: str, value: Any, called: str) -> None:
    path = save(tmp_path, kind, name=value)
    with pytest.raises(InvalidInput, match=f"^'name' in .*a.mat must hold real numbers.*Got {called} instead"):
        read_variable(path, "name")


def test_numbers_that_matlab_stored_in_a_shorter_type_have_their_own_again(tmp_path: Path) -> None:
    """As MATLAB does to whole numbers: those of class double are stored as bytes."""
    flags, sizes = struct.pack("<IIII", 6, 8, 6, 0), struct.pack("<IIii", 5, 8, 2, 2)
    body = flags + sizes + struct.pack("<II", 1 | 1 << 16, ord("a")) + struct.pack("<I4B", 2 | 4 << 16, 1, 2, 3, 4)
    header = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    (tmp_path / "a.mat").write_bytes(header + struct.pack("<II", 14, len(body)) + body)
    check_same(read(tmp_path / "a.mat"), Contents(np.array([[1.0, 3.0], [2.0, 4.0]])))


def test_other_programs_read_what_is_written(tmp_path: Path) -> None:
    data = np.arange(24.0).reshape(2, 3, 4)
    Matlab().write(tmp_path / "a.mat", Contents(data, data > 3))
    there = io.loadmat(tmp_path / "a.mat")
    np.testing.assert_array_equal(there["data"], data)
    np.testing.assert_array_equal(there["observed"], data > 3)


def test_a_7_3_file_has_the_header_and_the_classes_that_matlab_looks_for(tmp_path: Path) -> None:
    header = {"version": "7.3"}
    Matlab().write(
        tmp_path / "a.mat",
        Contents(np.ones((2, 3), "f4"), np.ones((2, 3), bool), metadata=Metadata(header=header, header_of="mat")),
    )
    start = (tmp_path / "a.mat").read_bytes()[:128]
    assert start.startswith(b"MATLAB 7.3 MAT-file")
    assert start[124:] == b"\x00\x02IM"
    with h5py.File(tmp_path / "a.mat") as file:
        assert file["data"].shape == (3, 2)
        assert file["data"].attrs["MATLAB_class"] == b"single"
        assert file["observed"].attrs["MATLAB_class"] == b"logical"
        assert file["observed"].attrs["MATLAB_int_decode"] == 1


def test_what_matlab_does_not_have_is_told() -> None:
    matlab = Matlab()
    assert matlab.refuses(Contents(np.ones((2, 2), "f2"))) == (
        "MATLAB has no numbers of type float16: convert them to float64, or write .npy or .h5."
    )
    assert matlab.losses(Contents(np.ones(3))) == ("MATLAB has no arrays of 1 modes: (3,) becomes (1, 3).",)
    assert "leaves out sizes of 1" in matlab.losses(Contents(np.ones((2, 3, 1))))[0]
    named = Contents(np.ones((2, 3)), metadata=Metadata(variable="group/cube 1", wavelengths=(1.0, 2.0, 3.0)))
    assert matlab.losses(named) == (
        "MATLAB has no name such as 'group/cube 1', so the array is called 'data'.",
        "A .mat file does not keep wavelengths.",
    )
