"""One array of an HDF5 file: which one, what is kept, and what is refused."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from array_files import decode_here, read

from tensorfill import formats
from tensorfill.errors import InvalidInput, UnreadableFile
from tensorfill.formats import Contents

CUBE = np.arange(24.0).reshape(2, 3, 4)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    decode_here(monkeypatch)


def test_values_are_packed(tmp_path: Path) -> None:
    formats.write(tmp_path / "a.h5", Contents(np.zeros((100, 100, 10))))
    assert (tmp_path / "a.h5").stat().st_size < 20_000


def test_a_dataset_is_named_by_its_path(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["scan/a"], file["scan/b"] = CUBE, CUBE + 1
        file["shortcut"] = h5py.SoftLink("/scan/b")
    assert read(tmp_path / "a.h5", "/scan/b").data[0, 0, 0] == 1
    assert read(tmp_path / "a.h5", "shortcut").metadata.variable == "scan/b"


def test_an_array_may_be_in_a_group_which_is_none_itself(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x/a"], file["wavelengths"], file["name"] = CUBE, np.arange(4.0), "text"
    assert read(tmp_path / "a.h5").metadata.variable == "x/a"
    with pytest.raises(InvalidInput, match=r"'x' in .* is a group, not an array"):
        read(tmp_path / "a.h5", "x")


def test_links_to_other_files_are_not_followed(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["data"] = CUBE
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["link"] = h5py.ExternalLink("secret.h5", "/data")
        file["soft"] = h5py.SoftLink("/link")
    for name in ("link", "soft"):
        with pytest.raises(UnreadableFile, match="is a link to another file, which is not followed"):
            read(tmp_path / "a.h5", name)
    with pytest.raises(UnreadableFile, match=r"The arrays in it are: none"):
        read(tmp_path / "a.h5")


def test_a_link_to_itself_ends(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["loop"] = h5py.SoftLink("/loop")
        file["group/again"] = file["/"]
    with pytest.raises(UnreadableFile):
        read(tmp_path / "a.h5", "loop")
    with pytest.raises(UnreadableFile, match="none"):
        read(tmp_path / "a.h5")


def test_a_value_that_marks_missing_entries_is_told_and_not_guessed(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["data"] = CUBE
        file["data"].attrs["_FillValue"] = -999.0
    contents = read(tmp_path / "a.h5")
    assert contents.observed is None
    assert contents.notes[0].endswith("if it marks missing values, say so: missing=-999.0.")
