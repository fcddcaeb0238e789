"""The preconditioner of the linear systems: symmetric, positive definite, and worth its price."""

import numpy as np
import pytest
from small_problems import SHAPES, data_with_zeros, problem_of, random_factors

from tensorfill.dual.inner import begin_at_zero
from tensorfill.dual.preconditioner import FreeSystem, LeadingDirections, MakePreconditioner
from tensorfill.dual.problem import Support
from tensorfill.numerics.conjugate_gradients import EnergyWithin


def support_of_order(order: int) -> Support:
    return begin_at_zero(problem_of(*data_with_zeros(SHAPES[order], 0.4))).support


def as_matrix(linear: object, n: int) -> np.ndarray:
    return np.column_stack([linear(column) for column in np.eye(n)])  # type: ignore[operator]


@pytest.mark.parametrize("order", SHAPES)
def test_it_is_symmetric_and_positive_definite_on_the_free_entries(order: int) -> None:
    support = support_of_order(order)
    n = len(support.positions)
    U = random_factors(support.problem.shape, tuple(min(2, size) for size in support.problem.shape))
    free = np.arange(n) % 3 != 0
    M = as_matrix(LeadingDirections(support.operator, U, support.problem.lam, np.full(n, 0.05), free), n)
    np.testing.assert_allclose(M, M.T, atol=1e-6 * M.max())
    assert np.linalg.eigvalsh(M[np.ix_(free, free)])[0] > 0
    assert not M[~free].any()
    assert not M[:, ~free].any()


def test_a_system_with_one_mode_and_rank_one_is_solved_exactly_up_to_scale() -> None:
    support = support_of_order(2)
    n = len(support.positions)
    U = random_factors(support.problem.shape, (1, 1))
    lam = (support.problem.lam[0], 1e-30)
    D = np.full(n, 0.05)
    M = as_matrix(LeadingDirections(support.operator, U, lam, D, np.ones(n, bool)), n)
    K = as_matrix(lambda x: support.operator.apply(U, lam, x), n)
    # Δ = 2(0.05 + 0.05), so M⁻¹ is Δ + K.
    np.testing.assert_allclose(M @ (K + 0.2 * np.eye(n)), np.eye(n), atol=1e-4)


def test_it_saves_more_than_half_of_the_steps_that_the_diagonal_needs() -> None:
    rng = np.random.default_rng(0)
    shape = (30, 28, 26)
    smooth = np.einsum("i,j,k->ijk", *(1 + 0.3 * rng.random(size) for size in shape))
    problem = problem_of(smooth, rng.random(shape) < 0.2)
    support = begin_at_zero(problem).support
    U = tuple(
        np.column_stack([np.full(size, 3.0), rng.standard_normal((size, 3))]) / np.sqrt(12 * size) for size in shape
    )
    n = len(support.positions)
    D = np.full(n, 1 / (2 * problem.C))
    diagonal = D + support.operator.diagonal(U, problem.lam)

    def steps(make_preconditioner: MakePreconditioner) -> int:
        system = FreeSystem(support.operator, U, problem.lam, D, np.ones(n, bool), make_preconditioner)
        return system.solve(support.values, EnergyWithin(1e-6)).steps

    assert steps(LeadingDirections) < 0.5 * steps(lambda *_: lambda r: r / diagonal)
