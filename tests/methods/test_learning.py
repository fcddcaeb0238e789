"""Methods that learn on windows what the tiles of a large tensor share: patches and auto."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from tensorfill.bounds import Bounds
from tensorfill.large.planning import forecast_tiles, plan_for
from tensorfill.method import Method, Question
from tensorfill.methods.auto import Auto, leader_in_tiles
from tensorfill.methods.patches import Patches
from tensorfill.methods.shared_auto import SharedAuto, pool_weights
from tensorfill.methods.shared_patches import SharedPatches
from tensorfill.methods.spectral import Spectral
from tensorfill.methods.task import Asked
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array
from tensorfill.tiles.tiling import given_tiles

RNG = np.random.default_rng(0)
ROWS, COLUMNS = np.ogrid[:72, :80]
PICTURE = 70 + 40 * np.sign(np.sin(ROWS / 5 + COLUMNS / 9)) + 20 * np.sin(COLUMNS / 4)
PICTURE = PICTURE[:, :, None] + np.array([0, 15, 30]) + RNG.normal(0, 1, (72, 80, 3))
KNOWN = np.random.default_rng(1).random(PICTURE.shape) < 0.4
SCRATCHED = np.ones(PICTURE.shape, bool)
SCRATCHED[20:22, 10:60] = SCRATCHED[40:70, 33:35] = False
LOST = np.ones(PICTURE.shape, bool)
LOST[12] = LOST[47:49] = False
LOST &= np.random.default_rng(2).random(PICTURE.shape) < 0.6


def windows(known: Array, data: Array = PICTURE) -> list[ObservedTensor]:
    return [ObservedTensor.from_array(data[part], known[part]) for part in (np.s_[:56], np.s_[16:, :64])]


def rmse(method: Method, known: Array) -> float:
    done = method.complete(ObservedTensor.from_array(PICTURE, known), rng=np.random.default_rng(0))
    return float(np.sqrt(np.mean((done.model - PICTURE)[~known] ** 2)))


@pytest.fixture(scope="module")
def shared() -> SharedPatches:
    learned = Patches().learn(windows(KNOWN), rng=np.random.default_rng(0))
    assert isinstance(learned, SharedPatches)
    return learned


def test_groups_that_windows_have_chosen_are_as_good_in_tiles(shared: SharedPatches) -> None:
    assert shared.groups is not None
    assert rmse(shared, KNOWN) < 1.1 * rmse(Patches(), KNOWN)
    assert rmse(shared, KNOWN) < rmse(Spectral(), KNOWN)


def test_they_say_how_sure_they_are_and_why(shared: SharedPatches) -> None:
    done = shared.complete(ObservedTensor.from_array(PICTURE, KNOWN), rng=np.random.default_rng(0))
    errors, sure = np.abs(done.tensor - PICTURE)[~KNOWN], done.uncertainty[~KNOWN]
    assert 0.5 < np.mean(errors < sure) < 0.9
    assert "rounds" in done.reasons["patches"]
    assert done.model.min() >= 0


@pytest.mark.parametrize("method", [Patches(), Auto(), Spectral()])
def test_what_is_learned_can_be_pickled_and_is_the_same_again(method: Method) -> None:
    tile = ObservedTensor.from_array(PICTURE[:50], KNOWN[:50])
    learned = [method.learn(windows(KNOWN), rng=np.random.default_rng(0)) for _ in range(2)]
    learned[1] = pickle.loads(pickle.dumps(learned[1]))
    found = [each.complete(tile, rng=np.random.default_rng(1)).model.tobytes() for each in learned]
    assert found[0] == found[1]


def test_tiles_with_strokes_alone_choose_what_is_around_them(shared: SharedPatches) -> None:
    assert Patches().learn(windows(SCRATCHED), rng=np.random.default_rng(0)) == Patches()
    assert rmse(shared, SCRATCHED) == rmse(Patches(), SCRATCHED)


def test_auto_learns_its_weights_and_what_its_methods_learn() -> None:
    learned = Auto().learn(windows(LOST), rng=np.random.default_rng(0))
    assert isinstance(learned, SharedAuto)
    assert sum(learned.weights.values()) == pytest.approx(1)
    assert set(learned.methods) == {*learned.weights, *(learned.lost_weights or {})}
    done = learned.complete(ObservedTensor.from_array(PICTURE, LOST), rng=np.random.default_rng(0))
    assert done.method == "auto"
    assert "As chosen on 2 windows" in done.reasons["weights"]
    assert rmse(learned, LOST) < 1.15 * rmse(Auto(), LOST)


def test_weights_that_are_given_stay() -> None:
    weights = {"spectral": 0.75, "linear": 0.25}
    learned = Auto(weights=weights).learn(windows(KNOWN), rng=np.random.default_rng(0))
    assert isinstance(learned, SharedAuto)
    assert learned.weights == weights
    assert type(learned.methods["spectral"]).__name__ == "SharedSpectral"


def test_patches_are_not_tried_where_they_would_take_too_long() -> None:
    learned = Auto().learn(windows(KNOWN), rng=np.random.default_rng(0), work=10**9)
    assert isinstance(learned, SharedAuto)
    assert learned.weights == {"spectral": 1.0}
    assert "would take about" in learned.told["patches"]
    whole = Question("normal", (1000, 1000, 1000))
    assert leader_in_tiles(whole, 0.9)[0] == Spectral()
    assert leader_in_tiles(Question("high", whole.shape), 0.9)[0] == Patches()
    assert leader_in_tiles(Question("normal", (100, 100, 100)), 0.9) == (Patches(), {})


def test_weights_are_means_of_windows_without_the_least() -> None:
    pooled = pool_weights([{"a": 1.0}, {"a": 0.9, "b": 0.1}, {"a": 0.5, "c": 0.5}])
    assert pooled == pytest.approx({"a": 0.8 / (0.8 + 0.5 / 3), "c": 0.5 / 3 / (0.8 + 0.5 / 3)})
    assert sum(pool_weights([{str(number): 1 / 20 for number in range(20)}]).values()) == pytest.approx(1)


# What it takes


def test_the_forecast_of_tiles_grows_with_their_size_in_memory_and_with_the_whole_in_time() -> None:
    asked = Asked.of("spectral", {}, Bounds(), "raise")
    small, large = (
        forecast_tiles(given_tiles((1000, 1000, 100), (side, side, 100)), asked, 0.1) for side in (200, 400)
    )
    assert large.bytes > 2 * small.bytes - 3e8
    assert small.tiles == 25
    longer = forecast_tiles(given_tiles((2000, 1000, 100), (200, 200, 100)), asked, 0.1)
    assert 1.8 < longer.seconds / small.seconds < 2.2
    assert 0 < small.learning < small.seconds
    two = forecast_tiles(given_tiles((1000, 1000, 100), (200, 200, 100)), asked, 0.1, at_a_time=2)
    assert small.bytes < two.bytes < 2 * small.bytes


def test_a_plan_fits_into_what_its_forecast_says() -> None:
    asked = Asked.of("auto", {}, Bounds(), "raise")
    for shape, share in (((480, 854, 300, 3), 0.1), ((640, 480, 120), 0.1), ((2000, 1000, 500), 0.95)):
        tiling = plan_for(shape, asked.method, share)
        assert forecast_tiles(tiling, asked, share).bytes <= 3.6e9
