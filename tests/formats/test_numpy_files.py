"""What .npy and .npz files hold, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from tensorfill import formats
from tensorfill.errors import InvalidInput, TensorfillError, UnreadableFile


@pytest.mark.parametrize("name", ["image", "file", "scan/cube", "été"])
def test_an_array_of_an_archive_keeps_its_name(tmp_path: Path, name: str) -> None:
    metadata = formats.Metadata(variable=name)
    formats.write(tmp_path / "a.npz", formats.Contents(np.ones((2, 3)), np.eye(2, 3) > 0, metadata=metadata))
    last = name.rpartition("/")[2]
    assert formats.read(f"{tmp_path}/a.npz::{last}").shape == (2, 3)
    assert formats.read(tmp_path / "a.npz").metadata.variable == last


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


@pytest.mark.parametrize(
    ("mask", "sentence"),
    [
        (np.ones((3, 2), bool), r"shape of 'data', \(2, 3\). Got \(3, 2\) instead"),
        (np.ones((2, 3)), r"boolean array, True where the value is known. Got float64 instead"),
    ],
)
def test_an_archive_with_an_observed_that_is_no_mask_is_refused(
    tmp_path: Path, mask: np.ndarray, sentence: str
) -> None:
    np.savez(tmp_path / "a.npz", data=np.ones((2, 3)), observed=mask)
    with pytest.raises(InvalidInput, match=sentence):
        formats.read(tmp_path / "a.npz")


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


def test_of_several_arrays_the_only_one_with_two_modes_is_meant(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", image=np.ones((2, 3)), wavelengths=np.arange(3.0), title="a picture")
    assert formats.read(tmp_path / "a.npz").metadata.variable == "image"


def test_a_sparse_matrix_is_not_taken_for_its_stored_values(tmp_path: Path) -> None:
    from scipy import sparse

    for kind in ("csr", "coo", "dia"):
        sparse.save_npz(tmp_path / "a.npz", sparse.eye(4, format=kind))
        with pytest.raises(InvalidInput, match=r"sparse matrix of SciPy.*save its \.toarray\(\)"):
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
