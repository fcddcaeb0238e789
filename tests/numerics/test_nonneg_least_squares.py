"""The nonnegative least squares of Kim, Sra and Dhillon against scipy.optimize.nnls."""

import numpy as np
import pytest
from scipy.optimize import nnls

from tensorfill.numerics.nonneg_least_squares import nonneg_least_squares


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = rng.standard_normal((60, 25)), rng.standard_normal(60)
    expected, _ = nnls(A, b)
    found = nonneg_least_squares(lambda x: A.T @ (A @ x), A.T @ b, np.zeros(25), tolerance=1e-9)
    assert (expected == 0).any(), "the bounds matter in this problem"
    np.testing.assert_allclose(found.x, expected, atol=1e-8)


def test_the_gradient_shows_that_it_is_optimal() -> None:
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((30, 12)), rng.standard_normal(30)
    found = nonneg_least_squares(lambda x: A.T @ (A @ x), A.T @ b, np.zeros(12), tolerance=1e-9)
    np.testing.assert_allclose(found.gradient, A.T @ (A @ found.x - b), atol=1e-10)
    assert (found.gradient >= -1e-9).all()
    assert np.abs(found.gradient * found.x).max() <= 1e-8


def test_a_warm_start_is_used() -> None:
    rng = np.random.default_rng(3)
    A, b = rng.standard_normal((60, 25)), rng.standard_normal(60)
    cold = nonneg_least_squares(lambda x: A.T @ (A @ x), A.T @ b, np.zeros(25), tolerance=1e-8)
    warm = nonneg_least_squares(lambda x: A.T @ (A @ x), A.T @ b, cold.x, tolerance=1e-7)
    assert warm.iterations == 0 < cold.iterations


def test_an_ill_conditioned_problem_still_converges() -> None:
    rng = np.random.default_rng(4)
    A = rng.standard_normal((40, 20)) * np.geomspace(1, 1e-2, 20)
    b = rng.standard_normal(40)
    expected, _ = nnls(A, b)
    found = nonneg_least_squares(lambda x: A.T @ (A @ x), A.T @ b, np.zeros(20), tolerance=1e-8, max_iter=20_000)
    np.testing.assert_allclose(A @ found.x, A @ expected, atol=1e-5)
