"""Standard normal numbers that are the same for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest

from tensorfill.numerics.vectors import standard_normal

LARGE, SMALL = (200, 300, 2), (5, 7)


@pytest.mark.parametrize("shape", [LARGE, SMALL, (0, 3)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_they_have_the_shape_and_type_that_was_asked_for(shape: tuple[int, ...], dtype: type) -> None:
    found = standard_normal(shape, dtype, 1, 2)
    assert (found.shape, found.dtype) == (shape, dtype)


@pytest.mark.parametrize("shape", [LARGE, SMALL])
def test_they_are_normal_and_no_two_are_the_same(shape: tuple[int, ...]) -> None:
    found = standard_normal(shape, np.float64, 3).reshape(-1)
    assert kstest(found, "norm").pvalue > 0.01
    assert len(np.unique(found)) == len(found)


@pytest.mark.parametrize("shape", [LARGE, SMALL])
def test_the_seed_tells_all(shape: tuple[int, ...]) -> None:
    first = standard_normal(shape, np.float32, 7, 0)
    np.testing.assert_array_equal(first, standard_normal(shape, np.float32, 7, 0))
    assert not np.array_equal(first, standard_normal(shape, np.float32, 7, 1))
    assert not np.array_equal(first, standard_normal(shape, np.float32, 8, 0))
