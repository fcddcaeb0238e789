"""The refilled estimate: exact where entries are known, the array elsewhere."""

from __future__ import annotations

import numpy as np

from tensorfill.estimates.refilled import RefilledEstimate


def test_known_entries_are_exact_and_the_others_are_those_of_the_array() -> None:
    rng = np.random.default_rng(0)
    array = rng.random((4, 3, 5)).astype(np.float32).transpose(1, 2, 0)
    positions = np.flatnonzero(rng.random(array.size) < 0.3)
    values = rng.random(len(positions))
    estimate = RefilledEstimate(array, positions, values)
    dense = estimate.dense()
    known = np.isin(np.arange(array.size), positions).reshape(array.shape)
    np.testing.assert_array_equal(dense[known], values)
    np.testing.assert_array_equal(dense[~known], array[~known].astype(np.float64))
    assert dense.dtype == np.float64
    rows = rng.permutation(np.argwhere(np.ones(array.shape, dtype=bool)))
    np.testing.assert_array_equal(estimate.at(rows), dense[tuple(rows.T)])
    np.testing.assert_array_equal(estimate.components()[0], dense)


def test_the_dense_tensor_is_a_copy() -> None:
    estimate = RefilledEstimate(np.ones((2, 2)), np.array([0]), np.array([5.0]))
    estimate.dense()[...] = 0.0
    np.testing.assert_array_equal(estimate.dense(), [[5.0, 1.0], [1.0, 1.0]])
