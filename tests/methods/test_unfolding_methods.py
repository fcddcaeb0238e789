"""`halrtc` and `lrtc-tnn`: the steps of their ADMM, and what they lead to."""

from __future__ import annotations

import itertools
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from station_days import station_days
from unfolding_formulas import UnfoldingTranscript, truncated_norm

from tensorfill.completion import Snapshot
from tensorfill.methods.halrtc import HaLRTC, Internals, UnfoldingSolver
from tensorfill.methods.lrtc_tnn import LRTCTNN
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array, unfold

SHAPES = [(7, 5), (4, 30), (6, 3, 5), (40, 3, 2), (4, 1, 3), (3, 4, 2, 3), (2, 3, 2, 3, 2)]


def low_rank_problem(
    shape: tuple[int, ...] = (12, 10, 8), share: float = 0.6, noise: float = 0.0
) -> tuple[Array, Array]:
    """A nonnegative tensor of CP rank 2, with some noise and largest value 1, and which of it is known."""
    rng = np.random.default_rng(len(shape))
    factors = [rng.random((size, 2)) for size in shape]
    operands = [part for mode, factor in enumerate(factors) for part in (factor, [mode, 9])]
    truth = np.asarray(np.einsum(*operands, list(range(len(shape))))) + noise * rng.random(shape)
    known = rng.random(shape) < share
    known.flat[np.argmax(truth)] = True
    known.flat[np.argmin(truth)] = False
    return truth / truth.max(), known


def observed(shape: tuple[int, ...]) -> ObservedTensor:
    return ObservedTensor.from_array(*low_rank_problem(shape))


def start(
    data: ObservedTensor, weights: Any, penalty: float, internals: Internals = HaLRTC.internals, free: Any = None
) -> UnfoldingSolver:
    settings = {"weights": weights, "penalty": penalty, "penalty_growth": 1.05, "tolerance": 1e-4}
    return UnfoldingSolver(data, settings, internals, free)


def complete(truth: Array, known: Array, kind: Any = HaLRTC, watch: Any = None, **settings: Any) -> Any:
    data = ObservedTensor.from_array(truth, known)
    return kind(**settings).complete(data, rng=np.random.default_rng(0), watch=watch)


def error(found: Array, truth: Array, known: Array) -> float:
    return float(np.linalg.norm((found - truth)[~known]) / np.linalg.norm(truth[~known]))


# The algorithm


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("penalty", "free"), [(0.05, 0), (1.0, 0), (0.3, 1), (0.3, 2)])
def test_the_steps_are_those_of_the_formulas(shape: tuple[int, ...], penalty: float, free: int) -> None:
    data = ObservedTensor.from_array(*low_rank_problem(shape, noise=0.05 if free else 0.0))
    weights = np.arange(1.0, data.order + 1)
    weights[-1] *= free < 2  # a mode without weight is free
    weights /= weights.sum()
    naive = UnfoldingTranscript(data, weights, penalty, 1.05)
    naive.free = [min(free, *unfold(naive.X, n).shape) for n in range(data.order)]
    state = start(data, weights, penalty, free=naive.free)
    assert state.cost == pytest.approx(naive.cost)
    for _ in range(30):
        state.step()
        naive.step()
        np.testing.assert_allclose(state.estimate().dense(), naive.X, atol=1e-7)
        assert state.cost == pytest.approx(naive.cost, abs=1e-6)
        assert state.penalty == pytest.approx(naive.beta)


@pytest.mark.parametrize("shape", [(12, 10, 8), (6, 5, 4, 3)], ids=str)
def test_both_stages_of_lrtc_tnn_are_those_of_the_formulas(shape: tuple[int, ...]) -> None:
    truth, known = low_rank_problem(shape, noise=0.05)
    seen: list[Array] = []

    def watch(snapshot: Snapshot) -> None:
        seen.append(snapshot.estimate.dense())

    done = complete(truth, known, LRTCTNN, watch, truncation=0.25, tolerance=1e-3)
    data = ObservedTensor.from_array(truth, known)
    naive = UnfoldingTranscript(data, np.full(data.order, 1 / data.order), done.settings["penalty"], 1.05)
    expected = naive.run(0.25, 1e-3)
    assert done.stop.kind == "change"
    assert len(seen) == len(expected)
    for one, other in zip(seen, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)  # small singular values of X Xᵀ are rounded more
    assert done.history.cost[-1] == pytest.approx(naive.cost, abs=1e-4)


