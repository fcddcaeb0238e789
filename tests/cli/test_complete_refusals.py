"""`tensorfill complete`, when it cannot be done: one sentence, exit code 2, nothing written, no time lost."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from stand_in import MeanFill, Run

from tensorfill.errors import InvalidSetting


@pytest.fixture(autouse=True)
def _before_the_long_work(solver: MeanFill) -> None:
    """Whatever is refused here is refused before the solver starts."""
    solver.raises = AssertionError("the solver was started")


def test_a_missing_input(refused: Run, tmp_path: Path) -> None:
    assert "There is no file" in refused("complete", tmp_path / "lost.npy", "-o", tmp_path / "done.npy").err


def test_a_folder_as_input(refused: Run, tmp_path: Path) -> None:
    assert "nothing in" in refused("complete", tmp_path, "-o", tmp_path / "done.npy").err


def test_an_unknown_input_extension(refused: Run, tmp_path: Path) -> None:
    (tmp_path / "clip.mpeg").touch()
    outcome = refused("complete", tmp_path / "clip.mpeg", "-o", tmp_path / "done.npy")
    assert "'.mpeg' is not known. The known ones are: .npy, .npz, .png, .jpg, " in outcome.err


@pytest.mark.parametrize("name", ["cut.npy", "cut.npz", "cut.png"])
def test_a_damaged_input(refused: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\x93NUMPY\x01\x00")
    assert "damaged, cut short" in refused("complete", tmp_path / name, "-o", tmp_path / "done.npy").err


def test_a_pickled_input(refused: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "objects.npy", np.array([[None, 1]], dtype=object), allow_pickle=True)
    outcome = refused("complete", tmp_path / "objects.npy", "-o", tmp_path / "done.npy")
    assert "holds Python objects" in outcome.err


def test_an_npz_without_data(refused: Run, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", picture=np.ones((2, 2)), other=np.ones((2, 2)))
    outcome = refused("complete", tmp_path / "a.npz", "-o", tmp_path / "done.npy")
    assert "unless FILE::NAME says which is meant. The arrays in it are: 'picture', 'other'." in outcome.err


def test_an_unknown_output_extension(refused: Run, holes: Path, tmp_path: Path) -> None:
    assert "The known ones are" in refused("complete", holes, "-o", tmp_path / "done.txt").err


def test_an_output_folder_that_is_not_there(refused: Run, holes: Path, tmp_path: Path) -> None:
    assert "There is no folder" in refused("complete", holes, "-o", tmp_path / "lost" / "done.npy").err


def test_an_output_that_is_a_folder(refused: Run, holes: Path, tmp_path: Path) -> None:
    (tmp_path / "folder.npy").mkdir()
    assert "is a folder" in refused("complete", holes, "-o", tmp_path / "folder.npy", "--force").err


def test_an_existing_output(refused: Run, holes: Path, tmp_path: Path) -> None:
    (tmp_path / "done.npy").write_text("precious")
    outcome = refused("complete", holes, "-o", tmp_path / "done.npy")
    assert "done.npy is already there; add --force to replace it." in outcome.err


def test_an_existing_report(refused: Run, holes: Path, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("precious")
    outcome = refused("complete", holes, "-o", tmp_path / "done.npy", "--report", tmp_path / "run.json")
    assert "run.json is already there; add --force to replace it." in outcome.err


def test_a_report_folder_that_is_not_there(refused: Run, holes: Path, tmp_path: Path) -> None:
    outcome = refused("complete", holes, "-o", tmp_path / "done.npy", "--report", tmp_path / "lost" / "r.json")
    assert "There is no folder" in outcome.err


def test_output_and_report_in_one_file(refused: Run, holes: Path, tmp_path: Path) -> None:
    outcome = refused("complete", holes, "-o", tmp_path / "done.npy", "--report", tmp_path / "done.npy")
    assert "cannot both be" in outcome.err


@pytest.mark.parametrize("extension", [".png", ".jpg"])
def test_raw_values_in_a_picture(refused: Run, holes: Path, tmp_path: Path, extension: str) -> None:
    outcome = refused("complete", holes, "-o", tmp_path / f"done{extension}", "--raw")
    assert "--raw writes floating-point values" in outcome.err


def test_a_picture_of_what_is_none(refused: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "cube.npy", np.ones((3, 4, 5), np.uint8))
    outcome = refused("complete", tmp_path / "cube.npy", "-o", tmp_path / "done.png")
    assert "Got uint8 of shape (3, 4, 5) instead; write .npy or .npz." in outcome.err


def test_a_picture_of_floats_above_one(refused: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[1.0, np.nan], [1.5, 0.0]]))
    outcome = refused("complete", tmp_path / "a.npy", "-o", tmp_path / "done.png")
    assert "must lie between 0 and 1" in outcome.err


def test_a_mask_of_another_shape(refused: Run, holes: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "mask.npy", np.ones((5, 6), bool))
    outcome = refused("complete", holes, "-o", tmp_path / "done.npy", "--observed", tmp_path / "mask.npy")
    assert "must have the shape of the data, (6, 5, 3), or that of its first modes" in outcome.err
    assert "Got (5, 6) instead." in outcome.err


def test_a_picture_mask_of_another_size(refused: Run, holes: Path, tmp_path: Path) -> None:
    Image.fromarray(np.ones((4, 4), np.uint8)).save(tmp_path / "mask.png")
    outcome = refused("complete", holes, "-o", tmp_path / "done.npy", "--observed", tmp_path / "mask.png")
    assert "must have the shape of the data" in outcome.err


def test_a_mask_that_could_mean_either(refused: Run, holes: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "mask.npy", np.ones((6, 5, 3)))
    outcome = refused("complete", holes, "-o", tmp_path / "done.npy", "--mask", tmp_path / "mask.npy")
    assert "could mean either: add --mask-means missing" in outcome.err


@pytest.mark.parametrize("text", ["ten", "10,,3", "10,10.5", "10;10"])
def test_a_rank_that_is_no_number(refused: Run, holes: Path, tmp_path: Path, text: str) -> None:
    outcome = refused("complete", holes, "-o", tmp_path / "done.npy", "--rank", text)
    assert f"--rank takes whole numbers, one for all modes or one per mode, like 10,10,3. Got {text!r}" in outcome.err


def test_a_weight_that_is_no_number(refused: Run, holes: Path, tmp_path: Path) -> None:
    outcome = refused("complete", holes, "-o", tmp_path / "done.npy", "--lam", "1,x")
    assert "--lam takes numbers, one for all modes or one per mode, like 1,1,1. Got '1,x' instead." in outcome.err


@pytest.mark.parametrize("text", ["tau", "=3", "tau=", "two words=3", "3=tau"])
def test_a_setting_that_is_no_assignment(refused: Run, holes: Path, tmp_path: Path, text: str) -> None:
    outcome = refused("complete", holes, "-o", tmp_path / "done.npy", "--set", text)
    assert f"--set takes NAME=VALUE, like tau=100. Got {text!r} instead." in outcome.err


@pytest.mark.parametrize("twice", [["--set", "C=1", "--set", "C=2"], ["--C", "1", "--set", "C=2"]])
def test_a_setting_given_twice(refused: Run, holes: Path, tmp_path: Path, twice: list[str]) -> None:
    outcome = refused("complete", holes, "-o", tmp_path / "done.npy", *twice)
    assert "The setting 'C' is given twice; give it once." in outcome.err


def test_a_negative_seed(refused: Run, holes: Path, tmp_path: Path) -> None:
    outcome = refused("complete", holes, "-o", tmp_path / "done.npy", "--seed", "-3")
    assert "--seed must be 0 or more. Got -3 instead." in outcome.err


def test_what_the_library_refuses(refused: Run, solver: MeanFill, holes: Path, tmp_path: Path) -> None:
    solver.raises = InvalidSetting("'rank' must be at least 1. Got 0 instead.")
    outcome = refused("complete", holes, "-o", tmp_path / "done.npy", "--rank", "0")
    assert outcome.err == "Error: --rank must be at least 1. Got 0 instead.\n"


def test_negative_values_without_permission_to_clip(refused: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[-1.0, np.nan], [0.5, 0.0]]))
    assert "--clip-negative" in refused("complete", tmp_path / "a.npy", "-o", tmp_path / "done.png").err


def test_too_little_memory(refused: Run, solver: MeanFill, holes: Path, tmp_path: Path) -> None:
    solver.raises = MemoryError()
    assert "not enough memory" in refused("complete", holes, "-o", tmp_path / "done.npy").err


def test_an_option_that_does_not_exist_is_a_usage_error(tensorfill: Run, holes: Path, tmp_path: Path) -> None:
    outcome = tensorfill("complete", holes, "-o", tmp_path / "done.npy", "--ranks", "3")
    assert outcome.code == 2
    assert "--ranks" in outcome.err
