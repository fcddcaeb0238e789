"""`tnn`: the steps of its ADMM, what they lead to, and the settings."""

from __future__ import annotations

import itertools
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from slice_formulas import TNNTranscript, prox, tensor_nuclear_norm, transform_matrix
from smooth_tensor import observed, smooth_tensor

from tensorfill.completion import Snapshot
from tensorfill.methods.tnn import TNN, TNNSolver
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array

SHAPES = [(6, 3, 5), (7, 5), (3, 4, 2, 3), (4, 1, 4)]
both_transforms = pytest.mark.parametrize("transform", ["dct", "fft"])


def complete(truth: Array, known: Any, **settings: Any) -> Any:
    return TNN(**settings).complete(ObservedTensor.from_array(truth, known), rng=np.random.default_rng(0))


def start(data: ObservedTensor, transform: str, penalty: float, growth: float, tolerance: float = 1e-6) -> TNNSolver:
    settings = {"transform": transform, "penalty": penalty, "penalty_growth": growth, "tolerance": tolerance}
    return TNNSolver(data, settings)


@both_transforms
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_steps_are_those_of_the_formulas(transform: Any, shape: tuple[int, ...]) -> None:
    data, (truth, known) = observed(shape), smooth_tensor(shape)
    state = start(data, transform, 0.2, 1.3)
    naive = TNNTranscript(truth, known, transform, 0.2, 1.3)
    for _ in range(12):
        state.step()
        naive.step()
        np.testing.assert_allclose(state.estimate().dense(), np.where(known, truth, naive.X), atol=1e-9)
        np.testing.assert_allclose(state.cost, naive.cost, rtol=1e-8, atol=1e-12)
        assert state.penalty == pytest.approx(naive.mu)
    assert state.cost > 0


@both_transforms
def test_what_the_formulas_call_a_proximal_map_is_one(transform: str) -> None:
    X, rng = smooth_tensor((4, 3, 5))[0], np.random.default_rng(0)
    G = prox(X, transform, 0.7)
    # Slices are shrunk by t in a transform that is √n larger, and 1/n in the norm makes up for that.
    best = 0.7 * tensor_nuclear_norm(G, transform) + 0.5 * np.sum((G - X) ** 2)
    for size in (1e-3, 0.1):
        other = G + size * rng.normal(size=X.shape)
        assert 0.7 * tensor_nuclear_norm(other, transform) + 0.5 * np.sum((other - X) ** 2) > best


def test_single_precision_goes_the_same_way() -> None:
    data = observed((20, 18, 6))
    single, double = (start(data, "fft", 0.01, 1.1, tolerance) for tolerance in (1e-4, 1e-6))
    for _ in range(80):
        single.step()
        double.step()
    assert single.values.dtype == np.float32
    np.testing.assert_allclose(single.values, double.values, atol=1e-4)


def test_it_finds_what_a_convex_solver_finds() -> None:
    """With a penalty that does not grow, ADMM goes to the minimum of the convex problem."""
    truth, known = smooth_tensor((5, 4, 3))
    truth = truth + 0.3 * np.random.default_rng(0).random(truth.shape)
    scale, M = truth[known].max(), transform_matrix("dct", 3)
    X = [cp.Variable((5, 4)) for _ in range(3)]
    norms = sum(cp.normNuc(sum(M[k, i] * X[i] for i in range(3))) for k in range(3)) / 3
    given = [X[i][known[:, :, i]] == truth[:, :, i][known[:, :, i]] / scale for i in range(3)]
    problem = cp.Problem(cp.Minimize(norms), given)
    problem.solve(solver="CLARABEL")
    done = complete(truth, known, transform="dct", penalty=2.0, penalty_growth=1.0, tolerance=1e-8, max_iter=20000)
    assert done.stop.kind == "change"
    np.testing.assert_allclose(done.history.cost[-1], problem.value, rtol=1e-5)
    np.testing.assert_allclose(done.model / scale, np.stack([x.value for x in X], axis=2), atol=2e-3)


@both_transforms
@pytest.mark.parametrize("shape", [(20, 16), (20, 16, 5), (16, 12, 3, 4)], ids=str)
def test_low_rank_is_completed(transform: str, shape: tuple[int, ...]) -> None:
    truth, known = smooth_tensor(shape, share=0.6)
    error = np.sqrt(np.mean((complete(truth, known, transform=transform).model - truth)[~known] ** 2))
    mean = np.sqrt(np.mean((truth[known].mean() - truth)[~known] ** 2))
    assert error < 0.05 * mean


def test_it_stops_when_nothing_changes_and_known_entries_are_met() -> None:
    data, seen = observed((12, 10, 4)), []

    def watch(snapshot: Snapshot) -> None:
        seen.append(snapshot.estimate.dense())

    done = TNN(tolerance=1e-3).complete(data, rng=np.random.default_rng(0), watch=watch)
    changes = [np.abs(b - a).max() for a, b in itertools.pairwise(seen)]
    assert done.stop.kind == "change"
    assert "Converged: no entry changed by more than" in done.stop.sentence
    assert changes[-1] < 1e-3
    assert changes[0] == 0.0, "it stands still while the penalty is small, and must not stop then"
    assert done.history.cost[0] == 0.0 < done.history.cost[-1]
