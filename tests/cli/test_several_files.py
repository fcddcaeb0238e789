"""Several files, or a folder of them, into a folder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from stand_in import MeanFill, Run

from tensorfill import formats
from tensorfill.formats import Contents, Metadata


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """A folder with two pictures and an array, each with one hole, and something else."""
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("cat.png", "dog.png"):
        pixels = np.full((4, 5, 4), 200, np.uint8)
        pixels[1, 1] = 0
        Image.fromarray(pixels).save(folder / name)
    np.save(folder / "field.npy", np.array([[1.0, np.nan], [3.0, 4.0]]))
    (folder / "notes.txt").write_text("not data")
    return folder


def test_every_file_of_a_folder_is_completed_under_its_name(
    tensorfill: Run, solver: MeanFill, photos: Path, tmp_path: Path
) -> None:
    outcome = tensorfill("complete", photos, "-o", tmp_path / "out")
    assert outcome.code == 0, outcome
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["cat.png", "dog.png", "field.npy"]
    assert "3 of 3 files completed." in outcome.out
    assert (np.asarray(Image.open(tmp_path / "out" / "cat.png")) > 0).all()


def test_several_files_into_a_folder_that_is_made(
    tensorfill: Run, solver: MeanFill, photos: Path, tmp_path: Path
) -> None:
    tensorfill("complete", photos / "cat.png", photos / "field.npy", "-o", tmp_path / "a" / "b")
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == ["cat.png", "field.npy"]


def test_one_file_into_a_folder_that_is_there(tensorfill: Run, solver: MeanFill, photos: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    tensorfill("complete", photos / "cat.png", "-o", tmp_path / "out")
    assert (tmp_path / "out" / "cat.png").is_file()


def test_lossy_pictures_and_clips_are_written_lossless(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    half = np.full((32, 32, 4), 190, np.uint8)
    half[:16] = 0
    formats.write(tmp_path / "a.jpg", Contents(half[..., :3], metadata=Metadata(kind="picture")))
    formats.write(tmp_path / "b.mp4", Contents(half, metadata=Metadata(kind="video")))
    dark = ("--missing", "0", "--tolerance", "40")
    tensorfill("complete", tmp_path / "a.jpg", tmp_path / "b.mp4", "-o", tmp_path / "out", *dark)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.png", "b.mkv"]


def test_one_that_fails_does_not_stop_the_others(
    tensorfill: Run, solver: MeanFill, photos: Path, tmp_path: Path
) -> None:
    (photos / "broken.png").write_bytes(b"\x89PNG")
    outcome = tensorfill("complete", photos, "-o", tmp_path / "out")
    assert outcome.code == 2
    assert "Error: " in outcome.err
    assert "broken.png" in outcome.err
    assert "3 of 4 files completed, 1 could not be completed." in outcome.out
    assert not (tmp_path / "out" / "broken.png").exists()


def test_two_files_of_one_name_are_refused_before_the_work(
    tensorfill: Run, solver: MeanFill, photos: Path, tmp_path: Path
) -> None:
    (tmp_path / "cat.png").write_bytes((photos / "cat.png").read_bytes())
    outcome = tensorfill("complete", photos / "cat.png", tmp_path / "cat.png", "-o", tmp_path / "out")
    assert outcome.code == 2
    assert "would both be written to" in outcome.err
    assert not solver.calls


def test_what_is_there_is_not_replaced_without_force(
    tensorfill: Run, solver: MeanFill, photos: Path, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "dog.png").write_text("precious")
    outcome = tensorfill("complete", photos, "-o", tmp_path / "out")
    assert outcome.code == 2
    assert "already there; add --force" in outcome.err
    assert not solver.calls, "refused before anything is completed"
    assert (tmp_path / "out" / "dog.png").read_text() == "precious"


def test_numbered_pictures_are_one_clip_unless_each_is_asked_for(
    tensorfill: Run, solver: MeanFill, tmp_path: Path
) -> None:
    folder = tmp_path / "frames"
    folder.mkdir()
    for number in range(3):
        frame = np.full((4, 5), 10 * number + 1, np.uint8)
        frame[0, number] = 200
        Image.fromarray(frame).save(folder / f"f_{number}.png")
    tensorfill("complete", folder, "-o", tmp_path / "clip.mkv", "--missing-frames", "1")
    assert np.asarray(formats.read(tmp_path / "clip.mkv")).shape == (4, 5, 3)
    tensorfill("complete", folder, "-o", tmp_path / "out", "--each", "--missing", "200")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["f_0.png", "f_1.png", "f_2.png"]


def test_frames_into_a_folder_keep_their_names(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    folder = tmp_path / "frames"
    folder.mkdir()
    for number in (1, 2, 4):
        Image.fromarray(np.full((4, 5), 10 * number, np.uint8)).save(folder / f"f_{number:03}.png")
    outcome = tensorfill("complete", folder, "-o", tmp_path / "out", "--output-format", "frames")
    assert outcome.code == 0, outcome
    names = [f"f_{number:03}.png" for number in (1, 2, 3, 4)]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == names


def test_json_tells_about_every_file(tensorfill: Run, solver: MeanFill, photos: Path, tmp_path: Path) -> None:
    (photos / "broken.png").write_bytes(b"")
    told = json.loads(tensorfill("complete", photos, "-o", tmp_path / "out", "--json").out)
    assert [Path(one["input"]).name for one in told["files"]] == ["cat.png", "dog.png", "field.npy"]
    assert len(told["failures"]) == 1


def test_reports_and_previews_of_several_files_are_folders(
    tensorfill: Run, solver: MeanFill, photos: Path, tmp_path: Path
) -> None:
    tensorfill(*("complete", photos, "-o", tmp_path / "out", "--report", tmp_path / "r", "--preview", tmp_path / "p"))
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == [
        "cat.png.json",
        "dog.png.json",
        "field.npy.json",
    ]
    assert sorted(path.name for path in (tmp_path / "p").iterdir()) == ["cat.png.png", "dog.png.png", "field.npy.png"]


def test_quiet_prints_nothing(tensorfill: Run, solver: MeanFill, photos: Path, tmp_path: Path) -> None:
    outcome = tensorfill("complete", photos, "-o", tmp_path / "out", "--quiet")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    (photos / "broken.png").write_bytes(b"")
    outcome = tensorfill("complete", photos, "-o", tmp_path / "out", "--quiet", "--force")
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1
    assert "broken.png" in outcome.err


def test_a_folder_without_data_is_refused(refused: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "notes.txt").write_text("not data")
    assert "There is nothing in" in refused("complete", tmp_path / "in", "-o", tmp_path / "out").err


def test_frames_go_to_frames_where_the_output_has_no_extension(
    tensorfill: Run, solver: MeanFill, tmp_path: Path
) -> None:
    folder = tmp_path / "frames"
    folder.mkdir()
    for number in (1, 3):
        Image.fromarray(np.full((4, 5), 10 * number, np.uint8)).save(folder / f"{number}.png")
    assert tensorfill("complete", folder, "-o", tmp_path / "out").code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["1.png", "2.png", "3.png"]


def test_frames_do_not_replace_a_folder_with_something_else_in_it(refused: Run, tmp_path: Path) -> None:
    folder, out = tmp_path / "frames", tmp_path / "out"
    for place in (folder, out):
        place.mkdir()
    for number in (1, 3):
        Image.fromarray(np.full((4, 5), 10 * number, np.uint8)).save(folder / f"{number}.png")
    (out / "precious.txt").write_text("mine")
    outcome = refused("complete", folder, "-o", out, "--output-format", "frames", "--force")
    assert "is not replaced, because there is something else in it: precious.txt" in outcome.err


def test_a_table_that_would_not_fit_a_picture_is_refused_before_the_work(refused: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y,z,t,count\n" + "".join(f"{i},{i},{i},{i},3.5\n" for i in range(6)))
    assert "picture" in refused("complete", tmp_path / "a.csv", "--table", "long", "-o", tmp_path / "b.png").err
