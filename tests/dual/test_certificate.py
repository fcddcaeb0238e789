"""The certificate holds for any Z and S ≥ 0, not only for good ones."""

from dataclasses import replace

import numpy as np
import pytest
from small_problems import data_with_zeros, problem_of, random_factors

from tensorfill.dual.active_set import ActiveSet
from tensorfill.dual.certificate import certify, lower_bound, trace_norm
from tensorfill.dual.inner import Accuracy, InnerSolution, begin_at_zero
from tensorfill.numerics.eigenvalues import largest_eigenvalue
from tensorfill.tensor import mode_product, unfold

SHAPE = (5, 6, 4)


@pytest.fixture
def found() -> InnerSolution:
    problem = problem_of(*data_with_zeros(SHAPE, 0.5))
    U = random_factors(SHAPE, (3, 3, 3))
    solver = ActiveSet(problem, 1 / (2 * problem.C))
    *_, found = solver.polish(U, solver.solve(U, begin_at_zero(problem), Accuracy(1e-6)), 1e-9)
    return found


def test_at_a_solution_of_the_inner_problem_the_upper_bound_is_at_most_its_value(found: InnerSolution) -> None:
    certificate = certify(found)
    assert certificate.lower < certificate.upper <= found.value * (1 + 1e-6)


def test_the_trace_norms_are_those_of_the_components(found: InnerSolution) -> None:
    for mode, part in enumerate(found.recover().components()):
        expected = np.linalg.svd(unfold(part, mode), compute_uv=False).sum()
        assert trace_norm(found, mode) == pytest.approx(expected, rel=1e-8)


def test_the_primal_value_is_the_one_in_the_paper(found: InnerSolution) -> None:
    problem = found.support.problem
    parts = found.recover().components()
    W = sum(parts).ravel()[problem.positions]
    expected = problem.C * ((W - problem.values) ** 2).sum() + sum(
        np.linalg.svd(unfold(part, mode), compute_uv=False).sum() ** 2 / (2 * problem.lam[mode])
        for mode, part in enumerate(parts)
    )
    assert certify(found).upper == pytest.approx(expected, rel=1e-6)


def test_the_lower_bound_holds_for_any_dual_variables(found: InnerSolution) -> None:
    best = certify(found).upper
    rng = np.random.default_rng(0)
    for _ in range(100):
        S = np.maximum(found.S + rng.normal(0, 0.5, len(found.S)), 0)
        Z = np.where(found.support.observed, found.Z + rng.normal(0, 0.5, len(found.S)), 0)
        assert lower_bound(replace(found, X=Z + S, S=S)) <= best


def test_multipliers_below_zero_do_not_count_for_the_lower_bound(found: InnerSolution) -> None:
    hidden = ~found.support.observed
    assert hidden.any()
    negative = replace(found, X=np.where(hidden, -1.0, found.X), S=np.where(hidden, 0.0, found.S))
    zero = replace(negative, X=np.where(hidden, 0.0, found.X))
    assert lower_bound(negative) == lower_bound(zero)


def test_an_infeasible_W_is_replaced_by_one_that_is_feasible(found: InnerSolution) -> None:
    shift = 0.01
    problem, parts = found.support.problem, found.recover().components()
    W = (sum(parts) + shift).ravel()[problem.positions]
    exact = []
    for lifted in range(len(parts)):  # the constant may go to any component
        norms = [
            np.linalg.svd(unfold(part + shift * (mode == lifted), mode), compute_uv=False).sum()
            for mode, part in enumerate(parts)
        ]
        exact.append(sum(norm**2 / (2 * weight) for norm, weight in zip(norms, problem.lam, strict=True)))
    violated = certify(replace(found, smallest=-shift))
    assert violated.negativity == pytest.approx(shift / problem.largest)
    assert violated.upper >= problem.C * ((W - problem.values) ** 2).sum() + min(exact)


def test_a_tampered_solution_shows_in_the_residuals(found: InnerSolution) -> None:
    assert certify(found).stationarity < 1e-6
    assert certify(replace(found, X=1.1 * found.X)).stationarity > 1e-3
    assert certify(replace(found, W=found.W + 0.1)).complementarity > 1e-3


@pytest.mark.parametrize("n", [6, 80], ids=["decomposed", "iterated"])
def test_the_largest_eigenvalue_is_not_underestimated(n: int) -> None:
    data, observed = data_with_zeros((n, 7, 5), 0.5)
    problem = problem_of(data, observed)
    X = begin_at_zero(problem).support
    dense = unfold(np.where(observed, data, 0), 0)
    true = np.linalg.svd(dense, compute_uv=False)[0] ** 2
    for tolerance in (1e-2, 1e-8):
        found = largest_eigenvalue(X.operator, 0, problem.values, tolerance)
        assert true * (1 - 1e-12) <= found <= true * (1 + 2 * tolerance + 1e-12)


def test_mode_products_used_above_are_right() -> None:
    tensor = np.arange(24.0).reshape(2, 3, 4)
    matrix = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(mode_product(tensor, matrix, 1), np.einsum("ab,ibk->iak", matrix, tensor))
