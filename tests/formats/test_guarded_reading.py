"""Reading in a process of its own: a crash, a hang or a bomb there is one sentence here."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import io

from tensorfill.errors import TensorfillError, UnreadableFile
from tensorfill.formats import Contents, FileArray, Metadata, guarded, scratch_in
from tensorfill.formats.arrays.hdf5 import Hdf5
from tensorfill.formats.arrays.matlab import Matlab
from tensorfill.formats.arrays.zarr_store import Zarr
from tensorfill.formats.contents import Reading
from tensorfill.formats.format import Format
from tensorfill.formats.videos.containers import Mkv


@pytest.fixture(autouse=True)
def really(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new Python for each file, as users have it; elsewhere tests fork one that is ready."""
    monkeypatch.setattr(guarded, "subprocess", subprocess)


def test_everything_comes_back_from_the_other_process(tmp_path: Path) -> None:
    data = np.arange(24, dtype=np.uint16).reshape(2, 3, 4)
    header = {"unit": "mW", "gain": np.float32(0.5), "offsets": np.arange(3), "raw": b"\xff\x00x", "names": ("a", "b")}
    metadata = Metadata(variable="scan/cube", wavelengths=(1.0, 2.0, 3.0, 4.0), header=header, header_of="hdf5")
    Hdf5().write(tmp_path / "a.h5", Contents(data, data > 3, metadata=metadata))
    back = Hdf5().read(tmp_path / "a.h5", Reading("scan/cube"))
    np.testing.assert_array_equal(back.data, data)
    np.testing.assert_array_equal(back.observed, data > 3)
    assert back.metadata.wavelengths == metadata.wavelengths
    assert back.metadata.header.keys() == header.keys()
    for key, value in header.items():
        np.testing.assert_array_equal(back.metadata.header[key], value)


@pytest.mark.parametrize("form", [Hdf5(), Zarr(), Matlab(), Mkv()], ids=lambda form: form.name)
def test_large_arrays_come_back_on_disk(tmp_path: Path, form: Format) -> None:
    data = np.random.default_rng(0).integers(0, 255, (8, 9, 10), dtype=np.uint8)
    path = tmp_path / "a"
    form.write(path, Contents(data, data > 3 if form.holds_mask else None, metadata=Metadata(kind="video")))
    with scratch_in(tmp_path, large=100) as scratch:
        found = form.read(path, Reading(scratch=scratch))
        assert isinstance(found, Contents)
        for here, there in ((found.data, data), (found.observed, data > 3)):
            assert here is None or isinstance(here, FileArray)
            assert here is None or (here[...] == there).all()
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize(
    "told",
    [
        ["../secret", "|u1", [4], [1], 0],
        ["secret", "|u1", [4], [1], 3],
        ["secret", "|u1", [4], [-1], 0],
        ["secret", "|O", [1], [8], 0],
        ["link", "|u1", [4], [1], 0],
        ["nothing", "|u1", [4], [1], 0],
        ["secret", "|u1", [2**60, 2**10], [2**10, 1], 0],
    ],
    ids=str,
)
def test_a_child_cannot_name_a_file_elsewhere_or_numbers_outside_of_it(tmp_path: Path, told: list[Any]) -> None:
    (tmp_path / "secret").write_bytes(b"1234")
    with scratch_in(tmp_path) as scratch:
        (scratch.folder / "secret").write_bytes(b"5678")
        (scratch.folder / "link").symlink_to(tmp_path / "secret")
        assert guarded._unpack({"file": ["secret", "|u1", [4], [1], 0]}, [], scratch)[...].tobytes() == b"5678"
        with pytest.raises((ValueError, OSError)):
            guarded._unpack({"file": told}, [], scratch)
    with pytest.raises(ValueError, match="not what was agreed on"):
        guarded._unpack({"file": ["secret", "|u1", [4], [1], 0]}, [], None)


def test_matlab_7_3_is_read_so_too(tmp_path: Path) -> None:
    metadata = Metadata(header={"version": "7.3"}, header_of="mat")
    Matlab().write(tmp_path / "a.mat", Contents(np.ones((2, 3), "f4"), metadata=metadata))
    assert Matlab().read(tmp_path / "a.mat", Reading()).dtype == np.float32


@pytest.mark.slow
def test_large_files_are_allowed_the_memory_they_declare(tmp_path: Path) -> None:
    data = np.zeros((300, 10**6), np.uint8)
    for form, name in ((Matlab(), "a.mat"), (Hdf5(), "a.h5")):
        form.write(tmp_path / name, Contents(data))
        assert form.read(tmp_path / name, Reading()).shape == data.shape


def test_errors_keep_their_class_and_their_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.h5").write_bytes(b"nothing")
    with pytest.raises(UnreadableFile, match=r"a.h5 is not an HDF5 file that can be read: it is damaged"):
        Hdf5().read(tmp_path / "a.h5", Reading())


@pytest.mark.parametrize("place", [132, 145, 160, 176, 177, 200])
def test_any_wrong_byte_of_a_mat_file_is_one_sentence_even_if_scipy_crashes(tmp_path: Path, place: int) -> None:
    io.savemat(tmp_path / "a.mat", {"data": np.ones((3, 4)), "text": "abc"})
    content = bytearray((tmp_path / "a.mat").read_bytes())
    content[place] ^= 0xFF
    (tmp_path / "a.mat").write_bytes(content)
    try:
        assert Matlab().read(tmp_path / "a.mat", Reading()).shape == (3, 4)
    except TensorfillError as error:
        assert str(tmp_path / "a.mat") in str(error)  # noqa: PT017


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 11)", "os._exit(0)", "print('x' * 100)", "1 / 0"])
def test_a_process_that_dies_or_talks_nonsense_means_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    program = tmp_path / "python"
    program.write_text(f"#!/usr/bin/env python3\nimport os\n{end}\n")
    program.chmod(0o755)
    monkeypatch.setattr(guarded.sys, "executable", str(program))
    with pytest.raises(UnreadableFile, match="damaged"):
        Hdf5().read(tmp_path / "a.h5", Reading())
