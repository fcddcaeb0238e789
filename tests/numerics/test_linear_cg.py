"""Linear conjugate gradients against numpy.linalg.solve."""

import numpy as np
import pytest

from tensorfill.numerics.linear_cg import Direction, LinearSolution, linear_cg


def positive_definite(n: int, condition: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    return Q @ np.diag(np.geomspace(1, condition, n)) @ Q.T


def as_it_is(r: np.ndarray) -> np.ndarray:
    return r.copy()


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e5])
def test_solves_the_system(condition: float) -> None:
    A = positive_definite(40, condition)
    b = np.random.default_rng(1).standard_normal(40)
    solved = linear_cg(
        lambda x: A @ x, b, precondition=as_it_is, energy_tolerance=0.0, residual_floor=1e-24 * float(b @ b)
    )
    np.testing.assert_allclose(solved.x, np.linalg.solve(A, b), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(solved.residual, b - A @ solved.x, atol=1e-9)


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-6])
def test_the_energy_it_stops_at_is_within_the_tolerance(tolerance: float) -> None:
    A = positive_definite(200, 1e4)
    b = np.random.default_rng(1).standard_normal(200)
    solved = linear_cg(lambda x: A @ x, b, precondition=as_it_is, energy_tolerance=tolerance)
    error = solved.x - np.linalg.solve(A, b)
    assert 0.5 * error @ A @ error <= tolerance
    assert solved.energy_error <= tolerance


def test_a_good_part_of_the_gain_is_enough_if_the_caller_says_so() -> None:
    A = positive_definite(200, 1e4)
    b = np.random.default_rng(1).standard_normal(200)
    whole = 0.5 * b @ np.linalg.solve(A, b)
    solved = linear_cg(lambda x: A @ x, b, precondition=as_it_is, energy_tolerance=1e-12, energy_share=0.01)
    gained = b @ solved.x - 0.5 * solved.x @ A @ solved.x
    assert 0.9 * whole < gained < 0.9999 * whole


def test_nothing_to_solve_takes_no_step() -> None:
    solved = linear_cg(lambda v: v, np.zeros(10), precondition=as_it_is, energy_tolerance=0.0)
    assert solved.iterations == 0
    np.testing.assert_array_equal(solved.x, np.zeros(10))


def test_does_not_change_its_arguments() -> None:
    A = positive_definite(10, 10)
    b = np.ones(10)
    linear_cg(lambda v: A @ v, b, precondition=as_it_is, energy_tolerance=1e-9)
    np.testing.assert_array_equal(b, np.ones(10))


def test_a_preconditioner_makes_a_badly_scaled_system_easy() -> None:
    scale = np.geomspace(1e-3, 1e3, 100)
    A = scale[:, None] * positive_definite(100, 10) * scale
    b = scale * np.random.default_rng(1).standard_normal(100)
    plain = linear_cg(lambda v: A @ v, b, precondition=as_it_is, energy_tolerance=1e-9)
    scaled = linear_cg(lambda v: A @ v, b, precondition=lambda r: r / np.diag(A), energy_tolerance=1e-9)
    np.testing.assert_allclose(scaled.x, np.linalg.solve(A, b), rtol=1e-2)
    assert scaled.iterations < plain.iterations / 4


def test_goes_on_where_an_earlier_solve_was_stopped() -> None:
    A = positive_definite(200, 1e4)
    b = np.random.default_rng(1).standard_normal(200)

    def solve(b: np.ndarray, tolerance: float, after: Direction | None = None) -> LinearSolution:
        return linear_cg(
            lambda v: A @ v, b, precondition=as_it_is, energy_tolerance=tolerance, after=after, keep_last=True
        )

    whole, first = solve(b, 1e-9), solve(b, 1e-2)
    assert first.last is not None
    kept = first.last.p.copy()
    rest, anew = solve(first.residual, 1e-9, first.last), solve(first.residual, 1e-9)
    np.testing.assert_allclose(first.x + rest.x, np.linalg.solve(A, b), rtol=1e-2, atol=1e-4)
    assert first.iterations + rest.iterations <= whole.iterations + 10
    assert rest.iterations < anew.iterations
    np.testing.assert_array_equal(first.last.p, kept)


def test_an_earlier_direction_of_which_nothing_is_left_does_no_harm() -> None:
    A = positive_definite(30, 10)
    b = np.ones(30)
    nothing = Direction(np.zeros(30), np.ones(30))
    solved = linear_cg(lambda v: A @ v, b, precondition=as_it_is, energy_tolerance=1e-12, after=nothing)
    np.testing.assert_allclose(solved.x, np.linalg.solve(A, b), atol=1e-4)
