"""Errors of an estimate, against numbers worked out by hand."""

from __future__ import annotations

import math
import re
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from tensorfill.errors import InvalidInput
from tensorfill.metrics import rmse, score, unit_scale


def test_rmse_is_the_root_of_the_mean_square() -> None:
    assert rmse(np.array([0.0, 0.0]), np.array([3.0, 4.0])) == pytest.approx(math.sqrt(12.5))


def test_rmse_of_unsigned_integers_does_not_wrap_around() -> None:
    assert rmse(np.array([10], dtype=np.uint8), np.array([13], dtype=np.uint8)) == 3
    assert rmse(np.array([13], dtype=np.uint8), np.array([10], dtype=np.uint8)) == 3


def test_rmse_of_half_precision_does_not_overflow() -> None:
    assert rmse(np.array([0], dtype=np.float16), np.array([60000], dtype=np.float16)) == 60000


@pytest.mark.parametrize(
    ("truth", "scale"),
    [
        (np.array([0, 7], dtype=np.uint8), 255.0),
        (np.array([0, 7], dtype=np.uint16), 7.0),
        (np.array([0, 70000], dtype=np.int64), 70000.0),
        (np.array([0.1, 0.7]), 1.0),
        (np.array([0.1, 1.0], dtype=np.float32), 1.0),
        (np.array([0.1, 2.5]), 2.5),
        (np.array([False, True]), 1.0),
        (np.array([0, 0], dtype=np.int64), 1.0),
        (np.array([0.0, 0.0]), 1.0),
        (np.array([-1000, 3000], dtype=np.int16), 4000.0),
        (np.array([-3.0, 0.5]), 3.5),
        (np.array([-8.0, -6.0], dtype=np.float32), 2.0),
        (np.array([-3.0, -3.0]), 1.0),
    ],
)
def test_the_scale_brings_the_truth_into_zero_to_one(truth: np.ndarray, scale: float) -> None:
    assert unit_scale(truth) == scale


def test_where_zero_is_does_not_matter_to_the_errors_of_signed_data() -> None:
    truth, estimate = np.array([[-3.0, 1.0], [0.0, -1.0]]), np.array([[-2.0, 1.0], [0.0, -1.0]])
    here, below = (score(truth + shift, estimate + shift) for shift in (0, -100))
    assert here.rmse == below.rmse == pytest.approx(0.125)
    assert here.psnr == below.psnr


def test_a_score_is_relative_to_the_scale_of_the_truth() -> None:
    truth = np.array([[0, 100], [200, 255]], dtype=np.uint8)
    estimate = np.array([[-51.0, 100.0], [200.0, 255.0]])
    found = score(truth, estimate)
    assert found.scale == 255
    assert found.rmse == pytest.approx(0.1)
    assert found.psnr == pytest.approx(20)
    assert found.smallest == pytest.approx(-0.2)
    assert found.negative_share == 0.25
    assert found.rmse_unobserved is None


def test_the_error_where_nothing_was_observed_is_its_own_number() -> None:
    truth, estimate = np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[1.0, 0.3], [0.5, 0.9]])
    observed = np.array([[True, False], [True, False]])
    found = score(truth, estimate, observed)
    assert found.rmse_unobserved == pytest.approx(math.sqrt((0.09 + 0.16) / 2))
    assert found.rmse == pytest.approx(math.sqrt((0.09 + 0.16) / 4))


def test_with_everything_observed_there_is_no_error_elsewhere() -> None:
    truth = np.ones((2, 2))
    assert score(truth, truth, np.ones((2, 2), dtype=bool)).rmse_unobserved is None


def test_a_perfect_estimate_has_infinite_psnr() -> None:
    truth = np.random.default_rng(0).random((3, 4))
    found = score(truth, truth)
    assert (found.rmse, found.psnr, found.negative_share) == (0.0, math.inf, 0.0)


def test_truth_and_estimate_may_differ_in_dtype() -> None:
    found = score(np.array([[0, 255]], dtype=np.uint8), np.array([[0.0, 255.0]], dtype=np.float32))
    assert found.rmse == 0


def test_a_score_does_not_change_its_arguments() -> None:
    truth, estimate, observed = np.array([[4.0, 2.0]]), np.array([[-1.0, 2.0]]), np.array([[True, False]])
    score(truth, estimate, observed)
    assert (truth.tolist(), estimate.tolist(), observed.tolist()) == ([[4, 2]], [[-1, 2]], [[True, False]])


def test_a_score_cannot_be_edited() -> None:
    with pytest.raises(FrozenInstanceError):
        score(np.ones((2, 2)), np.ones((2, 2))).rmse = 0.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            (np.ones((2, 3)), np.ones((3, 2))),
            "The estimate must have the shape of the truth, (2, 3). Got (3, 2) instead.",
        ),
        (
            (np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 1), dtype=bool)),
            "'observed' must have the shape of the truth, (2, 3). Got (2, 1) instead.",
        ),
        (
            (np.array([[1.0, np.nan]]), np.ones((1, 2))),
            "The truth has entries that are NaN or infinite, so no error can be computed.",
        ),
        (
            (np.ones((1, 2)), np.array([[1.0, np.inf]])),
            "The estimate has entries that are NaN or infinite, so no error can be computed.",
        ),
        ((np.empty((0, 2)), np.empty((0, 2))), "The truth is empty, so there is nothing to compare."),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}$"):
        score(*arguments)
