"""A spectral estimate gives the same entries one by one, all at once, and as a sum of its parts."""

from __future__ import annotations

import numpy as np
import pytest
from dense_model import pair, product_matrix

from tensorfill.spectral.estimate import SpectralEstimate
from tensorfill.spectral.transform import Transform


@pytest.mark.parametrize("kinds", [("dct", "own"), ("identity", "fourier", "dct"), ("dct", "dct", "own", "fourier")])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_entries_agree_however_they_are_asked_for(kinds: tuple[str, ...], dtype: type) -> None:
    shape = (5, 4, 3, 2)[: len(kinds)]
    bases, matrices = zip(*(pair(kind, size) for kind, size in zip(kinds, shape, strict=True)), strict=True)
    coefficients = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    estimate = SpectralEstimate(Transform(bases), coefficients, 0.7)
    whole = estimate.dense()
    expected = 0.7 + (product_matrix(matrices) @ coefficients.reshape(-1)).reshape(shape)
    np.testing.assert_allclose(whole, expected, atol=1e-13 if dtype is np.float64 else 1e-5)
    rows = np.random.default_rng(1).permutation(np.argwhere(np.ones(shape, dtype=bool)))
    np.testing.assert_array_equal(estimate.at(rows), whole[tuple(rows.T)])
    np.testing.assert_allclose(np.sum(estimate.components(), axis=0), whole, atol=1e-15)
    assert whole.dtype == estimate.at(rows).dtype == np.float64


def test_what_was_given_out_can_be_written_over() -> None:
    estimate = SpectralEstimate(Transform([pair("identity", 3)[0]] * 2), np.ones((3, 3)), 0.5)
    estimate.dense()[:] = 9
    for part in estimate.components():
        part[:] = 9
    np.testing.assert_array_equal(estimate.dense(), np.full((3, 3), 1.5))
    np.testing.assert_array_equal(estimate.at(np.array([[1, 2]])), [1.5])
