"""One array of a MATLAB file, old and new: what comes back, what is kept, and what is refused."""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import io

from tensorfill.errors import InvalidInput, TensorfillError, UnreadableFile
from tensorfill.formats import Contents, Metadata
from tensorfill.formats.arrays.matlab import Matlab, read_variable
from tensorfill.formats.reading import Reading

VERSIONS = ["4", "5", "7", "7.3"]
CLASSES = {"float64": "double", "float32": "single", "bool": "logical"}
DTYPES = ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8", ">f8", ">i2"]


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves the start of a process per file; test_guarded_reading.py has one."""
    monkeypatch.setattr(Matlab, "guarded", False)


def write(path: Path, version: str, **variables: Any) -> None:
    """A .mat file as MATLAB would write it."""
    if version != "7.3":
        io.savemat(path, variables, do_compression=version == "7", format="4" if version == "4" else "5")
        return
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in variables.items():
            if isinstance(value, dict):
                group = file.create_group(name)
                group.attrs["MATLAB_class"] = np.bytes_("struct")
            else:
                array = np.asarray(value)
                stored = array.view(np.uint8) if array.dtype == bool else array
                dataset = file.create_dataset(name, data=stored.T)
                dataset.attrs["MATLAB_class"] = np.bytes_(CLASSES.get(array.dtype.name, array.dtype.name))
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64"])
@pytest.mark.parametrize("version", VERSIONS)
def test_an_array_comes_back_as_matlab_shows_it(tmp_path: Path, version: str, dtype: str) -> None:
    cube = np.arange(24).reshape((4, 6) if version == "4" else (2, 3, 4)).astype(dtype)
    write(tmp_path / "a.mat", version, reflectances=cube, wavelengths=np.arange(4.0))
    back = read_variable(tmp_path / "a.mat", "reflectances")
    np.testing.assert_array_equal(back, cube)
    assert back.dtype == cube.dtype


@pytest.mark.parametrize("version", VERSIONS)
def test_a_variable_on_its_own_needs_no_name(tmp_path: Path, version: str) -> None:
    write(tmp_path / "a.mat", version, whatever=np.ones((2, 3)))
    contents = Matlab().read(tmp_path / "a.mat", Reading())
    assert contents.shape == (2, 3)
    assert contents.metadata.variable == "whatever"


@pytest.mark.parametrize("version", VERSIONS)
def test_the_only_matrix_among_rows_and_numbers_needs_no_name(tmp_path: Path, version: str) -> None:
    write(tmp_path / "a.mat", version, gain=np.ones((1, 1)), cube=np.ones((2, 3)), wavelengths=np.ones((1, 3)))
    assert read_variable(tmp_path / "a.mat").shape == (2, 3)


@pytest.mark.parametrize("version", VERSIONS)
def test_without_a_name_there_must_be_one_matrix(tmp_path: Path, version: str) -> None:
    write(tmp_path / "a.mat", version, a=np.ones((2, 2)), b=np.ones((2, 2)))
    with pytest.raises(
        UnreadableFile, match=r"should hold one variable .*unless FILE::NAME .*The variables in it are: 'a', 'b'.$"
    ):
        read_variable(tmp_path / "a.mat")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_missing_variable_is_told_with_those_that_are_there(tmp_path: Path, version: str) -> None:
    write(tmp_path / "a.mat", version, cube=np.ones((2, 2)), out=np.ones((2, 2)))
    with pytest.raises(
        UnreadableFile, match=r"has no variable 'reflectances'. The variables in it are: 'cube', 'out'.$"
    ):
        read_variable(tmp_path / "a.mat", "reflectances")


@pytest.mark.parametrize("version", ["5", "7", "7.3"])
def test_a_structure_is_refused(tmp_path: Path, version: str) -> None:
    write(tmp_path / "a.mat", version, reflectances={"data": 1.0})
    with pytest.raises(InvalidInput, match=r"^'reflectances' in .*a.mat must hold real numbers.*Got a structure"):
        read_variable(tmp_path / "a.mat", "reflectances")


@pytest.mark.parametrize(
    ("value", "called"),
    [
        ("ribeira", "text"),
        (np.ones((2, 2)) * 1j, "complex numbers"),
        (np.array([[1, "a"]], dtype=object), "a cell array"),
    ],
)
def test_what_is_not_a_real_number_is_refused(tmp_path: Path, value: Any, called: str) -> None:
    write(tmp_path / "a.mat", "7", name=value)
    with pytest.raises(InvalidInput, match=f"must hold real numbers.*Got {called} instead"):
        read_variable(tmp_path / "a.mat", "name")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9, 0.999])
def test_a_file_cut_short_is_refused(tmp_path: Path, version: str, share: float) -> None:
    path = tmp_path / "a.mat"
    write(path, version, a=np.random.default_rng(0).random((30, 200)))
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(UnreadableFile, match=r"not a .mat file that can be read: it is damaged, cut short"):
        read_variable(path, "a")


def test_a_wrong_bit_in_packed_values_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    write(path, "7", a=np.random.default_rng(0).random((30, 20)))
    content = bytearray(path.read_bytes())
    content[-100] ^= 4
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match="damaged"):
        read_variable(path, "a")


def test_a_packed_variable_that_unpacks_to_more_than_it_declares_is_refused(tmp_path: Path) -> None:
    flags = struct.pack("<IIII", 6, 8, 6, 0)
    front = flags + struct.pack("<IIii", 5, 8, 2, 2) + struct.pack("<II", 1 | 1 << 16, ord("a"))
    values = struct.pack("<II", 9, 2**24) + bytes(2**24)
    body = zlib.compress(struct.pack("<II", 14, len(front) + len(values)) + front + values)
    header = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    (tmp_path / "a.mat").write_bytes(header + struct.pack("<II", 15, len(body)) + body)
    with pytest.raises(UnreadableFile, match="damaged"):
        read_variable(tmp_path / "a.mat")


@pytest.mark.parametrize("size", [2**30, 2**24])
def test_an_absurd_size_is_refused_before_memory_is_asked_for(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.mat"
    write(path, "5", a=np.ones((3, 4)))
    path.write_bytes(path.read_bytes().replace(struct.pack("<ii", 3, 4), struct.pack("<ii", size, size)))
    with pytest.raises(TensorfillError, match="declares an array of"):
        read_variable(path)


def test_something_else_under_the_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text("row,column,value\n1,2,3\n" * 30)
    with pytest.raises(UnreadableFile, match=r"not a .mat file that can be read"):
        read_variable(tmp_path / "a.mat", "a")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"^There is no file .*a.mat.$"):
        read_variable(tmp_path / "a.mat", "a")


def test_without_h5py_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.mat", "7.3", a=np.ones((2, 2)))
    write(tmp_path / "b.mat", "5", a=np.ones((2, 2)))
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(UnreadableFile, match=r"a.mat needs h5py.*: pip install 'tensorfill\[hyperspectral\]'$"):
        read_variable(tmp_path / "a.mat", "a")
    assert read_variable(tmp_path / "b.mat", "a").shape == (2, 2)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.sampled_from(DTYPES).flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=2, max_dims=5, max_side=4))
    ),
    masked=st.booleans(),
    version=st.sampled_from(["7", "7.3"]),
    name=st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,20}", fullmatch=True).filter(lambda name: name != "observed"),
)
def test_writing_and_reading_changes_nothing(
    tmp_path: Path, data: np.ndarray, masked: bool, version: str, name: str
) -> None:
    header = {"version": version} if version == "7.3" else {}
    observed = np.arange(data.size).reshape(data.shape) % 3 > 0 if masked else None
    contents = Contents(data, observed, metadata=Metadata(variable=name, header=header, header_of="mat"))
    path = tmp_path / "a.mat"
    path.unlink(missing_ok=True)
    assert Matlab().refuses(contents) is None
    Matlab().write(path, contents)
    back = Matlab().read(path, Reading())
    np.testing.assert_array_equal(back.data, data)
    assert back.dtype == data.dtype.newbyteorder("=")
    assert back.metadata.variable == name
    assert dict(back.metadata.header) == header
    assert (back.observed is None) == (observed is None)
    if observed is not None:
        np.testing.assert_array_equal(back.observed, observed)


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
    back = Matlab().read(tmp_path / "a.mat", Reading())
    assert back.metadata.header == header
    assert back.observed is not None


@pytest.mark.parametrize("version", ["7", "7.3"])
def test_empty_arrays_keep_their_shape(tmp_path: Path, version: str) -> None:
    metadata = Metadata(header={"version": version}, header_of="mat")
    Matlab().write(tmp_path / "a.mat", Contents(np.ones((0, 3), "u1"), metadata=metadata))
    back = Matlab().read(tmp_path / "a.mat", Reading())
    assert (back.shape, back.dtype) == ((0, 3), np.uint8)


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


def test_an_observed_that_is_no_mask_is_left_alone_and_told(tmp_path: Path) -> None:
    write(tmp_path / "a.mat", "7", data=np.ones((2, 3)), observed=np.ones((2, 3)))
    contents = Matlab().read(tmp_path / "a.mat", Reading())
    assert contents.observed is None
    assert "not taken for its mask" in contents.notes[0]
