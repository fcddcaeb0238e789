"""Checkpoints: what is finished is never computed again, and whose it is is known."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_run import TILING, TRUTH, Delivered, make_run, repeat, say_nothing

from tensorfill.errors import InvalidInput
from tensorfill.interrupting import TimeIsUp
from tensorfill.keeping import files
from tensorfill.telling import Phase, Round, listening
from tensorfill.tiles import checkpoint as room
from tensorfill.tiles.answer import TileAnswer, TileQuestion
from tensorfill.tiles.checkpoint import MANIFEST, Checkpoint
from tensorfill.tiles.run import ThisThread

RUN = {"input": "a clip", "method": "linear", "seed": "1"}
MODEL = np.random.default_rng(0).random((5, 4, 3)).astype(np.float32)
ANSWER = TileAnswer(MODEL, MODEL / 3, {"stop": ("done", "Done."), "smallest": np.float32(0.1), "seconds": 0.3})


class Counting:
    """Answers as `repeat` does, counts the tiles that it is asked, and stops everything before some of them."""

    def __init__(self, *deadly: int, error: type[BaseException] = ZeroDivisionError) -> None:
        self.asked: list[int] = []
        self.deadly, self.error = deadly, error

    def __call__(self, question: TileQuestion) -> TileAnswer:
        if question.number in self.deadly:
            raise self.error
        self.asked.append(question.number)
        return repeat(question)


# What is kept


def test_an_answer_comes_back_to_the_bit(tmp_path: Path) -> None:
    with Checkpoint(tmp_path / "kept", RUN) as checkpoint:
        checkpoint.keep(3, ANSWER)
    with Checkpoint(tmp_path / "kept", RUN) as checkpoint:
        assert (checkpoint.has(3), checkpoint.has(2)) == (True, False)
        found = checkpoint.find(3)
        assert checkpoint.find(2) is None
    assert found is not None
    assert found.deviations is not None
    assert found.model.tobytes() == MODEL.tobytes()
    assert found.deviations.tobytes() == (MODEL / 3).tobytes()
    assert found.facts["smallest"] == np.float32(0.1)
    assert found.facts["stop"][0] == "done"
    assert found.whole


def test_one_without_deviations_has_none(tmp_path: Path) -> None:
    with Checkpoint(tmp_path, RUN) as checkpoint:
        checkpoint.keep(0, TileAnswer(MODEL.astype(np.float64).T))
        found = checkpoint.find(0)
    assert found is not None
    assert (found.model.dtype, found.model.shape, found.deviations) == (np.float64, MODEL.T.shape, None)
    assert np.array_equal(found.model, MODEL.T)


def test_what_was_stopped_early_is_not_kept(tmp_path: Path) -> None:
    with Checkpoint(tmp_path, RUN) as checkpoint:
        checkpoint.keep(0, TileAnswer(MODEL, facts={"stop": ("time", "")}))
        assert not checkpoint.has(0)


def test_a_run_that_was_killed_goes_on_and_ends_with_the_same_bits(tmp_path: Path) -> None:
    whole, got = Delivered(TRUTH.shape), Delivered(TRUTH.shape)
    make_run(repeat, whole, deviations=True).run(ThisThread())
    first, second = Counting(7), Counting()
    with pytest.raises(ZeroDivisionError), Checkpoint(tmp_path, RUN) as checkpoint:
        make_run(first, Delivered(TRUTH.shape), deviations=True, keeper=checkpoint).run(ThisThread())
    with Checkpoint(tmp_path, RUN) as checkpoint:
        make_run(second, got, deviations=True, keeper=checkpoint).run(ThisThread())
        assert len(checkpoint.reused) == len(first.asked) == 7
        assert "7 tiles were not computed again" in checkpoint.notes[0]
    assert sorted(first.asked + second.asked) == list(range(TILING.count))
    assert got.model.tobytes() == whole.model.tobytes()
    assert got.deviations.tobytes() == whole.deviations.tobytes()


def test_when_the_time_is_up_kept_tiles_are_still_taken(tmp_path: Path) -> None:
    with Checkpoint(tmp_path, RUN) as checkpoint:
        for number in (0, 1, 5):
            checkpoint.keep(number, say_nothing(TileQuestion(number, TRUTH[TILING.tiles[number].reach], MODEL > 0)))
        run = make_run(Counting(2, error=TimeIsUp), Delivered(TRUTH.shape), keeper=checkpoint)
        run.run(ThisThread())
    assert run.stopped == "time"
    assert [done.number for done in run.done if "guessed" not in done.facts] == [0, 1, 5]


def test_only_what_is_computed_is_told_of(tmp_path: Path) -> None:
    told: list[Phase | Round] = []
    with pytest.raises(ZeroDivisionError), Checkpoint(tmp_path, RUN) as checkpoint:
        make_run(Counting(TILING.count - 2), Delivered(TRUTH.shape), keeper=checkpoint).run(ThisThread())
    with Checkpoint(tmp_path, RUN) as checkpoint, listening(told.append):
        make_run(repeat, Delivered(TRUTH.shape), keeper=checkpoint).run(ThisThread())
    phases = [each for each in told if isinstance(each, Phase)]
    assert [(phase.number, phase.later) for phase in phases] == [
        (TILING.count - 1, (("tile", 1.0),)),
        (TILING.count, ()),
    ]


def test_a_damaged_tile_is_computed_again_and_said(tmp_path: Path) -> None:
    with Checkpoint(tmp_path, RUN) as checkpoint:
        make_run(repeat, Delivered(TRUTH.shape), keeper=checkpoint).run(ThisThread())
    spoilt = tmp_path / "tile-000004.kept"
    spoilt.write_bytes(spoilt.read_bytes()[:-40] + bytes(40))
    again, whole, got = Counting(), Delivered(TRUTH.shape), Delivered(TRUTH.shape)
    make_run(repeat, whole).run(ThisThread())
    with Checkpoint(tmp_path, RUN) as checkpoint:
        make_run(again, got, keeper=checkpoint).run(ThisThread())
        assert checkpoint.notes[0] == f"1 tile was kept in {tmp_path} damaged, and computed again."
    assert again.asked == [4]
    assert got.model.tobytes() == whole.model.tobytes()
    with Checkpoint(tmp_path, RUN) as checkpoint:
        assert checkpoint.find(4) is not None


def test_what_was_settled_stays(tmp_path: Path) -> None:
    with Checkpoint(tmp_path, RUN) as checkpoint:
        assert checkpoint.settle("tiling", [[1, 2], 3]) == [[1, 2], 3]
    with Checkpoint(tmp_path, RUN) as checkpoint:
        assert checkpoint.settle("tiling", "other") == [[1, 2], 3]
    with Checkpoint(tmp_path, RUN, fresh=True) as checkpoint:
        assert checkpoint.settle("tiling", "other") == "other"


# Whose it is


def keep_one(folder: Path, identity: dict[str, str] = RUN) -> None:
    with Checkpoint(folder, identity) as checkpoint:
        checkpoint.keep(0, ANSWER)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"seed": "2"}, "its seed is 1, not 2"),
        ({"input": "x" * 100}, "its input differs"),
        ({"effort": "high"}, "its effort differs"),
        ({"seed": "2", "method": "auto"}, "its method is linear, not auto, its seed is 1, not 2"),
    ],
)
def test_one_of_another_run_is_refused_with_what_differs(tmp_path: Path, changed: dict[str, str], told: str) -> None:
    keep_one(tmp_path)
    with pytest.raises(InvalidInput, match=told) as error:
        Checkpoint(tmp_path, RUN | changed)
    assert "fresh=True" in str(error.value)
    assert str(error.value).count(". ") == 1
    with Checkpoint(tmp_path, RUN) as checkpoint:
        assert checkpoint.has(0), "nothing was lost"


def test_fresh_begins_anew(tmp_path: Path) -> None:
    keep_one(tmp_path, RUN | {"seed": "2"})
    with Checkpoint(tmp_path, RUN, fresh=True) as checkpoint:
        assert not checkpoint.has(0)
        assert checkpoint.notes == ()
    with Checkpoint(tmp_path, RUN):
        assert os.listdir(tmp_path) != []


def test_one_of_another_version_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_one(tmp_path)
    monkeypatch.setattr(room, "_own_version", lambda: "99.1")
    with Checkpoint(tmp_path, RUN) as checkpoint:
        assert not checkpoint.has(0)
        assert "made by another version of tensorfill" in checkpoint.notes[0]


@pytest.mark.parametrize("content", [b"", b"{}", b"\0" * 500])
def test_a_damaged_one_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    keep_one(tmp_path)
    (tmp_path / MANIFEST).write_bytes(content)
    with Checkpoint(tmp_path, RUN) as checkpoint:
        assert not checkpoint.has(0)
        assert checkpoint.notes == (f"The checkpoint in {tmp_path} was damaged; it is begun anew.",)


def test_a_folder_with_other_things_is_refused_and_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("all of it")
    for fresh in (False, True):
        with pytest.raises(InvalidInput, match=r"holds thesis.tex, which is not of a checkpoint"):
            Checkpoint(tmp_path, RUN, fresh=fresh)
    assert os.listdir(tmp_path) == ["thesis.tex"]
    with pytest.raises(InvalidInput, match=r"thesis.tex is a file"):
        Checkpoint(tmp_path / "thesis.tex", RUN)


def test_tiles_that_another_run_has_left_are_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_one(tmp_path, RUN | {"seed": "2"})
    before = (tmp_path / "tile-000000.kept").read_bytes()
    with Checkpoint(tmp_path, RUN, fresh=True):
        pass
    (tmp_path / "tile-000000.kept").write_bytes(before)
    with Checkpoint(tmp_path, RUN) as checkpoint:
        assert checkpoint.find(0) is None


def test_two_runs_at_once_are_refused(tmp_path: Path) -> None:
    with Checkpoint(tmp_path, RUN), pytest.raises(InvalidInput, match="Another run is using the checkpoint"):
        Checkpoint(tmp_path, RUN)
    with Checkpoint(tmp_path, RUN):
        pass


HOLDER = """
import sys, time
from pathlib import Path
from tensorfill.tiles.checkpoint import Checkpoint
with Checkpoint(Path(sys.argv[1]), {"input": "a clip", "method": "linear", "seed": "1"}):
    print("mine", flush=True)
    time.sleep(60)
