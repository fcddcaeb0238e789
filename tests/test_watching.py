"""Watching a run, stopping it, limiting its time, interrupting it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from small_tensor import make_holes, make_known, make_truth  # noqa: F401
from tensorfill.completion import Snapshot
from tensorfill.dual.recover import RecoveredTensor
from tensorfill.errors import InvalidSetting
from tensorfill.library import complete
from tensorfill.methods.registry import available_methods

CERTIFIED = ("nonneg-dual", "dual", "dual-demo")
"""Methods of a convex problem, whose completions carry a certificate."""

AT_ONCE = ("zero-fill", "mean-fill")
"""Methods with nothing to iterate."""


def test_the_watcher_sees_every_iteration_from_the_start_on(holes: NDArray[Any]) -> None:
    seen: list[Snapshot] = []
    done = complete(holes, method="nonneg-dual", max_iter=5, gradient_tolerance=0, watch=seen.append)
    assert [snapshot.step.iteration for snapshot in seen] == [0, 1, 2, 3, 4, 5]
    assert [snapshot.step for snapshot in seen] == list(done.history)
    assert done.iterations == 5
    assert done.stop.kind == "iterations"
    assert "max_iter=5" in str(done.stop)


def test_the_watcher_sees_the_tensor_as_it_stands(holes: NDArray[Any]) -> None:
    tensors: list[NDArray[Any]] = []
    corners: list[float] = []

    def look(snapshot: Snapshot) -> None:
        tensors.append(snapshot.estimate.dense())
        corners.append(float(snapshot.estimate.at(np.array([[7, 6, 5]]))[0]))

    done = complete(holes, method="nonneg-dual", max_iter=4, gradient_tolerance=0, watch=look)
    assert all(tensor.shape == holes.shape for tensor in tensors)
    np.testing.assert_allclose([tensor[7, 6, 5] for tensor in tensors], corners)
    moves = [float(np.abs(tensor - done.model).max()) for tensor in tensors]
    assert moves[-1] < moves[0]


def test_watching_changes_nothing(holes: NDArray[Any]) -> None:
    watched = complete(holes, effort="low", watch=lambda snapshot: snapshot.estimate.dense().fill(0))  # type: ignore[func-returns-value]
    np.testing.assert_array_equal(watched.tensor, complete(holes, effort="low").tensor)


@pytest.mark.parametrize("last", [0, 1, 3])
def test_a_watcher_that_returns_true_stops_the_run_there(
    truth: NDArray[Any], holes: NDArray[Any], known: NDArray[Any], last: int
) -> None:
    seen: list[int] = []

    def stop(snapshot: Snapshot) -> bool:
        seen.append(snapshot.step.iteration)
        return snapshot.step.iteration == last

    done = complete(holes, method="nonneg-dual", gradient_tolerance=0, watch=stop)
    assert done.stop.kind == "watch"
    assert str(done.stop) == f"Stopped by the watcher after {last} iterations: the result so far."
    assert seen == list(range(last + 1))
    assert done.iterations == last
    np.testing.assert_array_equal(done.tensor[known], truth[known])
    assert np.isfinite(done.tensor).all()


def test_time_spent_in_the_watcher_is_not_counted(holes: NDArray[Any]) -> None:
    slept = 0.0

    def sleep(snapshot: Snapshot) -> None:
        nonlocal slept
        before = time.perf_counter()
        time.sleep(0.1)
        slept += time.perf_counter() - before

    before = time.perf_counter()
    done = complete(holes, method="nonneg-dual", max_iter=3, gradient_tolerance=0, watch=sleep)
    whole = time.perf_counter() - before
    assert slept >= 0.4
    assert 0 < done.seconds <= whole - slept
    assert done.history[-1].seconds <= done.seconds


def test_the_seconds_of_the_history_never_go_back(holes: NDArray[Any]) -> None:
    assert (np.diff(complete(holes).history.seconds) >= 0).all()


@pytest.mark.parametrize("last", [1, 3])
@pytest.mark.parametrize("method", available_methods())
def test_an_interrupt_gives_the_best_completion_so_far(
    truth: NDArray[Any], holes: NDArray[Any], known: NDArray[Any], last: int, method: str
) -> None:
    def interrupt(snapshot: Snapshot) -> None:
        if snapshot.step.iteration == last:
            raise KeyboardInterrupt

    done = complete(holes, method=method, watch=interrupt)
    if method not in CERTIFIED and last > 1:
        assert done.stop.kind in ("done", "fit", "interrupted")  # a tensor as small as this is soon fitted
        return
    assert done.stop.kind == "interrupted"
    assert str(done.stop).startswith(f"Interrupted after {last} iterations: this is the ")
    assert done.iterations == last
    np.testing.assert_array_equal(done.tensor[known], truth[known])
    assert np.isfinite(done.tensor).all()
    assert done.tensor.min() >= 0
    if method in CERTIFIED:
        assert done.certificate is not None
        assert done.certificate.gap >= 0


@pytest.mark.parametrize("method", [name for name in available_methods() if name not in AT_ONCE])
def test_a_time_limit_stops_every_method_and_keeps_what_is_there(holes: NDArray[Any], method: str) -> None:
    done = complete(holes, method=method, time_limit=1e-9)
    assert (done.stop.kind, done.iterations) == ("time", 0)
    assert str(done.stop) == (
        "Stopped at time_limit=1e-09 s, after 0 iterations: a quick interpolation, for there was no time for more."
    )
    assert np.isfinite(done.tensor).all()


class CountingClock:
    """Time goes on by a second whenever somebody looks."""

    def __init__(self) -> None:
        self.looks = 0

    def perf_counter(self) -> float:
        self.looks += 1
        return float(self.looks)


@pytest.mark.parametrize("method", [name for name in available_methods() if name not in AT_ONCE])
def test_the_clock_is_looked_at_within_iterations(
    method: str, holes: NDArray[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = CountingClock()
    monkeypatch.setattr("tensorfill.interrupting.time", clock)
    done = complete(holes, method=method, time_limit=1e9)
    looks, clock.looks = clock.looks, 0
    assert looks > 2 * done.iterations, "more often than once an iteration"
    stopped = complete(holes, method=method, time_limit=looks // 2)
    assert stopped.stop.kind == "time"
    assert stopped.iterations < done.iterations


def test_out_of_time_there_is_an_interpolation_and_never_the_mean() -> None:
    truth = 1 + np.sin(np.add.outer(np.arange(60) / 9, np.add.outer(np.arange(50) / 7, np.arange(8) / 5)))
    known = np.random.default_rng(0).random(truth.shape) < 0.3
    done = complete(truth, known, time_limit=1e-9)
    assert np.sqrt(np.mean((done.tensor - truth)[~known] ** 2)) < 0.4 * truth.std()
    assert (done.uncertainty[~known] >= truth.std()).all(), "nothing was found out about errors"


def test_a_time_limit_that_is_long_enough_changes_nothing(holes: NDArray[Any]) -> None:
    seen: list[Snapshot] = []
    plain = {"effort": "low"}
    limited, free = complete(holes, time_limit=1e6, watch=seen.append, **plain), complete(holes, **plain)
    assert limited.stop == free.stop
    assert len(seen) == len(limited.history)
    np.testing.assert_array_equal(limited.tensor, free.tensor)


def test_a_watcher_that_stops_before_the_time_limit_is_the_reason(holes: NDArray[Any]) -> None:
    done = complete(holes, effort="low", time_limit=1e6, watch=lambda snapshot: snapshot.step.iteration == 1)
    assert (done.stop.kind, done.iterations) == ("watch", 1)


def test_whoever_is_stopped_does_not_go_on_for_long(holes: NDArray[Any]) -> None:
    def calls_after_the_end(**arguments: Any) -> int:
        done = complete(holes, method="dual", **arguments)
        assert isinstance(done.estimate, RecoveredTensor)
        return done.estimate.operator.calls.total - done.history[-1].operator_calls

    assert calls_after_the_end(watch=lambda snapshot: snapshot.step.iteration == 1) == 0
    assert calls_after_the_end() > 0, "without a hurry the last solve is exact"


@pytest.mark.parametrize("limit", [0, -1, float("nan"), True, "soon"])
def test_a_time_limit_that_is_no_time_is_refused(holes: NDArray[Any], limit: Any) -> None:
    with pytest.raises(InvalidSetting, match="'time_limit' must be a number of seconds above 0"):
        complete(holes, time_limit=limit)


def test_an_error_in_the_watcher_reaches_the_caller(holes: NDArray[Any]) -> None:
    def fail(snapshot: Snapshot) -> None:
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match=r"^disk full$"):
        complete(holes, watch=fail)
