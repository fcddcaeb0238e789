"""RPrecon and geomCG: what their iterations promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorfill import complete
from tensorfill.completion import Snapshot
from tensorfill.errors import InvalidSetting
from tensorfill.estimates.factored import TuckerTensor
from tensorfill.methods.tucker import GeomCG, RPrecon, TuckerFit
from tensorfill.riemannian.tucker import random_nonnegative

METHODS = [RPrecon, GeomCG]


def synthetic(shape: tuple[int, ...], ranks: tuple[int, ...], share: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    truth = random_nonnegative(shape, ranks, rng).dense()
    return truth / truth.max(), rng.random(shape) < share


@pytest.mark.parametrize("method", METHODS)
def test_the_cost_never_rises(method: Any) -> None:
    truth, known = synthetic((20, 18, 16), (2, 3, 2), 0.4)
    costs = complete(truth, known, method=method.name, rank=(3, 3, 3), max_iter=40).history.cost
    assert (np.diff(costs) <= 1e-12 * costs[:-1]).all()


@pytest.mark.parametrize("method", METHODS)
def test_the_cost_is_half_the_squared_residual_of_the_scaled_data(method: Any) -> None:
    truth, known = synthetic((12, 10, 8), (2, 2, 2), 0.6)
    done = complete(50 * truth, known, method=method.name, rank=2, max_iter=5)
    largest = float(truth[known].max())
    residual = (done.model / 50 - truth)[known] / largest
    assert done.history[-1].cost == pytest.approx(0.5 * float(residual @ residual))


@pytest.mark.parametrize("method", METHODS)
def test_factors_stay_orthonormal(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    truth, known = synthetic((20, 18, 16), (2, 3, 2), 0.4)
    seen: list[TuckerTensor] = []
    look = TuckerFit.look
    monkeypatch.setattr(TuckerFit, "look", lambda self, point: (seen.append(point), look(self, point))[1])
    complete(truth, known, method=method.name, rank=(3, 3, 3), max_iter=20)
    assert len(seen) > 15
    for U in (factor for point in seen for factor in point.factors):
        np.testing.assert_allclose(U.T @ U, np.eye(U.shape[1]), atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("shape", "ranks"), [((30, 25), (2, 2)), ((20, 18, 16), (2, 3, 2)), ((9, 8, 7, 6), (2, 2, 2, 2))], ids=str
)
def test_a_tensor_of_the_given_rank_is_found_to_many_digits(
    method: Any, shape: tuple[int, ...], ranks: tuple[int, ...]
) -> None:
    truth, known = synthetic(shape, ranks, 0.6)
    done = complete(truth, known, method=method.name, rank=ranks)
    assert done.stop.kind == "fit"
    assert np.linalg.norm(done.model - truth) < 1e-3 * np.linalg.norm(truth)


def test_rprecon_stops_by_the_mean_squared_error_not_before_the_third_iteration() -> None:
    truth, known = synthetic((12, 10, 8), (2, 2, 2), 0.6)
    done = complete(truth, known, method="rprecon", rank=2, fit_tolerance=1e9)
    assert (done.stop.kind, done.iterations) == ("fit", 3)
    assert "fit_tolerance=1e+09" in done.stop.sentence


def test_geomcg_stops_when_the_residual_hardly_changes() -> None:
    rng = np.random.default_rng(0)
    done = complete(rng.random((15, 14, 13)), rng.random((15, 14, 13)) < 0.9, method="geomcg", rank=2)
    assert done.stop.kind == "change"
    errors = np.sqrt(done.history.cost)
    changes = np.abs(np.diff(errors)) / errors[1:]
    assert changes[-1] <= 1e-5 < changes[:-1].min()


def test_the_search_shortens_a_step_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, known = synthetic((12, 10, 8), (2, 2, 2), 0.6)
    best = TuckerFit.best_step
    monkeypatch.setattr(TuckerFit, "best_step", lambda self, at, direction: 8 * best(self, at, direction))
    for method in METHODS:
        costs = complete(truth, known, method=method.name, rank=2, max_iter=10).history.cost
        assert (np.diff(costs) <= 0).all()
    wild = complete(truth, known, method="geomcg", rank=2, max_iter=10, backtracking=False).history.cost
    assert not (np.diff(wild) <= 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_rank_that_no_tensor_has_is_refused(method: Any) -> None:
    data = np.where(np.random.default_rng(0).random((9, 8, 7)) < 0.5, 1.0, np.nan)
    with pytest.raises(InvalidSetting, match=r"Got \(8, 2, 2\) instead; \(4, 2, 2\) would do"):
        complete(data, method=method.name, rank=(8, 2, 2))


@pytest.mark.parametrize("method", METHODS)
def test_a_rank_left_open_is_one_that_a_tensor_has_and_the_data_supports(method: Any) -> None:
    rng = np.random.default_rng(0)
    for shape, share, rank in (
        ((90, 1, 7), 1.0, (3, 1, 3)),
        ((9, 8, 6), 0.3, (3, 3, 3)),
        ((60, 50, 3), 0.5, (10, 10, 3)),
    ):
        data, known = rng.random(shape), rng.random(shape) < share
        known.flat[0] = False
        done = complete(data, known, method=method.name, max_iter=3)
        assert done.settings["rank"] == rank
        numbers = np.prod(rank) + sum(r * (n - r) for r, n in zip(rank, shape, strict=True))
        assert 2 * numbers <= known.sum()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(20, 15), (12, 10, 8), (30, 30, 3)], ids=str)
def test_unknown_entries_do_not_stay_far_above_the_data(method: Any, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    data, known = 7.3 + 1e-9 * rng.random(shape), rng.random(shape) < 0.4
    done = complete(data, known, method=method.name)
    assert done.settings["start"] == "data"
    assert done.tensor.max() < 3 * 7.3
    assert np.median(done.tensor[~known]) == pytest.approx(7.3, rel=0.01)


@pytest.mark.parametrize("method", METHODS)
def test_with_a_rank_of_ones_own_the_start_is_the_authors(method: Any) -> None:
    rng = np.random.default_rng(0)
    data, known = rng.random((12, 10, 8)), rng.random((12, 10, 8)) < 0.5
    seen: list[Snapshot] = []
    done = complete(data, known, method=method.name, rank=2, max_iter=1, watch=seen.append)
    assert done.settings["start"] == "authors"
    assert seen[0].estimate.dense().max() > 2 * data.max()
    seen.clear()
    complete(data, known, method=method.name, rank=2, start="data", max_iter=1, watch=seen.append)
    assert 0.3 < seen[0].estimate.dense().mean() / data.mean() < 1