"""


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"mine\n"
        with pytest.raises(InvalidInput, match="Another run"):
            Checkpoint(tmp_path, RUN)
        process.kill()
    with Checkpoint(tmp_path, RUN) as checkpoint:
        assert checkpoint.notes == ()


# Where it cannot be written


def test_a_full_disk_ends_the_keeping_and_not_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, got = Delivered(TRUTH.shape), Delivered(TRUTH.shape)
    make_run(repeat, whole).run(ThisThread())
    with Checkpoint(tmp_path, RUN) as checkpoint:
        keep_as_it_is = room.write_kept

        def write_two(path: Path, *given: Any, **more: Any) -> None:
            if path.name == "tile-000002.kept":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            keep_as_it_is(path, *given, **more)

        monkeypatch.setattr(room, "write_kept", write_two)
        make_run(repeat, got, keeper=checkpoint).run(ThisThread())
        assert checkpoint.notes == (
            f"Nothing more can be kept in {tmp_path} (No space left on device), so the run goes on without.",
        )
    assert got.model.tobytes() == whole.model.tobytes()
    with Checkpoint(tmp_path, RUN) as checkpoint:
        assert [number for number in range(TILING.count) if checkpoint.has(number)] == [0, 1]


def test_where_there_can_be_no_folder_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: Any, **more: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "mkdir", fail)
    got = Delivered(TRUTH.shape)
    with Checkpoint(tmp_path / "kept", RUN) as checkpoint:
        make_run(repeat, got, keeper=checkpoint).run(ThisThread())
        assert "Read-only file system" in checkpoint.notes[0]
        assert len(checkpoint.notes) == 1
        checkpoint.remove()
    assert not np.isnan(got.model).any()


# The end of it


def test_it_goes_when_the_output_is_whole(tmp_path: Path) -> None:
    keep_one(tmp_path / "deep" / "kept")
    with Checkpoint(tmp_path / "deep" / "kept", RUN) as checkpoint:
        checkpoint.remove()
    assert os.listdir(tmp_path / "deep") == []


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    keep_one(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    with Checkpoint(tmp_path, RUN) as checkpoint:
        checkpoint.remove()
    assert os.listdir(tmp_path) == ["notes.txt"]


def test_what_a_killed_run_was_writing_is_deleted(tmp_path: Path) -> None:
    keep_one(tmp_path)
    (tmp_path / f".tile-000001.kept-12ab{files.PART}").write_bytes(b"half")
    keep_one(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["lock", MANIFEST, "tile-000000.kept"]
