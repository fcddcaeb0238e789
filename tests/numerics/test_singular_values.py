"""Soft-thresholding of singular values: what the decomposition says, and what makes it the proximal map."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.numerics.singular_values import nuclear_norm, soft_threshold, spectral_norm
from tensorfill.tensor import Array, fold, unfold

SHAPES = [(6, 40), (40, 6), (8, 8), (1, 5), (5, 1)]


def by_decomposition(matrix: Array, threshold: float) -> Array:
    u, s, vt = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray((u * np.maximum(s - threshold, 0.0)) @ vt)


def with_singular_values(values: Array, columns: int) -> Array:
    rng = np.random.default_rng(0)
    u, _ = np.linalg.qr(rng.normal(size=(len(values), len(values))))
    v, _ = np.linalg.qr(rng.normal(size=(columns, len(values))))
    return np.asarray((u * values) @ v.T)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("threshold", [0.0, 0.1, 1.0, 2.0, 100.0])
def test_it_is_what_the_singular_value_decomposition_gives(shape: tuple[int, int], threshold: float) -> None:
    matrix = np.random.default_rng(1).normal(size=shape)
    found = soft_threshold(matrix, threshold)
    expected = by_decomposition(matrix, threshold)
    np.testing.assert_allclose(found.array, expected, atol=1e-12)
    np.testing.assert_allclose(found.nuclear_norm, np.linalg.svd(expected, compute_uv=False).sum(), atol=1e-11)
    assert found.array.flags.c_contiguous


@pytest.mark.parametrize("threshold", 10.0 ** np.arange(-14, 1))
def test_small_singular_values_are_shrunk_as_exactly_as_large_ones(threshold: float) -> None:
    """The eigenvalues of X Xᵀ alone would be wrong by the whole threshold around 1e-8."""
    matrix = with_singular_values(10.0 ** np.arange(2.0, -13.0, -1.0), columns=60)
    found = soft_threshold(matrix, threshold).array
    np.testing.assert_allclose(found, by_decomposition(matrix, threshold), atol=1e-13 * 100 + 1e-5 * threshold)


@pytest.mark.parametrize("threshold", [1e-9, 0.3, 3.0])
def test_it_minimises_the_nuclear_norm_plus_half_the_squared_distance(threshold: float) -> None:
    """X − M is a subgradient of t‖M‖_*: no singular value above t, and <X − M, M> = t‖M‖_*."""
    matrix = np.random.default_rng(2).normal(size=(7, 30))
    shrunk, norm = soft_threshold(matrix, threshold)
    rest = matrix - shrunk
    assert np.linalg.norm(rest, 2) <= threshold * (1 + 1e-6) + 1e-13
    np.testing.assert_allclose(np.vdot(rest, shrunk), threshold * norm, rtol=1e-6, atol=1e-12)


def test_moving_away_from_it_costs() -> None:
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(5, 9))
    best = soft_threshold(matrix, 0.7).array

    def cost(candidate: Array) -> float:
        return float(0.7 * np.linalg.norm(candidate, "nuc") + 0.5 * np.sum((candidate - matrix) ** 2))

    assert all(cost(best + 1e-3 * rng.normal(size=best.shape)) > cost(best) for _ in range(50))


@pytest.mark.parametrize("shape", [(4, 5, 6), (3, 50, 4), (30, 2, 3), (2, 3, 40), (2, 3, 4, 5)], ids=str)
def test_along_a_mode_it_acts_on_that_unfolding(shape: tuple[int, ...]) -> None:
    tensor = np.random.default_rng(4).random(shape)
    for mode in range(len(shape)):
        expected = fold(by_decomposition(unfold(tensor, mode), 0.5), mode, shape)
        np.testing.assert_allclose(soft_threshold(tensor, 0.5, mode).array, expected, atol=1e-12)


def test_zero_stays_zero() -> None:
    for threshold in (0.0, 1.0):
        found = soft_threshold(np.zeros((3, 4)), threshold)
        np.testing.assert_array_equal(found.array, np.zeros((3, 4)))
        assert found.nuclear_norm == 0.0


@pytest.mark.parametrize("mode", range(3))
def test_norms_are_those_of_the_unfolding(mode: int) -> None:
    tensor = np.random.default_rng(5).random((20, 3, 4))
    values = np.linalg.svd(unfold(tensor, mode), compute_uv=False)
    np.testing.assert_allclose(nuclear_norm(tensor, mode), values.sum(), rtol=1e-6)
    np.testing.assert_allclose(spectral_norm(tensor, mode), values[0], rtol=1e-12)
