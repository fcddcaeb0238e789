"""Where learning starts: variances of cosine coefficients, at a cost that grows with the tensor and no faster."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import fft

from tensorfill.spectral.bases import Cosines
from tensorfill.spectral.start import cosine_variances, starting_prior


@pytest.mark.parametrize("length", [0.3, 3.0, 200.0])
@pytest.mark.parametrize("size", [1, 2, 3, 8, 65])
def test_variances_are_those_of_the_transformed_correlations(size: int, length: float) -> None:
    correlation = np.exp(-np.arange(size) / length)
    dense = correlation[np.abs(np.subtract.outer(np.arange(size), np.arange(size)))]
    expected = np.diag(fft.dct(fft.dct(dense, axis=0, norm="ortho"), axis=1, norm="ortho"))
    np.testing.assert_allclose(cosine_variances(size, correlation), np.maximum(expected, 1e-6), atol=1e-12)


def test_a_long_mode_takes_memory_in_proportion() -> None:
    tracemalloc.start()
    try:
        starting_prior([Cosines(2), Cosines(40_000)], 1.0)
        assert tracemalloc.get_traced_memory()[1] < 20e6, "40,000² numbers would be 12.8 GB"
    finally:
        tracemalloc.stop()
