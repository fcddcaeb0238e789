"""The runner: every run in a process of its own, and every end of it is a row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_up import SPOILT, TINY, Desk, answers

from tensorfill.bench import workers
from tensorfill.bench.rows_folder import RowsFolder
from tensorfill.rows import Row, read_rows

QUIET = """
[[experiment]]
name = "table"
datasets = ["tiny"]
rates = [0.5]
seeds = 2
curve = true
pictures = true
methods = ["zero-fill", "mean-fill", {method = "nonneg-dual", settings = {rank = [2, 2, 9]}}]
"""
SHORT = QUIET.replace(', {method = "nonneg-dual", settings = {rank = [2, 2, 9]}}', "").replace("seeds = 2", "seeds = 1")
SPOILING = """
time_limit = 0.2
[[experiment]]
name = "table"
datasets = ["tiny"]
rates = [0.5]
methods = [%s]
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.delenv("TENSORFILL_DATA", raising=False)
    desk = Desk(tmp_path)
    desk.file("tiny.py", TINY)
    return desk


def spoilt(desk: Desk, *ways: str) -> dict[str, Row]:
    desk.file("spoilt.py", SPOILT)
    desk.plan(
        SPOILING % ", ".join(f'{{method = "spoilt", label = "{how}", settings = {{how = "{how}"}}}}' for how in ways)
    )
    desk.bench(grace=2.0, jobs=2)
    return {row.label: row for row in desk.rows}


def test_rows_tell_all_there_is_to_tell(desk: Desk) -> None:
    desk.plan(QUIET.replace("seeds = 2", "seeds = 1"))
    assert desk.bench(jobs=2) == {"ok": 3}
    row = next(row for row in desk.rows if row.method == "nonneg-dual" and row.seed == 0)
    assert row.data.sha256 is not None
    assert row.chosen["rank"] == [2, 2, 6], "cut to the size of the mode"
    assert row.settings["rank"] == [2, 2, 9]
    assert row.rmse is not None
    assert row.rmse_unobserved is not None
    assert 0 < row.rmse < row.rmse_unobserved < 0.2
    assert row.psnr == pytest.approx(-20 * np.log10(row.rmse))
    assert row.ssim is not None
    assert row.negative_share == 0
    assert row.relative_gap is not None
    assert row.seconds is not None
    assert row.peak_memory is not None
    assert 0 <= row.peak_memory < 500e6
    assert row.stop in ("gap", "gradient", "iterations")
    assert {"tensorfill", "numpy", "scipy", "numba", "python", "tiny.py"} == set(row.versions)
    assert row.versions["tiny.py"].startswith("sha256 ")
    assert row.threads is not None
    assert not (desk.out / "logs").exists(), "nothing went wrong"
    for row in desk.rows:
        iterations = [iteration for iteration, _, _ in row.curve]
        assert iterations == sorted(set(iterations))
        assert row.curve[-1] == (row.iterations, row.seconds, row.rmse), "the curve ends where the run ended"


def test_two_jobs_find_the_same_as_one(desk: Desk) -> None:
    desk.plan(QUIET.replace("seeds = 2", "seeds = 1"))
    desk.bench(jobs=1)
    one = answers(desk.rows)
    (desk.out / "rows.jsonl").unlink()
    desk.bench(jobs=2)
    assert answers(desk.rows) == one


def test_what_is_hidden_reaches_no_method(desk: Desk) -> None:
    """The same known entries, other hidden ones: every model is the same to the last bit, and only errors differ."""
    other = TINY.replace('"tiny"', '"turned"').replace(
        "/ 2\n", "/ 2 * np.where(np.random.default_rng(0).random((12, 13, 6)) < 0.5, 1, 0.25)\n"
    )
    desk.file("turned.py", other)
    desk.plan(QUIET.replace('["tiny"]', '["tiny", "turned"]').replace("seeds = 2", "seeds = 1"))
    assert desk.bench(jobs=2) == {"ok": 6}
    for name in {row.label for row in desk.rows}:
        tiny, turned = (row for row in desk.rows if row.label == name)
        assert tiny.rmse != turned.rmse
        assert tiny.smallest == turned.smallest
        models = [(desk.out / row.pictures["model"]).read_bytes() for row in (tiny, turned)]
        assert models[0] == models[1], name


