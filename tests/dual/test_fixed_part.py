"""A fixed part B of W: the same problem as a convex solver has, bounds that hold, and nothing changed without it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from small_problems import SHAPES, data_with_zeros

from tensorfill.dual.problem import DualProblem, coordinates_of
from tensorfill.dual.solve import Plan, Solution, solve
from tensorfill.estimates.additive import AdditiveEstimate
from tensorfill.tensor import Array

C, KEEP = 5.0, 0.5


@cache
def fixed_part(order: int) -> AdditiveEstimate:
    """Effects of every index, raised to zero where their sum is below it."""
    rng = np.random.default_rng(order)
    found = AdditiveEstimate(0.3, tuple(0.3 * rng.standard_normal(n) for n in SHAPES[order]), 0.0)
    assert found.smallest < 0
    return found


def pose(order: int, enforced: Any = "everywhere") -> DualProblem:
    shape = SHAPES[order]
    data, observed = data_with_zeros(shape, KEEP)
    positions = np.flatnonzero(observed)
    lam = tuple(map(float, shape))
    return DualProblem(shape, positions, data[observed], C, lam, enforced, B=fixed_part(order))


def solved(order: int, inner: Any = "active-set", enforced: Any = "everywhere", ranks: Any = None) -> Solution:
    plan = Plan(
        ranks=ranks or SHAPES[order],
        max_iter=1000,
        gradient_tolerance=1e-9,
        gap_tolerance=1e-8,
        negativity_tolerance=1e-8,
        inner=inner,
        start="spectral",
        optimizer="quasi-newton",
    )
    return solve(pose(order, enforced), plan, np.random.default_rng(0), None)


@cache
def judged(order: int, nonnegative: bool = True) -> tuple[float, Array]:
    """The optimal value and W: C‖(B + L)_Ω − Y‖² + Σ_k ‖L^(k)_k‖_*²/(2λ_k), B + L ≥ 0."""
    shape = SHAPES[order]
    data, observed = data_with_zeros(shape, KEEP)
    parts = [cp.Variable(data.size) for _ in shape]
    W = sum(parts) + fixed_part(order).dense().reshape(-1)
    numbers = np.arange(data.size).reshape(shape)
    penalty = 0
    for mode, part in enumerate(parts):
        unfolded = np.moveaxis(numbers, mode, 0).reshape(shape[mode], -1)
        matrix = cp.reshape(part[unfolded.ravel(order="F")], unfolded.shape, order="F")
        penalty = penalty + cp.square(cp.normNuc(matrix)) / (2 * shape[mode])
    misfit = C * cp.sum_squares(W[np.flatnonzero(observed)] - data[observed])
    problem = cp.Problem(cp.Minimize(misfit + penalty), [W >= 0] if nonnegative else [])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return float(problem.value), W.value.reshape(shape)


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("inner", ["active-set", "alternating"])
def test_the_optimum_is_that_of_a_convex_solver(order: int, inner: str) -> None:
    value, W = judged(order)
    found = solved(order, inner)
    assert found.certificate.upper == pytest.approx(value, rel=1e-6)
    assert found.certificate.lower <= value * (1 + 1e-7)
    assert found.certificate.relative_gap <= 1e-5
    assert found.certificate.negativity <= 1e-7
    assert found.certificate.complementarity <= 1e-7
    assert found.certificate.stationarity <= 1e-6
    assert np.linalg.norm(found.dual.recover().dense() - W) <= 1e-5 * np.linalg.norm(W)


def test_the_optimum_without_the_constraint_is_that_of_a_convex_solver() -> None:
    value, W = judged(3, nonnegative=False)
    found = solved(3, enforced="nowhere")
    assert W.min() < -1e-3, "or the constraint would not matter"
    assert found.certificate.upper == pytest.approx(value, rel=1e-6)
    assert np.linalg.norm(found.dual.recover().dense() - W) <= 1e-5 * np.linalg.norm(W)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_bounds_hold_where_ranks_are_too_small(order: int) -> None:
    value, _ = judged(order)
    certificate = solved(order, ranks=(1,) * order).certificate
    assert certificate.lower <= value * (1 + 1e-7)
    assert certificate.upper >= value * (1 - 1e-7)


def test_entries_whole_and_parts_agree() -> None:
    estimate = solved(3).dual.recover()
    whole = estimate.dense()
    everywhere = coordinates_of(np.arange(whole.size), whole.shape)
    np.testing.assert_allclose(estimate.at(everywhere), whole.reshape(-1), atol=1e-12)
    assert len(estimate.components()) == 4
    np.testing.assert_allclose(sum(estimate.components()), whole, atol=1e-12)


def test_a_fixed_part_of_zero_changes_nothing() -> None:
    problem = pose(3)
    nothing = AdditiveEstimate(0.0, tuple(np.zeros(n) for n in problem.shape), 0.0)
    plan = Plan((3, 3, 3), 50, 1e-3, 1e-6, 1e-6, "active-set", "spectral", "quasi-newton")
    found = [solve(replace(problem, B=B), plan, np.random.default_rng(0), None) for B in (None, nothing)]
    assert found[0].certificate == found[1].certificate
    np.testing.assert_array_equal(found[0].dual.recover().dense(), found[1].dual.recover().dense())
