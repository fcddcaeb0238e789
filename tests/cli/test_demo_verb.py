"""`tensorfill demo`."""

from importlib.resources import files
from pathlib import Path

import numpy as np
from PIL import Image
from stand_in import MeanFill, Run


def opened(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image)


def test_it_writes_the_pictures_and_prints_the_errors(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    outcome = tensorfill("demo", "-o", tmp_path / "new" / "folder")
    folder = tmp_path / "new" / "folder"
    assert outcome.code == 0
    assert {path.name for path in folder.iterdir()} == {
        "holes.png",
        "completed.png",
        "truth.png",
        "before-after.png",
    }
    assert "RMSE, all entries" in outcome.out
    assert "RMSE, unobserved entries" in outcome.out
    assert "stopped because" in outcome.out


def test_a_tenth_is_kept_and_the_rest_is_black(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    tensorfill("demo", "-o", tmp_path)
    truth, holes = opened(tmp_path / "truth.png"), opened(tmp_path / "holes.png")
    observed = np.random.default_rng(0).random(truth.shape) < 0.1
    np.testing.assert_array_equal(holes, np.where(observed, truth, 0))
    np.testing.assert_array_equal(opened(tmp_path / "completed.png")[observed], truth[observed])


def test_the_three_stand_side_by_side(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    tensorfill("demo", "-o", tmp_path)
    together = opened(tmp_path / "before-after.png")
    height, width, _ = opened(tmp_path / "truth.png").shape
    assert together.shape[0] > height
    assert together.shape[1] > 3 * width


def test_keep_and_seed_can_be_chosen(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    tensorfill("demo", "-o", tmp_path, "--keep", 0.5, "--seed", 7)
    expected = np.random.default_rng(7).random((256, 256, 3)) < 0.5
    np.testing.assert_array_equal(solver.calls[0]["observed"], expected)


def test_it_can_be_run_again(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    assert [tensorfill("demo", "-o", tmp_path).code for _ in range(2)] == [0, 0]


def test_a_wrong_share_is_refused_before_the_folder_is_made(refused: Run, solver: MeanFill, tmp_path: Path) -> None:
    assert "--keep must be" in refused("demo", "-o", tmp_path / "new", "--keep", 0).err
    assert not (tmp_path / "new").exists()


def test_the_picture_is_small_and_says_where_it_comes_from() -> None:
    assets = files("tensorfill.assets")
    assert len((assets / "cat.png").read_bytes()) < 200_000
    assert "CC0" in (assets / "README.md").read_text()
