"""Both inner solvers at a fixed U: the KKT system of the paper, solved."""

from functools import cache

import numpy as np
import pytest
from small_problems import SHAPES, data_with_zeros, dense_K, problem_of, random_factors

from tensorfill.dual.active_set import ActiveSet
from tensorfill.dual.alternating import Alternating, AlternatingSettings
from tensorfill.dual.inner import Accuracy, InnerSolution, InnerSolver, begin_at_zero
from tensorfill.dual.objective import spectral_start
from tensorfill.dual.problem import DualProblem

SOLVERS = {
    "active set": lambda problem: ActiveSet(problem, 1 / (2 * problem.C)),
    "active set, small epsilon": lambda problem: ActiveSet(problem, 1e-4 / (2 * problem.C)),
    "alternating": lambda problem: Alternating(problem, 1e-9),
}
FINE = 1e-9


ORDERS = pytest.mark.parametrize("order", SHAPES, ids=lambda order: f"order {order}")


@cache
def problem_of_order(order: int) -> DualProblem:
    return problem_of(*data_with_zeros(SHAPES[order], 0.4))


@cache
def solution(order: int, solver: str) -> InnerSolution:
    """Found once: alternating takes many seconds to be as exact."""
    return solved(problem_of_order(order), SOLVERS[solver](problem_of_order(order)))


def solved(problem: DualProblem, solver: InnerSolver) -> InnerSolution:
    U = random_factors(problem.shape, tuple(min(2, n) for n in problem.shape))
    rough = solver.solve(U, begin_at_zero(problem), Accuracy(1e-3))
    *_, found = solver.polish(U, rough, FINE)
    return found


@pytest.mark.parametrize("solver", SOLVERS)
@ORDERS
def test_the_kkt_system_holds(order: int, solver: str) -> None:
    problem, found = problem_of_order(order), solution(order, solver)
    support = found.support
    X = np.zeros(np.prod(problem.shape))
    X[support.positions] = found.X
    W = dense_K(X.reshape(problem.shape), found.factors, problem.lam)
    np.testing.assert_allclose(W.ravel()[support.positions], found.W, atol=1e-10)
    assert W.min() >= -1e-8
    assert found.smallest == pytest.approx(W.min(), abs=1e-12)
    assert (found.S >= 0).all()
    assert found.active > 0, "the constraint matters here"
    np.testing.assert_allclose(found.S * found.W, 0, atol=1e-7)
    expected = 2 * problem.C * (support.values - found.W)
    np.testing.assert_allclose(found.Z[support.observed], expected[support.observed], atol=1e-5)
    assert not found.Z[~support.observed].any()


@ORDERS
def test_all_solvers_agree(order: int) -> None:
    found = [solution(order, solver) for solver in SOLVERS]
    for other in found[1:]:
        assert other.value == pytest.approx(found[0].value, rel=1e-7)
        np.testing.assert_allclose(other.recover().dense(), found[0].recover().dense(), atol=1e-5)


@pytest.mark.parametrize("epsilon", [1.0, 1e-4])
@ORDERS
def test_starting_from_the_solution_is_cheap(order: int, epsilon: float) -> None:
    problem = problem_of_order(order)
    solver = ActiveSet(problem, epsilon / (2 * problem.C))
    found = solved(problem, solver)
    before = found.support.operator.calls.total
    again = solver.solve(found.factors, found, Accuracy(1e-6))
    assert found.support.operator.calls.total - before < 30
    assert again.value == pytest.approx(found.value, rel=1e-5)


@pytest.mark.parametrize("enforced", ["observed", "chosen"])
def test_nonnegativity_only_where_it_is_asked_for(enforced: str) -> None:
    data, observed = data_with_zeros((4, 5, 6), 0.4)
    whole = problem_of(data, observed)
    chosen = np.arange(0, data.size, 3) if enforced == "chosen" else None
    problem = DualProblem(whole.shape, whole.positions, whole.values, whole.C, whole.lam, enforced, chosen)
    found = solved(problem, ActiveSet(problem, 1 / (2 * problem.C)))
    W = found.recover().dense().ravel()
    wanted = problem.positions if chosen is None else chosen
    assert W[wanted].min() >= -1e-8
    assert W.min() < -1e-3, "elsewhere W is free"
    assert found.smallest == pytest.approx(W[wanted].min(), abs=1e-12)


