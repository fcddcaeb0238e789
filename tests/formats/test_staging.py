"""Where files are written: all or nothing, also when a process dies, and nothing is left behind."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tensorfill.errors import UnwritableFile
from tensorfill.formats import staging
from tensorfill.formats.staging import atomically, put_in_place

KINDS = ("file", "pair", "folder")
STEPS = ("mkdir", "rename", "replace", "link", "symlink", "fsync", "chmod")


def put(path: Path, kind: str, text: str) -> None:
    """Write one file, a file with a companion, or a folder."""
    with put_in_place(path) as part:
        if kind == "folder":
            part.mkdir()
            (part / text).write_text(text)
            (part / "inside").mkdir()
            (part / "inside" / "deep").write_text(text)
        else:
            part.write_text(text)
        if kind == "pair":
            part.with_suffix(".img").write_text(text)


def seen(folder: Path) -> dict[str, str]:
    """What is there, without stages."""
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and ".part" not in str(path)
    }


def stages(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.startswith(".tensorfill-")]


class Strike:
    """Raises an error at one of the steps that change the disk."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, step: int, error: BaseException) -> None:
        self.left, self.error = step, error
        for name in STEPS:
            monkeypatch.setattr(os, name, self._striking(getattr(os, name)))

    def _striking(self, usual: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                raise self.error
            return usual(*arguments, **named)

        return call


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("old", [True, False])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EIO, "Input/output error")])
def test_whatever_fails_there_is_the_old_or_the_new_and_no_stage(
    tmp_path: Path, kind: str, old: bool, error: BaseException
) -> None:
    def given(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        if old:
            put(folder / "a.hdr", kind, "old")
        return folder

    whole = given("whole")
    before = seen(whole)
    put(whole / "a.hdr", kind, "new")
    after = seen(whole)
    for step in range(1, 200):
        folder = given(str(step))
        with pytest.MonkeyPatch.context() as patched:
            strike = Strike(patched, step, error)
            with contextlib.suppress(KeyboardInterrupt, UnwritableFile):
                put(folder / "a.hdr", kind, "new")
        # A new pair has nothing to be mixed up with: its header, without which it is not there, comes last.
        orphan = {"a.img": "new"} if kind == "pair" and not old else before
        assert seen(folder) in (before, after, orphan)
        if strike.left > 0:
            break
        assert not stages(folder)
        put(folder / "a.hdr", kind, "new")
        assert seen(folder) == after
        assert not stages(folder)
    assert strike.left > 0
    assert step > 4


@pytest.mark.parametrize("supported", [True, False])
def test_a_folder_takes_the_place_of_another_also_where_names_cannot_change_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, supported: bool
) -> None:
    if not supported:
        monkeypatch.setattr(staging, "_exchange", lambda *_: False)
    put(tmp_path / "a", "folder", "old")
    put(tmp_path / "a", "folder", "new")
    assert seen(tmp_path) == {"a/new": "new", "a/inside/deep": "new"}
    assert not stages(tmp_path)


def test_a_folder_that_was_taken_away_comes_back_if_the_new_one_cannot_be_placed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "a", "folder", "old")
    before = seen(tmp_path)
    usual = os.rename

    def rename(source: Path, place: Path, **named: Any) -> None:
        if Path(place).name == "a" and "new" in Path(source).parts:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        usual(source, place, **named)

    monkeypatch.setattr(staging, "_exchange", lambda *_: False)
    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(UnwritableFile, match="Invalid cross-device link"):
        put(tmp_path / "a", "folder", "new")
    assert seen(tmp_path) == before


def test_without_links_a_pair_is_still_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    put(tmp_path / "a.hdr", "pair", "old")
    monkeypatch.setattr(os, "symlink", refused)
    put(tmp_path / "a.hdr", "pair", "new")
    assert seen(tmp_path) == {"a.hdr": "new", "a.img": "new"}
    assert not stages(tmp_path)


