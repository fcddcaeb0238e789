"""What .npy and .npz files hold, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from tensorfill import formats
from tensorfill.errors import InvalidInput


def test_what_an_array_file_has_no_place_for_is_told(tmp_path: Path) -> None:
    contents = formats.Contents(
        np.ones((2, 3)), metadata=formats.Metadata(wavelengths=(1.0, 2.0, 3.0), affine=np.eye(4))
    )
    told = formats.write(tmp_path / "a.npy", contents)
    assert told == ("A .npy file does not keep wavelengths, the affine map.",)


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


def test_a_sparse_matrix_is_not_taken_for_its_stored_values(tmp_path: Path) -> None:
    from scipy import sparse

    for kind in ("csr", "coo", "dia"):
        sparse.save_npz(tmp_path / "a.npz", sparse.eye(4, format=kind))
        with pytest.raises(InvalidInput, match=r"sparse matrix of SciPy.*save its \.toarray\(\)"):
            formats.read(tmp_path / "a.npz")