def test_without_nonnegativity_it_is_one_linear_system() -> None:
    data, observed = data_with_zeros((4, 5, 6), 0.4)
    problem = problem_of(data, observed, enforced="nowhere")
    solver = ActiveSet(problem, 1 / (2 * problem.C))
    found = solver.solve(random_factors(problem.shape, (2, 2, 2)), begin_at_zero(problem), Accuracy(1e-15))
    K = np.stack(
        [found.support.operator.apply(found.factors, problem.lam, unit) for unit in np.eye(len(found.X))], axis=1
    )
    expected = np.linalg.solve(K + np.eye(len(K)) / (2 * problem.C), problem.values)
    np.testing.assert_allclose(found.X, expected, atol=1e-6)
    assert not found.S.any()


@pytest.mark.parametrize("C", [100.0, 1000.0])
def test_large_C_and_many_zeros_are_no_obstacle(C: float) -> None:
    rng = np.random.default_rng(0)
    factors = [rng.random((15, 3)) * (rng.random((15, 3)) > 0.5) for _ in range(3)]
    data = np.einsum("ir,jr,kr->ijk", *factors)
    problem = problem_of(data, rng.random(data.shape) < 0.2, C=C)
    solver = ActiveSet(problem, 1 / 60)
    empty = begin_at_zero(problem)
    U = spectral_start(empty.support.operator, problem.values, (3, 3, 3), problem.share)
    rough = solver.solve(U, empty, Accuracy(1e-3 * C))
    *_, found = solver.polish(U, rough, 5e-6)
    assert found.smallest >= -5e-6
    assert found.active > 100
    # Polishing solves as closely as W ≥ −5e-6 asks for, so Z/2C and Y − W agree to a few times that, on any machine.
    misfit = found.Z / (2 * C) - (found.support.values - found.W)
    assert np.abs(misfit[found.support.observed]).max() <= 4 * 5e-6


def test_every_step_of_the_active_set_is_downhill(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(*data_with_zeros((6, 7, 5), 0.3))
    taken = ActiveSet._take
    costs: list[tuple[float, float]] = []

    def noted(self, U, state, step):  # type: ignore[no-untyped-def]
        new = taken(self, U, state, step)
        if new is not None:
            costs.append((state.q, new.q))
        return new

    monkeypatch.setattr(ActiveSet, "_take", noted)
    solved(problem, ActiveSet(problem, 1e-4 / (2 * problem.C)))
    assert len(costs) > 3
    assert all(after <= before for before, after in costs)


def test_polishing_gives_up_when_its_calls_are_used_up() -> None:
    problem = problem_of(*data_with_zeros((8, 9, 7), 0.3))
    U, solver = random_factors(problem.shape, (2, 2, 2)), SOLVERS["active set"](problem)
    rough = solver.solve(U, begin_at_zero(problem), Accuracy(1e-2))
    count = rough.support.operator.calls

    def polished(calls: float) -> tuple[InnerSolution, int]:
        before = count.total
        *_, found = solver.polish(U, rough, 5e-6, calls)
        return found, count.total - before

    patient, needed = polished(np.inf)
    hurried, taken = polished(5)
    assert taken < 0.7 * needed
    assert patient.smallest >= -5e-6 > hurried.smallest


@pytest.mark.parametrize("scans", [1, 2])
def test_the_alternation_ends_whole_when_its_scans_are_used_up(scans: int) -> None:
    problem = problem_of_order(3)
    U = random_factors(problem.shape, (2, 2, 2))
    solver = Alternating(problem, 1e-9, AlternatingSettings(most_scans=scans))
    found = solver.solve(U, begin_at_zero(problem), Accuracy(1e-3))
    assert len(found.W) == len(found.X) == len(found.support.positions)
    assert found.smallest < 0, "more entries would have had to be watched"
