"""What holds for every format of arrays: which one is meant, what comes back, and what is refused."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from array_files import BY_NAME, MATLAB, check_same, decode_here, read, save
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tensorfill import formats
from tensorfill.errors import InvalidInput, UnreadableFile
from tensorfill.formats import Contents, Metadata

WRITTEN = (".npy", ".npz", ".mat", ".h5", ".zarr", ".zarr.zip", ".nii", ".nii.gz", ".hdr")
SHARES = (0.0, 0.1, 0.3, 0.6, 0.9, 0.999)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    decode_here(monkeypatch)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64", ">f8"])
@pytest.mark.parametrize("kind", [*BY_NAME, "npy", "nii", "nii.gz"])
def test_an_array_of_another_program_comes_back_as_it_was(tmp_path: Path, kind: str, dtype: str) -> None:
    data = np.arange(24).reshape((4, 6) if kind == "mat 4" else (2, 3, 4)).astype(dtype)
    if kind == "mat 7.3":
        data = data.astype(data.dtype.newbyteorder("="))
    check_same(read(save(tmp_path, kind, data=data, wavelengths=np.arange(4.0))), Contents(data))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.sampled_from(["bool", "u1", "i2", "u4", "i8", "f2", "f4", "f8", ">f8", ">i2"]).flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4))
    ),
    masked=st.booleans(),
    by_slices=st.booleans(),
    extension=st.sampled_from(WRITTEN),
)
def test_what_is_neither_refused_nor_told_to_be_lost_comes_back(
    tmp_path: Path, data: np.ndarray, masked: bool, by_slices: bool, extension: str
) -> None:
    path = tmp_path / f"a{extension}"
    for old in tmp_path.iterdir():
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    observed = np.arange(data.size).reshape(data.shape) % 3 > 0 if masked else None
    sent = Contents(np.asfortranarray(data) if by_slices and data.ndim else data, observed)
    form = formats.format_of(path)
    if form.refuses(sent) is not None or form.losses(sent) or (masked and not form.holds_mask):
        return
    assert formats.write(path, sent) == ()
    check_same(read(path, "data" if extension in (".npz", ".mat", ".h5") else None), sent)


@pytest.mark.parametrize("kind", BY_NAME)
def test_without_a_name_it_is_data_or_the_only_matrix_or_the_only_array(tmp_path: Path, kind: str) -> None:
    square, line, number = np.ones((2, 3)), np.ones((1, 3)), np.ones((1, 1))
    for variables, meant in (
        ({"data": square, "other": square}, "data"),
        ({"gain": number, "cube": square, "wavelengths": line}, "cube"),
        ({"whatever": line}, "whatever"),
    ):
        folder = tmp_path / meant
        folder.mkdir()
        contents = read(save(folder, kind, **variables))
        assert contents.metadata.variable == meant
        assert contents.shape == variables[meant].shape


@pytest.mark.parametrize("kind", BY_NAME)
def test_several_are_listed_and_one_is_named_behind_two_colons(tmp_path: Path, kind: str) -> None:
    path = save(tmp_path, kind, first=np.ones((2, 3)), second=np.full((4, 5), 7.0))
    np.testing.assert_array_equal(read(path, "second").data, np.full((4, 5), 7.0))
    there = r"s in it are: 'first', 'second'\.$"
    with pytest.raises(UnreadableFile, match=r"should hold one .* unless FILE::NAME says which is meant.*" + there):
        read(path)
    with pytest.raises(UnreadableFile, match=r"has no (array|variable) 'third'.*" + there):
        read(path, "third")


@pytest.mark.parametrize("kind", [kind for kind in BY_NAME if kind != "mat 4"])
def test_the_mask_is_called_like_the_array_or_observed(tmp_path: Path, kind: str) -> None:
    known = np.eye(4, 5) > 0
    path = save(tmp_path, kind, a=np.ones((4, 5)), b=np.ones((4, 5)), b_observed=known, observed=~known)
    np.testing.assert_array_equal(read(path, "a").observed, ~known)
    np.testing.assert_array_equal(read(path, "b").observed, known)


@pytest.mark.parametrize("kind", [kind for kind in BY_NAME if kind != "npz"])
def test_an_observed_that_is_no_mask_is_left_alone_and_told(tmp_path: Path, kind: str) -> None:
    contents = read(save(tmp_path, kind, data=np.ones((2, 3)), observed=np.ones((2, 3))))
    assert contents.observed is None
    assert "not taken for its mask" in contents.notes[0]


@pytest.mark.filterwarnings("ignore:The data type")
@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        *((kind, "complex64") for kind in (*BY_NAME, "npy", "nii")),
        *((kind, dtype) for kind in ("npy", "npz", "zarr", "zarr.zip") for dtype in ("U3", "M8[s]", "i4,f8")),
        *(("h5", dtype) for dtype in ("S3", "i4,f8")),
    ],
)
def test_what_is_not_a_real_number_is_refused(tmp_path: Path, kind: str, dtype: str) -> None:
    path = save(tmp_path, kind, data=np.zeros((2, 2), dtype))
    with pytest.raises(InvalidInput, match="must hold real numbers"):
        read(path, "data" if kind in BY_NAME else None)


@pytest.mark.parametrize("kind", ["npy", "nii", "nii.gz", "zarr.zip", "npz", "h5", *MATLAB])
def test_a_file_cut_short_or_something_else_is_refused(tmp_path: Path, kind: str) -> None:
    path = save(tmp_path, kind, data=np.random.default_rng(0).random((30, 200)))
    whole = path.read_bytes()
    texts = [b"", b"row,column,value\n1,2,3\n" * 30, *(whole[: int(share * len(whole))] for share in SHARES)]
    for text in texts:
        path.write_bytes(text)
        with pytest.raises(UnreadableFile, match=r"is not an? .* that can be read: it is damaged, cut short"):
            read(path)


@pytest.mark.parametrize("kind", ["nii.gz", "zarr.zip", "npz", "mat 7"])
def test_a_wrong_bit_in_packed_values_is_noticed(tmp_path: Path, kind: str) -> None:
    path = save(tmp_path, kind, data=np.random.default_rng(0).random((30, 20)))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match="damaged"):
        read(path)


@pytest.mark.parametrize(
    ("name", "library", "extra"),
    [
        ("a.h5", "h5py", "hyperspectral"),
        ("a.mat", "h5py", "hyperspectral"),
        ("a.zarr", "zarr", "volumes"),
        ("a.nii", "nibabel", "volumes"),
    ],
)
def test_without_its_library_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, library: str, extra: str
) -> None:
    contents = Contents(np.ones((2, 2)), metadata=Metadata(header={"version": "7.3"}, header_of="mat"))
    formats.write(tmp_path / name, contents)
    monkeypatch.setitem(sys.modules, library, None)
    sentence = rf"{name} needs {library}, which is not installed: pip install 'tensorfill\[{extra}\]'$"
    with pytest.raises(UnreadableFile, match=sentence):
        read(tmp_path / name)
    with pytest.raises(UnreadableFile, match=sentence):
        formats.write(tmp_path / name, contents)
    assert read(save(tmp_path, "mat 5", data=np.ones((2, 2)))).shape == (2, 2)


@pytest.mark.parametrize("extension", WRITTEN)
def test_a_file_that_is_not_there_is_told(tmp_path: Path, extension: str) -> None:
    with pytest.raises(UnreadableFile, match=rf"^There is no (file|folder) .*a{extension}\.$"):
        read(tmp_path / f"a{extension}")


@pytest.mark.parametrize("extension", WRITTEN)
def test_what_a_format_has_no_place_for_is_told(tmp_path: Path, extension: str) -> None:
    alpha = np.ones((2, 3))
    told = formats.write(tmp_path / f"a{extension}", Contents(np.ones((2, 3)), metadata=Metadata(alpha=alpha)))
    assert any("does not keep how opaque pixels are." in sentence for sentence in told)
