"""What .npy and .npz files hold, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tensorfill import formats
from tensorfill.errors import InvalidInput, TensorfillError, UnreadableFile


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16", "int64", "float16", "float32", "float64", ">f8"])
@pytest.mark.parametrize("extension", [".npy", ".npz", ".NPY"])
def test_an_array_comes_back_as_it_was(tmp_path: Path, dtype: str, extension: str) -> None:
    data = (np.arange(24).reshape(2, 3, 4) % 3).astype(dtype)
    path = tmp_path / f"array{extension}"
    assert formats.write(path, formats.Contents(data)) == ()
    back = formats.read(path).data
    np.testing.assert_array_equal(back, data)
    assert back.dtype == data.dtype.newbyteorder("=")


def test_an_archive_keeps_the_mask(tmp_path: Path) -> None:
    data, observed = np.ones((2, 3)), np.eye(2, 3) > 0
    formats.write(tmp_path / "a.npz", formats.Contents(data, observed))
    np.testing.assert_array_equal(formats.read(tmp_path / "a.npz").observed, observed)


@pytest.mark.parametrize("name", ["image", "file", "scan/cube", "été"])
def test_an_array_of_an_archive_keeps_its_name(tmp_path: Path, name: str) -> None:
    metadata = formats.Metadata(variable=name)
    formats.write(tmp_path / "a.npz", formats.Contents(np.ones((2, 3)), np.eye(2, 3) > 0, metadata=metadata))
    last = name.rpartition("/")[2]
    assert formats.read(f"{tmp_path}/a.npz::{last}").shape == (2, 3)
    assert formats.read(tmp_path / "a.npz").metadata.variable == last


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.sampled_from(["bool", "u1", "i8", "f2", "f4", ">f8"]).flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4))
    ),
    by_slices=st.booleans(),
    extension=st.sampled_from([".npy", ".npz"]),
)
def test_any_shape_comes_back(tmp_path: Path, data: np.ndarray, by_slices: bool, extension: str) -> None:
    data = np.asfortranarray(data) if by_slices and data.ndim else data
    formats.write(tmp_path / f"a{extension}", formats.Contents(data))
    back = formats.read(tmp_path / f"a{extension}").data
    np.testing.assert_array_equal(back, data)
    assert back.shape == data.shape


def test_what_an_array_file_has_no_place_for_is_told(tmp_path: Path) -> None:
    contents = formats.Contents(
        np.ones((2, 3)), metadata=formats.Metadata(wavelengths=(1.0, 2.0, 3.0), affine=np.eye(4))
    )
    told = formats.write(tmp_path / "a.npy", contents)
    assert told == ("A .npy file does not keep wavelengths, the affine map.",)


def test_an_absurd_size_is_refused_before_memory_is_asked_for(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((100, 100)))
    content = (tmp_path / "a.npy").read_bytes().replace(b"(100, 100), }       ", b"(10000000, 100000), }")
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(TensorfillError, match="declares an array of 10000000"):
        formats.read(tmp_path / "a.npy")


def test_an_archive_may_lack_the_mask_and_hold_other_things(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", data=np.ones((2, 2)), wavelengths=np.arange(3))
    assert formats.read(tmp_path / "a.npz").observed is None


def test_what_is_read_cannot_be_changed_by_accident(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((2, 2)))
    with pytest.raises(ValueError, match="read-only"):
        formats.read(tmp_path / "a.npy").data[0, 0] = 2


def test_writing_leaves_the_array_one_gave_writable(tmp_path: Path) -> None:
    data = np.ones((2, 2))
    formats.write(tmp_path / "a.npy", formats.Contents(data))
    data[0, 0] = 2


def test_known_means_that_file_nan_and_mask_agree() -> None:
    data = np.array([[1.0, np.nan, 3.0, 4.0]])
    contents = formats.Contents(data, np.array([[True, True, False, True]]))
    assert contents.known(np.array([[True, True, True, False]])).tolist() == [[True, False, False, False]]


def test_an_archive_without_data_names_the_arrays_that_are_there(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", image=np.ones(3), mask=np.ones(3))
    with pytest.raises(UnreadableFile, match=r"unless FILE::NAME says which .* in it are: 'image', 'mask'\."):
        formats.read(tmp_path / "a.npz")
    with pytest.raises(UnreadableFile, match=r"has no array 'x'. The arrays in it are: 'image', 'mask'\."):
        formats.read(f"{tmp_path}/a.npz::x")


def test_one_of_several_arrays_is_named_behind_two_colons_as_in_hdf5(tmp_path: Path) -> None:
    first, second = np.ones((2, 3)), np.full((4, 5), 7)
    known = np.eye(4, 5) > 0
    np.savez(tmp_path / "a.npz", first=first, second=second, second_observed=known, observed=np.ones((2, 3), bool))
    np.testing.assert_array_equal(formats.read(f"{tmp_path}/a.npz::first").data, first)
    read = formats.read(f"{tmp_path}/a.npz::second")
    np.testing.assert_array_equal(read.data, second)
    np.testing.assert_array_equal(read.observed, known)
    assert read.metadata.variable == "second"


def test_of_several_arrays_the_only_one_with_two_modes_is_meant(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", image=np.ones((2, 3)), wavelengths=np.arange(3.0), title="a picture")
    assert formats.read(tmp_path / "a.npz").metadata.variable == "image"


def test_a_sparse_matrix_is_not_taken_for_its_stored_values(tmp_path: Path) -> None:
    from scipy import sparse

    for kind in ("csr", "coo", "dia"):
        sparse.save_npz(tmp_path / "a.npz", sparse.eye(4, format=kind))
        with pytest.raises(InvalidInput, match=r"sparse matrix of SciPy.*save its \.toarray\(\)"):
            formats.read(tmp_path / "a.npz")


def test_an_archive_whose_mask_has_another_shape_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", data=np.ones((2, 3)), observed=np.ones((3, 2), bool))
    with pytest.raises(InvalidInput, match=r"shape of 'data', \(2, 3\). Got \(3, 2\) instead"):
        formats.read(tmp_path / "a.npz")


def test_an_archive_whose_mask_is_not_boolean_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", data=np.ones((2, 3)), observed=np.ones((2, 3)))
    with pytest.raises(InvalidInput, match=r"boolean array, True where the value is known. Got float64 instead"):
        formats.read(tmp_path / "a.npz")


@pytest.mark.parametrize("extension", [".npy", ".npz"])
def test_pickled_objects_are_not_loaded(tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"a{extension}"
    objects = np.array([[{"a": 1}, None]], dtype=object)
    if extension == ".npy":
        np.save(path, objects, allow_pickle=True)
    else:
        np.savez(path, data=objects)
    with pytest.raises(UnreadableFile, match=r"holds Python objects.*could run any program"):
        formats.read(path)


@pytest.mark.parametrize("dtype", ["complex128", "U3", "M8[s]", "i4,f8"])
def test_what_is_not_a_real_number_is_refused(tmp_path: Path, dtype: str) -> None:
    np.save(tmp_path / "a.npy", np.zeros((2, 2), dtype))
    with pytest.raises(InvalidInput, match="must hold real numbers"):
        formats.read(tmp_path / "a.npy")


@pytest.mark.parametrize("extension", [".npy", ".npz"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_file_cut_short_is_refused(tmp_path: Path, extension: str, share: float) -> None:
    path = tmp_path / f"a{extension}"
    formats.write(path, formats.Contents(np.random.default_rng(0).random((20, 20))))
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(UnreadableFile, match="damaged, cut short, or something else"):
        formats.read(path)


def test_an_archive_with_a_wrong_byte_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    formats.write(path, formats.Contents(np.random.default_rng(0).random((20, 20))))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match="damaged, cut short, or something else"):
        formats.read(path)


@pytest.mark.parametrize("extension", [".npy", ".npz"])
def test_something_else_under_the_name_is_refused(tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"a{extension}"
    path.write_text("row,column,value\n1,2,3\n")
    with pytest.raises(UnreadableFile, match=f"is not a {extension} file that can be read"):
        formats.read(path)
