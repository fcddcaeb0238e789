"""`tensorfill score`."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from stand_in import Run


@pytest.fixture
def truth(tmp_path: Path) -> Path:
    np.save(tmp_path / "truth.npy", np.array([[0.0, 1.0], [0.5, 0.5]]))
    return tmp_path / "truth.npy"


@pytest.fixture
def estimate(tmp_path: Path) -> Path:
    np.save(tmp_path / "estimate.npy", np.array([[0.0, 0.8], [0.5, 0.5]]))
    return tmp_path / "estimate.npy"


def test_the_table(tensorfill: Run, truth: Path, estimate: Path) -> None:
    outcome = tensorfill("score", truth, estimate)
    told = [" ".join(line.split()) for line in outcome.out.splitlines()]
    assert outcome.code == 0
    assert "RMSE, all entries 0.100000" in told
    assert "RMSE, unobserved entries not known" in told
    assert "PSNR, all entries 20.00 dB" in told


def test_json(tensorfill: Run, truth: Path, estimate: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "mask.npy", np.array([[True, False], [True, False]]))
    outcome = tensorfill("score", truth, estimate, "--observed", tmp_path / "mask.npy", "--json")
    told = json.loads(outcome.out)
    assert told["rmse"] == pytest.approx(0.1)
    assert told["rmse_unobserved"] == pytest.approx(0.2 / np.sqrt(2))
    assert told["psnr"] == pytest.approx(20)


def test_a_perfect_estimate_has_no_finite_psnr(tensorfill: Run, truth: Path) -> None:
    assert json.loads(tensorfill("score", truth, truth, "--json").out)["psnr"] is None


def test_pictures_are_scored_between_0_and_1(tensorfill: Run, tmp_path: Path) -> None:
    Image.fromarray(np.full((2, 2), 255, np.uint8)).save(tmp_path / "white.png")
    Image.fromarray(np.full((2, 2), 0, np.uint8)).save(tmp_path / "black.png")
    told = json.loads(tensorfill("score", tmp_path / "white.png", tmp_path / "black.png", "--json").out)
    assert told["rmse"] == 1.0


def test_a_picture_written_from_floats_is_scored_on_their_scale(tensorfill: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "truth.npy", np.array([[0.0, 1.0]]))
    Image.fromarray(np.array([[0, 255]], np.uint8)).save(tmp_path / "estimate.png")
    told = json.loads(tensorfill("score", tmp_path / "truth.npy", tmp_path / "estimate.png", "--json").out)
    assert told["rmse"] == 0.0


def test_an_npz_estimate_says_itself_what_was_observed(tensorfill: Run, truth: Path, tmp_path: Path) -> None:
    observed = np.array([[True, False], [True, True]])
    np.savez(tmp_path / "e.npz", data=np.array([[0.0, 0.8], [0.5, 0.5]]), observed=observed)
    told = json.loads(tensorfill("score", truth, tmp_path / "e.npz", "--json").out)
    assert told["rmse_unobserved"] == pytest.approx(0.2)


def test_what_the_truth_does_not_know_is_left_out(tensorfill: Run, estimate: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "truth.npy", np.array([[0.0, 1.0], [np.nan, np.nan]]))
    outcome = tensorfill("score", tmp_path / "truth.npy", estimate, "--json")
    assert json.loads(outcome.out)["rmse"] == pytest.approx(0.2 / np.sqrt(2))
    assert "2 entries are missing in" in outcome.err
