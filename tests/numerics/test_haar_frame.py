"""The compiled passes of the Haar frame do what its formulas say, which are those of a tight, circular frame."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.numerics.haar_frame import BANDS, absolute_sum, fold_multiplier
from tensorfill.tensor import Array

STACKS = [(3, 4, 5), (2, 7, 1), (1, 1, 6), (4, 1, 3), (1, 6, 2), (1, 1, 1)]


def side_by_side(stack: Array) -> Array:
    """The wide picture that a stack is read as."""
    return stack.transpose(1, 0, 2).reshape(stack.shape[1], -1)


def analysis(picture: Array) -> Array:
    """The bands W x of a picture (4 × rows × columns): smooth, and differences across, down and along diagonals."""
    below = np.roll(picture, -1, axis=0)
    down = ((picture + below) / 2, (picture - below) / 2)
    across = [(part, np.roll(part, -1, axis=1)) for part in down]
    return np.array([(part + sign * right) / 2 for part, right in across for sign in (1, -1)])


def synthesis(bands: Array) -> Array:
    """The adjoint Wᵀ: the picture of which these are the bands, or the one that comes closest."""
    down = [(plus + minus) / 2 + np.roll((plus - minus) / 2, 1, axis=1) for plus, minus in (bands[:2], bands[2:])]
    return np.asarray((down[0] + down[1]) / 2 + np.roll((down[0] - down[1]) / 2, 1, axis=0))


def some(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape)


@pytest.mark.parametrize("shape", [(6, 9), (1, 5), (4, 1), (1, 1), (2, 2)], ids=str)
def test_the_bands_put_together_are_the_picture(shape: tuple[int, int]) -> None:
    picture = some(*shape)
    np.testing.assert_allclose(synthesis(analysis(picture)), picture, atol=1e-15)


@pytest.mark.parametrize("shape", [(6, 9), (1, 5), (4, 1), (1, 1)], ids=str)
def test_synthesis_is_the_adjoint_of_analysis(shape: tuple[int, int]) -> None:
    picture, bands = some(*shape), some(BANDS, *shape)
    assert np.vdot(analysis(picture), bands) == pytest.approx(np.vdot(picture, synthesis(bands)), rel=1e-12)


def test_the_frame_keeps_norms_and_is_not_a_basis() -> None:
    picture, bands = some(6, 9), some(BANDS, 6, 9)
    assert np.linalg.norm(analysis(picture)) == pytest.approx(np.linalg.norm(picture))
    assert np.linalg.norm(synthesis(bands)) < 0.9 * np.linalg.norm(bands)


def test_a_constant_picture_is_all_in_the_smooth_band() -> None:
    bands = analysis(np.full((4, 5), 3.0))
    np.testing.assert_array_equal(bands[0], 3.0)
    np.testing.assert_array_equal(bands[1:], 0.0)


def test_a_band_is_a_mean_or_difference_of_two_by_two_pixels_in_a_circle() -> None:
    (a, b), (c, d) = picture = np.array([[1.0, 2.0], [4.0, 8.0]])
    bands = analysis(picture)
    np.testing.assert_allclose(
        bands[:, 0, 0], np.array([a + b + c + d, a - b + c - d, a + b - c - d, a - b - c + d]) / 4
    )
    np.testing.assert_allclose(
        bands[:, 1, 1], np.array([a + b + c + d, d - c + b - a, d + c - b - a, d - c - b + a]) / 4
    )


def test_a_picture_borders_on_the_next_one_of_its_stack() -> None:
    stack = np.zeros((3, 4, 5))
    stack[1, 2, 0] = 1.0
    touched = np.abs(analysis(side_by_side(stack))).sum(axis=0).reshape(4, 3, 5).sum(axis=0) > 0
    assert np.argwhere(touched).tolist() == [[0, 4], [1, 0]]


@pytest.mark.parametrize("shape", STACKS, ids=str)
def test_the_absolute_sum_is_that_of_the_bands(shape: tuple[int, int, int]) -> None:
    stack = some(*shape)
    assert absolute_sum(stack) == pytest.approx(np.abs(analysis(side_by_side(stack))).sum())


@pytest.mark.parametrize("shape", STACKS, ids=str)
def test_folding_a_multiplier_is_a_soft_threshold_and_an_update(shape: tuple[int, int, int]) -> None:
    count, rows, columns = shape
    stack, base = some(*shape), 2 * some(*shape)
    multiplier, out = 0.3 * some(rows, BANDS, count * columns), np.empty(shape)
    lifted = analysis(side_by_side(stack)) + multiplier.transpose(1, 0, 2)
    shrunk = np.sign(lifted) * np.maximum(np.abs(lifted) - 0.2, 0.0)
    expected = side_by_side(base) + 3.0 * synthesis(shrunk - (lifted - shrunk))
    fold_multiplier(stack, multiplier, 0.2, base, 3.0, out)
    np.testing.assert_allclose(side_by_side(out), expected, atol=1e-13)
    np.testing.assert_allclose(multiplier.transpose(1, 0, 2), lifted - shrunk, atol=1e-14)
