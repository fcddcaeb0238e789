"""Auto: compares by held-out entries, says what it chose and why, and gives the same again from its settings."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from station_days import station_days

from tensorfill import available_methods, complete
from tensorfill import method as methods_protocol
from tensorfill.completion import Completion, Snapshot
from tensorfill.errors import InvalidSetting
from tensorfill.method import Question
from tensorfill.methods import auto
from tensorfill.methods.auto import methods_tried
from tensorfill.methods.registry import make
from tensorfill.methods.spectral import Spectral
from tensorfill.missingness import Missingness
from tensorfill.observed import ObservedTensor
from tensorfill.sampling import mask
from tensorfill.selection import comparison, evidence, windows
from tensorfill.selection.comparison import Course
from tensorfill.selection.held_out import hold_out


@pytest.fixture(scope="module")
def smooth() -> NDArray[Any]:
    i, j, k = np.meshgrid(np.linspace(0, 6, 24), np.linspace(0, 4, 20), np.linspace(0, 2, 8), indexing="ij")
    wave: NDArray[Any] = 1 + 0.5 * np.sin(i + j) * np.cos(k) + 0.3 * np.cos(2 * j)
    return wave


@pytest.fixture(scope="module")
def known(smooth: NDArray[Any]) -> NDArray[np.bool_]:
    return np.random.default_rng(0).random(smooth.shape) < 0.3


def compare_with(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let `auto` compare these with its leader, whatever it is given."""
    monkeypatch.setattr(auto, "candidates", lambda _: {name: make(name, {}) for name in names})


def test_it_is_what_complete_does_by_default(smooth: NDArray[Any], known: NDArray[np.bool_]) -> None:
    assert complete(smooth, known).method == "auto"


def test_settings_of_the_papers_method_mean_that_method(smooth: NDArray[Any], known: NDArray[np.bool_]) -> None:
    assert complete(smooth, known, rank=2, C=10.0).method == "nonneg-dual"
    with pytest.raises(InvalidSetting, match=r"^auto has no setting 'tau'"):
        complete(smooth, known, tau=3)


def test_it_says_what_it_chose_and_why(smooth: NDArray[Any], known: NDArray[np.bool_]) -> None:
    done = complete(smooth, known)
    assert sum(done.settings["weights"].values()) == pytest.approx(1.0)
    assert set(done.settings["weights"]) <= set(available_methods())
    for name in ("patches", "t-ctv"):
        assert name in done.reasons["weights"]
    assert str(done.stop).startswith("Done: ")


def test_it_is_not_far_from_the_best_method_there_is(smooth: NDArray[Any], known: NDArray[np.bool_]) -> None:
    def error(method: str) -> float:
        found = complete(smooth, known, method=method).tensor
        return float(np.sqrt(np.mean((found - smooth)[~known] ** 2)))

    assert error("auto") <= 1.05 * min(error(name) for name in ("patches", "spectral", "t-ctv", "spc", "tnn", "linear"))


def test_data_that_several_methods_predict_exactly_is_no_trouble() -> None:
    table = np.zeros((20, 20))
    table[0, 0] = 1.0
    known = np.ones(table.shape, dtype=bool)
    known[8:12, 8:12] = False
    np.testing.assert_allclose(complete(table, known).tensor, table, atol=1e-6)


def test_low_effort_tries_nothing_but_spectral(smooth: NDArray[Any], known: NDArray[np.bool_]) -> None:
    done = complete(smooth, known, effort="low")
    assert done.settings == {"effort": "low", "last_along": None, "weights": {"spectral": 1.0}, "lost_weights": None}


@pytest.mark.parametrize("seed", [0, 7])
def test_its_spectral_is_the_one_a_user_gets(smooth: NDArray[Any], known: NDArray[np.bool_], seed: int) -> None:
    """So that what was held out by chance never makes `auto` worse than the method it chose."""
    low = complete(smooth, known, effort="low", random_state=seed)
    np.testing.assert_array_equal(low.tensor, complete(smooth, known, "spectral", random_state=seed).tensor)


