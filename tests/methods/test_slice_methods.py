"""`tnn` and `t-ctv`: the steps of their ADMM on slices, and what they lead to."""

from __future__ import annotations

import itertools
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from slice_formulas import TCTVTranscript, TNNTranscript, prox, tensor_nuclear_norm, transform_matrix
from smooth_tensor import observed, smooth_tensor

from tensorfill.completion import Snapshot
from tensorfill.methods.admm import SliceSolver
from tensorfill.methods.t_ctv import TCTV
from tensorfill.methods.tnn import TNN
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array

CASES = [((6, 3, 5), (1, 2, 3)), ((6, 3, 4), (1, 2)), ((7, 5), (1, 2)), ((3, 4, 2, 3), (1, 2, 3, 4))]
CASES += [((4, 1, 3), (1, 2, 3)), ((6, 3, 5), (3,)), ((6, 3, 5), (2, 3))]
both_methods = pytest.mark.parametrize("kind", [TNN, TCTV])
both_transforms = pytest.mark.parametrize("transform", ["dct", "fft"])


def complete(kind: Any, truth: Array, known: Any, watch: Any = None, **settings: Any) -> Any:
    data = ObservedTensor.from_array(truth, known)
    return kind(**settings).complete(data, rng=np.random.default_rng(0), watch=watch)


def start(kind: Any, data: ObservedTensor, **settings: Any) -> SliceSolver:
    method = kind(**settings)
    solver: SliceSolver = method.solver(data, method.used_on(data), np.random.default_rng(0))
    return solver


def error(done: Any, truth: Array, known: Any) -> float:
    """What is missed on average, compared with taking the mean of what is known."""
    mean = np.mean((truth[known].mean() - truth)[~known] ** 2)
    return float(np.sqrt(np.mean((done.model - truth)[~known] ** 2) / mean))


def follow_formulas(state: SliceSolver, naive: Any, data: ObservedTensor, rtol: float) -> None:
    """Twelve steps, and after each the same tensor, cost and penalty."""
    for _ in range(12):
        state.step()
        naive.step()
        found = state.estimate()
        np.testing.assert_allclose(found.estimate.dense(), naive.X, atol=1e-9)
        np.testing.assert_array_equal(found.dense()[data.mask()], data.values)
        np.testing.assert_allclose(state.cost, naive.cost, rtol=rtol, atol=1e-12)
        assert state.penalty == pytest.approx(naive.mu)
    assert state.cost > 0


@both_transforms
@pytest.mark.parametrize("shape", [(6, 3, 5), (7, 5), (3, 4, 2, 3), (4, 1, 4)], ids=str)
def test_the_steps_of_tnn_are_those_of_the_formulas(transform: Any, shape: tuple[int, ...]) -> None:
    truth, known = smooth_tensor(shape)
    state = start(TNN, observed(shape), transform=transform, penalty=0.2, penalty_growth=1.3, tolerance=1e-6)
    follow_formulas(state, TNNTranscript(truth, known, transform, 0.2, 1.3), observed(shape), rtol=1e-8)


@both_transforms
@pytest.mark.parametrize(("shape", "directions"), CASES, ids=str)
def test_the_steps_of_t_ctv_are_those_of_the_formulas(transform: Any, shape: tuple[int, ...], directions: Any) -> None:
    truth, known = smooth_tensor(shape)
    schedule = {"penalty": 0.5, "penalty_growth": 1.3, "tolerance": 1e-6}
    state = start(TCTV, observed(shape), transform=transform, directions=directions, **schedule)
    np.testing.assert_allclose(state.estimate().dense(), np.where(known, truth, truth[known].mean()))
    along = tuple(mode - 1 for mode in directions)
    follow_formulas(state, TCTVTranscript(truth, known, transform, along, 0.5, 1.3), observed(shape), rtol=1e-7)


@both_transforms
def test_what_the_formulas_call_a_proximal_map_is_one(transform: str) -> None:
    X, rng = smooth_tensor((4, 3, 5))[0], np.random.default_rng(0)
    G = prox(X, transform, 0.7)
    # Slices are shrunk by t in a transform that is √n larger, and 1/n in the norm makes up for that.
    best = 0.7 * tensor_nuclear_norm(G, transform) + 0.5 * np.sum((G - X) ** 2)
    for size in (1e-3, 0.1):
        other = G + size * rng.normal(size=X.shape)
        assert 0.7 * tensor_nuclear_norm(other, transform) + 0.5 * np.sum((other - X) ** 2) > best


@both_methods
def test_single_precision_goes_the_same_way(kind: Any) -> None:
    data = observed((20, 18, 6))
    single, double = (start(kind, data, penalty=0.01, tolerance=tolerance) for tolerance in (1e-4, 1e-6))
    for _ in range(80):
        single.step()
        double.step()
    assert single.values.dtype == np.float32
    np.testing.assert_allclose(single.values, double.values, atol=1e-4)


def test_the_number_of_threads_does_not_matter(monkeypatch: Any) -> None:
    data, found = observed((30, 40, 60)), []
    for threads in (1, 2, 3):
        for place in ("threads", "tensor_nuclear_norm", "periodic_differences"):
            monkeypatch.setattr(f"tensorfill.numerics.{place}.thread_count", lambda threads=threads: threads)
        state = start(TCTV, data, penalty=0.05)
        for _ in range(10):
            state.step()
        found.append((state.values, state.cost))
    assert found[0][1] > 0
    for values, cost in found[1:]:
        np.testing.assert_array_equal(values, found[0][0])
        assert cost == found[0][1]


