"""A quick interpolation: near what is known, for any holes and any shape."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.estimates.interpolated import InterpolatedEstimate
from tensorfill.tensor import Array


def interpolated(truth: Array, known: NDArray[np.bool_]) -> InterpolatedEstimate:
    return InterpolatedEstimate(truth.shape, np.flatnonzero(known), truth[known])


def smooth(shape: tuple[int, ...]) -> Array:
    return np.asarray(1 + np.sin(sum(np.indices(shape)[mode] / 9 for mode in range(len(shape)))))


@pytest.mark.parametrize("shape", [(33, 40), (21, 17, 3), (13, 12, 11), (1, 50), (7, 6, 5, 4), (2, 2), (3, 64)])
def test_it_is_far_better_than_the_mean_and_within_what_is_known(shape: tuple[int, ...]) -> None:
    truth = smooth(shape)
    known = np.random.default_rng(0).random(shape) < 0.4
    known.flat[0] = True
    found = interpolated(truth, known).dense()
    assert found.shape == shape
    assert truth[known].min() - 1e-6 <= found.min()
    assert found.max() <= truth[known].max() + 1e-6
    if truth.size > 100:
        assert np.sqrt(np.mean((found - truth)[~known] ** 2)) < 0.35 * truth.std()


def test_lost_slices_are_between_those_beside_them() -> None:
    truth = np.broadcast_to(np.arange(16.0), (8, 8, 16))
    known = np.ones(truth.shape, dtype=bool)
    known[:, :, 7:9] = False
    found = interpolated(truth, known).dense()
    assert (found[:, :, 7:9] >= 5).all()
    assert (found[:, :, 7:9] <= 11).all()


def test_one_known_entry_is_all_there_is() -> None:
    known = np.zeros((5, 6, 7), dtype=bool)
    known[2, 3, 4] = True
    found = interpolated(np.full((5, 6, 7), 3.0), known)
    np.testing.assert_allclose(found.dense(), 3.0)
    np.testing.assert_allclose(found.at(np.array([[0, 0, 0]])), 3.0)
    np.testing.assert_allclose(found.components()[0], 3.0)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_the_scale_does_not_matter(scale: float) -> None:
    truth = smooth((12, 10))
    known = np.random.default_rng(1).random(truth.shape) < 0.5
    one, other = (interpolated(s * truth, known).dense() for s in (1.0, scale))
    np.testing.assert_allclose(other / scale, one, rtol=1e-5)
