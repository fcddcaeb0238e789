"""`tensorfill complete --uncertainty FILE`: deviations as numbers or as a picture, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from stand_in import MeanFill, Run

from tensorfill import library
from tensorfill.completion import Completion
from tensorfill.errors import InvalidSetting


@dataclass
class Telling(MeanFill):
    """The stand-in for the solver, which knows how sure it is: less and less from the first entry to the last."""

    deviations: Callable[[], NDArray[np.float64]] | None = None

    def __call__(self, *arguments: Any, **settings: Any) -> Completion:
        done = super().__call__(*arguments, **settings)
        shape = done.observed.shape
        return replace(done, deviations=self.deviations or (lambda: np.arange(1.0, np.prod(shape) + 1).reshape(shape)))


@pytest.fixture
def telling(monkeypatch: pytest.MonkeyPatch) -> Telling:
    stand_in = Telling()
    monkeypatch.setattr(library, "complete", stand_in)
    return stand_in


def expected_of(holes: Path) -> NDArray[np.float64]:
    with np.load(holes) as given:
        observed = given["observed"]
    return np.where(observed, 0.0, np.arange(1.0, observed.size + 1).reshape(observed.shape))


def test_numbers_are_written_as_they_are(tensorfill: Run, telling: Telling, holes: Path, tmp_path: Path) -> None:
    outcome = tensorfill("complete", holes, "-o", tmp_path / "done.png", "--uncertainty", tmp_path / "unsure.npy")
    assert outcome.code == 0
    assert "Note: " in outcome.out
    assert "unsure.npy holds the standard deviation of every entry." in outcome.out
    found = np.load(tmp_path / "unsure.npy")
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, expected_of(holes))


def test_an_archive_also_says_what_was_known(tensorfill: Run, telling: Telling, holes: Path, tmp_path: Path) -> None:
    tensorfill("complete", holes, "-o", tmp_path / "done.png", "--uncertainty", tmp_path / "unsure.npz")
    with np.load(tmp_path / "unsure.npz") as found, np.load(holes) as given:
        np.testing.assert_array_equal(found["data"], expected_of(holes))
        np.testing.assert_array_equal(found["observed"], given["observed"])


def test_a_picture_is_brighter_where_it_is_less_sure(
    tensorfill: Run, telling: Telling, holes: Path, tmp_path: Path
) -> None:
    outcome = tensorfill("complete", holes, "-o", tmp_path / "done.png", "--uncertainty", tmp_path / "unsure.png")
    with Image.open(tmp_path / "unsure.png") as picture:
        assert picture.mode == "RGB"
        gray = np.asarray(picture).astype(int)
    expected = expected_of(holes)
    assert (gray[expected == 0] == 0).all(), "what is known is black"
    order = np.argsort(expected[expected > 0])
    assert (np.diff(gray[expected > 0][order]) >= 0).all()
    assert gray.max() == 255
    white = np.quantile(expected[expected > 0], 0.995)
    assert f"white where its deviation is {white:.3g} or more." in outcome.out


def test_a_few_large_deviations_leave_the_others_to_be_told_apart(
    tensorfill: Run, telling: Telling, tmp_path: Path
) -> None:
    known = np.zeros((40, 30), dtype=bool)
    known[0, 0] = True
    deviations = np.random.default_rng(0).uniform(1.0, 2.0, known.shape)
    deviations[5, 5] = 1e6
    telling.deviations = deviations.copy
    np.save(tmp_path / "holes.npy", np.where(known, 1.0, np.nan))
    tensorfill("complete", tmp_path / "holes.npy", "-o", tmp_path / "d.npy", "--uncertainty", tmp_path / "unsure.png")
    gray = np.asarray(Image.open(tmp_path / "unsure.png"))
    assert gray[5, 5] == 255
    assert np.median(gray[~known]) > 150


def test_sure_of_everything_is_black(tensorfill: Run, telling: Telling, holes: Path, tmp_path: Path) -> None:
    telling.deviations = lambda: np.zeros((6, 5, 3))
    assert tensorfill("complete", holes, "-o", tmp_path / "d.npy", "--uncertainty", tmp_path / "u.png").code == 0
    assert (np.asarray(Image.open(tmp_path / "u.png")) == 0).all()


def test_without_the_option_nothing_is_worked_out(
    tensorfill: Run, telling: Telling, holes: Path, tmp_path: Path
) -> None:
    def never() -> NDArray[np.float64]:
        raise AssertionError("the deviations were asked for")

    telling.deviations = never
    assert tensorfill("complete", holes, "-o", tmp_path / "done.npy").code == 0


def test_ctrl_c_while_it_is_worked_out_leaves_only_it_out(
    tensorfill: Run, telling: Telling, holes: Path, tmp_path: Path
) -> None:
    def interrupted() -> NDArray[np.float64]:
        raise KeyboardInterrupt

    telling.deviations = interrupted
    outcome = tensorfill("complete", holes, "-o", tmp_path / "done.npy", "--uncertainty", tmp_path / "unsure.npy")
    assert outcome.code == 130
    assert "unsure.npy was not written." in outcome.err
    assert (tmp_path / "done.npy").exists()
    assert not (tmp_path / "unsure.npy").exists()


def test_an_interrupted_run_is_written_without_it(
    tensorfill: Run, telling: Telling, holes: Path, tmp_path: Path
) -> None:
    telling.kind = "interrupted"
    outcome = tensorfill("complete", holes, "-o", tmp_path / "done.npy", "--uncertainty", tmp_path / "unsure.npy")
    assert outcome.code == 130
    assert "unsure.npy was not written." in outcome.out
    assert not (tmp_path / "unsure.npy").exists()


def test_a_result_that_does_not_tell_is_written_with_a_note(
    tensorfill: Run, telling: Telling, holes: Path, tmp_path: Path
) -> None:
    def refuse() -> NDArray[np.float64]:
        raise InvalidSetting("It does not tell.")

    telling.deviations = refuse
    outcome = tensorfill("complete", holes, "-o", tmp_path / "done.npy", "--uncertainty", tmp_path / "unsure.npy")
    assert outcome.code == 0
    assert "unsure.npy was not written: It does not tell." in outcome.out
    assert (tmp_path / "done.npy").exists()
