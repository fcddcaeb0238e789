"""`spectral`: what it completes well, its bases, what it tells about itself, and its settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from smooth_tensor import observed, smooth_tensor

from tensorfill.completion import Completion, Snapshot
from tensorfill.errors import InvalidSetting
from tensorfill.library import complete as library_complete
from tensorfill.methods import spectral
from tensorfill.methods.spectral import Spectral
from tensorfill.numerics.threads import thread_count
from tensorfill.observed import ObservedTensor
from tensorfill.sampling import mask
from tensorfill.spectral import window as spectral_window
from tensorfill.tensor import Array

Mask = NDArray[np.bool_]
COSINES = ("dct", "dct", "dct")


def complete(truth: Array, known: Mask, *, seed: int = 0, **settings: Any) -> Completion:
    return Spectral(**settings).complete(ObservedTensor.from_array(truth, known), rng=np.random.default_rng(seed))


def error(model: Array, truth: Array, known: Mask) -> float:
    """The root mean square error where nothing was known."""
    return float(np.sqrt(np.mean((model - truth)[~known] ** 2)))


def waving(shape: tuple[int, int, int] = (20, 18, 8)) -> Array:
    """A smooth tensor between 0 and 1 that is not of low rank."""
    i, j, k = np.meshgrid(*(np.linspace(0, 1, size) for size in shape), indexing="ij")
    values = np.sin(5 * i + 2 * k) * np.cos(4 * j) + 0.3 * np.sin(9 * i * j + 3 * k)
    return (values - values.min()) / np.ptp(values)


def round_the_clock(seed: int) -> tuple[Array, Mask]:
    """Something that repeats along mode 1, and nothing known about the first hours."""
    rng = np.random.default_rng(seed)
    hours = 2 * np.pi * np.arange(24) / 24
    days = 1 + 0.3 * rng.standard_normal((3, 8))
    waves = sum(np.outer(np.cos((f + 1) * hours - rng.uniform(0, 6)), days[f]) / (f + 1) for f in range(3))
    values = np.multiply.outer(waves, np.linspace(0.8, 1.2, 5))
    known = rng.random(values.shape) < 0.3
    known[:3] = False
    return (values - values.min()) / np.ptp(values), known


def ring(size: int) -> Array:
    """Eigenvectors of the Laplacian of a ring, from the smallest eigenvalue on.

    Written down: of each pair with one eigenvalue, a program may return any rotation.
    """
    angles = 2 * np.pi * np.outer(np.arange(size), np.arange(size // 2 + 1)) / size
    columns = np.stack([np.cos(angles), np.sin(angles)], axis=2).reshape(size, -1)
    columns = np.delete(columns, 1, axis=1)[:, :size]
    return columns / np.linalg.norm(columns, axis=0)


def test_a_ring_is_one() -> None:
    step = np.roll(np.eye(24), 1, axis=0)
    laplacian = 2 * np.eye(24) - step - step.T
    values = np.diag(ring(24).T @ laplacian @ ring(24))
    np.testing.assert_allclose(laplacian @ ring(24), ring(24) * values, atol=1e-12)
    assert (np.diff(values) > -1e-12).all()


# What it completes


def test_smooth_data_is_completed_far_better_than_by_linear_interpolation() -> None:
    truth = waving()
    known = np.random.default_rng(0).random(truth.shape) < 0.3
    found, straight = (library_complete(truth, known, method).model for method in ("spectral", "linear"))
    assert error(found, truth, known) < 0.3 * error(straight, truth, known)


@pytest.mark.parametrize("pattern", ["blocks", "frames", "lines", "pixels"])
def test_holes_with_a_shape_are_filled(pattern: str) -> None:
    truth = waving((20, 18, 12))
    known = mask(pattern, truth.shape, 0.6, 1)
    done = complete(truth, known)
    assert done.stop.kind == "done"
    assert error(done.model, truth, known) < 0.5 * error(np.full_like(truth, truth[known].mean()), truth, known)


def few_known() -> dict[str, tuple[tuple[int, ...], Any]]:
    """Masks of which it is hard to hold something out: what is known, by index."""
    return {
        "one entry": ((6, 7), (2, 3)),
        "two entries": ((6, 7), ([2, 5], [3, 1])),
        "one frame": ((6, 7, 8), np.s_[:, :, 3]),
        "two frames": ((6, 7, 10), np.s_[:, :, [2, 9]]),
        "every second line": ((8, 7), np.s_[::2]),
        "one block": ((9, 8), np.s_[2:5, 2:6]),
        "one channel": ((9, 8, 3), np.s_[:, :, 1]),
    }


@pytest.mark.parametrize("name", few_known())
def test_however_little_is_known_there_is_a_result(name: str) -> None:
    shape, where = few_known()[name]
    known = np.zeros(shape, dtype=bool)
    known[where] = True
    truth = np.random.default_rng(0).random(shape)
    done = complete(truth, known)
    assert done.stop.kind == "done"
    assert np.isfinite(done.model).all()
    assert done.model.max() <= 3 * truth[known].max()
    assert np.abs(done.model - truth)[known].max() < 1.0


@pytest.mark.parametrize("shape", [(12, 10), (8, 7, 6), (6, 5, 4, 3), (4, 3, 4, 2, 3)], ids=str)
def test_any_order(shape: tuple[int, ...]) -> None:
    truth, known = smooth_tensor(shape, 0.6)
    done = complete(truth, known)
    assert done.model.shape == shape
    assert len(done.settings["bases"]) == len(shape)
    assert error(done.model, truth, known) < 0.5 * error(np.full(shape, truth[known].mean()), truth, known)


def test_constant_data_is_constant_and_zero_is_zero() -> None:
    known = np.random.default_rng(0).random((6, 5, 7)) < 0.5
    np.testing.assert_allclose(complete(np.full(known.shape, 3.0), known).model, 3.0, rtol=1e-6)
    done = complete(np.zeros(known.shape), known)
    assert not done.model.any()
    assert done.stop.kind == "all_zero"


# Bases


@pytest.mark.parametrize("seed", range(3))
def test_waves_complete_what_closes_in_a_circle_better_than_cosines(seed: int) -> None:
    truth, known = round_the_clock(seed)
    cosines = complete(truth, known, bases=COSINES)
    waves = complete(truth, known, bases=("fourier", "dct", "dct"))
    assert error(waves.model, truth, known) < 0.7 * error(cosines.model, truth, known)


@pytest.mark.parametrize("seed", range(3))
def test_a_graph_of_ones_own_does_so_too(seed: int) -> None:
    truth, known = round_the_clock(seed)
    cosines = complete(truth, known, bases=COSINES)
    own = complete(truth, known, bases=(ring(24), "dct", "dct"))
    assert error(own.model, truth, known) < 0.7 * error(cosines.model, truth, known)
    np.testing.assert_array_equal(own.settings["bases"][0], ring(24))


@pytest.mark.parametrize(
    "bases", [COSINES, ("identity", "dct", "fourier"), ("dct", "learned", "identity"), ("learned", "dct", "learned")]
)
def test_bases_that_are_given_are_used_and_told(bases: tuple[str, ...]) -> None:
    data = observed((9, 8, 7))
    done, work = Spectral(bases=bases).follow(data, rng=np.random.default_rng(0))
    assert done.settings["bases"] == bases
    assert work is not None
    assert work.prior is not None
    assert tuple(basis.kind for basis in work.prior.transform.bases) == bases
    assert "bases" not in done.reasons, "nothing was chosen"


def replayed(truth: Array, known: Mask, seed: int) -> tuple[Completion, Completion]:
    first = complete(truth, known, seed=seed)
    return first, complete(truth, known, seed=seed, **first.settings)


@pytest.mark.parametrize("seed", range(2))
def test_what_was_chosen_can_be_replayed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = np.einsum("ar,br,cr->abc", rng.random((14, 3)), rng.random((12, 3)), rng.random((10, 3)))
    first, again = replayed(truth, rng.random(truth.shape) < 0.5, seed)
    assert first.settings["bases"] == ("learned",) * 3, "a tensor of low rank and without order"
    assert "learned on modes 1, 2, 3" in first.reasons["bases"]
    assert again.settings == first.settings
    np.testing.assert_array_equal(again.model, first.model)


def test_a_candidate_that_is_beaten_ends_early_and_nothing_else_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    truth = np.einsum("ar,br,cr->abc", rng.random((24, 3)), rng.random((20, 3)), rng.random((12, 3)))
    truth = np.abs(truth / truth.max() + 0.05 * rng.standard_normal(truth.shape))
    known = rng.random(truth.shape) < 0.4
    given_up = complete(truth, known)
    monkeypatch.setattr(Spectral, "solver", replace(Spectral.solver, close=np.inf))
    patient = complete(truth, known)
    assert len(given_up.history) < len(patient.history)
    np.testing.assert_array_equal(given_up.model, patient.model)


@pytest.mark.parametrize(
    ("tie", "bases"),
    [(1.0, ("learned", "learned", "learned")), (1.4, ("dct", "dct", "learned")), (100.0, COSINES)],
)
def test_of_candidates_that_are_about_as_good_the_one_with_fewer_learned_bases_is_taken(
    tie: float, bases: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Spectral, "solver", replace(Spectral.solver, tie=tie))
    truth = waving((24, 20, 10)) ** 2
    truth += 0.3 * np.einsum("a,b,c->abc", *(np.random.default_rng(0).random(size) for size in truth.shape))
    known = np.random.default_rng(0).random(truth.shape) < 0.3
    assert complete(truth, known).settings["bases"] == bases


@pytest.mark.parametrize("pattern", ["uniform", "blocks"])
def test_learning_may_start_in_a_window(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    truth = waving((48, 40, 3))
    known = mask(pattern, truth.shape, 0.5, 0)
    without = complete(truth, known, bases=COSINES)
    monkeypatch.setattr(spectral_window, "_LARGE", 0)
    monkeypatch.setattr(spectral_window, "_ENOUGH", truth.size // 4)
    monkeypatch.setattr(spectral_window, "_SHORTEST", 16)
    begun_small = complete(truth, known, bases=COSINES)
    in_the_window = [step.cost for step in begun_small.history].count(begun_small.history[0].cost) - 1
    assert in_the_window == Spectral.solver.window_rounds, "each of them can be stopped"
    assert begun_small.history[in_the_window + 1].cost < without.history[1].cost
    assert error(begun_small.model, truth, known) < 1.1 * error(without.model, truth, known)


def test_bases_of_some_modes_can_be_replayed() -> None:
    truth = waving()
    first, again = replayed(truth, np.random.default_rng(0).random(truth.shape) < 0.3, 0)
    assert first.settings["bases"] == ("dct", "dct", "learned")
    np.testing.assert_array_equal(again.model, first.model)


BAD_BASES: dict[str, tuple[Any, str]] = {
    "no such name": (("dct", "cosine", "dct"), r"must hold 'dct', 'fourier', 'identity', 'learned' or matrices. Got"),
    "too few": (("dct", "dct"), "must hold one basis for each of the 3 modes. Got"),
    "one name for all": ("dct", r"'bases' of spectral must hold .*\. Got .* instead"),
    "a number": (5, r"'bases' of spectral must hold .*\. Got 5 instead"),
    "nothing for a mode": (("dct", None, "dct"), "matrices with orthonormal columns, here 5 × 5"),
    "not square": ((np.eye(6)[:, :3], "dct", "dct"), r"here 6 × 6. Got .*\(6, 3\)"),
    "of another mode": (("dct", np.eye(6), "dct"), r"here 5 × 5. Got .*\(6, 6\)"),
    "not orthonormal": (("dct", 2 * np.eye(5), "dct"), "orthonormal columns, here 5 × 5"),
    "not a number": ((np.full((6, 6), np.nan), "dct", "dct"), "orthonormal columns"),
    "one array for all": (np.stack([np.eye(4)] * 2), "must hold one basis for each of the 3 modes"),
}


@pytest.mark.parametrize("name", BAD_BASES)
def test_bases_that_do_not_fit_are_refused_with_what_would_be_right(name: str) -> None:
    bases, sentence = BAD_BASES[name]
    truth, known = smooth_tensor((6, 5, 4))
    with pytest.raises(InvalidSetting, match=sentence):
        library_complete(truth, known, "spectral", bases=bases)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("smoothing", 0),
        ("max_iter", 0),
        ("max_iter", 2.5),
        ("learned_rounds", -1),
        ("constrained", 1),
        ("negativity_tolerance", 0),
    ],
)
def test_other_settings_are_checked(setting: str, value: Any) -> None:
    with pytest.raises(InvalidSetting, match=f"'{setting}' of spectral must"):
        Spectral(**{setting: value})


# W ≥ 0


def rarely_positive(seed: int, share: float = 0.3) -> tuple[Array, Mask]:
    """A tensor of low rank, three quarters of which is zero: nothing a smooth prior is made for."""
    rng = np.random.default_rng(seed)
    factors = [np.maximum(rng.standard_normal((size, 3)), 0) for size in (20, 30, 10)]
    return np.einsum("ir,jr,kr->ijk", *factors), rng.random((20, 30, 10)) < share


@pytest.mark.parametrize("seed", range(6))
def test_the_constraint_never_costs_much_more_than_it_brings(seed: int) -> None:
    truth, known = rarely_positive(seed)
    judged, clipped = (complete(truth, known, constrained=choice) for choice in (None, False))
    assert error(judged.tensor, truth, known) <= 1.05 * error(clipped.tensor, truth, known)
    assert judged.tensor.min() >= 0


@pytest.mark.parametrize("seed", range(6))
def test_the_constraint_is_met_and_nothing_diverges_where_it_is_asked_for(seed: int) -> None:
    truth, known = rarely_positive(seed)
    asked, clipped = (complete(truth, known, constrained=choice) for choice in (True, False))
    assert asked.smallest is not None
    assert asked.smallest >= -5e-6 * truth[known].max()
    assert error(asked.tensor, truth, known) <= 1.2 * error(clipped.tensor, truth, known)


def test_whether_the_constraint_helped_is_told_and_can_be_asked_for_again() -> None:
    truth, known = rarely_positive(0)
    done = complete(truth, known)
    assert done.settings["constrained"] is False
    assert done.reasons["nonnegativity"].startswith("reached by clipping: error at held-out entries ")
    assert done.certificate is None
    again = complete(truth, known, **done.settings)
    np.testing.assert_array_equal(again.tensor, done.tensor)


# What it tells


def test_nothing_is_negative_before_anything_is_clipped() -> None:
    rng = np.random.default_rng(0)
    truth = 50 * np.maximum(waving() - 0.4, 0)
    known = rng.random(truth.shape) < 0.3
    done = complete(truth, known, constrained=True)
    largest = truth[known].max()
    assert done.estimate.dense().min() >= -5e-6 * largest * (1 + 1e-6)
    assert done.smallest == pytest.approx(done.estimate.dense().min(), abs=1e-9 * largest)
    assert done.certificate is not None
    assert 0 <= done.certificate.lower <= done.certificate.upper
    assert done.certificate.negativity <= 5e-6 * (1 + 1e-6)
    assert done.certificate.relative_gap < 0.3
    assert done.certificate.complementarity < 0.1
    assert done.certificate.stationarity < 0.02


@pytest.mark.parametrize("share", [0.2, 0.4, 0.7])
@pytest.mark.parametrize("seed", range(3))
def test_the_certificate_of_clean_smooth_data_says_something(share: float, seed: int) -> None:
    truth = 1 + waving((24, 20, 8))
    known = np.random.default_rng(seed).random(truth.shape) < share
    certificate = complete(truth, known, constrained=True).certificate
    assert certificate is not None
    assert 0 <= certificate.relative_gap < 0.05


def test_it_says_why() -> None:
    done = complete(*smooth_tensor((9, 8, 7)))
    assert done.stop.kind == "done"
    assert "held-out" in str(done.stop)
    assert "marginal likelihood" in done.reasons["noise"]
    assert "variances" in done.reasons["spectrum"]
    assert "held-out" in done.reasons["bases"]


def test_what_was_predicted_at_entries_that_were_held_out_is_told() -> None:
    data = observed((9, 8, 7))
    done, work = Spectral().follow(data, rng=np.random.default_rng(0))
    assert work is not None
    assert work.held_predictions is not None
    held = work.held
    assert held is not None
    assert data.mask()[held].all()
    assert work.held_predictions.shape == (held.sum(),)
    truth = smooth_tensor((9, 8, 7))[0]
    missed = work.held_predictions + work.mean - truth[held]
    assert np.sqrt(np.mean(missed**2)) == pytest.approx(min(work.errors.values()), rel=0.1)
    assert done.history.cost[-1] == pytest.approx(min(work.errors.values()), rel=0.006), "fewer learned bases win ties"


def test_the_error_at_held_out_entries_tells_that_at_missing_ones() -> None:
    truth = waving()
    known = np.random.default_rng(0).random(truth.shape) < 0.3
    done = complete(truth, known)
    assert 0.5 < done.history.cost[-1] / error(done.model, truth, known) < 2


# Stopping, precision, threads


@pytest.mark.parametrize("last", [0, 1, 4, 16])
def test_a_watcher_that_cancels_keeps_a_usable_result(last: int) -> None:
    truth = waving()
    known = np.random.default_rng(0).random(truth.shape) < 0.3
    seen: list[Snapshot] = []
    errors: list[float] = []

    def watch(snapshot: Snapshot) -> bool:
        seen.append(snapshot)
        errors.append(error(snapshot.estimate.dense(), truth, known))
        return snapshot.step.iteration == last

    data = ObservedTensor.from_array(truth, known)
    done = Spectral().complete(data, rng=np.random.default_rng(0), watch=watch)
    assert (done.stop.kind, done.iterations, len(seen)) == ("watch", last, last + 1)
    np.testing.assert_array_equal(done.estimate.dense(), seen[-1].estimate.dense())
    assert (done.model >= 0).all()
    assert error(done.model, truth, known) <= error(np.full_like(truth, truth[known].mean()), truth, known) * 1.001
    assert len(done.settings["bases"]) == 3
    # What earlier snapshots hold is still what it was.
    assert [error(snapshot.estimate.dense(), truth, known) for snapshot in seen] == errors


def test_a_time_limit_keeps_a_usable_result() -> None:
    truth = waving()
    known = np.random.default_rng(0).random(truth.shape) < 0.3
    done = library_complete(truth, known, "spectral", time_limit=1e-9)
    assert done.stop.kind == "time"
    np.testing.assert_array_equal(done.tensor[known], truth[known])
    assert np.isfinite(done.tensor).all()


def test_single_precision_finds_nearly_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = waving()
    known = np.random.default_rng(0).random(truth.shape) < 0.3
    double = complete(truth, known, bases=COSINES)
    monkeypatch.setattr(spectral, "_DOUBLE_BELOW", 0)
    single = complete(truth, known, bases=COSINES)
    assert error(single.model, truth, known) < 1.2 * error(double.model, truth, known)
    assert single.smallest is not None
    assert single.smallest >= -1e-5


@pytest.fixture(name="_many_threads")
def _threads() -> Iterator[None]:
    yield
    thread_count.cache_clear()


@pytest.mark.parametrize("pattern", ["uniform", "blocks"])
@pytest.mark.usefixtures("_many_threads")
def test_the_same_bits_on_any_number_of_threads(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    truth = waving((10, 9, 7))
    known = mask(pattern, truth.shape, 0.5, 0)
    monkeypatch.setattr(spectral, "_DOUBLE_BELOW", 0)
    monkeypatch.setattr("tensorfill.numerics.threads.SMALL_ARRAY", 0)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("TENSORFILL_THREADS", threads)
        thread_count.cache_clear()
        found.append(complete(truth, known).model)
    np.testing.assert_array_equal(*found)
