"""The verbs together, on the real solver."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from stand_in import Run


@pytest.fixture
def truth(tmp_path: Path) -> Path:
    """A smooth nonnegative 20 × 20 × 3 tensor of low rank, as 8-bit data."""
    rng = np.random.default_rng(0)
    rows, columns, channels = (rng.random((size, 2)) for size in (20, 20, 3))
    tensor = np.einsum("ir,jr,kr->ijk", rows, columns, channels)
    np.save(tmp_path / "truth.npy", np.rint(255 * tensor / tensor.max()).astype(np.uint8))
    return tmp_path / "truth.npy"


def test_hide_complete_score(tensorfill: Run, truth: Path, tmp_path: Path) -> None:
    holes, done, report = tmp_path / "holes.npz", tmp_path / "done.npz", tmp_path / "run.json"
    assert tensorfill("hide", truth, "-o", holes, "--keep", 0.5).code == 0
    outcome = tensorfill("complete", holes, "-o", done, "--rank", "3", "--C", "100", "--report", report)
    assert outcome.code == 0, outcome.err
    told = json.loads(tensorfill("score", truth, done, "--json").out)
    assert told["rmse_unobserved"] < 0.1
    assert json.loads(report.read_text())["certificate"]["relative_gap"] < 0.5
    with np.load(holes) as given, np.load(done) as completed:
        known = given["observed"]
        np.testing.assert_array_equal(completed["data"][known], given["data"][known])


def test_the_same_seed_gives_the_same_bits(tensorfill: Run, truth: Path, tmp_path: Path) -> None:
    tensorfill("hide", truth, "-o", tmp_path / "holes.npz", "--keep", 0.5)
    for name in ("a.npy", "b.npy"):
        tensorfill("complete", tmp_path / "holes.npz", "-o", tmp_path / name, "--raw", "--max-iter", 5, "--rank", 3)
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


def test_nothing_missing_is_said_and_written(tensorfill: Run, truth: Path, tmp_path: Path) -> None:
    outcome = tensorfill("complete", truth, "-o", tmp_path / "done.npy", "--report", tmp_path / "run.json")
    assert outcome.code == 0
    assert "nothing to complete" in outcome.out
    np.testing.assert_array_equal(np.load(tmp_path / "done.npy"), np.load(truth))
    assert json.loads((tmp_path / "run.json").read_text())["stop"]["kind"] == "nothing_missing"


def test_an_empty_slice_is_told_once(tensorfill: Run, tmp_path: Path) -> None:
    data = np.random.default_rng(0).random((8, 8, 3))
    data[2] = np.nan
    np.save(tmp_path / "holes.npy", data)
    outcome = tensorfill("complete", tmp_path / "holes.npy", "-o", tmp_path / "done.npy", "--rank", 2, "--max-iter", 3)
    assert outcome.code == 0
    assert (outcome.out + outcome.err).count("low rank alone cannot recover") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--method", "magic"], "There is no method 'magic'"),
        (["--rank", "0"], "rank"),
        (["--rank", "3,3"], "rank"),
        (["--C", "-1"], "The --C of"),
        (["--max-iter", "-1"], "max_iter"),
        (["--method", "patches", "--set", "patch=1e9"], "The 'patch' of patches must be a whole number, 1 or more."),
        (["--method", "patches", "--set", "patch=10000"], "at most here: no longer than its modes"),
        (["--method", "patches", "--set", "patch=3,4"], "The 'patch' of patches must be a whole number"),
        (["--method", "patches", "--set", "window=0"], "The 'window' of patches must be a whole number"),
        (["--method", "patches", "--set", "members=1"], "The 'members' of patches must be a whole number from 2"),
        (["--method", "patches", "--set", "modes=1,9"], "The 'modes' of patches must hold mode numbers from 1 to 3."),
        (["--method", "patches", "--set", "modes=1,1"], "The 'modes' of patches must hold two or three"),
        (["--method", "patches", "--set", "modes=rows"], "The 'modes' of patches must hold two or three"),
        (["--method", "patches", "--set", "noise=-1"], "The 'noise' of patches must be a number above 0."),
    ],
)
def test_wrong_settings_are_one_sentence(
    tensorfill: Run, refused: Run, truth: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    tensorfill("hide", truth, "-o", tmp_path / "holes.npz", "--keep", 0.5)
    assert words in refused("complete", tmp_path / "holes.npz", "-o", tmp_path / "done.npy", *arguments).err


def test_nothing_observed_is_refused(refused: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "holes.npy", np.full((3, 3), np.nan))
    outcome = refused("complete", tmp_path / "holes.npy", "-o", tmp_path / "done.npy")
    assert "all its entries are missing" in outcome.err


@pytest.mark.slow
def test_the_first_run_after_an_installation_says_that_it_compiles_and_has_the_bits_of_others(tmp_path: Path) -> None:
    """If a process has two copies of a kernel that others call, compiled apart, it takes the first that it meets."""
    squares = np.tile(np.random.default_rng(0).random((6, 6)) < 0.5, (7, 7))
    unknown = np.random.default_rng(1).random(squares.shape) < 0.5
    np.save(tmp_path / "holes.npy", np.where(unknown, np.nan, 0.1 + 0.8 * squares))
    said, found = [], []
    for number in range(2):
        command = [sys.executable, "-m", "tensorfill", "complete", "holes.npy", "-o", f"{number}.npy"]
        fresh = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        run = subprocess.run(
            [*command, "--method", "patches"], cwd=tmp_path, env=fresh, capture_output=True, text=True, check=True
        )
        said.append("Compiling" in run.stderr)
        found.append(np.load(tmp_path / f"{number}.npy"))
    assert said == [True, False]
    np.testing.assert_array_equal(*found)
