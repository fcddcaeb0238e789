"""The conformance checks can fail: methods that are broken in one place are caught."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import conformance
import numpy as np
import pytest
from conformance import CHECKS, problem
from numpy.typing import NDArray

from tensorfill.completion import Completion, Estimate, History, Iteration, Snapshot, StopReason, Watch
from tensorfill.estimates.estimate import ConstantEstimate
from tensorfill.observed import ObservedTensor


class Filled:
    """An estimate that is an array."""

    def __init__(self, array: NDArray[np.float64]) -> None:
        self.array = array

    def at(self, coordinates: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.array[tuple(coordinates.T)]

    def dense(self) -> NDArray[np.float64]:
        return self.array.copy()

    def components(self) -> tuple[NDArray[np.float64], ...]:
        return (self.array / 2, self.array / 2)


class MeanFill:
    """An honest method: three iterations towards the mean of what is known. The broken ones differ in one place."""

    nonnegative = True

    def __call__(
        self,
        array: NDArray[Any] | ObservedTensor,
        observed: NDArray[np.bool_] | None = None,
        *,
        random_state: int = 0,
        watch: Watch | None = None,
    ) -> Completion:
        data = self.data(array, observed)
        history: list[Iteration] = []
        for iteration in range(4):
            estimate = self.estimate(data, iteration)
            history.append(Iteration(iteration, 0.0, 4.0 - iteration))
            if self.asked_to_stop(watch, Snapshot(history[-1], estimate)):
                break
        cancelled = iteration < 3
        stop = StopReason("watch" if cancelled else "iterations", "Done.")
        return self.completion(data, estimate, stop, History(history))

    def data(self, array: NDArray[Any] | ObservedTensor, observed: NDArray[np.bool_] | None) -> ObservedTensor:
        return array if isinstance(array, ObservedTensor) else ObservedTensor.from_array(array, observed)

    def estimate(self, data: ObservedTensor, iteration: int) -> Estimate:
        return Filled(np.full(data.shape, data.values.mean() * (iteration + 1) / 4))

    def asked_to_stop(self, watch: Watch | None, snapshot: Snapshot) -> bool:
        return watch is not None and bool(watch(snapshot))

    def completion(self, data: ObservedTensor, estimate: Estimate, stop: StopReason, history: History) -> Completion:
        return Completion(data, "mean", estimate, self.nonnegative, stop, 0.0, history=history)


class Unclipped(Completion):
    """A completion whose tensor is the estimate as it is."""

    @property
    def tensor(self) -> NDArray[Any]:  # type: ignore[override]
        return self.estimate.dense()


class Estimating(MeanFill):
    """Estimates by a function of the data, whatever the iteration, and may give that back as it is."""

    def __init__(self, function: Callable[[ObservedTensor], Estimate], *, clipped: bool = True) -> None:
        self.function, self.kind = function, Completion if clipped else Unclipped

    def estimate(self, data: ObservedTensor, iteration: int) -> Estimate:
        return self.function(data)

    def completion(self, data: ObservedTensor, estimate: Estimate, stop: StopReason, history: History) -> Completion:
        return self.kind(data, "mean", estimate, self.kind is Completion, stop, 0.0, history=history)


def shift(data: ObservedTensor) -> Estimate:
    """Goes negative."""
    values = np.full(data.shape, data.values.mean())
    values[-1] = -0.01 * data.values.max()
    return Filled(values)


def take_means(data: ObservedTensor, *, first_mode_only: bool) -> Estimate:
    """Treats the first mode unlike the others, or divides by the number of entries known in a slice."""
    full = np.zeros(data.size)
    full[data.positions] = data.values
    full = full.reshape(data.shape)
    others = tuple(range(1, data.order))
    with np.errstate(invalid="ignore"):
        means = full.sum(axis=others, keepdims=True) / data.mask().sum(axis=others, keepdims=True)
    return Filled(np.broadcast_to(full.mean(axis=0) if first_mode_only else means, data.shape).copy())


def fill_without_asking(data: ObservedTensor) -> Estimate:
    """Fills an array of any size without asking whether there is room."""
    if data.size > 10**9:
        raise AssertionError("an allocation that cannot succeed")
    return Filled(np.full(data.shape, data.values.mean()))


class Forgetful(MeanFill):
    """Does not put back what is known."""

    def completion(self, data: ObservedTensor, estimate: Estimate, stop: StopReason, history: History) -> Completion:
        return Completion(data, "mean", estimate, True, stop, 0.0, history=history, keep_observed=False)


class Peeking(MeanFill):
    """Looks at what is hidden."""

    def data(self, array: NDArray[Any] | ObservedTensor, observed: NDArray[np.bool_] | None) -> ObservedTensor:
        known = super().data(array, observed)
        self.hint = known.values.mean() if isinstance(array, ObservedTensor) else float(np.mean(array))
        return known

    def estimate(self, data: ObservedTensor, iteration: int) -> Estimate:
        return Filled(np.full(data.shape, self.hint))


class Scribbling(MeanFill):
    """Writes into its input."""

    def data(self, array: NDArray[Any] | ObservedTensor, observed: NDArray[np.bool_] | None) -> ObservedTensor:
        known = super().data(array, observed)
        if isinstance(array, np.ndarray) and observed is not None:
            array[~observed] = 0
        return known


class Approximate(Filled):
    """An estimate whose single entries are not those of the whole."""

    def at(self, coordinates: NDArray[np.int64]) -> NDArray[np.float64]:
        return super().at(coordinates) + 1e-3

    def components(self) -> tuple[NDArray[np.float64], ...]:
        return (self.array,) * 2


class Unwatched(MeanFill):
    """Never calls the watcher."""

    def asked_to_stop(self, watch: Watch | None, snapshot: Snapshot) -> bool:
        return False


class Unstoppable(MeanFill):
    """Calls the watcher and does not listen."""

    def asked_to_stop(self, watch: Watch | None, snapshot: Snapshot) -> bool:
        super().asked_to_stop(watch, snapshot)
        return False


class Constant(MeanFill):
    """The honest method without an array: it needs no room."""

    def estimate(self, data: ObservedTensor, iteration: int) -> Estimate:
        return ConstantEstimate(data.shape, data.values.mean() * (iteration + 1) / 4)


ALL_CHECKS = {
    **{check.__name__: check for check in CHECKS},
    "check_scale_invariance": conformance.check_scale_invariance,
    "check_mode_permutation": conformance.check_mode_permutation,
    "check_watcher_sees_every_iteration": conformance.check_watcher_sees_every_iteration,
    "check_watcher_can_cancel": conformance.check_watcher_can_cancel,
    "check_nothing_negative": partial(conformance.check_nothing_negative, promised=True),
    "check_tensor_not_negative": partial(conformance.check_nothing_negative, promised=False),
}


@pytest.mark.parametrize("check", ALL_CHECKS)
def test_an_honest_method_passes(check: str) -> None:
    ALL_CHECKS[check](Constant(), problem((6, 5, 4)))


shifted, negative = Estimating(shift), Estimating(shift, clipped=False)
BROKEN: list[tuple[MeanFill, str]] = [
    (shifted, "check_nothing_negative"),
    (negative, "check_nothing_negative"),
    (negative, "check_tensor_not_negative"),
    (Estimating(lambda data: Filled(np.ones((data.size, 1))), clipped=False), "check_shape_and_dtype"),
    (Estimating(lambda data: Filled(np.where(data.mask(), 0.5, np.nan))), "check_shape_and_dtype"),
    (Forgetful(), "check_known_entries_are_kept"),
    (Estimating(lambda data: Filled(np.random.default_rng().random(data.shape))), "check_same_seed_same_bits"),
    (Estimating(lambda data: ConstantEstimate(data.shape, data.values.mean() + 1e-3)), "check_scale_invariance"),
    (Estimating(partial(take_means, first_mode_only=True)), "check_mode_permutation"),
    (Peeking(), "check_hidden_values_are_not_seen"),
    (Peeking(), "check_sparse_input_gives_the_same"),
    (Scribbling(), "check_input_is_not_modified"),
    (Estimating(lambda data: Approximate(np.full(data.shape, data.values.mean()))), "check_predictions_agree"),
    (Estimating(lambda data: Approximate(np.full(data.shape, data.values.mean()))), "check_components_add_up"),
    (Estimating(partial(take_means, first_mode_only=False)), "check_an_empty_slice_does_no_harm"),
    (Estimating(fill_without_asking), "check_huge_sparse_tensor_is_completed_or_refused"),
    (Unwatched(), "check_watcher_sees_every_iteration"),
    (Unwatched(), "check_watcher_can_cancel"),
    (Unstoppable(), "check_watcher_can_cancel"),
]


@pytest.mark.parametrize(("broken", "check"), BROKEN, ids=lambda part: part if isinstance(part, str) else "")
def test_a_broken_method_is_caught(broken: MeanFill, check: str) -> None:
    with pytest.raises(AssertionError):
        ALL_CHECKS[check](broken, problem((6, 5, 4)))


def test_every_check_catches_something() -> None:
    assert {check for _, check in BROKEN} == set(ALL_CHECKS)


def test_a_method_that_does_not_recover_low_rank_is_caught() -> None:
    given = conformance.low_rank_problem()
    with pytest.raises(AssertionError):
        conformance.check_low_rank_is_recovered(MeanFill(), given)
