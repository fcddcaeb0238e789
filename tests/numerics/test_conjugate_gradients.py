"""Conjugate gradients against numpy.linalg.solve, and the rules by which they stop."""

from collections.abc import Callable

import numpy as np
import pytest

from tensorfill.numerics.conjugate_gradients import (
    Direction,
    EnergyWithin,
    LinearSolution,
    NearWithin,
    PreconditionedSystem,
    ResidualWithin,
    Stop,
    conjugate_gradients,
)


def positive_definite(n: int, condition: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    return Q @ np.diag(np.geomspace(1, condition, n)) @ Q.T


def copy_of(r: np.ndarray) -> np.ndarray:
    return r.copy()


def solve(
    A: np.ndarray,
    b: np.ndarray,
    stop: Stop,
    *,
    inverse: Callable[[np.ndarray], np.ndarray] = copy_of,
    after: Direction | None = None,
    keep_last: bool = False,
) -> LinearSolution:
    system = PreconditionedSystem(lambda x: A @ x, inverse)
    return conjugate_gradients(system, np.zeros_like(b), b.copy(), stop, after=after, keep_last=keep_last)


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e5])
def test_solves_the_system(condition: float) -> None:
    A = positive_definite(40, condition)
    b = np.random.default_rng(1).standard_normal(40)
    solved = solve(A, b, EnergyWithin(0.0, floor=1e-24 * float(b @ b)))
    np.testing.assert_allclose(solved.x, np.linalg.solve(A, b), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(solved.residual, b - A @ solved.x, atol=1e-9)


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-6])
def test_the_energy_it_stops_at_is_within_the_tolerance(tolerance: float) -> None:
    A = positive_definite(200, 1e4)
    b = np.random.default_rng(1).standard_normal(200)
    stop = EnergyWithin(tolerance)
    solved = solve(A, b, stop)
    error = solved.x - np.linalg.solve(A, b)
    assert 0.5 * error @ A @ error <= tolerance
    assert stop.error(solved.gains) <= tolerance


def test_a_good_part_of_the_gain_is_enough_if_the_caller_says_so() -> None:
    A = positive_definite(200, 1e4)
    b = np.random.default_rng(1).standard_normal(200)
    whole = 0.5 * b @ np.linalg.solve(A, b)
    solved = solve(A, b, EnergyWithin(1e-12, share=0.01))
    gained = b @ solved.x - 0.5 * solved.x @ A @ solved.x
    assert 0.9 * whole < gained < 0.9999 * whole


@pytest.mark.parametrize("stop", [EnergyWithin(0.0), NearWithin(0.0, 0.0, None, 10), ResidualWithin(0.0, 10)], ids=str)
def test_nothing_to_solve_takes_no_step(stop: Stop) -> None:
    solved = solve(np.eye(10), np.zeros(10), stop)
    assert solved.steps == 0
    np.testing.assert_array_equal(solved.x, np.zeros(10))


@pytest.mark.parametrize("tolerance", [1e-1, 1e-4, 1e-8])
def test_the_residual_it_stops_at_is_within_the_tolerance(tolerance: float) -> None:
    A = positive_definite(200, 1e4)
    b = np.random.default_rng(1).standard_normal(200)
    solved = solve(A, b, ResidualWithin(tolerance, 10_000))
    assert np.linalg.norm(b - A @ solved.x) <= 1.01 * tolerance
    assert np.linalg.norm(b - A @ solve(A, b, ResidualWithin(tolerance, solved.steps - 1)).x) > tolerance


@pytest.mark.parametrize("scale", [None, 3.0])
def test_a_scale_sets_how_near_the_minimum_is_near_enough(scale: float | None) -> None:
    A = positive_definite(200, 1e2)
    b = np.random.default_rng(1).standard_normal(200)
    objective = float(b @ b)  # of ‖b‖² + xᵀAx − 2bᵀx at 0
    solved = solve(A, b, NearWithin(1e-3, objective, scale, 1000))
    reached = objective + solved.x @ A @ solved.x - 2 * b @ solved.x
    assert objective - sum(solved.gains) == pytest.approx(reached)
    assert solved.residual @ solved.residual <= 1e-3 * (reached if scale is None else scale)


@pytest.mark.parametrize(
    "stop", [EnergyWithin(0.0, most=5), NearWithin(0.0, 0.0, 1.0, 5), ResidualWithin(0.0, 5)], ids=str
)
def test_no_more_steps_than_allowed(stop: Stop) -> None:
    assert solve(positive_definite(50, 1e4), np.ones(50), stop).steps == 5


def test_starting_elsewhere_ends_at_the_same_place() -> None:
    A, b = positive_definite(30, 10), np.ones(30)
    start = np.random.default_rng(0).standard_normal(30)
    system = PreconditionedSystem(lambda x: A @ x, copy_of)
    found = conjugate_gradients(system, start.copy(), b - A @ start, ResidualWithin(1e-10, 100))
    np.testing.assert_allclose(found.x, np.linalg.solve(A, b), atol=1e-9)


def test_a_preconditioner_makes_a_badly_scaled_system_easy() -> None:
    scale = np.geomspace(1e-3, 1e3, 100)
    A = scale[:, None] * positive_definite(100, 10) * scale
    b = scale * np.random.default_rng(1).standard_normal(100)
    plain = solve(A, b, EnergyWithin(1e-9))
    scaled = solve(A, b, EnergyWithin(1e-9), inverse=lambda r: r / np.diag(A))
    np.testing.assert_allclose(scaled.x, np.linalg.solve(A, b), rtol=1e-2)
    assert scaled.steps < plain.steps / 4


def test_a_preconditioner_in_single_precision_is_good_enough() -> None:
    A = positive_definite(100, 1e4)
    b = np.random.default_rng(1).standard_normal(100)
    solved = solve(A, b, EnergyWithin(1e-14), inverse=lambda r: (r / np.diag(A)).astype(np.float32))
    np.testing.assert_allclose(solved.x, np.linalg.solve(A, b), atol=1e-6)


def test_goes_on_where_an_earlier_solve_was_stopped() -> None:
    A = positive_definite(200, 1e4)
    b = np.random.default_rng(1).standard_normal(200)

    def go_on(b: np.ndarray, tolerance: float, after: Direction | None = None) -> LinearSolution:
        return solve(A, b, EnergyWithin(tolerance), after=after, keep_last=True)

    whole, first = go_on(b, 1e-9), go_on(b, 1e-2)
    assert first.last is not None
    kept = first.last.p.copy()
    rest, anew = go_on(first.residual, 1e-9, first.last), go_on(first.residual, 1e-9)
    np.testing.assert_allclose(first.x + rest.x, np.linalg.solve(A, b), rtol=1e-2, atol=1e-4)
    assert first.steps + rest.steps <= whole.steps + 10
    assert rest.steps < anew.steps
    np.testing.assert_array_equal(first.last.p, kept)


def test_an_earlier_direction_of_which_nothing_is_left_does_no_harm() -> None:
    A = positive_definite(30, 10)
    b = np.ones(30)
    nothing = Direction(np.zeros(30), np.ones(30))
    solved = solve(A, b, EnergyWithin(1e-12), after=nothing)
    np.testing.assert_allclose(solved.x, np.linalg.solve(A, b), atol=1e-4)
