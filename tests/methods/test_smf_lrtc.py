"""SMF-LRTC: its steps solve their problems, its iteration is the one of the formulas, and what it refuses."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from smf_formulas import as_matrices, difference_matrix, frame_matrix, naive, wide_order

from tensorfill.completion import Completion
from tensorfill.methods import smf_lrtc
from tensorfill.methods.smf_lrtc import SMFLRTC, draw_pairs
from tensorfill.methods.smf_pairs import FactorPair, PicturePair, Sparsity
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array

SHAPE = (6, 5, 4)


def low_rank(shape: tuple[int, ...] = SHAPE, rank: int = 2) -> Array:
    """A nonnegative tensor of low rank whose largest value is 1, so that nothing is rescaled."""
    rng = np.random.default_rng(1)
    data = np.einsum("ir,jr,kr->ijk", *(rng.random((size, rank)) for size in shape))
    return np.asarray(data / data.max())


def half_known(data: Array, share: float = 0.5) -> ObservedTensor:
    known = np.random.default_rng(2).random(data.shape) < share
    known.reshape(-1)[data.argmax()] = True
    return ObservedTensor.from_array(data, known)


def run(observed: ObservedTensor, seed: int = 0, watch: Any = None, **settings: Any) -> Completion:
    return SMFLRTC(**settings).complete(observed, rng=np.random.default_rng(seed), watch=watch)


# The iteration


def used(observed: ObservedTensor, **settings: Any) -> dict[str, Any]:
    """The settings of a run with nothing left open."""
    method = SMFLRTC(**settings)
    return dict(run(observed, **(settings | {"max_iter": 1})).settings) | {"max_iter": method.max_iter}


@pytest.mark.parametrize(
    ("shape", "rank"), [(SHAPE, (3, 2, 2)), ((3, 7, 1), (2, 3, 1)), ((4, 3, 2), (1, 3, 2))], ids=str
)
def test_the_iteration_is_the_one_of_the_formulas(shape: tuple[int, ...], rank: tuple[int, ...]) -> None:
    observed = half_known(low_rank(shape))
    start = draw_pairs(shape, used(observed, rank=rank), np.random.default_rng(5))
    expected = naive(observed, as_matrices(start))
    seen: list[tuple[Array, float]] = []
    run(
        observed,
        seed=5,
        rank=rank,
        max_iter=6,
        tolerance=0.0,
        watch=lambda snapshot: seen.append((snapshot.estimate.dense(), snapshot.step.cost)),
    )
    assert len(seen) == 7
    for (Y, cost), (Y_naive, cost_naive) in zip(seen[1:], expected, strict=False):
        np.testing.assert_allclose(Y, Y_naive, atol=1e-9)
        assert cost == pytest.approx(cost_naive, rel=1e-9)


# The two inner problems


def picture_pair(steps: int, pictures_penalty: float = 1000.0, profiles_penalty: float = 1.0) -> PicturePair:
    rng = np.random.default_rng(3)
    return PicturePair(
        0,
        rng.random((2, 4, 3)),
        rng.random((2, 5)),
        pictures=Sparsity(10.0, pictures_penalty, 0.3),
        profiles=Sparsity(100.0, profiles_penalty, 3.0),
        inner_iterations=steps,
    )


FRAMES = np.random.default_rng(4).random((5, 4, 3))


def test_the_first_step_for_the_pictures_solves_its_linear_system() -> None:
    pair = picture_pair(steps=1)
    X_old, A_old = pair.X.reshape(2, -1), pair.A
    pair.fit(FRAMES)
    X = pair.X.reshape(2, -1)
    residual = 10.0 * A_old @ (A_old.T @ X - FRAMES.reshape(5, -1)) + 0.3 * (X - X_old) + 1000.0 * X
    assert np.abs(residual).max() < 1e-10


def test_the_first_step_for_the_profiles_solves_its_linear_system() -> None:
    pair = picture_pair(steps=1)
    A_old = pair.A
    pair.fit(FRAMES)
    X, A, D = pair.X.reshape(2, -1), pair.A, difference_matrix(5)
    residual = 100.0 * X @ (X.T @ A - FRAMES.reshape(5, -1).T) + 3.0 * (A - A_old) + A @ D.T @ D
    assert np.abs(residual).max() < 1e-10


def test_many_inner_steps_find_the_optimum_of_a_convex_solver() -> None:
    pair = picture_pair(steps=3000, pictures_penalty=20.0, profiles_penalty=20.0)
    X_old, A_old, Y = pair.X.reshape(2, -1).T, pair.A, FRAMES.reshape(5, -1).T
    pair.fit(FRAMES)
    W = frame_matrix(4, 6) @ wide_order((4, 3, 5), 2)
    x = cp.Variable(24)
    X = cp.reshape(x, (12, 2), order="C")
    fit = 5.0 * cp.sum_squares(Y - X @ A_old) + 0.15 * cp.sum_squares(X - X_old)
    cp.Problem(cp.Minimize(fit + cp.norm1(W @ x))).solve(solver="CLARABEL")
    np.testing.assert_allclose(pair.X.reshape(2, -1).T, X.value, atol=1e-5)

    A, fixed = cp.Variable((2, 5)), pair.X.reshape(2, -1).T
    fit = 50.0 * cp.sum_squares(Y - fixed @ A) + 1.5 * cp.sum_squares(A - A_old)
    cp.Problem(cp.Minimize(fit + cp.sum(cp.abs(A @ difference_matrix(5).T)))).solve(solver="CLARABEL")
    np.testing.assert_allclose(pair.A, A.value, atol=1e-5)


# What the iteration keeps, and where it leads


def test_the_start_is_filled_with_zeros() -> None:
    observed = half_known(low_rank())
    seen: list[Array] = []
    run(observed, max_iter=1, watch=lambda snapshot: seen.append(snapshot.estimate.dense()))
    assert (np.delete(seen[0].reshape(-1), observed.positions) == 0).all()


def test_low_rank_data_is_recovered() -> None:
    data = low_rank((30, 25, 12), rank=2)
    done = run(half_known(data), rank=(4, 4, 3))
    assert np.sqrt(np.mean((done.model - data) ** 2)) < 0.01
    assert done.stop.kind == "change"


def test_it_stops_as_soon_as_the_tensor_hardly_changes() -> None:
    seen: list[Array] = []
    observed = half_known(low_rank((12, 10, 6)))
    done = run(observed, rank=3, tolerance=2e-3, watch=lambda snapshot: seen.append(snapshot.estimate.dense()))
    changes = [np.linalg.norm(new - old) / np.linalg.norm(old) for old, new in pairwise(seen)]
    assert done.stop.kind == "change"
    assert "0.002" in done.stop.sentence
    assert changes[-1] <= 2e-3 < min(changes[:-1])


# Ranks that grow


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> list[FactorPair]:
    """The pairs of the run that follows, as they are at its end."""
    held: list[FactorPair] = []

    def watched(*args: Any) -> tuple[FactorPair, ...]:
        held.extend(draw_pairs(*args))
        return tuple(held)

    monkeypatch.setattr(smf_lrtc, "draw_pairs", watched)
    return held


def test_ranks_grow_until_they_reach_their_limit_or_just_beyond(pairs: list[FactorPair]) -> None:
    done = run(half_known(low_rank((12, 11, 10))), rank=2, rank_max=(6, 2, 8), rank_step=3, tolerance=0.0, max_iter=120)
    assert [pair.rank for pair in pairs] == [8, 2, 8]
    assert [pair.X.shape for pair in pairs] == [(10, 8, 11), (10, 12, 2), (8, 12, 11)]
    assert np.isfinite(done.model).all()


def test_ranks_stay_unless_asked_to_grow(pairs: list[FactorPair]) -> None:
    run(half_known(low_rank((12, 11, 10))), rank=2, tolerance=0.0, max_iter=60)
    assert [pair.rank for pair in pairs] == [2, 2, 2]


def test_a_rank_grows_only_when_its_pair_has_settled(pairs: list[FactorPair]) -> None:
    run(half_known(low_rank((12, 11, 10))), rank=2, rank_max=9, tolerance=0.0, max_iter=3)
    assert [pair.rank for pair in pairs] == [2, 2, 2]


# Settings and refusals


def test_settings_left_open_are_told_as_used() -> None:
    settings = run(half_known(low_rank((12, 4, 3))), max_iter=1).settings
    assert (settings["rank"], settings["rank_max"]) == ((10, 4, 3), (10, 4, 3))
    assert set(settings) == {field.name for field in fields(SMFLRTC)}


@pytest.mark.parametrize(("shape", "advice"), [((6, 5), "rows × columns × 1"), ((3, 3, 3, 2), "merge modes")], ids=str)
def test_other_orders_than_three_are_refused_with_advice(shape: tuple[int, ...], advice: str) -> None:
    observed = ObservedTensor.from_array(np.ones(shape), np.arange(np.prod(shape)).reshape(shape) % 2 == 0)
    refusal = SMFLRTC().refuses(observed)
    assert refusal is not None
    assert f"this one has {len(shape)}" in refusal
    assert advice in refusal
    assert SMFLRTC().refuses(half_known(low_rank())) is None


def test_a_singular_system_ends_the_run_with_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def singular(*_: Any) -> None:
        raise np.linalg.LinAlgError

    monkeypatch.setattr(PicturePair, "fit", singular)
    done = run(half_known(low_rank()))
    assert (done.stop.kind, done.iterations) == ("stalled", 0)


@pytest.mark.parametrize("shape", [(1, 1, 2), (1, 5, 4), (5, 1, 4), (5, 4, 1), (2, 1, 1)], ids=str)
def test_modes_of_size_one_are_no_problem(shape: tuple[int, ...]) -> None:
    known = np.arange(np.prod(shape)).reshape(shape) % 2 == 0
    assert np.isfinite(run(ObservedTensor.from_array(np.full(shape, 2.0), known), max_iter=20).model).all()