def test_single_precision_leads_to_the_same_tensor() -> None:
    data, weights = observed((40, 30, 20)), np.full(3, 1 / 3)
    double, single = (start(data, weights, 0.05, Internals(large=large)) for large in (10**6, 10**3))
    for _ in range(60):
        double.step()
        single.step()
    np.testing.assert_allclose(single.values, double.values, atol=2e-4)
    np.testing.assert_array_equal(single.estimate().dense()[data.mask()], data.values)
    assert single.change == pytest.approx(double.change, rel=0.2, abs=1e-5)


@pytest.mark.parametrize("kind", [HaLRTC, LRTCTNN])
@pytest.mark.parametrize(("tolerance", "precision"), [(1e-3, np.float32), (1e-5, np.float64)])
def test_large_tensors_are_worked_on_in_single_precision_where_the_tolerance_allows(
    monkeypatch: pytest.MonkeyPatch, kind: Any, tolerance: float, precision: Any
) -> None:
    monkeypatch.setattr(kind, "internals", Internals(large=900))
    truth, known = low_rank_problem()
    data, method = ObservedTensor.from_array(truth, known), kind(tolerance=tolerance)
    solver = method.solver(data, method.used_on(data), np.random.default_rng(0))
    assert solver._duals.dtype == precision
    for _ in range(5):
        solver.step()
    np.testing.assert_array_equal(solver.estimate().dense()[known], truth[known])


# Where it leads


def test_it_finds_what_a_convex_solver_finds() -> None:
    """With a penalty that does not grow, ADMM goes to the minimum of the convex problem."""
    truth, known = low_rank_problem((5, 6, 7))
    truth = np.minimum(truth + 0.3 * np.random.default_rng(0).random(truth.shape), 1.0)
    weights = (1.0, 2.0, 0.5)
    scale = truth[known].max()
    places = np.arange(truth.size).reshape(truth.shape)
    X = cp.Variable(truth.size)
    unfoldings = [cp.reshape(X[unfold(places, n).reshape(-1)], unfold(places, n).shape, order="C") for n in range(3)]
    norms = sum(weight * cp.normNuc(matrix) for weight, matrix in zip(weights, unfoldings, strict=True)) / sum(weights)
    problem = cp.Problem(cp.Minimize(norms), [X[places[known]] == truth[known] / scale])
    problem.solve(solver="CLARABEL")
    done = complete(truth, known, weights=weights, penalty=0.5, penalty_growth=1.0, max_iter=5000, tolerance=1e-8)
    np.testing.assert_allclose(done.history.cost[-1], problem.value, rtol=1e-5)
    np.testing.assert_allclose(done.model / scale, X.value.reshape(truth.shape), atol=1e-3)


@pytest.mark.parametrize("shape", [(30, 25), (20, 18, 16), (10, 9, 8, 7)], ids=str)
def test_a_tensor_of_low_rank_is_recovered(shape: tuple[int, ...]) -> None:
    truth, known = low_rank_problem(shape, share=0.7)
    assert error(complete(truth, known).model, truth, known) < 0.02


def test_a_short_mode_counts_for_little_unless_told_otherwise() -> None:
    assert complete(*low_rank_problem((6, 4, 5))).settings["weights"] == (1.0, 0.001, 1.0)
    truth, known = low_rank_problem((30, 30, 3), share=0.2)
    slight, even = complete(truth, known), complete(truth, known, weights=(1, 1, 1))
    assert slight.settings["weights"] == (1.0, 1.0, 0.001)
    assert even.settings["weights"] == (1.0, 1.0, 1.0)
    assert error(slight.model, truth, known) < 0.95 * error(even.model, truth, known)


def test_weights_count_relative_to_each_other() -> None:
    truth, known = low_rank_problem()
    one, ten = (complete(truth, known, weights=weights) for weights in ([1, 2, 4], np.array([10.0, 20.0, 40.0])))
    np.testing.assert_allclose(one.model, ten.model, atol=1e-12)


