"""`t-ctv`: the steps of its ADMM, what they lead to, and the settings."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from slice_formulas import TCTVTranscript, transform_matrix
from smooth_tensor import observed, smooth_tensor

from tensorfill.methods.t_ctv import TCTV, TCTVSolver
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array

CASES = [((6, 3, 5), (0, 1, 2)), ((6, 3, 4), (0, 1)), ((7, 5), (0, 1)), ((3, 4, 2, 3), (0, 1, 2, 3))]
CASES += [((4, 1, 3), (0, 1, 2)), ((6, 3, 5), (2,)), ((6, 3, 5), (1, 2))]
both_transforms = pytest.mark.parametrize("transform", ["dct", "fft"])


def complete(truth: Array, known: Any, **settings: Any) -> Any:
    return TCTV(**settings).complete(ObservedTensor.from_array(truth, known), rng=np.random.default_rng(0))


def start(data: ObservedTensor, penalty: float, growth: float = 1.1, **settings: Any) -> TCTVSolver:
    """Directions are counted from 0 here."""
    directions = tuple(mode + 1 for mode in settings.pop("directions", (0, 1, 2)))
    schedule = {"penalty": penalty, "penalty_growth": growth, "tolerance": 1e-6, "transform": "dct"}
    return TCTVSolver(data, {**schedule, **settings, "directions": directions})


def error(done: Any, truth: Array, known: Any) -> float:
    """What is missed on average, compared with taking the mean of what is known."""
    mean = np.mean((truth[known].mean() - truth)[~known] ** 2)
    return float(np.sqrt(np.mean((done.model - truth)[~known] ** 2) / mean))


@both_transforms
@pytest.mark.parametrize(("shape", "directions"), CASES, ids=str)
def test_the_steps_are_those_of_the_formulas(transform: Any, shape: tuple[int, ...], directions: Any) -> None:
    data, (truth, known) = observed(shape), smooth_tensor(shape)
    state = start(data, 0.5, 1.3, transform=transform, directions=directions)
    naive = TCTVTranscript(truth, known, transform, directions, 0.5, 1.3)
    np.testing.assert_allclose(state.estimate().dense(), np.where(known, truth, truth[known].mean()))
    for _ in range(12):
        state.step()
        naive.step()
        found = state.estimate()
        np.testing.assert_allclose(found.estimate.array, naive.X, atol=1e-9)
        np.testing.assert_array_equal(found.dense()[known], truth[known])
        np.testing.assert_allclose(state.cost, naive.cost, rtol=1e-7, atol=1e-12)
        assert state.penalty == pytest.approx(naive.mu)
    assert state.cost > 0


def test_single_precision_goes_the_same_way() -> None:
    data = observed((20, 18, 6))
    single, double = (start(data, 0.01, tolerance=tolerance) for tolerance in (1e-3, 1e-6))
    for _ in range(80):
        single.step()
        double.step()
    assert single.values.dtype == np.float32
    np.testing.assert_allclose(single.values, double.values, atol=1e-4)


def test_the_number_of_threads_does_not_matter(monkeypatch: Any) -> None:
    data, found = observed((30, 40, 60)), []
    for threads in (1, 2, 3):
        for place in ("threads", "slice_transform", "periodic_differences"):
            monkeypatch.setattr(f"tensorfill.numerics.{place}.thread_count", lambda threads=threads: threads)
        state = start(data, 0.05, tolerance=1e-3)
        for _ in range(10):
            state.step()
        found.append((state.values, state.cost))
    assert found[0][1] > 0
    for values, cost in found[1:]:
        np.testing.assert_array_equal(values, found[0][0])
        assert cost == found[0][1]


def test_it_finds_what_a_convex_solver_finds() -> None:
    """With a penalty that does not grow, ADMM goes to the minimum of the convex problem."""
    truth, known = smooth_tensor((5, 4, 3))
    truth = truth + 0.3 * np.random.default_rng(0).random(truth.shape)
    scale, M = truth[known].max(), transform_matrix("dct", 3)
    X = [cp.Variable((5, 4)) for _ in range(3)]
    down, across = (np.roll(np.eye(size), 1, axis=1) - np.eye(size) for size in (5, 4))
    gradients = [[down @ x for x in X], [x @ across.T for x in X], [X[(i + 1) % 3] - X[i] for i in range(3)]]
    norms = [cp.normNuc(sum(M[k, i] * part[i] for i in range(3))) for part in gradients for k in range(3)]
    given = [X[i][known[:, :, i]] == truth[:, :, i][known[:, :, i]] / scale for i in range(3)]
    problem = cp.Problem(cp.Minimize(sum(norms) / 9), given)
    problem.solve(solver="CLARABEL")
    settings = {"directions": (1, 2, 3), "penalty": 2.0, "penalty_growth": 1.0, "tolerance": 1e-8, "max_iter": 20000}
    done = complete(truth, known, **settings)
    assert done.stop.kind == "change"
    np.testing.assert_allclose(done.history.cost[-1], problem.value, rtol=1e-5)
    np.testing.assert_allclose(done.model / scale, np.stack([x.value for x in X], axis=2), atol=2e-3)


@both_transforms
@pytest.mark.parametrize("shape", [(24, 20), (24, 20, 3), (20, 16, 12), (14, 12, 5, 3), (8, 7, 5, 3, 2)], ids=str)
def test_smooth_data_is_completed(transform: str, shape: tuple[int, ...]) -> None:
    truth, known = smooth_tensor(shape, share=0.3)
    assert error(complete(truth, known, transform=transform), truth, known) < 0.15


def test_missing_slices_are_filled_from_their_neighbours_along_directions_only() -> None:
    truth, known = smooth_tensor((12, 10, 8), share=0.7)
    known[:, :, 4] = False
    filled = complete(truth, known)
    np.testing.assert_allclose(filled.model[:, :, 4], truth[:, :, 4], atol=0.05)
    alone = complete(truth, known, directions=(1, 2)).model[:, :, 4]
    assert np.abs(alone - truth[:, :, 4]).max() > 2 * np.abs(filled.model[:, :, 4] - truth[:, :, 4]).max()


# How it stops, and what it says


def test_it_stops_when_nothing_changes_and_known_entries_are_met() -> None:
    state = start(observed((12, 10, 4)), 1e-4, directions=(0, 1), tolerance=1e-3)
    steps = 0
    while state.change >= 1e-3:
        before = state.values
        state.step()
        steps += 1
    missed = np.abs(state.estimate().estimate.array[observed((12, 10, 4)).mask()] - observed((12, 10, 4)).values)
    assert max(np.abs(state.values - before).max(), missed.max()) == pytest.approx(state.change, rel=1e-3)
    done = complete(*smooth_tensor((12, 10, 4)))
    assert (done.stop.kind, done.iterations) == ("change", steps)
    assert complete(*smooth_tensor((12, 10, 4)), max_iter=5).stop.kind == "iterations"


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((6, 5), (1, 2)),
        ((6, 5, 3), (1, 2)),
        ((6, 5, 4), (1, 2)),
        ((6, 5, 5), (1, 2, 3)),
        ((2, 2, 9, 3, 6), (1, 2, 3, 5)),
    ],
    ids=str,
)
def test_a_small_further_mode_is_taken_for_channels(shape: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert complete(*smooth_tensor(shape), max_iter=1).settings["directions"] == expected


def test_directions_can_be_given_in_any_order() -> None:
    truth, known = smooth_tensor((8, 7, 6))
    one, other = (complete(truth, known, directions=directions) for directions in ([3, 1], (1, 3)))
    assert one.settings["directions"] == (1, 3)
    np.testing.assert_array_equal(one.model, other.model)
