"""Small positive definite systems are solved as dense linear algebra solves them."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.patches.elimination import copy_row, solve_positive

TOLERANCES = [(np.float64, 1e-12), (np.float32, 1e-4)]


@pytest.mark.parametrize("wants_inverse", [False, True])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 8, 13, 37])
@pytest.mark.parametrize(("kind", "close"), TOLERANCES)
def test_solution_and_factors(kind: type[np.floating], close: float, count: int, wants_inverse: bool) -> None:
    rng = np.random.default_rng(count)
    roots = rng.random((count, count)) / max(count, 1)
    matrix = roots @ roots.T + 0.05 * np.eye(count)
    right = rng.random(count)
    A = np.full((count + 2, count + 3), np.nan, kind)
    A[:count, :count] = matrix if wants_inverse else np.triu(matrix)
    z, factors, scales = right.astype(kind), np.empty(count, kind), np.empty(count, kind)
    solve_positive(A, count, kind(1e-6), z, wants_inverse, factors, scales)
    np.testing.assert_allclose(z, np.linalg.solve(matrix, right), atol=20 * close)
    L = np.linalg.cholesky(matrix)
    np.testing.assert_allclose(scales, 1 / np.diag(L), atol=20 * close)
    np.testing.assert_allclose(np.triu(A[:count, :count], 1), np.triu(L.T, 1), atol=close)
    if wants_inverse:
        np.testing.assert_allclose(np.tril(A[:count, :count], -1), np.tril(np.linalg.inv(L), -1), atol=20 * close)


def test_no_pivot_is_below_the_least() -> None:
    A = np.ones((3, 3))
    z, scales = np.ones(3), np.empty(3)
    solve_positive(A, 3, 0.25, z, True, np.empty(3), scales)
    np.testing.assert_allclose(scales, [1, 2, 2])
    assert np.isfinite(A).all()


def test_a_row_is_copied() -> None:
    target, source = np.zeros((2, 3)), np.arange(12.0).reshape(4, 3)
    copy_row(target, 1, source, 2)
    np.testing.assert_array_equal(target, [[0, 0, 0], [6, 7, 8]])