# The penalty


def test_the_penalty_starts_where_something_is_left_of_the_tensor() -> None:
    """With the authors' 0.01 all singular values of a small tensor would be cut off for a hundred iterations."""
    truth, known = low_rank_problem((6, 5, 7))
    done = complete(truth, known)
    level = truth[known].mean() / truth[known].max() * np.sqrt(truth.size)
    assert done.settings["penalty"] == pytest.approx(4 / 3 / level)
    assert done.history.cost[1] > 0
    assert complete(truth, known, max_iter=1).history.cost[1] > 0
    assert complete(truth, known, penalty=0.01, max_iter=1).history.cost[1] == 0


def test_a_large_tensor_starts_with_the_penalty_of_the_authors() -> None:
    truth = np.ones((200, 200, 3))
    known = np.random.default_rng(0).random(truth.shape) < 0.5
    assert HaLRTC().used_on(ObservedTensor.from_array(truth, known))["penalty"] == 0.01


def test_it_does_not_stop_before_the_penalty_lets_low_rank_begin() -> None:
    """As long as every singular value is below the threshold, X is zero-filled and stands still."""
    truth, known = low_rank_problem(share=0.7)
    done = complete(truth, known, penalty=1e-3)
    assert done.stop.kind == "change"
    assert error(done.model, truth, known) < 0.05


def test_it_stops_when_the_tensor_hardly_changes() -> None:
    truth, known = low_rank_problem()
    seen: list[Array] = []

    def watch(snapshot: Snapshot) -> None:
        seen.append(snapshot.estimate.dense())

    done = complete(truth, known, tolerance=1e-3, watch=watch)
    changes = [np.linalg.norm(b - a) / np.linalg.norm(b) for a, b in itertools.pairwise(seen)]
    assert done.stop.kind == "change"
    assert changes[-1] < 1e-3
    assert min(changes[:-1]) >= 1e-3


# Truncated norms


def test_the_first_threshold_of_lrtc_tnn_is_the_norm_of_the_start() -> None:
    truth, known = low_rank_problem((6, 5, 7), noise=0.05)
    start = np.where(known, truth, truth[known].mean())
    penalty = complete(1000 * truth, known, LRTCTNN).settings["penalty"]
    assert 1 / 3 / penalty == pytest.approx(np.linalg.norm(start) / truth[known].max())


def test_a_truncated_norm_that_is_low_is_found() -> None:
    """The answer costs less than the one that counts all singular values, as it is made to."""
    truth, known = low_rank_problem((14, 12, 10), noise=0.05)
    ours, convex = (complete(truth, known, LRTCTNN, truncation=share).model for share in (0.2, 0.0))

    def cost(model: Array) -> float:
        return sum(truncated_norm(unfold(model, n), 3) for n in range(3))

    assert cost(ours) < 0.95 * cost(convex)
    assert error(ours, truth, known) < 0.9 * error(convex, truth, known)


@pytest.mark.parametrize("seed", [0, 3])
def test_holes_are_not_stuck_at_what_fills_them_at_the_start(seed: int) -> None:
    """With all r_n free from the first iteration on, the filled station-days of a large station are a direction of low
    rank like any other, and nothing moves them.
    """
    truth, known = station_days(seed)
    scaled = ObservedTensor.from_array(truth / truth.max(), known)
    stuck = UnfoldingTranscript(scaled, np.full(3, 1 / 3), 1e-3, 1.05)
    stuck.begin(stuck.first, 0.3)
    for _ in range(100):
        stuck.step()
    ours = error(complete(truth, known, LRTCTNN, truncation=0.3).model, truth, known)
    assert ours < 0.35
    assert ours < 0.5 * error(truth.max() * stuck.X, truth, known)


@pytest.mark.parametrize("seed", range(3))
def test_more_free_values_than_needed_do_little_harm(seed: int) -> None:
    truth, known = station_days(seed)
    errors = [error(complete(truth, known, LRTCTNN, truncation=share).model, truth, known) for share in (0.1, 0.2, 0.4)]
    assert max(errors) < 1.6 * min(errors)
