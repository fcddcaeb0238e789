"""Which format a name promises, where files may be read and written, and that writing is all or nothing."""

import os
import stat
from pathlib import Path

import numpy as np
import pytest

from tensorfill import formats
from tensorfill.errors import InvalidInput, InvalidSetting, UnreadableFile, UnwritableFile
from tensorfill.formats import staging

DATA = formats.Contents(np.ones((2, 2)))


@pytest.mark.parametrize("name", ["a.xyz", "a", "a.npy.bak"])
def test_an_unknown_extension_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnreadableFile, match=r"The known ones are: .npy, .npz, .png, .jpg, .*\.parquet\."):
        formats.format_of(Path(name))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"There is no file .*nothing\.npy"):
        formats.read(tmp_path / "nothing.npy")


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.npy").mkdir()
    with pytest.raises(UnreadableFile, match="is a folder, not a file"):
        formats.read(tmp_path / "a.npy")


def test_a_file_in_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.zarr").touch()
    with pytest.raises(UnreadableFile, match="is a file, not a folder"):
        formats.read(tmp_path / "a.zarr")


def test_the_longest_extension_counts(tmp_path: Path) -> None:
    assert formats.format_of(Path("a.tns.gz")).name == "tns"
    assert formats.format_of(Path("a.NII.GZ")).name == "nifti"


def test_a_named_format_overrules_the_extension() -> None:
    assert formats.format_of(Path("a.bin"), "npy").name == "npy"
    assert formats.format_of(Path("a.png"), ".tif").name == "tiff"
    with pytest.raises(InvalidSetting, match=r"There is no format 'word'\. The known ones are: npy, npz, png"):
        formats.format_of(Path("a.bin"), "word")


def test_an_array_inside_a_file_stands_after_two_colons(tmp_path: Path) -> None:
    assert formats.locate("scan.h5::a/b") == (Path("scan.h5"), "a/b")
    assert formats.locate("scan.h5") == (Path("scan.h5"), None)
    (tmp_path / "odd::name.npy").touch()
    assert formats.locate(tmp_path / "odd::name.npy") == (tmp_path / "odd::name.npy", None)
    with pytest.raises(InvalidInput, match="FILE::NAME"):
        formats.locate("scan.h5::")


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    for value in (1, 2):
        formats.write(tmp_path / "a.zarr", formats.Contents(np.full((2, 3), value)))
        (tmp_path / "a.zarr" / "stray.txt").touch()
    formats.write(tmp_path / "a.zarr", DATA)
    assert np.asarray(formats.read(tmp_path / "a.zarr")).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert not (tmp_path / "a.zarr" / "stray.txt").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["a.zarr"]


def test_where_names_cannot_change_places_the_old_folder_is_moved_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "_exchange", lambda *_: False)
    test_a_folder_is_replaced_as_a_whole(tmp_path)


def test_a_file_one_may_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(UnreadableFile, match="may not be read: permission denied"):
        formats.read(tmp_path / "a.npy")


def test_a_folder_one_may_not_write_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(UnwritableFile, match="may not be written: permission denied"):
        formats.check_target(tmp_path / "a.npy", force=True)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnwritableFile, match=r"There is no folder .*lost to write a\.npy in"):
        formats.check_target(tmp_path / "lost" / "a.npy", force=True)


def test_a_name_longer_than_the_system_allows(tmp_path: Path) -> None:
    with pytest.raises(UnwritableFile, match="cannot be written: File name too long"):
        formats.check_target(tmp_path / ("a" * 300 + ".npy"), force=True)


def test_an_existing_file_is_replaced_only_by_force(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_text("precious")
    with pytest.raises(UnwritableFile, match="already there; add force=True"):
        formats.check_target(tmp_path / "a.npy", force=False)
    formats.check_target(tmp_path / "a.npy", force=True)


def test_devices_and_folders_are_never_replaced(tmp_path: Path) -> None:
    with pytest.raises(UnwritableFile, match="not an ordinary file"):
        formats.check_target(Path(os.devnull), force=True)
    with pytest.raises(UnwritableFile, match="is a folder"):
        formats.check_target(tmp_path, force=True)


@pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError, ValueError])
def test_a_failure_while_writing_leaves_everything_as_it_was(tmp_path: Path, failure: type[BaseException]) -> None:
    path = tmp_path / "a.npy"
    path.write_text("precious")

    def written_until_it_fails() -> None:
        with formats.atomically(path) as file:
            file.write(b"half of it")
            raise failure

    with pytest.raises(failure):
        written_until_it_fails()
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_a_clear_error_and_leaves_nothing(tmp_path: Path) -> None:
    with (
        pytest.raises(UnwritableFile, match=r"cannot be written: No space left on device\."),
        formats.atomically(tmp_path / "a.npy"),
    ):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_has_ordinary_permissions(tmp_path: Path) -> None:
    formats.write(tmp_path / "a.npy", DATA)
    (tmp_path / "b").touch()
    assert stat.S_IMODE((tmp_path / "a.npy").stat().st_mode) == stat.S_IMODE((tmp_path / "b").stat().st_mode)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.npy").touch()
    (tmp_path / "link.npy").symlink_to(tmp_path / "real.npy")
    formats.write(tmp_path / "link.npy", DATA)
    assert (tmp_path / "link.npy").is_symlink()
    np.testing.assert_array_equal(formats.read(tmp_path / "real.npy").data, DATA.data)
