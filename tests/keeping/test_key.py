"""The key of a user: one, of this user's alone, or none."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tensorfill.keeping import key
from tensorfill.keeping.key import user_key

pytestmark = pytest.mark.skipif(os.name != "posix", reason="about permissions")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(key, "private_folder", lambda: None)
    return tmp_path / "state" / "tensorfill"


def test_it_is_made_once_and_nobody_else_can_read_it(state: Path) -> None:
    first = user_key()
    assert first is not None
    assert len(first) == 32
    assert user_key() == first
    assert stat.S_IMODE((state / "key").stat().st_mode) == 0o600
    assert os.listdir(state) == ["key"]


def test_all_who_make_one_at_the_same_time_have_the_same() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda number: user_key(), range(16)))
    assert len(found) == 1


def test_one_that_others_could_read_or_that_is_none_is_replaced(state: Path) -> None:
    first = user_key()
    (state / "key").chmod(0o644)
    second = user_key()
    assert second not in (None, first)
    (state / "key").write_bytes(b"short")
    assert user_key() not in (None, first, second)
    assert stat.S_IMODE((state / "key").stat().st_mode) == 0o600


def test_a_link_is_not_followed(state: Path, tmp_path: Path) -> None:
    first = user_key()
    (tmp_path / "elsewhere").write_bytes(bytes(32))
    (tmp_path / "elsewhere").chmod(0o600)
    (state / "key").unlink()
    (state / "key").symlink_to(tmp_path / "elsewhere")
    assert user_key() not in (first, bytes(32))


def test_where_there_is_no_place_for_it_a_temporary_folder_is_taken(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state.parent.write_text("a file")
    assert user_key() is None
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(key, "private_folder", lambda: tmp_path / "temporary")
    assert user_key() == user_key() != None  # noqa: E711
    assert os.listdir(tmp_path / "temporary") == ["key"]
