"""Runs of `spectral`: stages, candidates, a window, going on after a pickle, stopping, precision, threads."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from smooth_tensor import waving

from tensorfill.completion import Completion, Snapshot
from tensorfill.library import complete as library_complete
from tensorfill.methods.spectral import Spectral
from tensorfill.numerics.threads import thread_count
from tensorfill.observed import ObservedTensor
from tensorfill.sampling import mask
from tensorfill.spectral.data import WindowSettings
from tensorfill.tensor import Array

Mask = NDArray[np.bool_]
COSINES = ("dct", "dct", "dct")


def steered(**changes: Any) -> type[Spectral]:
    """The method with other settings of its solver."""
    return type("Steered", (Spectral,), {"solver": replace(Spectral.solver, **changes)})


def complete(truth: Array, known: Mask, method: type[Spectral] = Spectral, **settings: Any) -> Completion:
    return method(**settings).complete(ObservedTensor.from_array(truth, known), rng=np.random.default_rng(0))


def error(model: Array, truth: Array, known: Mask) -> float:
    """The root mean square error where nothing was known."""
    return float(np.sqrt(np.mean((model - truth)[~known] ** 2)))


# Going on


def small_window(truth: Array) -> WindowSettings:
    """One for a picture that would need none."""
    return WindowSettings(large=0, enough=truth.size // 4, shortest=16)


CASES: dict[str, tuple[str, type[Spectral], dict[str, Any]]] = {
    "scattered": ("uniform", Spectral, {}),
    "blocks": ("blocks", Spectral, {}),
    "frames": ("frames", Spectral, {"bases": ("dct", "learned", "dct")}),
    "W ≥ 0": ("uniform", Spectral, {"constrained": True}),
    "components": ("uniform", Spectral, {"rank": 2}),
    "a family": ("uniform", Spectral, {"spectrum": "matern-3/2"}),
    "a window": ("uniform", steered(window=small_window(waving((48, 40, 6)))), {}),
    "single precision": ("pixels", steered(double_below=0), {}),
}


def states(data: ObservedTensor, method: Spectral, *, pickled: bool) -> Iterator[tuple[float, Array]]:
    """What a solver tells after every step; it may be pickled before each of them."""
    solver = method.start(data, np.random.default_rng(3), 1.0)
    yield solver.cost, solver.estimate().dense()
    while solver.finished() is None:
        solver = pickle.loads(pickle.dumps(solver)) if pickled else solver
        solver.step()
        yield solver.cost, solver.estimate().dense()
    run = solver.run
    assert run.held_predictions is not None
    yield float(run.steps), run.held_predictions


@pytest.mark.parametrize("name", CASES)
def test_a_solver_that_is_pickled_between_any_two_steps_goes_on_to_the_same_bits(name: str) -> None:
    pattern, kind, settings = CASES[name]
    truth = waving((48, 40, 6)) if name == "a window" else waving((14, 12, 8))
    data = ObservedTensor.from_array(truth, mask(pattern, truth.shape, 0.5, 0))
    found = zip(*(states(data, kind(**settings), pickled=pickled) for pickled in (False, True)), strict=True)
    for (cost, entries), (other_cost, other_entries) in found:
        assert cost == other_cost
        np.testing.assert_array_equal(entries, other_entries)


def test_what_was_found_stays_as_it_is_when_the_run_goes_on() -> None:
    truth = waving()
    data = ObservedTensor.from_array(truth, mask("uniform", truth.shape, 0.4, 0))
    solver = Spectral().start(data, np.random.default_rng(0), 1.0)
    found, told = [], []
    while solver.finished() is None:
        solver.step()
        found.append(solver.run)
        told.append((dict(solver.run.errors), solver.run.learned, solver.run.prior, solver.run.seen[1].copy()))
    for run, (errors, learned, prior, coefficients) in zip(found, told, strict=True):
        assert (dict(run.errors), run.learned, run.prior) == (errors, learned, prior)
        np.testing.assert_array_equal(run.seen[1], coefficients)
    assert len(found[-1].errors) == 3
    assert found[-1].prior is not None


# Candidates, and a window


def test_a_candidate_that_is_beaten_ends_early_and_nothing_else_changes() -> None:
    rng = np.random.default_rng(3)
    truth = np.einsum("ar,br,cr->abc", rng.random((24, 3)), rng.random((20, 3)), rng.random((12, 3)))
    truth = np.abs(truth / truth.max() + 0.05 * rng.standard_normal(truth.shape))
    known = rng.random(truth.shape) < 0.4
    given_up = complete(truth, known)
    patient = complete(truth, known, steered(close=np.inf))
    assert len(given_up.history) < len(patient.history)
    np.testing.assert_array_equal(given_up.model, patient.model)


@pytest.mark.parametrize(
    ("tie", "bases"),
    [(1.0, ("learned", "learned", "learned")), (1.4, ("dct", "dct", "learned")), (100.0, COSINES)],
)
def test_of_candidates_that_are_about_as_good_the_one_with_fewer_learned_bases_is_taken(
    tie: float, bases: tuple[str, ...]
) -> None:
    truth = waving((24, 20, 10)) ** 2
    truth += 0.3 * np.einsum("a,b,c->abc", *(np.random.default_rng(0).random(size) for size in truth.shape))
    known = np.random.default_rng(0).random(truth.shape) < 0.3
    assert complete(truth, known, steered(tie=tie)).settings["bases"] == bases


@pytest.mark.parametrize("pattern", ["uniform", "blocks"])
def test_learning_may_start_in_a_window(pattern: str) -> None:
    truth = waving((48, 40, 3))
    known = mask(pattern, truth.shape, 0.5, 0)
    without = complete(truth, known, bases=COSINES)
    begun_small = complete(truth, known, steered(window=small_window(truth)), bases=COSINES)
    in_the_window = [step.cost for step in begun_small.history].count(begun_small.history[0].cost) - 1
    assert in_the_window == Spectral.solver.window.rounds, "each of them can be stopped"
    assert begun_small.history[in_the_window + 1].cost < without.history[1].cost
    assert error(begun_small.model, truth, known) < 1.1 * error(without.model, truth, known)


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


def test_single_precision_finds_nearly_the_same() -> None:
    truth = waving()
    known = np.random.default_rng(0).random(truth.shape) < 0.3
    double = complete(truth, known, bases=COSINES)
    single = complete(truth, known, steered(double_below=0), bases=COSINES)
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
    monkeypatch.setattr("tensorfill.numerics.threads.SMALL_ARRAY", 0)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("TENSORFILL_THREADS", threads)
        thread_count.cache_clear()
        found.append(complete(truth, known, steered(double_below=0)).model)
    np.testing.assert_array_equal(*found)
