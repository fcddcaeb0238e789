"""`halrtc`: the steps of its ADMM, what they lead to, and the settings."""

from __future__ import annotations

import itertools
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from halrtc_formulas import HaLRTCTranscript

from tensorfill.completion import Snapshot
from tensorfill.errors import InvalidSetting
from tensorfill.methods import halrtc
from tensorfill.methods.halrtc import HaLRTC
from tensorfill.methods.halrtc_iteration import HaLRTCIteration
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array, unfold

SHAPES = [(7, 5), (4, 30), (6, 3, 5), (40, 3, 2), (4, 1, 3), (3, 4, 2, 3), (2, 3, 2, 3, 2)]


def low_rank_problem(shape: tuple[int, ...] = (12, 10, 8), share: float = 0.6) -> tuple[Array, Array]:
    """A nonnegative tensor of CP rank 2 with largest value 1, and which of it is known."""
    rng = np.random.default_rng(len(shape))
    factors = [rng.random((size, 2)) for size in shape]
    operands = [part for mode, factor in enumerate(factors) for part in (factor, [mode, 9])]
    truth = np.asarray(np.einsum(*operands, list(range(len(shape)))))
    known = rng.random(shape) < share
    known.flat[np.argmax(truth)] = True
    known.flat[np.argmin(truth)] = False
    return truth / truth.max(), known


def observed(shape: tuple[int, ...]) -> ObservedTensor:
    return ObservedTensor.from_array(*low_rank_problem(shape))


def complete(truth: Array, known: Array, **settings: Any) -> Any:
    watch = settings.pop("watch", None)
    data = ObservedTensor.from_array(truth, known)
    return HaLRTC(**settings).complete(data, rng=np.random.default_rng(0), watch=watch)


def error(found: Array, truth: Array, known: Array) -> float:
    return float(np.linalg.norm((found - truth)[~known]) / np.linalg.norm(truth[~known]))


# The algorithm


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("penalty", [0.05, 1.0])
def test_the_steps_are_those_of_the_formulas(shape: tuple[int, ...], penalty: float) -> None:
    data = observed(shape)
    weights = np.arange(1.0, data.order + 1)
    weights /= weights.sum()
    state = HaLRTCIteration(data, weights, penalty, 1.05, np.float64)
    naive = HaLRTCTranscript(data, weights, penalty, 1.05)
    assert state.cost == pytest.approx(naive.cost)
    for _ in range(30):
        state.step()
        naive.step()
        np.testing.assert_allclose(state.estimate().dense(), naive.X, atol=1e-7)
        assert state.cost == pytest.approx(naive.cost, abs=1e-6)
        assert state.penalty == pytest.approx(naive.beta)


def test_a_mode_without_weight_is_free() -> None:
    data, weights = observed((6, 3, 5)), np.array([0.5, 0.5, 0.0])
    state = HaLRTCIteration(data, weights, 0.3, 1.05, np.float64)
    naive = HaLRTCTranscript(data, weights, 0.3, 1.05)
    for _ in range(20):
        state.step()
        naive.step()
        np.testing.assert_allclose(state.estimate().dense(), naive.X, atol=1e-7)


def test_single_precision_leads_to_the_same_tensor() -> None:
    data, weights = observed((40, 30, 20)), np.full(3, 1 / 3)
    double, single = (HaLRTCIteration(data, weights, 0.05, 1.05, dtype) for dtype in (np.float64, np.float32))
    for _ in range(60):
        double.step()
        single.step()
    np.testing.assert_allclose(single.values, double.values, atol=2e-4)
    np.testing.assert_array_equal(single.estimate().dense()[data.mask()], data.values)
    assert single.change == pytest.approx(double.change, rel=0.2, abs=1e-5)


@pytest.mark.parametrize(("tolerance", "single"), [(1e-3, True), (1e-5, False)])
def test_large_tensors_are_worked_on_in_single_precision_where_the_tolerance_allows(
    monkeypatch: pytest.MonkeyPatch, tolerance: float, single: bool
) -> None:
    used: list[Any] = []

    class Spy(HaLRTCIteration):
        def __init__(self, *arguments: Any) -> None:
            used.append(arguments[-1])
            super().__init__(*arguments)

    monkeypatch.setattr(halrtc, "HaLRTCIteration", Spy)
    monkeypatch.setattr(halrtc, "_LARGE", 900)
    truth, known = low_rank_problem()
    done = complete(truth, known, tolerance=tolerance)
    assert used == [np.float32 if single else np.float64]
    np.testing.assert_allclose(done.model[known], truth[known], rtol=1e-14)


def test_known_entries_are_exact_in_every_iteration() -> None:
    data = observed((6, 3, 5))
    state = HaLRTCIteration(data, np.full(3, 1 / 3), 0.1, 1.05, np.float64)
    for _ in range(20):
        state.step()
        np.testing.assert_array_equal(state.estimate().dense()[data.mask()], data.values)


def test_an_estimate_stays_as_it_is_when_the_method_goes_on() -> None:
    state = HaLRTCIteration(observed((6, 3, 5)), np.full(3, 1 / 3), 0.1, 1.05, np.float64)
    state.step()
    estimate = state.estimate()
    before = estimate.dense()
    for _ in range(3):
        state.step()
    np.testing.assert_array_equal(estimate.dense(), before)


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


def test_a_penalty_that_grows_without_end_does_no_harm() -> None:
    truth, known = low_rank_problem((6, 5, 7))
    done = complete(truth, known, penalty_growth=10.0, max_iter=400, tolerance=0.0)
    assert np.isfinite(done.model).all()
    assert done.stop.kind == "iterations"


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


# Settings


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"weights": 1.0},
            r"The 'weights' of halrtc must be numbers, 0 or more and not all 0, one per mode\. Got 1\.0",
        ),
        ({"weights": (1, -1, 1)}, r"must be numbers, 0 or more and not all 0, one per mode\. Got \(1, -1, 1\) instead"),
        ({"weights": (0, 0, 0)}, "must be numbers, 0 or more and not all 0"),
        ({"weights": (1, float("nan"), 1)}, "must be numbers, 0 or more and not all 0"),
        ({"weights": "111"}, "must be numbers, 0 or more and not all 0"),
        ({"penalty": 0.0}, "The 'penalty' of halrtc must be a number above 0"),
        ({"penalty_growth": 0.9}, "The 'penalty_growth' of halrtc must be 1 or more"),
        ({"tolerance": -1.0}, "The 'tolerance' of halrtc must be a number, 0 or more"),
        ({"max_iter": 0}, "The 'max_iter' of halrtc must be a whole number, 1 or more"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidSetting, match=sentence):
        HaLRTC(**settings)


def test_weights_for_other_modes_are_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"must have 2 entries, one per mode\. Got \(1, 1, 1\) instead"):
        HaLRTC(weights=(1, 1, 1)).refuses(ObservedTensor.from_array([[1.0, np.nan], [2.0, 3.0]]))


def test_what_does_not_fit_into_memory_is_refused() -> None:
    huge = ObservedTensor.from_coordinates(np.zeros((1, 3), dtype=int), [1.0], (10**5,) * 3)
    assert "works on the whole tensor" in (HaLRTC().refuses(huge) or "")
