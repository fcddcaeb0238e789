"""The loop of the iterative methods: what it records, and why it stops."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tensorfill.completion import Snapshot, StopReason
from tensorfill.estimates.constant import ConstantEstimate
from tensorfill.iterating import Progress, iterate


def falling(costs: list[float], stop_at: int | None = None) -> Iterator[Progress]:
    for number, cost in enumerate(costs):
        stop = StopReason("change", "Converged.") if number == stop_at else None
        yield Progress(cost, ConstantEstimate((2, 2), cost), gradient_norm=cost / 2, stop=stop)


def test_the_start_is_iteration_zero() -> None:
    found = iterate(falling([3.0, 2.0, 1.0]), max_iter=2, watch=None)
    assert [(step.iteration, step.cost, step.gradient_norm) for step in found.history] == [
        (0, 3.0, 1.5),
        (1, 2.0, 1.0),
        (2, 1.0, 0.5),
    ]
    assert found.estimate.dense()[0, 0] == 1.0
    assert found.stop.kind == "iterations"
    assert "max_iter=2" in found.stop.sentence


def test_the_method_has_its_own_reason_to_stop() -> None:
    found = iterate(falling([3.0, 2.0, 1.0], stop_at=1), max_iter=10, watch=None)
    assert (found.stop.kind, found.history[-1].iteration) == ("change", 1)


def test_a_method_that_ends_without_a_reason_is_stalled() -> None:
    assert iterate(falling([3.0, 2.0]), max_iter=10, watch=None).stop.kind == "stalled"


def test_the_watcher_can_stop_it_and_is_not_timed() -> None:
    def watch(snapshot: Snapshot) -> bool:
        time.sleep(0.02)
        return snapshot.step.iteration == 1

    found = iterate(falling([3.0, 2.0, 1.0]), max_iter=10, watch=watch)
    assert (found.stop.kind, found.history[-1].iteration) == ("watch", 1)
    assert found.seconds < 0.02


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_values_beyond_all_bounds_end_it_with_the_state_before(bad: float) -> None:
    found = iterate(falling([3.0, 2.0, bad, 1.0]), max_iter=10, watch=None)
    assert found.stop.kind == "stalled"
    assert "iteration 2" in found.stop.sentence
    assert found.estimate.dense()[0, 0] == 2.0
    assert len(found.history) == 2


def test_an_interrupt_ends_it_with_the_state_there_is() -> None:
    def interrupted() -> Iterator[Progress]:
        yield from falling([3.0, 2.0])
        raise KeyboardInterrupt

    found = iterate(interrupted(), max_iter=10, watch=None)
    assert found.stop.kind == "interrupted"
    assert found.estimate.dense()[0, 0] == 2.0


def test_an_interrupt_before_there_is_anything_passes() -> None:
    def at_once() -> Iterator[Progress]:
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        iterate(at_once(), max_iter=10, watch=None)