@both_methods
def test_known_entries_are_kept_exactly_though_single_precision_cannot_hold_them(kind: Any) -> None:
    truth, known = smooth_tensor((12, 10, 4))
    done = complete(kind, truth, known, max_iter=30)
    np.testing.assert_array_equal(done.estimate.dense()[known], truth[known])
    assert (truth[known].astype(np.float32) != truth[known]).any()


@both_methods
def test_it_finds_what_a_convex_solver_finds(kind: Any) -> None:
    """With a penalty that does not grow, ADMM goes to the minimum of the convex problem."""
    truth, known = smooth_tensor((5, 4, 3))
    truth = truth + 0.3 * np.random.default_rng(0).random(truth.shape)
    scale, M = truth[known].max(), transform_matrix("dct", 3)
    X = [cp.Variable((5, 4)) for _ in range(3)]
    down, across = (np.roll(np.eye(size), 1, axis=1) - np.eye(size) for size in (5, 4))
    gradients = [[down @ x for x in X], [x @ across.T for x in X], [X[(i + 1) % 3] - X[i] for i in range(3)]]
    parts, own = ([X], {}) if kind is TNN else (gradients, {"directions": (1, 2, 3)})
    norms = [cp.normNuc(sum(M[k, i] * part[i] for i in range(3))) for part in parts for k in range(3)]
    given = [X[i][known[:, :, i]] == truth[:, :, i][known[:, :, i]] / scale for i in range(3)]
    problem = cp.Problem(cp.Minimize(sum(norms) / len(norms)), given)
    problem.solve(solver="CLARABEL")
    settings = {"transform": "dct", "penalty": 2.0, "penalty_growth": 1.0, "tolerance": 1e-8, "max_iter": 20000, **own}
    done = complete(kind, truth, known, **settings)
    assert done.stop.kind == "change"
    np.testing.assert_allclose(done.history.cost[-1], problem.value, rtol=1e-5)
    np.testing.assert_allclose(done.model / scale, np.stack([x.value for x in X], axis=2), atol=2e-3)


@both_transforms
@pytest.mark.parametrize("shape", [(20, 16), (20, 16, 5), (16, 12, 3, 4)], ids=str)
def test_low_rank_is_completed_by_tnn(transform: str, shape: tuple[int, ...]) -> None:
    truth, known = smooth_tensor(shape, share=0.6)
    assert error(complete(TNN, truth, known, transform=transform), truth, known) < 0.05


@both_transforms
@pytest.mark.parametrize("shape", [(24, 20), (24, 20, 3), (20, 16, 12), (14, 12, 5, 3), (8, 7, 5, 3, 2)], ids=str)
def test_smooth_data_is_completed_by_t_ctv(transform: str, shape: tuple[int, ...]) -> None:
    truth, known = smooth_tensor(shape, share=0.3)
    assert error(complete(TCTV, truth, known, transform=transform), truth, known) < 0.15


def test_missing_slices_are_filled_from_their_neighbours_along_directions_only() -> None:
    truth, known = smooth_tensor((12, 10, 8), share=0.7)
    known[:, :, 4] = False
    filled = complete(TCTV, truth, known)
    np.testing.assert_allclose(filled.model[:, :, 4], truth[:, :, 4], atol=0.05)
    alone = complete(TCTV, truth, known, directions=(1, 2)).model[:, :, 4]
    assert np.abs(alone - truth[:, :, 4]).max() > 2 * np.abs(filled.model[:, :, 4] - truth[:, :, 4]).max()


@both_methods
def test_it_stops_when_nothing_changes_and_known_entries_are_met(kind: Any) -> None:
    truth, known = smooth_tensor((12, 10, 4))
    seen: list[Array] = []

    def watch(snapshot: Snapshot) -> None:
        seen.append(snapshot.estimate.dense())

    done = complete(kind, truth, known, watch, tolerance=1e-3)
    changes = [np.abs(b - a).max() for a, b in itertools.pairwise(seen)]
    missed = np.abs(done.estimate.estimate.estimate.dense() - truth)[known].max()
    assert done.stop.kind == "change"
    assert "Converged: no entry changed by more than" in done.stop.sentence
    assert max(changes[-1], missed) < 1e-3
    solver, steps = start(kind, ObservedTensor.from_array(truth, known), tolerance=1e-3), 0
    while solver.change >= 1e-3:
        solver.step()
        steps += 1
    assert done.iterations == steps, "and not a step later"
    assert kind is TCTV or changes[0] == 0.0, "it stands still while the penalty is small, and must not stop then"
    assert done.history.cost[0] == 0.0 < done.history.cost[-1]
    assert complete(kind, truth, known, max_iter=5).stop.kind == "iterations"


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
    assert complete(TCTV, *smooth_tensor(shape), max_iter=1).settings["directions"] == expected


def test_directions_can_be_given_in_any_order() -> None:
    truth, known = smooth_tensor((8, 7, 6))
    one, other = (complete(TCTV, truth, known, directions=directions) for directions in ([3, 1], (1, 3)))
    assert one.settings["directions"] == (1, 3)
    np.testing.assert_array_equal(one.model, other.model)
