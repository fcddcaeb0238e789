"""Estimates side by side and clipped ones: entries, whole tensors and components agree."""

from __future__ import annotations

import numpy as np

from tensorfill.estimates.by_place import EstimateByPlace
from tensorfill.estimates.clipped import ClippedEstimate
from tensorfill.estimates.dense import DenseEstimate

SHAPE = (4, 5, 6)
EVERYWHERE = np.stack(np.unravel_index(np.arange(120), SHAPE), axis=1)


def test_lost_slices_come_from_one_estimate_and_the_rest_from_the_other() -> None:
    rng = np.random.default_rng(0)
    rest, lost = rng.random(SHAPE), rng.random(SHAPE)
    places = np.zeros(SHAPE, dtype=bool)
    places[2] = places[:, :, [0, 5]] = True
    found = EstimateByPlace(DenseEstimate(rest), DenseEstimate(lost), places)
    expected = rest.copy()
    expected[2] = lost[2]
    expected[:, :, [0, 5]] = lost[:, :, [0, 5]]
    np.testing.assert_array_equal(found.dense(), expected)
    np.testing.assert_array_equal(found.at(EVERYWHERE), expected.reshape(-1))
    np.testing.assert_array_equal(sum(found.components()), expected)


def test_what_is_below_zero_is_clipped() -> None:
    whole = np.random.default_rng(1).standard_normal(SHAPE)
    found = ClippedEstimate(DenseEstimate(whole.copy()))
    expected = np.maximum(whole, 0)
    np.testing.assert_array_equal(found.dense(), expected)
    np.testing.assert_array_equal(found.at(EVERYWHERE), expected.reshape(-1))
    np.testing.assert_allclose(sum(found.components()), expected, atol=1e-15)
