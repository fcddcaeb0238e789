"""BCPF: its updates, the bound that they raise, and the rank that it finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bcpf_formulas import BCPFTranscript, kruskal
from scipy import stats

from tensorfill.methods import bcpf
from tensorfill.methods.bcpf import BCPF, BCPFSolver, Gamma, Internals, SeenRows, bound_evidence, start_factors
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array, unfold

SHAPES = [(9, 8), (7, 6, 5), (5, 1, 4), (5, 4, 3, 4), (3, 4, 2, 3, 2)]


def problem(shape: tuple[int, ...], rank: int = 2, share: float = 0.7, noise: float = 0.01) -> tuple[Array, Any]:
    """A nonnegative tensor of low CP rank plus noise; no slice is unknown."""
    rng = np.random.default_rng(len(shape))
    truth = kruskal([rng.random((size, rank)) for size in shape])
    truth = np.maximum(truth / truth.max() + noise * rng.standard_normal(shape), 0.0)
    known = rng.random(shape) < share
    for mode, size in enumerate(shape):
        for index in range(size):
            place = [int(rng.integers(other)) for other in shape]
            place[mode] = index
            known[tuple(place)] = True
    return truth, known


def complete(truth: Array, known: Any, seed: int = 0, **settings: Any) -> Any:
    data = ObservedTensor.from_array(truth, known)
    return BCPF(**settings).complete(data, rng=np.random.default_rng(seed))


def start(data: ObservedTensor, rank: int, internals: Internals = BCPF.internals) -> BCPFSolver:
    return BCPFSolver(data, {"max_rank": rank, "tolerance": 1e-4}, np.random.default_rng(0), internals)


def state_of(
    shape: tuple[int, ...], rank: int = 3, internals: Internals = BCPF.internals, **kind: Any
) -> tuple[BCPFSolver, ObservedTensor]:
    data = ObservedTensor.from_array(*problem(shape, **kind))
    return start(data, rank, internals), data


NEVER_DROPPING = Internals(vanished=-1.0)


# The algorithm


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_updates_are_those_of_the_formulas(shape: tuple[int, ...]) -> None:
    state, data = state_of(shape, internals=NEVER_DROPPING)
    unit = 0.5 * data.values.std()
    naive = BCPFTranscript(data, unit, state.factors)
    for _ in range(5):
        state.step()
        naive.step()
        for found, expected in zip(state.factors, naive.a, strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())
        np.testing.assert_allclose(state.relevance, naive.lam, rtol=1e-7)
        assert state.noise == pytest.approx(naive.tau, rel=1e-7)
        np.testing.assert_allclose(state.estimate().dense(), unit * kruskal(naive.a), atol=1e-7)


def test_single_precision_leads_to_the_same() -> None:
    double, _ = state_of((20, 15, 10), rank=8, noise=0.05)
    single, _ = state_of((20, 15, 10), rank=8, noise=0.05, internals=Internals(many=100))
    for _ in range(10):
        double.step()
        single.step()
    assert single.seconds[0].dtype == np.float32
    assert single.cost == pytest.approx(double.cost, abs=1e-3)
    np.testing.assert_allclose(single.estimate().dense(), double.estimate().dense(), atol=1e-3)


@pytest.mark.parametrize("shape", [(9, 8), (7, 6, 5), (5, 4, 3, 4)], ids=str)
def test_every_iteration_raises_the_bound(shape: tuple[int, ...]) -> None:
    state, _ = state_of(shape, rank=4, noise=0.1, internals=NEVER_DROPPING)
    costs = [state.cost]
    for _ in range(30):
        state.step()
        costs.append(state.cost)
    assert (np.diff(costs[1:]) <= 1e-9).all()
    assert costs[-1] < costs[1] < costs[0]


def test_the_bound_is_the_mean_over_draws() -> None:
    """L = E[ln p(everything) − ln q(everything)], here for a 2 × 1 matrix and one component, by sampling."""
    rng, n = np.random.default_rng(0), 400_000
    y, mean, variance = np.array([0.7, -0.2]), np.array([0.5, 0.1, 1.2]), np.array([0.2, 0.3, 0.1])
    noise, columns = Gamma(3.0, np.array([2.0])), Gamma(2.5, np.array([1.5]))
    rows = mean + np.sqrt(variance) * rng.standard_normal((n, 3))
    tau, lam = rng.gamma(3.0, 1 / 2.0, n), rng.gamma(2.5, 1 / 1.5, n)
    log = stats.norm.logpdf(y, rows[:, :2] * rows[:, 2:], 1 / np.sqrt(tau)[:, None]).sum(axis=1)
    log += stats.norm.logpdf(rows, 0.0, 1 / np.sqrt(lam)[:, None]).sum(axis=1)
    log += stats.gamma.logpdf(tau, 1e-6, scale=1e6) + stats.gamma.logpdf(lam, 1e-6, scale=1e6)
    log -= stats.norm.logpdf(rows, mean, np.sqrt(variance)).sum(axis=1)
    log -= stats.gamma.logpdf(tau, 3.0, scale=1 / 2.0) + stats.gamma.logpdf(lam, 2.5, scale=1 / 1.5)
    second = mean**2 + variance
    misfit = float(np.sum(y**2 - 2 * y * mean[:2] * mean[2] + second[:2] * second[2]))
    found = bound_evidence(noise, 2, misfit, columns, 3, np.array([second.sum()]), 0.5 * float(np.log(variance).sum()))
    assert found == pytest.approx(log.mean(), abs=6 * log.std() / np.sqrt(n))


# The start


def test_it_starts_from_singular_vectors_and_goes_on_at_random() -> None:
    truth, known = problem((7, 6, 5))
    data = ObservedTensor.from_array(truth, known)
    factors = start_factors(SeenRows(data), data.values, 6, np.random.default_rng(0))
    for mode, factor in enumerate(factors):
        size = truth.shape[mode]
        matrix = unfold(np.where(known, truth, 0.0), mode)
        values = np.linalg.svd(matrix, compute_uv=False)[:6]
        leading = factor[:, : min(size, 6)] / np.cbrt(values)
        np.testing.assert_allclose(leading.T @ leading, np.eye(len(values)), atol=1e-10)
        np.testing.assert_allclose(leading.T @ matrix @ matrix.T @ leading, np.diag(values**2), atol=1e-8)
    assert factors[2].shape == (5, 6)
    assert 0 < np.abs(factors[2][:, 5]).max() < 5


def test_a_large_mode_starts_the_same_without_the_square_of_its_unfolding(monkeypatch: pytest.MonkeyPatch) -> None:
    data = ObservedTensor.from_array(*problem((7, 6, 5)))
    small = start_factors(SeenRows(data), data.values, 2, np.random.default_rng(0))
    monkeypatch.setattr(bcpf, "_SMALL", 1)
    large = start_factors(SeenRows(data), data.values, 2, np.random.default_rng(0))
    for one, other in zip(small, large, strict=True):
        np.testing.assert_allclose(np.abs(one), np.abs(other), atol=1e-6)


def test_slices_of_which_nothing_is_known_are_zero_and_do_not_matter() -> None:
    truth, known = problem((8, 7, 6), share=0.8)
    known[3] = False
    done = complete(truth, known, max_rank=4, max_iter=20)
    without = complete(np.delete(truth, 3, axis=0), np.delete(known, 3, axis=0), max_rank=4, max_iter=20)
    np.testing.assert_array_equal(done.model[3], 0.0)
    np.testing.assert_allclose(np.delete(done.model, 3, axis=0), without.model, atol=1e-10)


# The rank


@pytest.mark.parametrize(("shape", "rank"), [((30, 25), 3), ((20, 18, 16), 3), ((12, 10, 9, 8), 2)], ids=str)
def test_few_components_are_left_and_the_noise_is_what_there_is(shape: tuple[int, ...], rank: int) -> None:
    """As many as the rank of a matrix; of tensors often a few more than it takes."""
    data = ObservedTensor.from_array(*problem(shape, rank=rank, share=0.6))
    state = start(data, 20)
    for _ in range(60):
        state.step()
    assert rank <= len(state.relevance) <= (rank if len(shape) == 2 else 3 * rank)
    assert 0.5 * data.values.std() / np.sqrt(state.noise) == pytest.approx(0.01, rel=0.2)


def test_dropping_a_component_leaves_the_others_as_they_are() -> None:
    state, _ = state_of((12, 10, 8), rank=5, noise=0.1)
    state.factors[1][:, 2] *= 1e-9
    before = state.estimate().dense()
    state._drop_vanished()
    assert state._dropped
    assert [factor.shape[1] for factor in state.factors] == [len(state.relevance)] * 3 == [4] * 3
    np.testing.assert_allclose(state.estimate().dense(), before, atol=1e-6)
    np.testing.assert_allclose(state._first_sums, state._moments.sums(state.seconds, 0))
    state.step()
    assert np.isfinite(state.cost)


def test_the_last_component_is_never_dropped() -> None:
    state, _ = state_of((6, 5, 4), rank=2)
    for factor in state.factors:
        factor[...] = 0.0
    state._drop_vanished()
    assert len(state.relevance) == 1


def test_it_is_as_good_as_the_noise_allows() -> None:
    clean, known = problem((20, 18, 16), share=0.5, noise=0.0)
    noisy = np.maximum(clean + 0.05 * np.random.default_rng(1).standard_normal(clean.shape), 0.0)
    done = complete(noisy, known)
    assert np.sqrt(np.mean((done.model - clean)[~known] ** 2)) < 0.02


def test_data_without_noise_does_no_harm() -> None:
    truth, known = problem((10, 9, 8), noise=0.0)
    done = complete(truth, known, tolerance=0.0, max_iter=300)
    assert np.isfinite(done.history.cost).all()
    np.testing.assert_allclose(done.model, truth, atol=1e-3)


# How it stops, and how large it may get


def test_it_stops_when_the_evidence_hardly_changes() -> None:
    truth, known = problem((12, 10, 8))
    done = complete(truth, known, tolerance=1e-2)
    assert done.stop.kind == "change"
    assert "components" in done.stop.sentence
    assert abs(np.diff(done.history.cost)[-1]) < 1e-2
    assert complete(truth, known, tolerance=0.0, max_iter=7).stop.kind == "iterations"


def test_it_starts_with_as_many_components_as_the_largest_mode_has_indices_up_to_a_hundred() -> None:
    few = ObservedTensor.from_coordinates([[0, 0, 0], [1, 2, 3]], [1.0, 2.0], (20, 30, 9))
    many = ObservedTensor.from_coordinates([[0, 0], [1, 2]], [1.0, 2.0], (200, 3000))
    flat = ObservedTensor.from_coordinates([[0, 0], [1, 2]], [1.0, 2.0], (5, 3000))
    rng = np.random.default_rng(0)
    ranks = [BCPF(max_iter=1).complete(data, rng=rng).settings["max_rank"] for data in (few, many, flat)]
    assert ranks == [30, 100, 5], "a matrix with five rows is the sum of five"
    assert complete(*problem((4, 3, 3)), max_rank=7, max_iter=3).settings["max_rank"] == 7
