"""A temporary folder that is one user's alone: what is loaded from it is run."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tensorfill import private_folder as room
from tensorfill.private_folder import private_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no users to tell apart")


@pytest.fixture(autouse=True)
def only_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(room, "_USUAL_TEMPORARY", ())
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    private_folder.cache_clear()
    yield
    private_folder.cache_clear()


def test_it_is_made_for_this_user_and_found_again(tmp_path: Path) -> None:
    folder = private_folder()
    assert folder is not None
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o777 == 0o700
    private_folder.cache_clear()
    assert private_folder() == folder


def test_one_that_others_can_write_or_that_leads_elsewhere_is_not_taken(tmp_path: Path) -> None:
    folder = tmp_path / f"tensorfill-{os.geteuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    assert private_folder() is None
    folder.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to("elsewhere")
    private_folder.cache_clear()
    assert private_folder() is None


def test_a_place_in_which_others_can_rename_is_not_taken(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert private_folder() is None
    private_folder.cache_clear()
    tmp_path.chmod(0o1777)
    assert private_folder() is not None


def test_the_current_folder_is_not_littered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "not-there"))
    assert private_folder() is None
    assert list(tmp_path.iterdir()) == []