def test_a_crash_is_a_row_and_others_go_on(desk: Desk) -> None:
    rows = spoilt(desk, "crash", "not", "leave")
    assert rows["not"].status == "ok"
    assert (rows["crash"].status, rows["crash"].error) == ("crashed", "Its process was ended by SIGSEGV.")
    assert rows["crash"].data.sha256 == rows["not"].data.sha256, "its data is known all the same"
    assert rows["leave"].error == "Its process ended without an answer, with exit code 3."
    assert "spoilt.py" in rows["crash"].versions
    assert "Segmentation fault" in (desk.out / "logs" / f"{rows['crash'].id}.log").read_text()


def test_an_error_is_a_row_with_its_sentence(desk: Desk) -> None:
    rows = spoilt(desk, "raise", "refuse")
    assert (rows["raise"].status, rows["raise"].error) == ("failed", "RuntimeError: out of luck")
    assert (rows["refuse"].status, rows["refuse"].error) == ("refused", "Not this one.")
    log = (desk.out / "logs" / f"{rows['raise'].id}.log").read_text()
    assert "about to fail" in log
    assert "Traceback" in log
    assert len(list((desk.out / "logs").iterdir())) == 1


def test_a_run_that_never_ends_is_ended(desk: Desk) -> None:
    row = spoilt(desk, "endless")["endless"]
    assert row.status == "timed out"
    assert row.error is not None
    assert row.error.endswith("its time limit being 0.2 s.")


def test_failures_run_again_when_asked(desk: Desk) -> None:
    spoilt(desk, "raise", "not")
    desk.bench()
    assert desk.told.begun == 0
    desk.bench(again="failed")
    assert desk.told.begun == 1
    desk.bench(again="all")
    assert desk.told.begun == 2
    assert len(desk.rows) == 2


def test_a_method_whose_file_has_changed_runs_again(desk: Desk) -> None:
    spoilt(desk, "crash", "not")
    desk.file("spoilt.py", SPOILT.replace("os.kill(os.getpid(), signal.SIGSEGV)", "pass"))
    assert desk.bench() == {"ok": 2}
    assert desk.told.begun == 2


def test_data_that_is_not_there_is_a_row_that_says_where_to_get_it(desk: Desk) -> None:
    desk.plan(SHORT.replace('["tiny"]', '["tiny", "baboon"]'))
    assert desk.bench(data=desk.folder) == {"ok": 2, "no data": 2}
    absent = [row for row in desk.rows if row.status == "no data"]
    assert [row.label for row in absent] == ["zero-fill", "mean-fill"]
    assert all(row.error == desk.told.notes[0] and "baboon_256.png" in row.error for row in absent)
    assert absent[0].data.how_to_get in str(absent[0].error)
    desk.bench(data=desk.folder)
    assert desk.told.begun == 0
    assert len(desk.rows) == 4


def test_data_that_came_is_used(desk: Desk) -> None:
    from PIL import Image

    desk.plan(SHORT.replace('["tiny"]', '["baboon"]'))
    assert desk.bench(data=desk.folder) == {"no data": 2}
    picture = np.random.default_rng(0).integers(0, 256, (256, 256, 3), dtype=np.uint8)
    Image.fromarray(picture).save(desk.folder / "baboon_256.png")
    assert desk.bench(data=desk.folder) == {"ok": 2}
    (desk.folder / "baboon_256.png").unlink()
    assert desk.bench(data=desk.folder) == {"ok": 2}, "rows of a time when it was there stay"


def test_pictures_that_are_gone_are_made_again(desk: Desk) -> None:
    desk.plan(SHORT)
    desk.bench()
    row = next(row for row in desk.rows if row.pictures)
    (desk.out / row.pictures["model"]).unlink()
    desk.bench()
    assert desk.told.begun == 1
    assert (desk.out / row.pictures["model"]).exists()


@pytest.mark.parametrize("place", [None, "/" + "deep/" * 20])
def test_without_a_folder_for_a_socket_workers_start_from_nothing(
    monkeypatch: pytest.MonkeyPatch, place: str | None
) -> None:
    def gettempdir() -> str:
        if place is None:
            raise FileNotFoundError("No usable temporary directory found")
        return place

    monkeypatch.setattr(workers.tempfile, "gettempdir", gettempdir)
    assert workers._choose_context().get_start_method() == "spawn"


def test_the_title_of_the_plan_is_kept_beside_the_rows(tmp_path: Path) -> None:
    RowsFolder(tmp_path, "A title").close()
    (tmp_path / "rows.jsonl").touch()
    assert read_rows(tmp_path).title == "A title"
