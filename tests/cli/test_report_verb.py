"""`tensorfill report`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from stand_in import Run

from tensorfill.rows import DataCard, Row


def rows(folder: Path, *more_lines: str) -> Path:
    folder.mkdir()
    card = DataCard("hall", "Hall", "video", (4, 5, 6), "here", "free", "just ask", True)
    row = Row(card, "table", "dual", "dual", {}, 0, 0.1, "uniform", "ok", rmse=0.04, seconds=1.0)
    (folder / "rows.jsonl").write_text("\n".join([row.as_json(), *more_lines]), encoding="utf-8")
    return folder


def test_it_shows_what_it_writes(tensorfill: Run, tmp_path: Path) -> None:
    outcome = tensorfill("report", rows(tmp_path / "rows"), "-o", tmp_path / "out")
    told = [" ".join(line.split()) for line in outcome.out.splitlines()]
    assert outcome.code == 0
    assert "rows 1: 1 datasets, 1 methods" in told
    assert f"look at {tmp_path / 'out' / 'index.html'}" in told
    assert f"against the paper {tmp_path / 'out' / 'reproduction.md'}" in told
    assert (tmp_path / "out" / "index.html").is_file()


def test_figures_that_nobody_asked_for_are_not_missed(tensorfill: Run, tmp_path: Path) -> None:
    outcome = tensorfill("report", rows(tmp_path / "rows"), "-o", tmp_path / "out")
    assert "left out" not in outcome.err
    assert "left out" not in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


def test_a_file_of_rows_will_do(tensorfill: Run, tmp_path: Path) -> None:
    assert tensorfill("report", rows(tmp_path / "rows") / "rows.jsonl", "-o", tmp_path / "out").code == 0


def test_a_half_written_row_is_named_and_the_rest_goes_on(tensorfill: Run, tmp_path: Path) -> None:
    outcome = tensorfill("report", rows(tmp_path / "rows", "garbage", '{"id": "12'), "-o", tmp_path / "out")
    assert outcome.code == 0
    assert "Note: Line 2 of rows.jsonl is left out: not a whole line of JSON" in outcome.err
    assert "Note: Line 3 of rows.jsonl is left out: not a whole line of JSON" in outcome.err
    assert "Line 2 of rows.jsonl" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


def test_a_file_for_an_output_is_refused(refused: Run, tmp_path: Path) -> None:
    folder = rows(tmp_path / "rows")
    (tmp_path / "out").write_text("mine")
    assert "is a file; give a folder" in refused("report", folder, "-o", tmp_path / "out").err


def test_the_folder_of_the_rows_is_not_replaced(refused: Run, tmp_path: Path) -> None:
    folder = rows(tmp_path / "rows")
    assert "holds files that are not of a report (rows.jsonl)" in refused("report", folder, "-o", folder).err


def test_the_current_folder_is_not_replaced(refused: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = rows(tmp_path / "rows")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert "cannot replace the folder you are in" in refused("report", folder, "-o", ".").err


def test_a_second_report_replaces_the_first(tensorfill: Run, tmp_path: Path) -> None:
    folder = rows(tmp_path / "rows")
    for _ in range(2):
        assert tensorfill("report", folder, "-o", tmp_path / "out").code == 0


def test_force_writes_beside_other_files(tensorfill: Run, tmp_path: Path) -> None:
    folder = rows(tmp_path / "rows")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    assert tensorfill("report", folder, "-o", tmp_path / "out").code == 2
    assert tensorfill("report", folder, "-o", tmp_path / "out", "--force").code == 0
    assert (tmp_path / "out" / "mine.txt").read_text() == "mine"


def test_the_help_of_the_verb_imports_nothing_heavy() -> None:
    code = (
        "import sys; from tensorfill.cli import app\n"
        "assert not {'matplotlib', 'jinja2', 'numpy', 'PIL'} & set(sys.modules), set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
