"""`patches`: sharp structure that comes again, what it promises, and where it is no use."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from patches_examples import (
    Mask,
    clip,
    cube,
    error,
    errors,
    example,
    glyphs,
    in_colour,
    scattered,
    stripes,
)

from tensorfill.library import complete
from tensorfill.methods.patches import Patches
from tensorfill.numerics import threads
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array

SEEDS = range(3)


# Sharp structure that comes again


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("picture", "times"), [(glyphs, 0.5), (stripes, 0.8)])
def test_pictures(picture: Callable[[int], Array], times: float, seed: int) -> None:
    found, before = errors(picture(seed), scattered((64, 64), 0.5, seed))
    assert found < times * before


@pytest.mark.parametrize("seed", SEEDS)
def test_colour_pictures_with_whole_pixels_missing(seed: int) -> None:
    found, before = errors(in_colour(stripes(seed, 48)), scattered((48, 48), 0.5, seed))
    assert found < 0.9 * before


@pytest.mark.parametrize("seed", SEEDS)
def test_a_clip(seed: int) -> None:
    found, before = errors(clip(seed), scattered((24, 24, 8), 0.5, seed))
    assert found < 0.6 * before


@pytest.mark.parametrize("seed", SEEDS)
def test_lost_frames_of_a_clip(seed: int) -> None:
    truth = np.stack([np.roll(glyphs(seed, 40), frame // 2, axis=1) for frame in range(12)], axis=-1)
    known = np.ones(truth.shape, dtype=bool)
    known[..., [4, 9]] = False
    found, before = errors(truth, known)
    assert found < 0.8 * before


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("modes", [None, (1, 2)])
def test_a_cube_in_all_its_modes_or_by_a_basis_of_bands(modes: tuple[int, ...] | None, seed: int) -> None:
    found, before = errors(cube(seed), scattered((36, 36, 9), 0.2, seed), modes=modes)
    assert found < 0.85 * before


@pytest.mark.parametrize("seed", SEEDS)
def test_a_clip_in_colour(seed: int) -> None:
    found, before = errors(in_colour(clip(seed)[:, :, :6], 2), scattered((24, 24, 3, 6), 0.35, seed))
    assert found < 0.6 * before


# What it promises


def test_groups_are_of_use_in_the_example() -> None:
    _, _, done = example()
    assert done.stop.kind == "done"
    assert str(done.stop).startswith("Done: groups of similar patches, to an error of ")
    assert done.reasons["patches"].startswith("6×6 along modes 1, 2, where ")
    assert "patches each, of those within" in done.reasons["groups"]
    assert {"noise", "spectrum"} < set(done.reasons), "what spectral has to say is told too"


def test_nothing_is_negative_before_anything_is_clipped() -> None:
    _, _, done = example()
    assert done.nonnegative
    assert done.estimate.dense().min() >= 0
    assert done.smallest == done.estimate.dense().min(), "what would be below the bound is raised in every round"
    assert done.certificate is None, "there is one problem for every group"


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_known_entries_and_the_dtype_are_kept(dtype: Any) -> None:
    truth, known, _ = example()
    data = (200 * truth).astype(dtype)
    done = complete(data, known, "patches")
    assert done.tensor.dtype == dtype
    np.testing.assert_array_equal(done.tensor[known], data[known])
    assert done.reasons["patches"].startswith("6×6")


def test_without_a_lower_bound_nothing_is_clipped() -> None:
    truth, known, _ = example()
    done = complete(truth - 0.4, known, "patches", lower=None)
    assert (done.lower, done.nonnegative) == (None, False)
    assert done.reasons["patches"].startswith("6×6")
    assert done.model.min() < (truth - 0.4)[known].min(), "some go beyond all that is known"
    np.testing.assert_array_equal(done.tensor[~known], done.estimate.dense()[~known])


def test_the_same_seed_gives_the_same_bits_and_another_one_others() -> None:
    truth, known, done = example()
    again, other = (complete(truth, known, "patches", random_state=seed) for seed in (0, 1))
    np.testing.assert_array_equal(again.model, done.model)
    np.testing.assert_array_equal(again.history.cost, done.history.cost)
    assert not np.array_equal(other.model, done.model)


def test_the_same_bits_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, known, done = example()
    for count in (1, 3):
        monkeypatch.setattr(threads, "thread_count", lambda count=count: count)
        np.testing.assert_array_equal(complete(truth, known, "patches").model, done.model)


@pytest.mark.parametrize("exponent", [-12, 7, 60])
def test_the_unit_of_the_data_does_not_matter(exponent: int) -> None:
    truth, known, done = example()
    scaled = complete(np.ldexp(truth, exponent), known, "patches")
    np.testing.assert_array_equal(np.ldexp(scaled.model, -exponent), done.model)
    np.testing.assert_array_equal(scaled.history.cost, done.history.cost)


def test_other_units_round_otherwise_and_that_is_all() -> None:
    truth, known, done = example()
    scaled = complete(1000 * truth, known, "patches")
    assert error(scaled, 1000 * truth, known) / 1000 == pytest.approx(error(done, truth, known), rel=0.1)


def test_values_that_are_hidden_are_not_seen() -> None:
    truth, known, done = example()
    np.testing.assert_array_equal(complete(np.where(known, truth, 77.0), known, "patches").tensor, done.tensor)


def test_a_completion_can_be_pickled() -> None:
    _, _, done = example()
    again = pickle.loads(pickle.dumps(done))
    np.testing.assert_array_equal(again.model, done.model)
    np.testing.assert_array_equal(again.uncertainty, done.uncertainty)
    assert again.reasons == done.reasons


def test_how_sure_it_is_of_what_is_missing() -> None:
    truth, known, done = example()
    assert np.isfinite(done.uncertainty).all()
    assert (done.uncertainty[~known] > 0).all()
    typical = np.sqrt(np.mean(done.uncertainty[~known] ** 2))
    assert 0.3 < typical / error(done, truth, known) < 3


def test_the_history_goes_on_from_that_of_spectral_and_ends_with_its_own_error() -> None:
    truth, known, done = example()
    before = complete(truth, known, "spectral")
    count = len(before.history)
    np.testing.assert_array_equal(done.history.cost[:count], before.history.cost)
    assert len(done.history) > count
    assert [step.iteration for step in done.history] == list(range(len(done.history)))
    assert (np.diff(done.history.seconds) >= 0).all()
    assert done.history.cost[-1] < 0.7 * done.history.cost[count - 1]
    assert 0.5 < done.history.cost[-1] * truth[known].max() / error(done, truth, known) < 2


def test_what_was_predicted_at_held_out_entries_is_told() -> None:
    truth, known, _ = example()
    data = ObservedTensor.from_array(truth, known)
    again, held_out = Patches().run(data, rng=np.random.default_rng(0))
    assert held_out is not None
    assert known[held_out.held].all()
    assert held_out.predictions.min() >= 0
    missed = held_out.judge.error(held_out.predictions - truth[held_out.held])
    assert missed == pytest.approx(again.history.cost[-1] * truth[known].max(), rel=1e-3)
    assert f"error at held-out entries {missed:.3g}" in again.reasons["patches"]


# Where groups are no use


def noisy_surface(seed: int) -> tuple[Array, Array, Mask]:
    """A smooth surface, the same with white noise, which no patch has in common with another, and what is known."""
    i, j = np.mgrid[:48, :48]
    surface = 2 + np.sin(i / 10) * np.cos(j / 9)
    noise = np.random.default_rng(seed).standard_normal(surface.shape)
    return surface, surface + 0.05 * noise, scattered(surface.shape, 0.5, seed)


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_where_groups_are_no_use_the_result_is_that_of_spectral(seed: int) -> None:
    _, noisy, known = noisy_surface(seed)
    done, before = complete(noisy, known, "patches"), complete(noisy, known, "spectral")
    assert done.reasons["patches"].startswith("No use: error at held-out entries ")
    assert "groups" not in done.reasons
    np.testing.assert_array_equal(done.model, before.model)
    np.testing.assert_array_equal(done.uncertainty, before.uncertainty)
    assert (done.method, done.stop, done.certificate) == ("patches", before.stop, before.certificate)
    assert len(done.history) > len(before.history), "groups were tried"
    not_chosen = dict.fromkeys(["modes", "patch", "window", "members", "noise"])
    assert done.settings == not_chosen | {"max_iter": 8, "power": 1.0}


@pytest.mark.parametrize("seed", range(8))
def test_where_held_out_entries_like_groups_by_luck_they_do_little_harm(seed: int) -> None:
    surface, noisy, known = noisy_surface(seed)
    done, before = complete(noisy, known, "patches"), complete(noisy, known, "spectral")
    assert error(done, surface, known) < 1.15 * error(before, surface, known)


@pytest.mark.parametrize("shape", [(20, 15), (12, 10, 8), (600, 4)], ids=str)
def test_of_few_sites_or_one_mode_with_neighbours_there_are_no_groups(shape: tuple[int, ...]) -> None:
    truth = 1 + np.random.default_rng(0).random(shape)
    known = scattered(shape, 0.6, 0)
    done, before = complete(truth, known, "patches"), complete(truth, known, "spectral")
    np.testing.assert_array_equal(done.model, before.model)
    assert done.reasons["patches"].startswith("No use: ")
    assert len(done.history) == len(before.history)
