"""The most likely tensor that is nowhere negative is the one a general solver finds, and the certificate holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import cvxpy as cp
import numpy as np
import pytest
from dense_model import Drawn, drawn

from tensorfill.completion import Certificate
from tensorfill.spectral.data import KnownData
from tensorfill.spectral.hole_solver import choose_solver
from tensorfill.spectral.nonnegative import (
    CONSTRAINT,
    QUICK_CONSTRAINT,
    Constrained,
    ConstraintSettings,
    certify,
    solve_nonnegative,
)
from tensorfill.tensor import Array

PROBLEMS = {
    "order 2": (("dct", "own"), (7, 6)),
    "order 3": (("dct", "fourier", "identity"), (5, 4, 3)),
    "order 4": (("own", "dct", "dct", "fourier"), (3, 3, 2, 3)),
}
every_problem = pytest.mark.parametrize("name", PROBLEMS)
both_solvers = pytest.mark.parametrize("holes", [False, True], ids=["scattered", "holes"])
SEEDS = (0, 1, 2, 3, 4)
every_seed = pytest.mark.parametrize("seed", SEEDS)
NEGATIVITY = 1e-5


@dataclass(frozen=True, eq=False)
class Judged:
    """The problem, and what a general convex solver found."""

    problem: Drawn
    mean: float
    W: Array
    value: float
    """C‖(W − Y)_Ω‖² + ½ Σ c²/s."""
    free: Array
    """Coefficients without the constraint."""


@cache
def judged(name: str, seed: int, mean: float = 0.3) -> Judged:
    """Entries are `mean` + Q c: what is known is nonnegative, but much of the rest would not be."""
    problem = drawn(*PROBLEMS[name], share=0.6, noise=0.05, seed=seed)
    dense, prior = problem.dense, problem.prior
    y = np.maximum(problem.data.values, -mean)
    dense = replace(dense, y=y)
    problem = Drawn(prior, KnownData(problem.data.mask, y), problem.truth, dense)
    c = cp.Variable(len(dense.Q))
    weights = 1 / prior.variances.reshape(-1)[dense.labels]
    cost = cp.sum_squares(y - dense.H @ c) / (2 * prior.noise) + 0.5 * cp.sum(cp.multiply(weights, cp.square(c)))
    task = cp.Problem(cp.Minimize(cost), [dense.Q @ c + mean >= 0])
    task.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    shape = prior.transform.coefficient_shape
    free = dense.posterior(prior.variances, prior.noise).mean.reshape(shape)
    return Judged(problem, mean, (dense.Q @ c.value + mean).reshape(shape), float(task.value), free)


def solve(
    given: Judged, holes: bool = False, *, tolerance: float = 1e-12, settings: ConstraintSettings = CONSTRAINT
) -> tuple[Constrained, Certificate]:
    prior, data = given.problem.prior, given.problem.data
    solver = choose_solver(prior, data.mask, holes=holes, divide=False)
    found = solve_nonnegative(
        prior,
        data,
        given.mean,
        given.free,
        solver,
        negativity=NEGATIVITY,
        tolerance=tolerance,
        most_steps=60,
        settings=settings,
    )
    return found, certify(prior, data, given.mean, found)


def entries(given: Judged, found: Constrained) -> Array:
    return given.problem.prior.transform.to_entries(found.coefficients) + given.mean


@every_problem
def test_nonnegativity_matters_in_these_problems(name: str) -> None:
    tight, below = 0, 0
    for seed in SEEDS:
        given = judged(name, seed)
        free = given.problem.prior.transform.to_entries(given.free) + given.mean
        below += int((free < -0.05).sum())
        tight += int((given.W < 1e-6).sum())
        assert given.W.min() > -1e-6
    assert below >= 5
    assert tight >= 5, "entries that end at zero"


@every_problem
@both_solvers
@every_seed
def test_nothing_is_left_below_zero(name: str, holes: bool, seed: int) -> None:
    given = judged(name, seed)
    found, certificate = solve(given, holes)
    smallest = entries(given, found).min()
    assert smallest >= -NEGATIVITY - 1e-12
    assert found.smallest == pytest.approx(smallest, abs=1e-12)
    assert certificate.negativity == pytest.approx(max(0.0, -smallest), abs=1e-12)
    assert (found.multipliers >= 0).all()
    assert found.active == np.count_nonzero(found.multipliers)


@every_problem
@both_solvers
@every_seed
def test_it_is_what_a_general_solver_finds(name: str, holes: bool, seed: int) -> None:
    given = judged(name, seed)
    found, certificate = solve(given, holes)
    assert np.linalg.norm(entries(given, found) - given.W) <= 1e-4 * np.linalg.norm(given.W)
    assert certificate.upper == pytest.approx(given.value, rel=1e-4)
    assert certificate.relative_gap <= 3e-4
    assert certificate.complementarity <= 1e-4
    assert certificate.stationarity <= 1e-4
    assert (np.minimum(found.multipliers, np.abs(entries(given, found))) <= 1e-3).all(), "S or W is zero"


@every_problem
@every_seed
@pytest.mark.parametrize("tolerance", [1e-12, 1e-4, 1e-1, 10.0])
def test_the_optimum_is_between_the_bounds_however_rough_the_solution(name: str, seed: int, tolerance: float) -> None:
    given = judged(name, seed)
    _, certificate = solve(given, tolerance=tolerance)
    assert certificate.lower <= given.value * (1 + 1e-7)
    assert certificate.upper >= given.value * (1 - 1e-7)


@every_problem
def test_the_bounds_hold_for_any_dual_point_and_any_tensor(name: str) -> None:
    given, rng = judged(name, 0), np.random.default_rng(0)
    prior, data = given.problem.prior, given.problem.data
    for size in (1e-4, 1e-2, 1.0):
        W = np.maximum(given.W + size * rng.standard_normal(given.W.shape), 0)
        wrong = Constrained(
            coefficients=prior.transform.to_coefficients(W - given.mean),
            multipliers=size * rng.random(W.shape),
            misfit=size * rng.standard_normal(data.count),
            smallest=float(W.min()),
            active=W.size,
            steps=0,
        )
        certificate = certify(prior, data, given.mean, wrong)
        assert certificate.lower <= given.value <= certificate.upper
        assert certificate.complementarity > 0
        assert certificate.stationarity > 1e-6


@every_problem
@both_solvers
def test_nothing_changes_where_nothing_is_negative(name: str, holes: bool) -> None:
    given = judged(name, 0, 20.0)
    found, certificate = solve(given, holes)
    np.testing.assert_allclose(found.coefficients, given.free, rtol=0, atol=1e-12)
    assert not found.multipliers.any()
    assert (found.active, found.steps, certificate.negativity, certificate.complementarity) == (0, 0, 0.0, 0.0)
    assert certificate.relative_gap <= 1e-6
    assert certificate.upper == pytest.approx(given.value, rel=1e-6)


def test_constant_data_costs_nothing() -> None:
    given = judged("order 3", 0, 20.0)
    data = KnownData(given.problem.data.mask, 0 * given.problem.data.values)
    zero = np.zeros(data.shape)
    still = Constrained(zero, zero, 0 * data.values, given.mean, 0, 0)
    certificate = certify(given.problem.prior, data, given.mean, still)
    assert (certificate.upper, certificate.lower, certificate.gap) == (0.0, 0.0, 0.0)


def test_single_precision_is_nearly_as_good() -> None:
    given = judged("order 3", 1)
    prior, data = given.problem.prior, given.problem.data
    single = KnownData(data.mask, data.values.astype(np.float32))
    found = solve_nonnegative(
        prior,
        single,
        given.mean,
        given.free.astype(np.float32),
        choose_solver(prior, single.mask, holes=False),
        negativity=NEGATIVITY,
        tolerance=1e-9,
        most_steps=60,
    )
    assert found.coefficients.dtype == np.float32
    assert found.smallest >= -NEGATIVITY
    assert np.linalg.norm(entries(given, found) - given.W) <= 1e-3 * np.linalg.norm(given.W)


@every_problem
@both_solvers
def test_tiles_where_it_is_hardly_noticed_take_few_steps_for_bounds_that_hold(name: str, holes: bool) -> None:
    quick = replace(QUICK_CONSTRAINT, most_steps=3, sharper_steps=4)
    for seed in SEEDS:
        given = judged(name, seed)
        found, certificate = solve(given, holes, settings=quick)
        assert found.steps <= quick.most_updates * 3 + 4
        assert certificate.lower <= given.value * (1 + 1e-7)
        assert certificate.upper >= given.value * (1 - 1e-7)
