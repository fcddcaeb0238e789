"""Structural similarity, against scikit-image slice by slice."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from skimage.metrics import structural_similarity

from tensorfill.errors import InvalidInput
from tensorfill.metrics import ssim


def judged(truth: np.ndarray[Any, Any], estimate: np.ndarray[Any, Any]) -> float:
    """What scikit-image says of one slice."""
    found = structural_similarity(
        truth, estimate, gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=1
    )
    return float(found)


def pair(*shape: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A smooth truth in [0, 1] and a noisy estimate, partly outside."""
    rng = np.random.default_rng(3)
    truth = np.abs(np.sin(np.linspace(0, 40, int(np.prod(shape))))).reshape(shape)
    return truth, truth + rng.normal(0, 0.2, shape)


@pytest.mark.parametrize("shape", [(40, 33), (11, 11), (11, 64)])
def test_one_slice_agrees_with_scikit_image(shape: tuple[int, int]) -> None:
    truth, estimate = pair(*shape)
    assert ssim(truth, estimate) == pytest.approx(judged(truth, estimate), abs=1e-9)


@pytest.mark.parametrize("rest", [(1,), (3,), (2, 3)])
def test_a_tensor_has_the_mean_over_the_slices_of_its_first_two_modes(rest: tuple[int, ...]) -> None:
    truth, estimate = pair(20, 17, *rest)
    slices = [(slice(None), slice(None), *index) for index in np.ndindex(rest)]
    expected = np.mean([judged(truth[at], estimate[at]) for at in slices])
    assert ssim(truth, estimate) == pytest.approx(expected, abs=1e-9)


def test_it_does_not_matter_on_which_scale_truth_and_estimate_are() -> None:
    truth, estimate = pair(20, 20, 2)
    truth = np.rint(truth * 255).astype(np.uint8)
    at_one = ssim(truth / 255, estimate)
    assert ssim(truth, estimate * 255) == pytest.approx(at_one, rel=1e-12)
    assert ssim(truth.astype(np.uint16) * 100, estimate * truth.max() * 100) == pytest.approx(
        ssim(truth / truth.max(), estimate), rel=1e-12
    )


def test_only_the_truth_itself_has_similarity_one() -> None:
    truth, estimate = pair(20, 20, 2)
    assert ssim(truth, truth) == pytest.approx(1, abs=1e-12)
    assert ssim(truth, estimate) < 0.9
    assert ssim(truth, 1 - truth) < 0


def test_the_order_of_the_slices_and_of_memory_does_not_matter() -> None:
    truth, estimate = pair(15, 18, 4)
    turned = ssim(np.asfortranarray(truth[:, :, ::-1]), estimate[:, :, ::-1])
    assert turned == pytest.approx(ssim(truth, estimate), rel=1e-12)


def test_signed_data_is_counted_from_its_smallest_value() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random((16, 16))
    truth.flat[:2] = 0, 1
    estimate = truth + 0.05 * rng.standard_normal(truth.shape)
    assert ssim(truth - 3, estimate - 3) == pytest.approx(ssim(truth, estimate), rel=1e-9)


@pytest.mark.parametrize(
    ("truth", "estimate", "sentence"),
    [
        (
            np.ones((10, 40, 2)),
            np.ones((10, 40, 2)),
            "SSIM needs at least 11 rows and 11 columns, modes 1 and 2. Got shape (10, 40, 2) instead.",
        ),
        (
            np.ones(20),
            np.ones(20),
            "SSIM needs at least 11 rows and 11 columns, modes 1 and 2. Got shape (20,) instead.",
        ),
        (
            np.ones((20, 20)),
            np.ones((20, 21)),
            "The estimate must have the shape of the truth, (20, 20). Got (20, 21) instead.",
        ),
        (
            np.ones((20, 20)),
            np.full((20, 20), np.nan),
            "The estimate has entries that are NaN or infinite, so no error can be computed.",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(
    truth: np.ndarray[Any, Any], estimate: np.ndarray[Any, Any], sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}$"):
        ssim(truth, estimate)