def test_its_patches_are_those_a_user_gets(
    smooth: NDArray[Any], known: NDArray[np.bool_], monkeypatch: pytest.MonkeyPatch
) -> None:
    compare_with(monkeypatch)
    done = complete(smooth, known, random_state=7)
    assert done.settings["weights"] == {"patches": 1.0}
    np.testing.assert_array_equal(done.tensor, complete(smooth, known, "patches", random_state=7).tensor)


@pytest.mark.parametrize("method", ["ncpc", "spc", "bcpf"])
def test_methods_with_a_random_start_have_the_one_a_user_gets(
    smooth: NDArray[Any], known: NDArray[np.bool_], method: str
) -> None:
    alone = complete(smooth, known, method, random_state=7)
    inside = complete(smooth, known, "auto", weights={method: 1.0}, random_state=7)
    np.testing.assert_array_equal(inside.tensor, np.maximum(alone.tensor, 0))


def test_few_entries_are_judged_four_times_at_high_effort(
    smooth: NDArray[Any], known: NDArray[np.bool_], monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []
    weigh = evidence.blend_weights

    def look(predictions: Any, truth: Any, holes: Any, **more: Any) -> dict[str, float]:
        held.append(len(truth))
        return weigh(predictions, truth, holes, **more)

    monkeypatch.setattr(evidence, "blend_weights", look)
    complete(smooth, known, effort="normal")
    compare_with(monkeypatch, "t-ctv")
    complete(smooth, known, effort="high")
    monkeypatch.setattr(comparison, "COMPARING", replace(comparison.COMPARING, enough_held=0))
    complete(smooth, known, effort="high")
    assert held[0] == held[2], "once, and at the ends"
    once = int(hold_out(Missingness(known), np.random.default_rng(0)).sum())
    assert held[1] == held[0] + 3 * once


def test_high_effort_tries_every_method(
    smooth: NDArray[Any], known: NDArray[np.bool_], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for plain baselines; `patches` leads if there are enough sites, and has spectral in itself."""
    levels = {"auto", "zero-fill", "mean-fill", "dual", "dual-demo"}
    completed = Course.completed

    def complete_soon(course: Any, method: Any, observed: Any) -> Any:
        """How methods complete is tested elsewhere; here, whether they are asked."""
        asked = method if method.name in ("spectral", "patches") else make("mean-fill", {})
        return completed(course, asked, observed)

    monkeypatch.setattr(Course, "completed", complete_soon)
    for shape, led in (((12, 10, 6), "spectral"), ((12, 11, 8), "patches")):
        part = tuple(slice(size) for size in shape)
        told = complete(smooth[part], known[part], effort="high").reasons["weights"]
        tried = {one.split()[-2] for one in told.partition(";")[0].split(",")}
        assert tried == set(available_methods()) - levels - {"spectral", "patches"} | {led}


def test_what_is_far_off_the_first_time_is_not_tried_again(
    smooth: NDArray[Any], known: NDArray[np.bool_], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    predicted = comparison.Comparison.predicted

    def look(choice: Any, methods: Any, held: Any) -> dict[str, Any]:
        tried.extend(methods)
        return predicted(choice, methods, held)

    monkeypatch.setattr(comparison.Comparison, "predicted", look)
    compare_with(monkeypatch, "t-ctv", "mean-fill")
    monkeypatch.setattr(methods_protocol, "SHORT", 0)
    noisy = smooth * (1 + 0.1 * np.random.default_rng(0).random(smooth.shape))  # else patches are far better than t-ctv
    done = complete(noisy, known, effort="high")
    assert (tried.count("t-ctv"), tried.count("mean-fill")) == (4, 1)
    assert "mean-fill" in done.reasons["weights"]
    tried.clear()
    compare_with(monkeypatch, "mean-fill")
    complete(noisy, known, effort="high")
    assert tried == ["mean-fill"], "nothing is left to compare"


def test_weights_of_an_earlier_run_give_its_bits_again(smooth: NDArray[Any], known: NDArray[np.bool_]) -> None:
    weights = {"spectral": 0.75, "t-ctv": 0.25}
    done = complete(smooth, known, method="auto", weights=weights)
    again = complete(smooth, known, method="auto", **done.settings)
    np.testing.assert_array_equal(again.model, done.model)
    parts = [complete(smooth, known, method=name).tensor for name in weights]
    assert np.abs(done.model - (0.75 * parts[0] + 0.25 * parts[1]))[~known].max() < 0.05


def test_how_sure_a_blend_with_given_weights_is(smooth: NDArray[Any], known: NDArray[np.bool_]) -> None:
    """As a mixture: the same whichever method is named first, and less sure the further methods are apart."""
    weights = {"spectral": 0.75, "t-ctv": 0.25}
    done = complete(smooth, known, weights=weights)
    spectral, other = (complete(smooth, known, name) for name in weights)
    apart = done.model - spectral.model
    expected = np.where(known, 0, np.sqrt(spectral.uncertainty**2 + apart**2))
    np.testing.assert_allclose(done.uncertainty, expected, rtol=1e-6, atol=1e-12)
    turned = complete(smooth, known, weights=dict(reversed(weights.items())))
    np.testing.assert_allclose(turned.uncertainty, done.uncertainty, rtol=1e-6, atol=1e-12)
    with pytest.raises(InvalidSetting, match="completion by t-ctv does not tell"):
        _ = other.uncertainty


def test_a_blend_of_methods_that_do_not_tell_does_not_tell_how_sure_it_is(
    smooth: NDArray[Any], known: NDArray[np.bool_]
) -> None:
    done = complete(smooth, known, weights={"mean-fill": 0.5, "linear": 0.5})
    with pytest.raises(InvalidSetting, match="completion by auto does not tell how sure it is of an entry; those by"):
        _ = done.uncertainty


@pytest.mark.parametrize(
    "weights", [{}, {"auto": 1.0}, {"spektral": 1.0}, {"spectral": 0.5}, {"spectral": 2.0, "t-ctv": -1.0}, "spectral"]
)
def test_weights_that_make_no_sense_are_refused(weights: Any) -> None:
    with pytest.raises(InvalidSetting, match=r"^The 'weights' of auto must map names of methods to weights"):
        complete(np.ones((3, 3)), method="auto", weights=weights)


def test_an_effort_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"'effort' of auto must be .*low.*normal.*high"):
        complete(np.ones((3, 3)), method="auto", effort="maximal")


def test_of_what_does_not_fit_into_memory_nothing_is_built() -> None:
    rng = np.random.default_rng(0)
    shape = (4_000, 4_000, 4_000)
    rows = np.stack([rng.integers(0, 30, 600), rng.integers(0, 30, 600), rng.integers(0, 20, 600)], axis=1)
    data = ObservedTensor.from_coordinates(*_unique(rows, rng), shape)
    done = complete(data)
    assert set(done.settings["weights"]) <= {"bayes-factors", "main-effects"}
    assert (done.predict(rows[:5]) >= 0).all()
    assert (done.predict([[3999, 3999, 3999]]) > 0).all()  # of which nothing is known


@pytest.mark.parametrize("led", ["spectral", "patches"])
def test_stopped_while_others_are_tried_it_returns_what_it_began_with(
    smooth: NDArray[Any], known: NDArray[np.bool_], led: str
) -> None:
    if led == "spectral":  # with fewer sites than patches needs
        smooth, known = smooth[:15, :10, :6], known[:15, :10, :6]
    alone = complete(smooth, known, led)
    seen: list[Snapshot] = []

    def stop(snapshot: Snapshot) -> bool:
        seen.append(snapshot)
        return snapshot.step.iteration == len(alone.history) + 5

    done = complete(smooth, known, watch=stop)
    assert done.stop.kind == "watch"
    assert done.settings["weights"] == {led: 1.0}
    np.testing.assert_array_equal(done.model, alone.model)
    assert [snapshot.step.iteration for snapshot in seen] == list(range(len(seen)))


def _unique(rows: NDArray[np.int64], rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[Any]]:
    distinct = np.unique(rows, axis=0)
    return distinct, rng.random(len(distinct))


def test_holes_with_a_shape_are_judged_four_times_at_high_effort(
    smooth: NDArray[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = np.ones((12, 10, 6), dtype=bool)
    known[3:6, 2:6] = False
    seen: dict[str, Any] = {}
    weigh = evidence.blend_weights

    def look(predictions: Any, truth: Any, holes: Any, **more: Any) -> dict[str, float]:
        seen.update(predictions, truth=truth, holes=holes)
        return weigh(predictions, truth, holes, **more)

    monkeypatch.setattr(evidence, "blend_weights", look)
    compare_with(monkeypatch, "mean-fill")
    monkeypatch.setattr(comparison, "COMPARING", replace(comparison.COMPARING, hopeless=np.inf))
    counts = {}
    for effort in ("normal", "high"):
        done = complete(smooth[:12, :10, :6], known, effort=effort)
        counts[effort] = len(seen["truth"])
        assert all(len(found) == counts[effort] for found in seen.values())
        assert set(done.settings["weights"]) <= {"spectral", "mean-fill"}
    assert counts["high"] >= counts["normal"] > 8 * 6, "what is so small is judged often in any case"


def test_a_forecast_is_judged_once_even_at_high_effort(smooth: NDArray[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The last known slices are the only ones to hold out: they say nothing new when asked again."""
    asked: list[int] = []
    weigh = evidence.blend_weights

    def look(predictions: Any, truth: Any, holes: Any, **more: Any) -> dict[str, float]:
        asked.append(len(truth))
        return weigh(predictions, truth, holes, **more)

    monkeypatch.setattr(evidence, "blend_weights", look)
    compare_with(monkeypatch, "mean-fill")
    monkeypatch.setattr(comparison, "COMPARING", replace(comparison.COMPARING, hopeless=np.inf))
    forecast = np.ones(smooth.shape, dtype=bool)
    forecast[-2:] = False
    for effort in ("normal", "high"):
        complete(smooth, forecast, effort=effort)
    assert asked[0] == asked[1] > 0


def test_holes_with_a_shape_are_also_interpolated_at_normal_effort() -> None:
    assert "linear" in methods_tried(Question("normal", (200, 100), structured=True))
    assert "linear" not in methods_tried(Question("normal", (200, 100)))


def test_on_small_tensors_everything_simple_is_tried() -> None:
    assert {"linear", "mean-fill"} < set(methods_tried(Question("normal", (20, 20))))
    assert {"linear", "mean-fill"} < set(methods_tried(Question("normal", (20, 100))))


def test_low_rank_is_tried_where_holes_in_small_tensors_have_a_shape() -> None:
    assert "lrtc-tnn" in methods_tried(Question("normal", (80, 25, 100), structured=True))
    assert "lrtc-tnn" not in methods_tried(Question("normal", (80, 25, 100)))
    assert "lrtc-tnn" not in methods_tried(Question("normal", (200, 100, 100), structured=True))


def test_low_rank_is_not_tried_on_pictures_with_holes() -> None:
    """Their unfoldings have hardly more columns than rows."""
    i, j = np.meshgrid(np.linspace(0, 3, 70), np.linspace(0, 2, 60), indexing="ij")
    picture = 1 + np.sin(i + j)[..., None] * np.array([1.0, 0.5, 0.2])
    known = np.ones(picture.shape, dtype=bool)
    known[10:28, 8:26] = known[40:58, 30:48] = False  # larger than strokes, for which t-ctv is not tried
    told = complete(picture, known).reasons["weights"]
    assert "t-ctv" in told
    assert "lrtc-tnn" not in told


def test_missing_days_of_stations_are_filled_from_low_rank() -> None:
    """The order of stations means nothing, and one day is unlike all others: smoothness is of little use."""
    counts, known = station_days(3)
    done, smooth = complete(counts, known), complete(counts, known, effort="low")
    assert done.settings["weights"]["lrtc-tnn"] > 0.2
    hidden = ~known
    errors = [float(np.linalg.norm((found.tensor - counts)[hidden])) for found in (done, smooth)]
    assert errors[0] < 0.8 * errors[1]


def test_large_tensors_are_left_to_what_is_quick_at_normal_effort() -> None:
    assert methods_tried(Question("normal", (1000, 5000))) == ("patches",)
    assert methods_tried(Question("normal", (1000, 5000), structured=True)) == ("patches", "linear")
    assert "t-ctv" in methods_tried(Question("normal", (1000, 4000)))


# Kinds of holes


@cache
def clip_with_a_lost_frame(share: float) -> tuple[NDArray[Any], NDArray[np.bool_], Completion]:
    """A waving clip, what is known of it, and how it is completed."""
    i, j, k = np.meshgrid(np.linspace(0, 6, 30), np.linspace(0, 4, 30), np.linspace(0, 2, 12), indexing="ij")
    clip = np.asarray(1 + 0.5 * np.sin(i + j) * np.cos(k) + 0.3 * np.cos(2 * j))
    known = np.random.default_rng(0).random(clip.shape) < share
    known[:, :, 5] = False
    return clip, known, complete(clip, known)


@pytest.mark.parametrize("share", [0.7, 0.3])
def test_a_lost_frame_among_scattered_holes_is_filled_by_what_fills_frames(share: float) -> None:
    clip, known, done = clip_with_a_lost_frame(share)
    smooth = complete(clip, known, effort="low")

    def rms(values: NDArray[Any]) -> float:
        return float(np.sqrt(np.mean(values**2)))

    assert rms((done.tensor - clip)[~known]) <= 1.3 * rms((smooth.tensor - clip)[~known])
    assert rms(done.uncertainty[:, :, 5]) >= 0.2 * rms((done.tensor - clip)[:, :, 5])


def test_what_lost_slices_are_filled_by_is_told_and_gives_the_same_again() -> None:
    clip, known, done = clip_with_a_lost_frame(0.7)
    assert done.settings["lost_weights"] is not None
    assert "in slices of which nothing is known" in str(done.stop)
    again = complete(clip, known, **done.settings)
    np.testing.assert_array_equal(again.tensor, done.tensor)
    np.testing.assert_allclose(done.predict([[3, 4, 5], [3, 4, 6]]), done.model[3, 4, 5:7], atol=1e-12)
    np.testing.assert_allclose(sum(done.components), done.model, atol=1e-12)


def test_weights_of_lost_slices_come_with_the_others() -> None:
    with pytest.raises(InvalidSetting, match="'lost_weights' of auto must come with 'weights'"):
        complete(np.ones((3, 3)), lost_weights={"spectral": 1.0})


def test_one_known_slice_is_neither_repeated_nor_forgotten() -> None:
    table = np.random.default_rng(0).random((12, 40))
    known = np.zeros(table.shape, dtype=bool)
    known[4] = True
    assert complete(table, known).settings["lost_weights"] == {"spectral": 0.5, "linear": 0.5}


def test_lost_slices_are_left_to_methods_that_have_something_to_say_of_them() -> None:
    """Low rank alone has not, however well it does elsewhere."""
    rng = np.random.default_rng(0)
    full = np.einsum("ir,jr,kr->ijk", *(rng.random((size, 3)) for size in (16, 18, 12)))
    known = rng.random(full.shape) < 0.7
    known[:, :, 6] = False
    settings = complete(full, known).settings
    chosen = settings["lost_weights"] or settings["weights"]
    observed = ObservedTensor.from_array(full, known)
    assert all(make(name, {}).fills_lost_slices(observed) for name in chosen)
    known[:] = True
    known[:, :, [3, 6]] = False
    told = complete(full, known).reasons["weights"]
    assert "ncpc" not in told, "nothing but slices is missing"
    assert "linear" in told


def test_a_large_hole_among_scattered_ones_is_filled_by_what_fills_holes() -> None:
    rows, columns = np.meshgrid(np.linspace(0, 1, 30), np.linspace(0, 1, 200), indexing="ij")
    full = 0.3 * rows + 0.7 * columns
    known = np.random.default_rng(0).random(full.shape) < 0.5
    known[8:20, 60:140] = False
    done = complete(full, known)
    missed = np.abs(done.model - full)
    assert missed[8:20, 60:140].max() < 0.01, "a plane goes on as it is"
    deviations = done.uncertainty[8:20, 60:140]
    assert np.sqrt(np.mean(missed[8:20, 60:140] ** 2)) < 5 * np.sqrt(np.mean(deviations**2))


# Strokes


def scratched_stripes() -> tuple[NDArray[Any], NDArray[np.bool_]]:
    i, j = np.mgrid[:64, :64]
    truth = 0.1 + 0.8 * ((0.8 * i + 0.6 * j) % 7 < 3.5)
    return truth, mask("scratches", truth.shape, 0.9, 0)


def test_strokes_are_filled_quickly_at_low_effort_and_better_than_by_a_thin_plate() -> None:
    truth, known = scratched_stripes()
    low, plate, normal = (
        complete(truth, known, effort="low"),
        complete(truth, known, "biharmonic"),
        complete(truth, known),
    )

    def error(done: Completion) -> float:
        return float(np.sqrt(np.mean((done.tensor - truth)[~known] ** 2)))

    assert low.settings == {"effort": "low", "last_along": None, "weights": {"patches": 1.0}, "lost_weights": None}
    assert low.reasons["patches"].startswith("8×8 along modes 1, 2, ")
    assert "that of a thin plate" in low.reasons["patches"]
    assert len(low.history) == 4, "the plate, one round without what is held out, two with it"
    assert error(low) < 0.85 * error(plate)
    assert error(normal) < error(low)
    for done in (low, normal):
        np.testing.assert_array_equal(done.tensor[known], truth[known])
        assert np.isfinite(done.uncertainty).all()
        assert (done.uncertainty[~known] > 0).all()


def test_its_settings_give_the_quick_result_again() -> None:
    truth, known = scratched_stripes()
    low = complete(truth, known, effort="low")
    np.testing.assert_array_equal(complete(truth, known, **low.settings).tensor, low.tensor)
    slower = complete(truth, known, weights={"patches": 1.0})
    np.testing.assert_array_equal(slower.tensor, complete(truth, known, "patches").tensor)
    assert not np.array_equal(slower.tensor, low.tensor)


# Racing


def test_what_is_clearly_beaten_on_a_part_of_the_data_is_not_tried_on_all_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    i, j = np.meshgrid(np.linspace(0, 30, 220), np.linspace(0, 20, 210), indexing="ij")
    full = 2 + np.sin(i) * np.cos(j) + np.sin(0.7 * i + 0.2 * j)
    known = np.random.default_rng(0).random(full.shape) < 0.5
    seen: dict[str, list[tuple[int, ...]]] = {}
    completed = Course.completed

    def look(course: Any, method: Any, observed: Any) -> Any:
        seen.setdefault(method.name, []).append(observed.shape)
        return completed(course, method, observed)

    monkeypatch.setattr(Course, "completed", look)
    compare_with(monkeypatch, "mean-fill", "linear")
    monkeypatch.setattr(auto, "leader", lambda _: Spectral())  # which is quicker
    done = complete(full, known)
    assert done.settings["weights"] == {"spectral": 1.0}
    assert [len(shapes) for shapes in seen.values()] == [1, 1]
    assert all(np.prod(shapes[0]) < full.size / 1.3 for shapes in seen.values())
    assert "mean-fill" not in done.reasons.get("weights", "")
    seen.clear()
    monkeypatch.setattr(windows.Race, "is_close", lambda race, misses: True)
    assert "mean-fill" in complete(full, known).reasons["weights"]
    assert [shapes[1] for shapes in seen.values()] == [full.shape, full.shape]
    seen.clear()
    complete(full[:128, :128], known[:128, :128])
    assert {shapes[0] for shapes in map(tuple, seen.values())} == {(128, 128)}, "small tensors need no race"
