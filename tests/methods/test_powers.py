"""Completing a power of the data: the way back, the choice, and that nobody notices otherwise."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter
from scipy.stats import norm

import tensorfill
from tensorfill.completion import Snapshot
from tensorfill.errors import InvalidSetting
from tensorfill.estimates.derived import deviation_of_root, expected_root
from tensorfill.methods.spectral import Spectral
from tensorfill.observed import ObservedTensor


def smooth_field(shape: tuple[int, ...] = (48, 48, 6), seed: int = 0) -> NDArray[np.float64]:
    """Waves of some frequencies, from about 0 to 1."""
    rng = np.random.default_rng(seed)
    grids = np.meshgrid(*(np.linspace(0, 1, size) for size in shape), indexing="ij")
    total = np.zeros(shape)
    for _ in range(12):
        total += rng.normal() * np.cos(sum(rng.uniform(0, 9) * grid for grid in grids) + rng.uniform(0, 6))
    return (total - total.min()) / (total.max() - total.min())


def skewed(seed: int = 0) -> NDArray[np.float64]:
    """Bright spots on a dark ground: they vary in proportion to their size."""
    rough = gaussian_filter(np.random.default_rng([seed, 1]).normal(size=(48, 48, 6)), (2, 2, 1))
    return np.exp(0.7 * rough / rough.std())


def known(shape: tuple[int, ...], share: float = 0.3, seed: int = 0) -> NDArray[np.bool_]:
    return np.asarray(np.random.default_rng([seed, 2]).random(shape) < share)


@pytest.mark.parametrize("power", [0.5, 0.75])
@pytest.mark.parametrize("mean", [0.0, 0.1, 1.0])
def test_the_way_back_is_the_mean_and_the_deviation_of_roots_of_a_normal_number(power: float, mean: float) -> None:
    deviation = 0.2
    x = (norm.ppf((np.arange(100_000) + 0.5) / 100_000) * deviation + mean).clip(0) ** (1 / power)
    at = np.array([mean])
    assert expected_root(at, power, deviation**2)[0] == pytest.approx(x.mean(), rel=0.1)
    assert deviation_of_root(at, power, np.array([deviation]))[0] == pytest.approx(x.std(), rel=0.2)


def test_far_from_zero_the_way_back_of_squares_adds_the_variance() -> None:
    assert expected_root(np.array([3.0]), 0.5, 0.04)[0] == pytest.approx(9.04)


def test_without_a_variance_the_way_back_is_the_root() -> None:
    assert expected_root(np.array([-1.0, 0.0, 8.0]), 0.75, 0.0) == pytest.approx([0.0, 0.0, 16.0])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_power_is_taken_of_skewed_data_and_makes_it_better(seed: int) -> None:
    truth = skewed(seed)
    mask = known(truth.shape, seed=seed)
    chosen, plain = (tensorfill.complete(truth, mask, "spectral", power=power) for power in (None, 1))
    assert chosen.settings["power"] < 1
    assert "1 " in chosen.reasons["power"]
    errors = [np.sqrt(np.mean((done.model - truth)[~mask] ** 2)) for done in (chosen, plain)]
    assert errors[0] < 0.97 * errors[1]


def test_data_that_is_not_skewed_stays_as_it_is() -> None:
    truth = smooth_field()
    done = tensorfill.complete(truth, known(truth.shape), "spectral")
    assert done.settings["power"] == 1
    assert "power" not in done.reasons


@pytest.mark.parametrize("method", ["spectral", "patches"])
def test_a_completion_of_a_power_is_one_of_the_data(method: str) -> None:
    truth = skewed()
    mask = known(truth.shape)
    seen: list[Snapshot] = []
    done = tensorfill.complete(truth, mask, method, power=0.5, watch=lambda snapshot: seen.append(snapshot))
    np.testing.assert_array_equal(done.tensor[mask], truth[mask])
    assert done.model.min() >= 0
    rows = np.argwhere(~mask)[::97]
    np.testing.assert_allclose(done.predict(rows), done.tensor[tuple(rows.T)], rtol=1e-12)
    assert pickle.loads(pickle.dumps(done)).settings["power"] == 0.5
    error = np.sqrt(np.mean((done.model - truth)[~mask] ** 2))
    assert 0.4 < done.history.cost[-1] * truth[mask].max() / error < 2.5
    last = seen[-1].estimate.dense()
    assert np.sqrt(np.mean((last - truth)[~mask] ** 2)) < 2 * error


@pytest.mark.parametrize("method", ["spectral", "patches"])
def test_deviations_are_as_right_as_without_a_power(method: str) -> None:
    truth = skewed()
    mask = known(truth.shape)
    within = []
    for power in (1, 0.5):
        done = tensorfill.complete(truth, mask, method, power=power)
        sizes = (np.abs(done.model - truth) / np.where(mask, 1, done.uncertainty))[~mask]
        within.append([np.mean(sizes < 1), np.mean(sizes < 2)])
    assert 0.6 < within[1][0] < 0.85
    assert within[1] == pytest.approx(within[0], abs=0.05)


def test_a_time_limit_while_powers_are_compared_leaves_something() -> None:
    truth = skewed()
    mask = known(truth.shape)
    done = tensorfill.complete(truth, mask, "spectral", time_limit=1e-6)
    assert done.stop.kind == "time"
    assert np.isfinite(done.tensor).all()


@pytest.mark.parametrize("method", ["spectral", "patches"])
@pytest.mark.parametrize("power", [0, -1, 2, np.nan, "half"])
def test_what_is_no_power_is_refused(method: str, power: Any) -> None:
    with pytest.raises(InvalidSetting, match="'power'"):
        tensorfill.complete(skewed(), known((48, 48, 6)), method, power=power)


@pytest.mark.parametrize("method", ["spectral", "patches"])
def test_no_power_is_taken_of_what_may_be_negative(method: str) -> None:
    truth = skewed() - 0.5
    mask = known(truth.shape)
    assert tensorfill.complete(truth, mask, method, lower=None).settings["power"] == 1
    with pytest.raises(InvalidSetting, match="lower bound"):
        tensorfill.complete(truth, mask, method, lower=None, power=0.5)


def test_noise_in_the_units_of_the_data_is_not_that_of_a_power() -> None:
    truth, mask = skewed(), known((48, 48, 6))
    with pytest.raises(InvalidSetting, match="'noise'"):
        tensorfill.complete(truth, mask, "patches", power=0.5, noise=0.1)
    assert tensorfill.complete(truth, mask, "patches", noise=0.1).settings["power"] == 1
    assert tensorfill.complete(truth, mask, "patches", power=0.5).settings["noise"] is None


def test_a_run_that_is_watched_gives_the_same_bits_as_one_that_is_not() -> None:
    truth = skewed()
    mask = known(truth.shape)
    observed = ObservedTensor.from_array(truth, mask)
    watched = Spectral().complete(observed, rng=np.random.default_rng(0), watch=lambda _: None)
    alone = Spectral().complete(observed, rng=np.random.default_rng(0))  # keeps what was made while powers were tried
    assert watched.settings["power"] == alone.settings["power"] < 1
    np.testing.assert_array_equal(watched.estimate.dense(), alone.estimate.dense())
    assert len(watched.history) == len(alone.history)


def test_the_seconds_are_those_of_all_powers_that_were_tried() -> None:
    truth = skewed()
    observed = ObservedTensor.from_array(truth, known(truth.shape))
    done = Spectral().complete(observed, rng=np.random.default_rng(0))  # watched by nobody, so that no run is twice
    assert "power" in done.reasons
    alone = Spectral(power=done.settings["power"])
    once = min(alone.complete(observed, rng=np.random.default_rng(0)).seconds for _ in range(3))
    assert done.seconds > 1.5 * once


def test_borders_of_no_size_belong_to_no_size_of_a_tensor() -> None:
    truth = skewed()
    done = tensorfill.complete(truth, known(truth.shape), "spectral", borders=((0, 0),) * 3)
    assert done.settings["power"] < 1
