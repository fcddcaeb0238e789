"""What every method promises, written once as checks of a `complete` callable; broken methods are caught by them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.completion import Completion, Estimate, History, Iteration, Snapshot, StopReason, Watch
from tensorfill.library import complete as library_complete
from tensorfill.methods.registry import available_methods, setting_names
from tensorfill.observed import ObservedTensor

SHAPES = [(20, 15), (12, 10, 8), (9, 1, 7), (6, 5, 4, 3), (4, 3, 3, 2, 3)]
PRECISE = {"gradient_tolerance": 1e-8, "max_iter": 1000}
"""Settings that bring a method close to its optimum, for those that have them."""

VARIANTS = [
    ("nonneg-dual", {"optimizer": "trust-region"}),
    ("nonneg-dual", {"start": "random"}),
    ("nonneg-dual", {"rank": 2, "C": 100.0, "lam": 1.0}),
    ("dual", {"optimizer": "trust-region"}),
    ("dual", {"start": "random"}),
    ("dual", {"rank": 2, "C": 100.0, "lam": 1.0}),
]


class Complete(Protocol):
    """A method as the checks see it."""

    def __call__(
        self,
        array: NDArray[Any] | ObservedTensor,
        observed: NDArray[np.bool_] | None = None,
        *,
        random_state: int = 0,
        watch: Watch | None = None,
    ) -> Completion: ...


@dataclass(frozen=True, eq=False)
class Problem:
    """Sparse nonnegative data of low rank plus noise, and what of it is known: no slice is empty."""

    data: NDArray[Any]
    known: NDArray[np.bool_]


def problem(shape: tuple[int, ...], dtype: Any = np.float64) -> Problem:
    rng = np.random.default_rng(len(shape))
    letters = "abcde"[: len(shape)]
    factors = [rng.random((size, 2)) ** 3 for size in shape]
    data = np.einsum(",".join(f"{letter}r" for letter in letters) + "->" + letters, *factors)
    data = data / data.max() + 0.1 * rng.random(shape)
    data[rng.random(shape) < 0.3] = 0
    known = rng.random(shape) < 0.6
    for mode, size in enumerate(shape):
        for index in range(size):
            place: list[int] = [int(rng.integers(other)) for other in shape]
            place[mode] = index
            known[tuple(place)] = True
    return Problem((200 * data).astype(dtype) if np.dtype(dtype).kind == "u" else data.astype(dtype), known)


# The checks


def check_shape_and_dtype(complete: Complete, given: Problem) -> None:
    done = complete(given.data, given.known)
    assert done.tensor.shape == done.model.shape == given.data.shape
    assert done.tensor.dtype == given.data.dtype
    assert np.isfinite(done.tensor).all()
    assert np.isfinite(done.model).all()


def check_known_entries_are_kept(complete: Complete, given: Problem) -> None:
    np.testing.assert_array_equal(complete(given.data, given.known).tensor[given.known], given.data[given.known])


def check_nothing_negative(complete: Complete, given: Problem, *, promised: bool) -> None:
    done = complete(given.data, given.known)
    assert done.tensor.min() >= 0
    if promised:
        assert done.nonnegative
        assert done.model.min() >= 0
        assert done.estimate.dense().min() >= -1e-5 * given.data[given.known].max(), "before anything is clipped"


def check_predictions_agree(complete: Complete, given: Problem) -> None:
    done = complete(given.data, given.known)
    rows = np.random.default_rng(0).permutation(np.argwhere(np.ones(given.data.shape, dtype=bool)))
    largest = float(given.data.max())
    np.testing.assert_allclose(done.predict(rows, raw=True), done.model[tuple(rows.T)], atol=1e-10 * largest)
    np.testing.assert_allclose(done.predict(rows), done.tensor[tuple(rows.T)], atol=1e-10 * largest)
    assert done.predict(rows).dtype == given.data.dtype


def check_components_add_up(complete: Complete, given: Problem) -> None:
    done = complete(given.data, given.known)
    total = np.sum(done.components, axis=0)
    np.testing.assert_allclose(total, done.estimate.dense(), atol=1e-10 * float(given.data.max()))


def check_same_seed_same_bits(complete: Complete, given: Problem) -> None:
    first, second = (complete(given.data, given.known, random_state=7) for _ in range(2))
    np.testing.assert_array_equal(first.model, second.model)
    np.testing.assert_array_equal(first.history.cost, second.history.cost)


def check_scale_invariance(
    complete: Complete, given: Problem, scales: tuple[float, ...] = (1000.0, 1e-6, 2.0**30)
) -> None:
    plain = complete(given.data, given.known)
    for scale in scales:
        scaled = complete(scale * given.data, given.known)
        assert relative_difference(scaled.tensor / scale, plain.tensor) < 1e-6


def check_mode_permutation(complete: Complete, given: Problem) -> None:
    plain = complete(given.data, given.known).tensor
    for order in itertools.permutations(range(given.data.ndim)):
        turned = complete(given.data.transpose(order), given.known.transpose(order)).tensor
        assert relative_difference(turned, plain.transpose(order)) < 1e-4, order


def check_sparse_input_gives_the_same(complete: Complete, given: Problem) -> None:
    rows = np.random.default_rng(0).permutation(np.argwhere(given.known))
    sparse = ObservedTensor.from_coordinates(rows, given.data[tuple(rows.T)], given.data.shape)
    np.testing.assert_array_equal(complete(sparse).tensor, complete(given.data, given.known).tensor)


def check_input_is_not_modified(complete: Complete, given: Problem) -> None:
    data, known = given.data.copy(), given.known.copy()
    complete(data, known).tensor  # noqa: B018
    np.testing.assert_array_equal(data, given.data)
    np.testing.assert_array_equal(known, given.known)
    data.setflags(write=False)
    known.setflags(write=False)
    complete(data, known).tensor  # noqa: B018


def check_hidden_values_are_not_seen(complete: Complete, given: Problem) -> None:
    garbage = np.where(given.known, given.data, 77).astype(given.data.dtype)
    np.testing.assert_array_equal(complete(garbage, given.known).tensor, complete(given.data, given.known).tensor)


def check_watcher_sees_every_iteration(complete: Complete, given: Problem) -> None:
    seen: list[Snapshot] = []
    done = complete(given.data, given.known, watch=seen.append)
    assert [snapshot.step.iteration for snapshot in seen] == list(range(len(seen)))
    assert [snapshot.step for snapshot in seen] == list(done.history)
    assert done.iterations >= 1
    assert all(snapshot.estimate.dense().shape == given.data.shape for snapshot in seen)
    np.testing.assert_array_equal(done.tensor, complete(given.data, given.known).tensor)


def check_watcher_can_cancel(complete: Complete, given: Problem) -> None:
    for last in (0, 1):
        seen: list[int] = []

        def stop(snapshot: Snapshot, seen: list[int] = seen, last: int = last) -> bool:
            seen.append(snapshot.step.iteration)
            return snapshot.step.iteration == last

        done = complete(given.data, given.known, watch=stop)
        assert seen == list(range(last + 1))
        assert (done.stop.kind, done.iterations) == ("watch", last)
        assert np.isfinite(done.tensor).all()


def relative_difference(found: NDArray[Any], expected: NDArray[Any]) -> float:
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


CHECKS: list[Callable[[Complete, Problem], None]] = [
    check_shape_and_dtype,
    check_known_entries_are_kept,
    check_predictions_agree,
    check_components_add_up,
    check_same_seed_same_bits,
    check_sparse_input_gives_the_same,
    check_input_is_not_modified,
    check_hidden_values_are_not_seen,
]


# Every method passes


@pytest.fixture(params=available_methods())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def method(name: str) -> Complete:
    return partial(library_complete, method=name)


@pytest.fixture
def precise(name: str) -> Complete:
    """The method close to its optimum."""
    settings: dict[str, Any] = {key: PRECISE[key] for key in setting_names(available_methods()[name]) if key in PRECISE}
    return partial(library_complete, method=name, **settings)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_every_method_conforms(method: Complete, check: Callable[[Complete, Problem], None]) -> None:
    check(method, problem((12, 10, 8)))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_method_takes_tensors_of_order_two_to_five(method: Complete, name: str, shape: tuple[int, ...]) -> None:
    given = problem(shape)
    check_shape_and_dtype(method, given)
    check_known_entries_are_kept(method, given)
    check_nothing_negative(method, given, promised=available_methods()[name].nonnegative)
    check_predictions_agree(method, given)
    check_components_add_up(method, given)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_every_method_takes_other_dtypes(method: Complete, dtype: Any) -> None:
    given = problem((10, 8, 6), dtype)
    check_shape_and_dtype(method, given)
    check_known_entries_are_kept(method, given)
    check_sparse_input_gives_the_same(method, given)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_problems_are_such_that_nonnegativity_has_to_be_enforced(shape: tuple[int, ...]) -> None:
    given = problem(shape)
    assert library_complete(given.data, given.known, method="dual").estimate.dense().min() < -1e-3 * given.data.max()


def test_a_completion_says_whether_its_model_is_clipped(method: Complete, name: str) -> None:
    given = problem((12, 10, 8))
    assert method(given.data, given.known).nonnegative == available_methods()[name].nonnegative


@pytest.mark.parametrize(("name", "settings"), VARIANTS, ids=str)
def test_every_way_to_run_a_method_conforms(name: str, settings: dict[str, Any]) -> None:
    variant, given = partial(library_complete, method=name, **settings), problem((6, 5, 4))
    check_shape_and_dtype(variant, given)
    check_known_entries_are_kept(variant, given)
    check_nothing_negative(variant, given, promised=available_methods()[name].nonnegative)
    check_same_seed_same_bits(variant, given)
    # Powers of two scale without rounding: with a small rank, a run magnifies rounding to the tolerance it stops at.
    check_scale_invariance(variant, given, scales=(2.0**10, 2.0**-20))
    check_watcher_can_cancel(variant, given)


def test_no_method_depends_on_the_scale_of_the_data(method: Complete) -> None:
    check_scale_invariance(method, problem((12, 10, 8)))


@pytest.mark.parametrize("shape", [(10, 8), (9, 7, 5)], ids=str)
def test_permuting_the_modes_permutes_the_answer(precise: Complete, shape: tuple[int, ...]) -> None:
    check_mode_permutation(precise, problem(shape))


def test_every_method_is_watched_at_every_iteration(method: Complete) -> None:
    check_watcher_sees_every_iteration(method, problem((12, 10, 8)))


def test_every_method_can_be_cancelled(precise: Complete) -> None:
    check_watcher_can_cancel(precise, problem((12, 10, 8)))


def test_every_method_says_what_it_does_and_where_it_comes_from(name: str) -> None:
    method = available_methods()[name]
    assert method.summary.strip()
    assert method.reference.strip()
    assert "\n" not in method.summary


# The checks can fail


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
            history.append(Iteration(iteration, 0.0, 4.0 - iteration, 0.0, 0, 0))
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


class Shifted(MeanFill):
    """Goes negative, and counts on being clipped."""

    def estimate(self, data: ObservedTensor, iteration: int) -> Estimate:
        values = np.full(data.shape, data.values.mean())
        values[-1] = -0.01 * data.values.max()
        return Filled(values)


class Unclipped(Completion):
    """A completion whose tensor is the estimate as it is."""

    @property
    def tensor(self) -> NDArray[Any]:  # type: ignore[override]
        return self.estimate.dense()


class Negative(Shifted):
    """Goes negative, and gives that back."""

    nonnegative = False

    def completion(self, data: ObservedTensor, estimate: Estimate, stop: StopReason, history: History) -> Completion:
        return Unclipped(data, "mean", estimate, False, stop, 0.0, history=history)


class Flattened(MeanFill):
    """Changes the shape."""

    def estimate(self, data: ObservedTensor, iteration: int) -> Estimate:
        return Filled(np.full((data.size, 1), data.values.mean()))

    def completion(self, data: ObservedTensor, estimate: Estimate, stop: StopReason, history: History) -> Completion:
        return Unclipped(data, "mean", estimate, True, stop, 0.0, history=history)


class NotFinite(MeanFill):
    """Has a silent NaN."""

    def estimate(self, data: ObservedTensor, iteration: int) -> Estimate:
        return Filled(np.where(data.mask(), 0.5, np.nan))


class Forgetful(MeanFill):
    """Does not put back what is known."""

    def completion(self, data: ObservedTensor, estimate: Estimate, stop: StopReason, history: History) -> Completion:
        return Completion(data, "mean", estimate, True, stop, 0.0, history=history, keep_observed=False)


class Moody(MeanFill):
    """Is random whatever the seed."""

    def estimate(self, data: ObservedTensor, iteration: int) -> Estimate:
        return Filled(np.random.default_rng().random(data.shape))


class Absolute(MeanFill):
    """Takes every tensor to be about 1."""

    def estimate(self, data: ObservedTensor, iteration: int) -> Estimate:
        return Filled(np.full(data.shape, data.values.mean() + 1e-3))


class FirstModeOnly(MeanFill):
    """Treats the first mode unlike the others."""

    def estimate(self, data: ObservedTensor, iteration: int) -> Estimate:
        full = np.zeros(data.size)
        full[data.positions] = data.values
        means = full.reshape(data.shape).mean(axis=0)
        return Filled(np.broadcast_to(means, data.shape).copy())


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


class Inconsistent(MeanFill):
    """Predicts something else than it fills in, and its components do not add up."""

    def estimate(self, data: ObservedTensor, iteration: int) -> Estimate:
        return Approximate(np.full(data.shape, data.values.mean()))


class Unwatched(MeanFill):
    """Never calls the watcher."""

    def asked_to_stop(self, watch: Watch | None, snapshot: Snapshot) -> bool:
        return False


class Unstoppable(MeanFill):
    """Calls the watcher and does not listen."""

    def asked_to_stop(self, watch: Watch | None, snapshot: Snapshot) -> bool:
        super().asked_to_stop(watch, snapshot)
        return False


ALL_CHECKS = {
    **{check.__name__: check for check in CHECKS},
    "check_scale_invariance": check_scale_invariance,
    "check_mode_permutation": check_mode_permutation,
    "check_watcher_sees_every_iteration": check_watcher_sees_every_iteration,
    "check_watcher_can_cancel": check_watcher_can_cancel,
    "check_nothing_negative": partial(check_nothing_negative, promised=True),
    "check_tensor_not_negative": partial(check_nothing_negative, promised=False),
}


@pytest.mark.parametrize("check", ALL_CHECKS)
def test_an_honest_method_passes(check: str) -> None:
    ALL_CHECKS[check](MeanFill(), problem((6, 5, 4)))


BROKEN: list[tuple[type[MeanFill], str]] = [
    (Shifted, "check_nothing_negative"),
    (Negative, "check_nothing_negative"),
    (Negative, "check_tensor_not_negative"),
    (Flattened, "check_shape_and_dtype"),
    (NotFinite, "check_shape_and_dtype"),
    (Forgetful, "check_known_entries_are_kept"),
    (Moody, "check_same_seed_same_bits"),
    (Absolute, "check_scale_invariance"),
    (FirstModeOnly, "check_mode_permutation"),
    (Peeking, "check_hidden_values_are_not_seen"),
    (Peeking, "check_sparse_input_gives_the_same"),
    (Scribbling, "check_input_is_not_modified"),
    (Inconsistent, "check_predictions_agree"),
    (Inconsistent, "check_components_add_up"),
    (Unwatched, "check_watcher_sees_every_iteration"),
    (Unwatched, "check_watcher_can_cancel"),
    (Unstoppable, "check_watcher_can_cancel"),
]


@pytest.mark.parametrize(("broken", "check"), BROKEN)
def test_a_broken_method_is_caught(broken: type[MeanFill], check: str) -> None:
    with pytest.raises(AssertionError):
        ALL_CHECKS[check](broken(), problem((6, 5, 4)))


def test_every_check_catches_something() -> None:
    assert {check for _, check in BROKEN} == set(ALL_CHECKS)
