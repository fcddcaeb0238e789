"""Smooth vectors: the compiled solvers against general ones, and what they do at the ends of their range."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from tensorfill.numerics.smooth_vectors import (
    absolute_differences,
    solve_quadratic,
    solve_total_variation,
    squared_differences,
)
from tensorfill.tensor import Array

SIZES = [1, 2, 3, 17]


def quadratic(c: Array, ridge: float, weight: float) -> Array:
    out = np.empty_like(c)
    solve_quadratic(c, ridge, weight, out)
    return out


def total_variation(c: Array, weight: float) -> Array:
    out = np.empty_like(c)
    solve_total_variation(c, weight, out)
    return out


@pytest.mark.parametrize("size", SIZES)
def test_roughness_is_that_of_differences(size: int) -> None:
    a = np.random.default_rng(size).standard_normal(size)
    assert squared_differences(a) == pytest.approx(np.sum(np.diff(a) ** 2))
    assert absolute_differences(a) == pytest.approx(np.sum(np.abs(np.diff(a))))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("weight", [0.0, 0.3, 50.0])
def test_the_quadratic_solution_solves_its_linear_system(size: int, weight: float) -> None:
    c = np.random.default_rng(size).standard_normal(size)
    L = np.diff(np.eye(size), axis=0)
    np.testing.assert_allclose((1.7 * np.eye(size) + weight * L.T @ L) @ quadratic(c, 1.7, weight), c, atol=1e-12)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("weight", [0.05, 0.4, 3.0])
def test_the_solution_with_total_variation_is_that_of_a_convex_solver(size: int, weight: float) -> None:
    for seed in range(3):
        c = np.random.default_rng(seed).standard_normal(size)
        v = cp.Variable(size)
        cost = 0.5 * cp.sum_squares(v - c) + (weight * cp.tv(v) if size > 1 else 0)
        cp.Problem(cp.Minimize(cost)).solve(solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12)
        np.testing.assert_allclose(total_variation(c, weight), v.value, atol=1e-5)


def test_a_multiplier_within_bounds_proves_the_solution_with_total_variation() -> None:
    """v = c − Lᵀz with |z| ≤ weight, and z = ±weight where v rises or falls: the exact conditions, on a long vector."""
    rng, weight = np.random.default_rng(0), 0.7
    c = np.cumsum(rng.standard_normal(3000)).round(1)  # rounded, for ties
    v = total_variation(c, weight)
    z, steps = np.cumsum(v - c), np.diff(v)
    assert abs(z[-1]) < 1e-9
    assert np.abs(z).max() < weight + 1e-9
    np.testing.assert_allclose(z[:-1][steps > 1e-9], weight, atol=1e-9)
    np.testing.assert_allclose(z[:-1][steps < -1e-9], -weight, atol=1e-9)


def test_without_a_weight_nothing_changes_and_with_a_large_one_only_the_mean_is_left() -> None:
    c = np.random.default_rng(0).standard_normal(9)
    np.testing.assert_allclose(total_variation(c, 0.0), c, atol=1e-15)
    np.testing.assert_allclose(total_variation(c, 100.0), c.mean(), atol=1e-12)
    np.testing.assert_allclose(quadratic(c, 1.0, 1e9), c.mean(), atol=1e-6)