def test_a_pair_is_never_seen_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "a.hdr", "pair", "old")
    pairs: list[tuple[str, str]] = []
    for name in STEPS:
        usual = getattr(os, name)

        def call(*arguments: Any, _usual: Callable[..., Any] = usual, **named: Any) -> Any:
            pairs.append(((tmp_path / "a.hdr").read_text(), (tmp_path / "a.img").read_text()))
            return _usual(*arguments, **named)

        monkeypatch.setattr(os, name, call)
    put(tmp_path / "a.hdr", "pair", "new")
    assert set(pairs) == {("old", "old"), ("new", "new")}
    assert not (tmp_path / "a.hdr").is_symlink()
    assert not (tmp_path / "a.img").is_symlink()


def dying(folder: Path, statement: str) -> None:
    """Let a process die in the middle of writing a.hdr and a.img."""
    code = (
        "import os, sys; from pathlib import Path; from tensorfill.formats import staging\n"
        f"{statement}\n"
        "with staging.put_in_place(Path(sys.argv[1]) / 'a.hdr') as part:\n"
        "    part.write_text('new'); part.with_suffix('.img').write_text('new')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, folder], check=False)
    assert ended.returncode == 9


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("staging._put_together = lambda *_: os._exit(9)", "old"),
        ("os.replace = lambda usual: lambda *a: os._exit(9) if 'next' in str(a[0]) else usual(*a)", "old"),
        ("staging._settle = lambda *_: os._exit(9)", "new"),
    ],
)
def test_the_next_write_puts_right_what_a_dead_process_left(tmp_path: Path, statement: str, expected: str) -> None:
    put(tmp_path / "a.hdr", "pair", "old")
    if statement.startswith("os.replace"):
        statement = f"{statement.replace('os.replace = ', 'os.replace = (')})(os.replace)"
    dying(tmp_path, statement)
    assert seen(tmp_path) == {"a.hdr": expected, "a.img": expected}
    assert len(stages(tmp_path)) == 1
    put(tmp_path / "b", "file", "other")
    assert seen(tmp_path) == {"a.hdr": expected, "a.img": expected, "b": "other"}
    assert not (tmp_path / "a.hdr").is_symlink()
    assert not stages(tmp_path)


def test_the_stage_of_a_living_process_stays(tmp_path: Path) -> None:
    with put_in_place(tmp_path / "a") as part:
        part.write_text("a")
        put(tmp_path / "b", "file", "b")
        assert part.exists()
    assert seen(tmp_path) == {"a": "a", "b": "b"}


def test_the_stage_of_another_machine_stays(tmp_path: Path) -> None:
    other = tmp_path / ".tensorfill-00000000-01234567.part"
    (other / "new").mkdir(parents=True)
    put(tmp_path / "b", "file", "b")
    assert other.exists()


def test_where_folders_cannot_be_locked_no_stage_of_others_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / f".tensorfill-{staging._machine()}-01234567.part"
    (left / "new").mkdir(parents=True)
    monkeypatch.setattr(staging, "_lock", lambda _: None)
    put(tmp_path / "b", "file", "b")
    assert left.exists()
    monkeypatch.undo()
    put(tmp_path / "b", "file", "b")
    assert not left.exists()


def test_many_threads_write_into_one_folder(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def write(number: int) -> None:
        try:
            for _ in range(20):
                put(tmp_path / f"{number % 3}.hdr", "file", str(number))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert sorted(seen(tmp_path)) == ["0.hdr", "1.hdr", "2.hdr"]
    assert not stages(tmp_path)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "real").write_text("old")
    (tmp_path / "link").symlink_to("elsewhere/real")
    put(tmp_path / "link", "file", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "elsewhere" / "real").read_text() == "new"


def test_who_may_read_the_old_file_may_read_the_new_one_and_nobody_else(tmp_path: Path) -> None:
    put(tmp_path / "a", "file", "old")
    (tmp_path / "a").chmod(0o600)
    put(tmp_path / "a", "file", "new")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (OSError("parquet: underlying IO error: No space left (os error 28)"), "No space left on device"),
        (OSError("something else"), "something else"),
    ],
)
def test_the_reason_is_told(tmp_path: Path, raised: OSError, words: str) -> None:
    with pytest.raises(UnwritableFile) as refusal, atomically(tmp_path / "a"):
        raise raised
    assert str(refusal.value) == f"{tmp_path / 'a'} cannot be written: {words}."
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(UnwritableFile, match="cannot be written: No such file or directory"),
        atomically(tmp_path / "no" / "a"),
    ):
        pass
