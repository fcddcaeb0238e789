"""The loop of the iterative methods: what it records, and why it stops."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tensorfill.completion import History, Iteration, Snapshot, StopReason
from tensorfill.estimates.estimate import ConstantEstimate
from tensorfill.interrupting import TimeIsUp
from tensorfill.iterating import Outcome, Progress, iterate


def falling(costs: list[float], stop_at: int | None = None) -> Iterator[Progress]:
    for number, cost in enumerate(costs):
        stop = StopReason("change", "Converged.") if number == stop_at else None
        yield Progress(cost, ConstantEstimate((2, 2), cost), measures={"gradient_norm": cost / 2}, stop=stop)


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
    assert found.seconds > found.history[-1].seconds, "what was begun took time, too"
    assert found.estimate.dense()[0, 0] == 2.0


def test_an_interrupt_before_there_is_anything_passes() -> None:
    def at_once() -> Iterator[Progress]:
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        iterate(at_once(), max_iter=10, watch=None)


# After an iteration that is done


def earlier() -> Outcome:
    """Two states that took ten seconds."""
    steps = [Iteration(number, 5.0 * (number + 1), 4.0 - number) for number in range(2)]
    return Outcome(ConstantEstimate((2, 2), 3.0), History(steps), StopReason("done", "Done."), 10.0)


def test_another_goes_on_with_its_history_and_its_seconds() -> None:
    before = earlier()
    found = iterate(falling([2.0, 1.0], stop_at=1), max_iter=10, watch=None, after=before)
    assert [(step.iteration, step.cost) for step in found.history] == [(0, 4.0), (1, 3.0), (2, 2.0), (3, 1.0)]
    assert [step.seconds for step in found.history][:2] == [5.0, 10.0]
    assert 10 <= found.history[2].seconds <= found.history[3].seconds <= found.seconds < 11
    assert (found.stop.kind, found.estimate.dense()[0, 0]) == ("change", 1.0)
    assert len(before.history) == 2, "what was handed over stays as it is"


def test_without_a_step_where_the_first_one_ended_is_the_outcome() -> None:
    before = earlier()
    found = iterate(falling([]), max_iter=10, watch=None, after=before)
    assert (found.estimate, found.stop, found.seconds) == (before.estimate, before.stop, before.seconds)
    assert list(found.history) == list(before.history)


def test_one_that_ends_without_a_reason_is_stalled_after_another_too() -> None:
    found = iterate(falling([2.0]), max_iter=10, watch=None, after=earlier())
    assert (found.stop.kind, found.estimate.dense()[0, 0]) == ("stalled", 2.0)


def test_the_watcher_sees_the_new_states_only_and_can_stop_at_them() -> None:
    seen: list[int] = []

    def watch(snapshot: Snapshot) -> bool:
        seen.append(snapshot.step.iteration)
        return snapshot.step.iteration == 3

    found = iterate(falling([2.0, 1.5, 1.0]), max_iter=10, watch=watch, after=earlier())
    assert (seen, found.stop.kind, found.history[-1].iteration) == ([2, 3], "watch", 3)


def test_iterations_of_both_count() -> None:
    found = iterate(falling([2.0, 1.5, 1.0]), max_iter=3, watch=None, after=earlier())
    assert (found.stop.kind, len(found.history)) == ("iterations", 4)


@pytest.mark.parametrize("error", [KeyboardInterrupt, TimeIsUp])
def test_one_that_is_stopped_before_its_first_state_ends_where_the_other_did(error: type[BaseException]) -> None:
    def at_once() -> Iterator[Progress]:
        raise error
        yield

    before = earlier()
    found = iterate(at_once(), max_iter=10, watch=None, after=before)
    assert found.stop.kind == ("time" if error is TimeIsUp else "interrupted")
    assert "after 1 iterations" in found.stop.sentence
    assert found.estimate is before.estimate
    assert found.seconds >= before.seconds


def test_a_first_state_beyond_all_bounds_is_not_taken() -> None:
    before = earlier()
    found = iterate(falling([float("nan"), 1.0]), max_iter=10, watch=None, after=before)
    assert found.stop.kind == "stalled"
    assert "iteration 2" in found.stop.sentence
    assert found.estimate is before.estimate
