"""`patches`: sharp structure that comes again, what it tells about itself, its settings, and being stopped."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill import deadline
from tensorfill.completion import Completion, Snapshot
from tensorfill.errors import InvalidSetting
from tensorfill.library import complete
from tensorfill.methods.patches import Patches
from tensorfill.numerics import threads
from tensorfill.observed import ObservedTensor
from tensorfill.patches import rounds
from tensorfill.sampling import mask
from tensorfill.selection.pattern import HolePattern
from tensorfill.tensor import Array

Mask = NDArray[np.bool_]
SEEDS = range(3)


# Sharp structure that comes again


def glyphs(seed: int, size: int = 64) -> Array:
    """Three random binary glyphs of 8 × 8 pixels, side by side in any order; dark is 0.1, bright 0.9."""
    rng = np.random.default_rng(seed)
    kinds, count = rng.random((3, 8, 8)) < 0.5, size // 8
    drawn = rng.integers(0, 3, (count, count))
    return 0.1 + 0.8 * np.block([[kinds[drawn[i, j]] for j in range(count)] for i in range(count)])


def stripes(seed: int, size: int = 64) -> Array:
    """Stripes at an angle, and other ones beyond an edge."""
    i, j = np.mgrid[:size, :size]
    angle = np.random.default_rng(seed).uniform(0.3, 1.2)
    bright = (i * np.cos(angle) + j * np.sin(angle)) % 7 < 3.5
    return 0.1 + 0.8 * np.where(i + 0.3 * j > 0.6 * size, bright, ~bright & (j % 9 < 5))


def in_colour(gray: Array, mode: int = -1) -> Array:
    return np.stack([gray, 0.2 + 0.5 * gray, 0.9 - 0.6 * gray], axis=mode)


def clip(seed: int) -> Array:
    """Glyphs that move by a pixel from frame to frame."""
    return np.stack([np.roll(glyphs(seed, 24), frame, axis=1) for frame in range(8)], axis=-1)


def cube(seed: int) -> Array:
    """Stripes of two materials, nine bands each."""
    spectra = np.cumsum(np.random.default_rng(seed).random((2, 9)), axis=1)
    return spectra[(stripes(seed, 36) > 0.5).astype(int)] / spectra.max()


def scattered(shape: tuple[int, ...], share: float, seed: int) -> Mask:
    return np.random.default_rng([seed, 100]).random(shape) < share


def error(done: Completion, truth: Array, known: Mask) -> float:
    """The root mean square error where nothing was known."""
    return float(np.sqrt(np.mean((done.model - truth)[~known] ** 2)))


def errors(truth: Array, known: Mask, **settings: Any) -> tuple[float, float]:
    """That of `patches` and that of `spectral`."""
    whole = np.broadcast_to(known[..., None] if known.ndim < truth.ndim else known, truth.shape)
    done, before = complete(truth, known, "patches", **settings), complete(truth, known, "spectral")
    assert "error at held-out entries" in done.reasons["patches"]
    return error(done, truth, whole), error(before, truth, whole)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("picture", "times"), [(glyphs, 0.5), (stripes, 0.8)])
def test_pictures(picture: Callable[[int], Array], times: float, seed: int) -> None:
    found, before = errors(picture(seed), scattered((64, 64), 0.5, seed))
    assert found < times * before


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pattern", ["scratches", "text"])
def test_pictures_with_scratches_or_text(pattern: str, seed: int) -> None:
    """Of which a thin plate, where it starts, knows less than spectral."""
    truth = glyphs(seed)
    known = mask(pattern, truth.shape, 0.85, seed)
    found, smooth = errors(truth, known)
    plate = error(complete(truth, known, "biharmonic"), truth, known)
    assert found < 0.7 * plate
    assert found < 0.9 * smooth


@pytest.mark.parametrize("seed", SEEDS)
def test_colour_pictures_with_whole_pixels_missing(seed: int) -> None:
    found, before = errors(in_colour(stripes(seed, 48)), scattered((48, 48), 0.5, seed))
    assert found < 0.9 * before


@pytest.mark.parametrize("seed", SEEDS)
def test_a_clip(seed: int) -> None:
    found, before = errors(clip(seed), scattered((24, 24, 8), 0.5, seed))
    assert found < 0.6 * before


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


@cache
def example() -> tuple[Array, Mask, Completion]:
    """A picture with zeros in it, what is known, and its completion."""
    truth = np.round(glyphs(0, 48) - 0.1, 3)
    known = scattered(truth.shape, 0.5, 0)
    return truth, known, complete(truth, known, "patches")


@cache
def spectral_iterations() -> int:
    truth, known, _ = example()
    return len(complete(truth, known, "spectral").history)


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
    assert done.settings == dict.fromkeys(["modes", "patch", "window", "members", "noise"]) | {"max_iter": 8}


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


# Strokes


@cache
def scratched() -> tuple[Array, Mask, Completion]:
    """A picture with a few scratches, and its completion."""
    truth = stripes(0)
    known = mask("scratches", truth.shape, 0.9, 0)
    return truth, known, complete(truth, known, "patches")


def test_strokes_in_colour() -> None:
    truth = in_colour(stripes(0))
    known = np.ascontiguousarray(np.broadcast_to(mask("scratches", (64, 64), 0.9, 0)[..., None], truth.shape))
    done = complete(truth, known, "patches")
    assert error(done, truth, known) < error(complete(truth, known, "biharmonic"), truth, known)


def test_strokes_start_from_a_thin_plate_and_groups_improve_it() -> None:
    truth, known, done = scratched()
    plate = complete(truth, known, "biharmonic")
    assert error(done, truth, known) < 0.75 * error(plate, truth, known)
    assert "that of a thin plate" in done.reasons["patches"]
    assert not {"noise", "spectrum"} & set(done.reasons), "spectral is not asked"
    assert done.history.cost[-1] < 0.8 * done.history.cost[0]
    assert (done.stop.kind, done.nonnegative, done.certificate) == ("done", True, None)


def test_what_is_known_beside_strokes_is_kept_and_nothing_lies_below_the_bound() -> None:
    truth, known, done = scratched()
    np.testing.assert_array_equal(done.tensor[known], truth[known])
    assert done.smallest == done.estimate.dense().min()
    assert done.smallest >= 0


def test_how_sure_it_is_of_what_strokes_hide() -> None:
    truth, known, done = scratched()
    assert np.isfinite(done.uncertainty).all()
    assert (done.uncertainty[~known] > 0).all()
    typical = np.sqrt(np.mean(done.uncertainty[~known] ** 2))
    assert 0.3 < typical / error(done, truth, known) < 3


def test_strokes_can_be_replayed_and_pickled() -> None:
    truth, known, done = scratched()
    np.testing.assert_array_equal(complete(truth, known, "patches", **done.settings).model, done.model)
    again = pickle.loads(pickle.dumps(done))
    np.testing.assert_array_equal(again.uncertainty, done.uncertainty)


@pytest.mark.parametrize("last", [0, 1, 4])
def test_strokes_that_are_cancelled_keep_what_is_there(last: int) -> None:
    truth, known, _ = scratched()
    seen, watch = stop_after(last)
    done = complete(truth, known, "patches", watch=watch)
    assert (done.stop.kind, done.iterations, len(seen)) == ("watch", last, last + 1)
    np.testing.assert_array_equal(done.tensor[known], truth[known])
    assert np.isfinite(done.uncertainty).all()


def test_on_a_smooth_surface_the_thin_plate_stays_or_becomes_better() -> None:
    i, j = np.mgrid[:64, :64]
    surface = 2 + np.sin(i / 10) * np.cos(j / 9)
    known = mask("scratches", surface.shape, 0.9, 0)
    done = complete(surface, known, "patches")
    assert error(done, surface, known) < 0.01
    assert error(done, surface, known) <= 1.1 * error(complete(surface, known, "biharmonic"), surface, known)


def test_strokes_so_dense_that_none_can_be_held_out_are_left_to_spectral() -> None:
    i, j = np.mgrid[:64, :64]
    surface = 1 + np.sin(i / 5) * np.cos(j / 7)
    known = np.ones(surface.shape, dtype=bool)
    known[2:62, 4::8] = False
    assert Patches.sees_strokes(HolePattern.of(known))
    done = complete(surface, known, "patches")
    assert "that of spectral" in done.reasons["patches"]
    assert np.isfinite(done.history.cost).all()
    assert np.isfinite(done.uncertainty).all()
    assert error(done, surface, known) < 0.01


# Being stopped


def stop_after(last: int) -> tuple[list[Snapshot], Callable[[Snapshot], bool]]:
    seen: list[Snapshot] = []

    def watch(snapshot: Snapshot) -> bool:
        seen.append(snapshot)
        return snapshot.step.iteration == last

    return seen, watch


def test_the_watcher_sees_every_iteration_and_changes_nothing() -> None:
    truth, known, done = example()
    seen, watch = stop_after(-1)
    watched = complete(truth, known, "patches", watch=watch)
    assert [snapshot.step for snapshot in seen] == list(watched.history)
    assert len(seen) == len(done.history)
    np.testing.assert_array_equal(watched.model, done.model)
    np.testing.assert_array_equal(seen[-1].estimate.dense(), done.estimate.dense())
    assert all(snapshot.estimate.dense().min() >= 0 for snapshot in seen[spectral_iterations() :])


@pytest.mark.parametrize("more", [-3, 0, 2, 5, 8])
def test_a_watcher_that_cancels_keeps_what_is_there(more: int) -> None:
    """During the rounds of spectral, while settings are compared, and during those of groups."""
    truth, known, _ = example()
    last = spectral_iterations() + more
    seen, watch = stop_after(last)
    done = complete(truth, known, "patches", watch=watch)
    assert (done.stop.kind, done.iterations, len(seen)) == ("watch", last, last + 1)
    assert str(done.stop) == f"Stopped by the watcher after {last} iterations: the result so far."
    np.testing.assert_allclose(done.model, np.maximum(seen[-1].estimate.dense(), 0), atol=1e-12)
    np.testing.assert_array_equal(done.tensor[known], truth[known])
    assert (done.model >= 0).all()
    assert np.isfinite(done.uncertainty).all()
    told = done.reasons.get("patches", "")
    assert told == "" if more < 0 else told.startswith("Stopped before the last round: error at held-out entries ")


def test_the_later_it_is_cancelled_the_better() -> None:
    truth, known, done = example()
    early, late = spectral_iterations() + 1, len(done.history) - 3
    stopped = [complete(truth, known, "patches", watch=stop_after(last)[1]) for last in (early, late)]
    assert error(stopped[1], truth, known) < 0.7 * error(stopped[0], truth, known)


@pytest.mark.parametrize("more", [1, 7])
def test_an_interrupt_keeps_what_is_there(more: int) -> None:
    truth, known, _ = example()
    last = spectral_iterations() + more

    def interrupt(snapshot: Snapshot) -> None:
        if snapshot.step.iteration == last:
            raise KeyboardInterrupt

    done = complete(truth, known, "patches", watch=interrupt)
    assert (done.stop.kind, done.iterations) == ("interrupted", last)
    np.testing.assert_array_equal(done.tensor[known], truth[known])
    assert (done.model >= 0).all()


@pytest.mark.parametrize("kind", ["time", "interrupted"])
@pytest.mark.parametrize("number", [1, 9])
def test_it_can_be_stopped_in_the_middle_of_a_round(kind: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    truth, known, done = example()
    share, calls = rounds.share, []

    def stopped(work: Callable[[int], None], pieces: int) -> None:
        calls.append(pieces)
        if len(calls) == number:
            if kind == "interrupted":
                raise KeyboardInterrupt
            deadline._current.end = 0.0  # what is shared looks at it
        share(work, pieces)

    monkeypatch.setattr(rounds, "share", stopped)
    found = complete(truth, known, "patches", time_limit=1000)
    assert (found.stop.kind, len(calls)) == (kind, number)
    assert spectral_iterations() <= len(found.history) < len(done.history)
    np.testing.assert_array_equal(found.tensor[known], truth[known])
    assert (found.model >= 0).all()
    assert np.isfinite(found.uncertainty).all()


def test_without_time_there_is_a_quick_interpolation() -> None:
    truth, known, _ = example()
    done = complete(truth, known, "patches", time_limit=1e-9)
    assert (done.stop.kind, done.iterations) == ("time", 0)
    np.testing.assert_array_equal(done.tensor[known], truth[known])


# Settings


def test_settings_that_are_given_are_used_and_told() -> None:
    truth, known, _ = example()
    done = complete(truth, known, "patches", patch=5, window=20, members=13, noise=0.05)
    assert done.reasons["patches"].startswith("5×5 along modes 1, 2, where ")
    assert done.reasons["groups"] == "13 patches each, of those within 20 to either side; σ = 0.05."
    chosen = {key: done.settings[key] for key in ("modes", "patch", "window", "members", "max_iter")}
    assert chosen == {"modes": (1, 2), "patch": 5, "window": 20, "members": 13, "max_iter": 8}
    assert done.settings["noise"] == pytest.approx(0.05)


@pytest.mark.parametrize("modes", [(1, 2), (2, 1), (1, 3), (1, 2, 3)])
def test_modes_that_are_given_are_searched(modes: tuple[int, ...]) -> None:
    pictures = [np.roll(glyphs(0, 40), frame, axis=1)[:34] for frame in range(5)]
    truth = np.stack(pictures, axis=1 if modes == (1, 3) else 2)
    known = scattered(truth.shape, 0.6, 0)
    done = complete(truth, known, "patches", modes=modes, patch=3, window=8, members=20, noise=0.1, max_iter=2)
    assert done.settings["modes"] == tuple(sorted(modes))
    assert f"along modes {', '.join(map(str, sorted(modes)))}, where" in done.reasons["patches"]


def test_fewer_rounds_are_fewer() -> None:
    truth, known, done = example()
    assert len(complete(truth, known, "patches", max_iter=1).history) < len(done.history)


@pytest.mark.parametrize("exponent", [-60, 7, 60, 900])
def test_noise_is_in_the_units_of_the_data_whatever_their_size(exponent: int) -> None:
    truth, known, _ = example()
    plain = complete(truth, known, "patches", noise=0.05, max_iter=1)
    scaled = complete(np.ldexp(truth, exponent), known, "patches", noise=np.ldexp(0.05, exponent), max_iter=1)
    np.testing.assert_array_equal(np.ldexp(scaled.model, -exponent), plain.model)
    assert np.ldexp(scaled.settings["noise"], -exponent) == pytest.approx(0.05)
    other = complete(np.ldexp(truth, exponent), known, "patches", noise=np.ldexp(0.5, exponent), max_iter=1)
    assert not np.array_equal(other.model, scaled.model)


@pytest.mark.parametrize("exponent", [-1000, 1000])
def test_noise_next_to_which_the_data_is_nothing_or_everything_is_no_error(exponent: int) -> None:
    truth, known, _ = example()
    done = complete(np.ldexp(truth, exponent), known, "patches", noise=np.ldexp(1.0, -exponent), max_iter=1)
    assert np.isfinite(done.model).all()


def test_what_was_chosen_can_be_replayed() -> None:
    truth, known, done = example()
    assert None not in done.settings.values()
    again = complete(truth, known, "patches", **done.settings)
    np.testing.assert_array_equal(again.model, done.model)
    assert len(again.history) < len(done.history), "nothing is compared"


def test_what_was_chosen_for_tiny_values_can_be_replayed() -> None:
    truth, known, _ = example()
    tiny = np.ldexp(truth, -100)
    done = complete(tiny, known, "patches")
    np.testing.assert_array_equal(complete(tiny, known, "patches", **done.settings).model, done.model)


@pytest.mark.parametrize("settings", [{"patch": 1}, {"noise": 1e-200}, {"noise": 1e200}, {"members": 2}, {"window": 1}])
def test_foolish_settings_have_a_finite_result(settings: dict[str, Any]) -> None:
    truth, known, _ = example()
    done = complete(truth, known, "patches", max_iter=1, **settings)
    assert np.isfinite(done.model).all()
    assert (done.model >= 0).all()


def test_a_window_beyond_the_picture_and_a_group_beyond_its_window_are_all_of_it() -> None:
    truth, known, _ = example()
    wide = complete(truth, known, "patches", window=10**9, members=10, max_iter=1)
    np.testing.assert_array_equal(
        wide.model, complete(truth, known, "patches", window=48, members=10, max_iter=1).model
    )
    many = complete(truth, known, "patches", window=2, members=1000, patch=3, max_iter=1)
    assert np.isfinite(many.model).all()


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "one mode": ({"modes": (1,)}, "'modes' of patches must hold two or three mode numbers, counted from 1. Got (1)"),
    "four modes": ({"modes": (1, 2, 3, 4)}, "must hold two or three mode numbers, counted from 1. Got (1, 2, 3, 4)"),
    "a mode twice": ({"modes": (1, 1)}, "must hold two or three mode numbers, counted from 1. Got (1, 1)"),
    "mode 0": ({"modes": (0, 1)}, "must hold two or three mode numbers, counted from 1. Got (0, 1)"),
    "a number of modes": ({"modes": 2}, "must hold two or three mode numbers, counted from 1. Got 2"),
    "a mode too many": ({"modes": (1, 3)}, "'modes' of patches must hold mode numbers from 1 to 2. Got (1, 3)"),
    "no patch": ({"patch": 0}, "The 'patch' of patches must be a whole number, 1 or more. Got 0"),
    "half a patch": ({"patch": 2.5}, "The 'patch' of patches must be a whole number, 1 or more. Got 2.5"),
    "too large": (
        {"patch": 33},
        "The 'patch' of patches must be 32 at most here: no longer than its modes, and of 1,024 entries. Got 33",
    ),
    "too large along these modes": ({"modes": (2, 1), "patch": 10**30}, f"and of 1,024 entries. Got {10**30}"),
    "a patch in words": ({"patch": "5"}, "The 'patch' of patches must be a whole number, 1 or more. Got '5'"),
    "a patch that is a flag": ({"patch": True}, "The 'patch' of patches must be a whole number, 1 or more. Got True"),
    "a side for each mode": ({"patch": (3, 4)}, "must be a whole number, 1 or more. Got (3, 4)"),
    "modes in words": ({"modes": "rows"}, "must hold two or three mode numbers, counted from 1. Got 'rows'"),
    "half a mode": ({"modes": (1.5, 2)}, "must hold two or three mode numbers, counted from 1. Got (1.5, 2)"),
    "half a window": ({"window": 0.5}, "The 'window' of patches must be a whole number, 1 or more. Got 0.5"),
    "one member": ({"members": 1}, "The 'members' of patches must be a whole number from 2 to 1,000. Got 1"),
    "too many members": ({"members": 1001}, "must be a whole number from 2 to 1,000. Got 1001"),
    "noise in words": ({"noise": "little"}, "The 'noise' of patches must be a number above 0. Got 'little'"),
    "no window": ({"window": 0}, "The 'window' of patches must be a whole number, 1 or more. Got 0"),
    "no members": ({"members": -1}, "The 'members' of patches must be a whole number from 2 to 1,000. Got -1"),
    "no noise": ({"noise": 0}, "The 'noise' of patches must be a number above 0. Got 0"),
    "noise that is no number": ({"noise": float("nan")}, "The 'noise' of patches must be a number above 0. Got nan"),
    "no rounds": ({"max_iter": 0}, "The 'max_iter' of patches must be a whole number, 1 or more. Got 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_settings_are_refused_with_what_would_be_right(name: str) -> None:
    settings, sentence = WRONG[name]
    truth, known, _ = example()
    with pytest.raises(InvalidSetting) as refused:
        complete(truth, known, "patches", **settings)
    assert str(refused.value).endswith(f"{sentence} instead.")
