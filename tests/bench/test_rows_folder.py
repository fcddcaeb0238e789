"""The folder of rows: each row whole and once, whatever happened to the bench before."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up import a_run

from tensorfill.bench.rows_folder import CORRUPT_FILE, RowsFolder
from tensorfill.errors import InvalidInput, UnwritableFile
from tensorfill.rows import ROWS_FILE, Row, read_rows


def rows(count: int) -> list[Row]:
    return [a_run(seed=seed).row("ok", rmse=0.1 * seed) for seed in range(count)]


def filled(path: Path, count: int) -> list[Row]:
    with RowsFolder(path) as folder:
        for row in rows(count):
            folder.append(row)
    return rows(count)


def test_what_was_appended_is_there_the_next_time(tmp_path: Path) -> None:
    found = filled(tmp_path / "deep" / "out", 3)
    with RowsFolder(tmp_path / "deep" / "out") as folder:
        assert folder.rows == {row.id: row for row in found}
        assert folder.notes == []
    assert read_rows(tmp_path / "deep" / "out").rows == tuple(found)


@pytest.mark.parametrize("cut", [1, 10, 200])
def test_a_half_written_last_line_is_dropped(tmp_path: Path, cut: int) -> None:
    filled(tmp_path, 3)
    file = tmp_path / ROWS_FILE
    file.write_bytes(file.read_bytes()[:-cut])
    with RowsFolder(tmp_path) as folder:
        assert list(folder.rows.values()) == rows(2)
        assert "only half written" in folder.notes[0]
        folder.append(rows(3)[2])
    assert read_rows(tmp_path).rows == tuple(rows(3))
    assert read_rows(tmp_path).problems == ()
    assert not (tmp_path / CORRUPT_FILE).exists()


def test_a_corrupt_line_is_moved_aside_and_named(tmp_path: Path) -> None:
    filled(tmp_path, 3)
    lines = (tmp_path / ROWS_FILE).read_bytes().splitlines(keepends=True)
    lines[1] = b'{"data": \xff\xfe}\n'
    (tmp_path / ROWS_FILE).write_bytes(b"".join(lines))
    with RowsFolder(tmp_path) as folder:
        assert list(folder.rows.values()) == [rows(3)[0], rows(3)[2]]
        assert len(folder.notes) == 1
        assert folder.notes[0].startswith(f"Line 2 of {tmp_path / ROWS_FILE} was moved to {CORRUPT_FILE}: ")
    assert (tmp_path / CORRUPT_FILE).read_bytes() == lines[1]
    assert read_rows(tmp_path).problems == ()


def test_of_a_doubled_row_the_later_one_is_kept(tmp_path: Path) -> None:
    first, later = a_run().row("failed", error="x"), a_run().row("ok", rmse=0.5)
    (tmp_path / ROWS_FILE).write_text(f"{first.as_json()}\n{later.as_json()}\n")
    with RowsFolder(tmp_path) as folder:
        assert list(folder.rows.values()) == [later]
    assert read_rows(tmp_path).problems == ()


def test_dropped_rows_are_gone_and_others_can_follow(tmp_path: Path) -> None:
    found = filled(tmp_path, 3)
    with RowsFolder(tmp_path) as folder:
        folder.drop({found[1].id, "unknown"})
        folder.append(found[1])
    assert read_rows(tmp_path).rows == (found[0], found[2], found[1])


def test_a_second_bench_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    sentence = r"^Another bench is writing to .* right now; wait for it to end, or give another folder with -o\.$"
    with RowsFolder(tmp_path), pytest.raises(InvalidInput, match=sentence):
        RowsFolder(tmp_path)
    RowsFolder(tmp_path).close()


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("precious")
    with pytest.raises(UnwritableFile, match=r"^The folder .*out cannot be used: "):
        RowsFolder(tmp_path / "out")


def test_what_killed_workers_left_of_pictures_is_removed(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / ".tensorfill-0123.part").mkdir()
    (tmp_path / "pictures" / ".tensorfill-0123.part" / "a.png").write_text("half")
    (tmp_path / "pictures" / "whole.png").write_text("whole")
    RowsFolder(tmp_path).close()
    assert [path.name for path in (tmp_path / "pictures").iterdir()] == ["whole.png"]


def test_pictures_count_only_if_all_are_there(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("")
    with RowsFolder(tmp_path) as folder:
        assert folder.has_pictures(a_run().row("ok", pictures={"model": "a.png"}))
        assert not folder.has_pictures(a_run().row("ok", pictures={"model": "a.png", "truth": "b.png"}))
        assert not folder.has_pictures(a_run().row("ok"))
