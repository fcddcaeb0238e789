"""NCPC: its descent, its momentum, and a transcription of its formulas that builds everything."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.completion import Snapshot
from tensorfill.methods.ncpc import NCPC
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import unfold

Array = NDArray[np.float64]


def kruskal(factors: list[Array]) -> Array:
    letters = "abcd"[: len(factors)]
    return np.einsum(",".join(f"{letter}r" for letter in letters) + "->" + letters, *factors)


def problem(shape: tuple[int, ...], rank: int, share: float = 0.5, noise: float = 0.0) -> tuple[Array, NDArray[Any]]:
    """A nonnegative tensor of low CP rank whose largest known value is 1."""
    rng = np.random.default_rng(len(shape))
    data = kruskal([rng.random((size, rank)) ** 2 for size in shape])
    data = data / data.max() + noise * rng.random(shape)
    known = rng.random(shape) < share
    return data / data[known].max(), known


def complete(data: Array, known: NDArray[Any], **settings: Any) -> Any:
    watch = settings.pop("watch", None)
    observed = ObservedTensor.from_array(data, known)
    return NCPC(**settings).complete(observed, rng=np.random.default_rng(3), watch=watch)


# The algorithm


class Transcription:
    """The formulas as they are written, with the imputed tensor M and all Khatri-Rao products in full."""

    def __init__(self, data: Array, known: NDArray[Any], rank: int) -> None:
        self.data, self.known, self.order = data, known, data.ndim
        rng = np.random.default_rng(3)
        self.A = [np.maximum(rng.standard_normal((size, rank)), 0) for size in data.shape]
        norm = np.linalg.norm(data[known])
        self.A = [A / np.linalg.norm(A) * norm ** (1 / self.order) for A in self.A]
        self.M = np.where(known, data, 0.0)
        self.ahead, self.t, self.L, self.cost = self.A, 1.0, np.ones(self.order), math.inf
        self.resets, self.held_back = 0, 0

    def iterate(self, *, extrapolation: bool) -> None:
        A, L = list(self.A), np.empty(self.order)
        for n in range(self.order):
            others = [A[m] for m in range(self.order) if m != n]
            KR = np.stack([kruskal([o[:, [c]] for o in others]).ravel() for c in range(A[n].shape[1])], axis=1)
            B = KR.T @ KR
            L[n] = np.linalg.norm(B, 2)
            A[n] = np.maximum(self.ahead[n] - (self.ahead[n] @ B - unfold(self.M, n) @ KR) / L[n], 0)
        M = kruskal(A)
        cost = 0.5 * np.sum((M - self.data)[self.known] ** 2)
        if cost >= self.cost:
            self.ahead, self.resets = self.A, self.resets + 1
            return
        t = (1 + math.sqrt(1 + 4 * self.t**2)) / 2
        wish, bound = (self.t - 1) / t, np.sqrt(self.L / L)
        w = np.minimum(wish, bound) if extrapolation else np.zeros(self.order)
        self.held_back += int((bound < wish).sum())
        self.ahead = [new + weight * (new - old) for new, old, weight in zip(A, self.A, w, strict=True)]
        self.A, self.t, self.L, self.cost, self.M = A, t, L, cost, np.where(self.known, self.data, M)


@pytest.mark.parametrize("shape", [(9, 8), (7, 6, 5), (5, 4, 3, 4)], ids=str)
@pytest.mark.parametrize("extrapolation", [True, False])
def test_it_does_what_the_formulas_say(shape: tuple[int, ...], extrapolation: bool) -> None:
    data, known = problem(shape, 2, share=0.8)
    seen: list[Snapshot] = []
    complete(data, known, rank=3, tolerance=0.0, max_iter=80, extrapolation=extrapolation, watch=seen.append)
    formulas = Transcription(data, known, 3)
    for snapshot in seen[1:]:
        formulas.iterate(extrapolation=extrapolation)
        assert snapshot.step.cost == pytest.approx(formulas.cost, rel=1e-6, abs=1e-12)
        np.testing.assert_allclose(snapshot.estimate.dense(), kruskal(formulas.A), atol=1e-7)
    assert len(seen) == 81
    assert (formulas.resets > 0) == extrapolation, "the rule for going too far is part of the comparison"


def test_extrapolation_is_held_back_where_the_steps_became_much_shorter() -> None:
    data, known = problem((12, 10, 8), 2, share=0.1)
    seen: list[Snapshot] = []
    complete(data, known, rank=2, tolerance=0.0, max_iter=10, watch=seen.append)
    formulas = Transcription(data, known, 2)
    for snapshot in seen[1:]:
        formulas.iterate(extrapolation=True)
        np.testing.assert_allclose(snapshot.estimate.dense(), kruskal(formulas.A), atol=1e-10)
    assert formulas.held_back > 0, "or this compares nothing new"


@pytest.mark.parametrize("extrapolation", [True, False])
def test_the_cost_never_rises_after_the_first_iteration(extrapolation: bool) -> None:
    data, known = problem((15, 12, 10), 4, noise=0.3)
    done = complete(data, known, rank=4, tolerance=0.0, max_iter=150, extrapolation=extrapolation)
    cost = done.history.cost[1:]
    assert (np.diff(cost) <= 0).all()
    assert cost[-1] < 0.25 * cost[0]


def test_the_cost_is_the_misfit_of_the_known_entries() -> None:
    data, known = problem((12, 10, 8), 3, noise=0.1)
    done = complete(data, known, rank=2, max_iter=20)
    assert done.history.cost[-1] == pytest.approx(0.5 * np.sum((done.model - data)[known] ** 2))


def test_extrapolation_gets_further() -> None:
    data, known = problem((15, 12, 10), 3)
    plain, ahead = (complete(data, known, rank=3, tolerance=0.0, max_iter=100, extrapolation=e) for e in (False, True))
    assert ahead.history.cost[-1] < 0.5 * plain.history.cost[-1]


def test_all_factors_are_nonnegative_at_every_iteration() -> None:
    data, known = problem((12, 10, 8), 3, noise=0.3)

    def look(snapshot: Snapshot) -> None:
        factors = snapshot.estimate.estimate.factors  # type: ignore[attr-defined]
        assert all(factor.min() >= 0 for factor in factors)
        zeros.append(sum(int(np.count_nonzero(factor == 0)) for factor in factors))

    zeros: list[int] = []
    complete(data, known, rank=6, watch=look)
    assert zeros[-1] > 0, "or the projection has nothing to do"


@pytest.mark.parametrize("shape", [(20, 18), (15, 12, 10), (8, 7, 6, 5)], ids=str)
def test_a_nonnegative_tensor_of_low_rank_is_recovered(shape: tuple[int, ...]) -> None:
    data, known = problem(shape, 2, share=0.7)
    done = complete(data, known, rank=2, tolerance=1e-10, max_iter=3000)
    assert np.linalg.norm(done.model - data) < 1e-3 * np.linalg.norm(data)


# Stopping


def test_it_stops_when_the_known_entries_are_met() -> None:
    data, known = problem((30, 25, 20), 1, share=0.9)
    done = complete(data, known, rank=1, tolerance=0.1)
    assert done.stop.kind == "fit"
    norm = np.linalg.norm(data[known])
    assert np.linalg.norm((done.model - data)[known]) < 0.1 * norm
    assert (np.sqrt(2 * done.history.cost[:-1]) >= 0.1 * norm).all()


def test_it_stops_after_three_iterations_with_hardly_any_change() -> None:
    data, known = problem((12, 10, 8), 3, noise=0.3)
    done = complete(data, known, rank=2, tolerance=1e-3, extrapolation=False)
    assert done.stop.kind == "change"
    cost = done.history.cost
    small = np.abs(np.diff(cost)) < 1e-3 * (cost[:-1] + 1)
    assert small[-3:].all()
    assert not (small[:-3] & small[1:-2] & small[2:-1]).any()


def test_it_stops_when_rounding_is_all_that_is_left() -> None:
    data = np.full((4, 3), 0.7)
    known = np.ones((4, 3), dtype=bool)
    known[0, 0] = False
    done = complete(data, known, rank=1, tolerance=0.0, max_iter=5000)
    assert done.stop.kind == "stalled"
    assert done.model[0, 0] == pytest.approx(0.7)


# Sizes


@pytest.mark.parametrize("shape", [(1, 1, 6), (5, 1), (1, 4, 1, 3)], ids=str)
def test_a_start_without_a_positive_number_does_not_make_a_factor_zero(shape: tuple[int, ...]) -> None:
    known = np.ones(shape, dtype=bool)
    known.flat[-1] = False
    for seed in range(8):  # each has a good chance of a negative number for a mode of size 1
        done = NCPC(rank=1).complete(
            ObservedTensor.from_array(np.full(shape, 0.5), known), rng=np.random.default_rng(seed)
        )
        np.testing.assert_allclose(done.model[known], 0.5, atol=0.02)


# Settings


def test_the_rank_is_one_number_even_beyond_the_sizes_of_the_modes() -> None:
    data, known = problem((4, 3, 3), 2)
    assert complete(data, known, rank=7, max_iter=3).settings["rank"] == 7
