"""Linear conjugate gradients against numpy.linalg.solve."""

import numpy as np
import pytest

from tensorfill.numerics.linear_cg import linear_cg


def positive_definite(n: int, condition: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    return Q @ np.diag(np.geomspace(1, condition, n)) @ Q.T


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e5])
def test_solves_the_system(condition: float) -> None:
    A = positive_definite(40, condition)
    b = np.random.default_rng(1).standard_normal(40)
    solved = linear_cg(
        lambda x: A @ x, b, np.zeros(40), diagonal=np.ones(len(b)), energy_tolerance=0.0, residual_tolerance=1e-12
    )
    np.testing.assert_allclose(solved.x, np.linalg.solve(A, b), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-6])
def test_the_energy_it_stops_at_is_within_the_tolerance(tolerance: float) -> None:
    A = positive_definite(200, 1e4)
    b = np.random.default_rng(1).standard_normal(200)
    solved = linear_cg(lambda x: A @ x, b, np.zeros(200), diagonal=np.ones(len(b)), energy_tolerance=tolerance)
    error = solved.x - np.linalg.solve(A, b)
    assert 0.5 * error @ A @ error <= tolerance
    assert solved.energy_error <= tolerance


def test_a_known_residual_saves_one_application() -> None:
    A = positive_definite(30, 10)
    b, x = np.random.default_rng(2).standard_normal((2, 30))
    counted = []

    def apply(v: np.ndarray) -> np.ndarray:
        counted.append(1)
        return A @ v

    plain = linear_cg(apply, b, x, diagonal=np.ones(len(b)), energy_tolerance=1e-9)
    calls = len(counted)
    helped = linear_cg(apply, b, x, residual=b - A @ x, diagonal=np.ones(len(b)), energy_tolerance=1e-9)
    assert len(counted) - calls == calls - 1
    np.testing.assert_allclose(plain.x, helped.x)


def test_starting_at_the_solution_takes_no_step() -> None:
    A = positive_definite(10, 10)
    x = np.ones(10)
    solved = linear_cg(lambda v: A @ v, A @ x, x, diagonal=np.ones(10), energy_tolerance=0.0, residual_tolerance=1e-10)
    assert solved.iterations == 0
    np.testing.assert_array_equal(solved.x, x)


def test_does_not_change_its_arguments() -> None:
    A = positive_definite(10, 10)
    b, x = np.ones(10), np.full(10, 2.0)
    linear_cg(lambda v: A @ v, b, x, diagonal=np.ones(len(b)), energy_tolerance=1e-9)
    np.testing.assert_array_equal(b, np.ones(10))
    np.testing.assert_array_equal(x, np.full(10, 2.0))


def test_a_diagonal_makes_a_badly_scaled_system_easy() -> None:
    scale = np.geomspace(1e-3, 1e3, 100)
    A = scale[:, None] * positive_definite(100, 10) * scale
    b = scale * np.random.default_rng(1).standard_normal(100)
    plain = linear_cg(lambda v: A @ v, b, np.zeros(100), diagonal=np.ones(100), energy_tolerance=1e-9)
    scaled = linear_cg(lambda v: A @ v, b, np.zeros(100), diagonal=np.diag(A).copy(), energy_tolerance=1e-9)
    np.testing.assert_allclose(scaled.x, np.linalg.solve(A, b), rtol=1e-2)
    assert scaled.iterations < plain.iterations / 4
