"""What every method promises, written once as checks of a `complete` callable."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tensorfill.completion import Completion, Snapshot, Watch
from tensorfill.errors import InvalidSetting, UnrecoverableSlice
from tensorfill.methods.registry import available_methods
from tensorfill.observed import Negatives, ObservedTensor


class Complete(Protocol):
    """A method as the checks see it."""

    def __call__(
        self,
        array: NDArray[Any] | ObservedTensor,
        observed: NDArray[np.bool_] | None = None,
        *,
        random_state: int = 0,
        watch: Watch | None = None,
        lower: float | None = 0,
        upper: float | None = None,
        negatives: Negatives = "raise",
    ) -> Completion: ...


@dataclass(frozen=True, eq=False)
class Problem:
    """Sparse nonnegative data of low rank plus noise, and what of it is known: no slice is empty."""

    data: NDArray[Any]
    known: NDArray[np.bool_]


class Remembering:
    """A way to complete that is asked the plain question of a problem once, whatever is then looked at in the answer.

    What has an option, such as a seed or a watcher, is done anew every time.
    """

    def __init__(self, complete: Complete) -> None:
        self._complete = complete
        self._answers: list[tuple[Any, Any, Completion]] = []

    def __call__(self, array: Any, observed: Any = None, **options: Any) -> Completion:
        if options:
            return self._complete(array, observed, **options)
        for data, known, done in self._answers:
            if data is array and known is observed:
                return done
        done = self._complete(array, observed)
        if isinstance(array, np.ndarray) and not array.flags.writeable:
            self._answers.append((array, observed, done))
        return done


@cache
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
    data = (200 * data).astype(dtype) if np.dtype(dtype).kind == "u" else data.astype(dtype)
    for array in (data, known):
        array.setflags(write=False)
    return Problem(data, known)


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
    # The plain question is that of seed 0, and is asked only once.
    first, second = complete(given.data, given.known), complete(given.data, given.known, random_state=0)
    np.testing.assert_array_equal(first.model, second.model)
    np.testing.assert_array_equal(first.history.cost, second.history.cost)


def check_scale_invariance(
    complete: Complete, given: Problem, scales: tuple[float, ...] = (1000.0, 1e-6, 2.0**30)
) -> None:
    plain = complete(given.data, given.known)
    for scale in scales:
        scaled = complete(scale * given.data, given.known)
        assert relative_difference(scaled.tensor / scale, plain.tensor) < 1e-6


def check_shift_invariance(complete: Complete, given: Problem) -> None:
    """The same data with another lower bound: everything is shifted with it."""
    data = np.rint(1024 * given.data) / 1024  # to which 3 can be added without rounding
    plain, moved = complete(data, given.known), complete(data - 3, given.known, lower=-3)
    assert (moved.lower, moved.upper, moved.nonnegative) == (-3, None, plain.nonnegative)
    np.testing.assert_allclose(moved.model, plain.model - 3, rtol=0, atol=1e-14)
    np.testing.assert_allclose(moved.tensor, plain.tensor - 3, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(moved.tensor[given.known], data[given.known] - 3)
    np.testing.assert_array_equal(moved.history.cost, plain.history.cost)
    assert moved.smallest == (None if plain.smallest is None else plain.smallest - 3)
    assert moved.negative_share == plain.negative_share
    assert moved.certificate == plain.certificate
    np.testing.assert_allclose(np.sum(moved.components, axis=0), moved.estimate.dense(), rtol=0, atol=1e-12)


def check_bounds_hold(complete: Complete, given: Problem, *, promised: bool) -> None:
    """Nothing above the upper bound, wherever one looks, nor below the lower one where that is promised."""
    for dtype in (np.float64, np.float32, np.int16):
        seen: list[float] = []

        def look(snapshot: Snapshot, seen: list[float] = seen) -> None:
            seen.append(float(snapshot.estimate.dense().max()))

        data = (given.data / given.data.max() * 40 - 10.2).astype(dtype)
        upper = float(data[given.known].max()) - 0.1
        done = complete(data, given.known, lower=-9.3, upper=upper, negatives="clip", watch=look)
        least, most = float(done.tensor.astype(np.float64).min()), float(done.tensor.astype(np.float64).max())
        assert -9.3 <= least <= most <= upper
        assert done.model.max() <= upper
        rows = np.argwhere(~given.known)
        assert done.predict(rows).astype(np.float64).max() <= upper
        assert done.predict(rows, raw=True).max() <= upper
        assert max(seen) <= upper
        assert done.model.min() >= -9.3 or not promised
        assert len(done.notes) >= 2, "values were clipped on both sides"


def check_no_bound(complete: Complete, given: Problem, name: str) -> None:
    """Without a lower bound it does not matter where zero is, and nothing is clipped; or it is refused."""
    data = np.rint(1024 * given.data) / 1024
    try:
        done = complete(data - 3, given.known, lower=None)
    except InvalidSetting as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert refusal.startswith(f"{name} ")
        assert "lower bound" in refusal
        return
    assert (done.lower, done.nonnegative, done.negative_share) == (None, False, None)
    np.testing.assert_array_equal(done.tensor[~given.known], done.estimate.dense()[~given.known])
    elsewhere = complete(data + 5, given.known, lower=None)
    np.testing.assert_allclose(elsewhere.model, done.model + 8, rtol=0, atol=1e-13)


def check_any_float_will_do(complete: Complete, given: Problem, dtype: Any = np.float64) -> None:
    """From the smallest float to the largest, the same data in other units has the same completion, bit by bit."""
    limits = np.finfo(dtype)
    coarse = (np.rint(256 * given.data / given.data.max()) / 256).astype(dtype)  # which the smallest floats can hold
    lowest, highest = int(np.log2(limits.smallest_subnormal)) + 8, int(limits.maxexp) - 1
    ordinary = complete(np.ldexp(coarse, 50).astype(dtype), given.known)
    for exponent in (lowest, lowest // 2, highest // 2, highest):
        data = np.ldexp(coarse, exponent)
        done = complete(data, given.known)
        np.testing.assert_array_equal(done.tensor[given.known], data[given.known])
        for found, expected in ((done.tensor, ordinary.tensor), (done.model, ordinary.model)):
            assert np.isfinite(found).all()
            # Rounded to what the smallest floats can tell apart, and cut off at the largest.
            smallest = 0.51 * float(limits.smallest_subnormal) if found.dtype == dtype else 0.0
            with np.errstate(over="ignore"):
                back = np.ldexp(expected.astype(np.float64), exponent - 50)
            back = np.clip(back, -float(limits.max), float(limits.max))
            found = np.clip(found.astype(np.float64), -float(limits.max), float(limits.max))
            np.testing.assert_allclose(found, back, rtol=1e-7 if dtype == np.float32 else 0, atol=smallest)
        assert done.smallest is None or np.isfinite(done.smallest)
        assert done.certificate is None or done.certificate.relative_gap == ordinary.certificate.relative_gap  # type: ignore[union-attr]
        np.testing.assert_array_equal(done.history.cost, ordinary.history.cost)
        if available_methods()[done.method].tells_uncertainty:
            assert np.isfinite(done.uncertainty).all()


def check_nasty_data_has_a_finite_completion(complete: Complete, given: Problem) -> None:
    """One huge outlier, one that is not zero, hardly anything known: finite, and what is known is kept."""
    known = given.known
    first, *_, last = np.flatnonzero(known)
    outlier, lonely = given.data.copy(), np.zeros_like(given.data)
    lonely.flat[first] = 1.0
    pair = np.zeros_like(known)
    pair.flat[[first, last]] = True
    cases = [(lonely, known), (given.data + 0.1, pair)]
    for top in (1e9, 1e100, np.finfo(np.float64).max):
        outlier = given.data.copy()
        outlier.flat[first] = top
        cases.append((outlier, known))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UnrecoverableSlice)
        for data, there in cases:
            done = complete(data, there)
            np.testing.assert_array_equal(done.tensor[there], data[there])
            assert np.isfinite(done.tensor).all()
            assert np.isfinite(done.model).all()


def check_a_constant_is_extended(complete: Complete, given: Problem) -> None:
    done = complete(np.full(given.data.shape, 7.3), given.known)
    np.testing.assert_array_equal(done.model, np.full(given.data.shape, 7.3))
    assert done.stop.kind == "constant"
    assert 0 < done.uncertainty[~given.known].min() < 7.3


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


def check_an_empty_slice_does_no_harm(complete: Complete, given: Problem) -> None:
    """What is known of the rest is fitted as before, and nothing becomes infinite."""
    holes = given.known.copy()
    holes[2] = False  # a slice
    holes[:, 3, 1] = False  # and a fibre
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnrecoverableSlice)
        done = complete(given.data, holes)
    assert np.isfinite(done.model).all()
    before = complete(given.data, given.known).model

    def error(model: NDArray[Any]) -> float:
        return float(np.sqrt(np.mean((model - given.data)[holes] ** 2)))

    assert error(done.model) <= 2 * error(before) + 0.05 * given.data.max()


def check_low_rank_is_recovered(complete: Complete, given: Problem) -> None:
    """`given` is exactly of low rank, with more than enough known."""
    done = complete(given.data, given.known)
    hidden = ~given.known
    assert relative_difference(done.model[hidden], given.data[hidden]) < 0.02


def check_huge_sparse_tensor_is_completed_or_refused(complete: Complete, given: Problem) -> None:
    """A few entries of a tensor that fits no memory; `given` is not used."""
    rng = np.random.default_rng(0)
    shape = (30_000, 20_000, 10_000)
    rows = np.unique(rng.integers(0, shape, (500, 3)), axis=0)
    data = ObservedTensor.from_coordinates(rows, rng.random(len(rows)), shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnrecoverableSlice)
        try:
            done = complete(data, watch=lambda snapshot: snapshot.step.iteration == 1)
        except InvalidSetting as error:
            refusal = str(error)
        else:
            refusal = None
            assert np.isfinite(done.predict(rows[:50])).all()
    assert refusal is None or "GiB" in refusal


def low_rank_problem() -> Problem:
    """A nonnegative tensor of multilinear rank (2, 2, 2), 70 % known."""
    rng = np.random.default_rng(5)
    factors = [rng.random((size, 2)) for size in (20, 18, 16)]
    data = np.einsum("ar,br,cr->abc", *factors)
    return Problem(data / data.max(), rng.random(data.shape) < 0.7)


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
    check_an_empty_slice_does_no_harm,
    check_huge_sparse_tensor_is_completed_or_refused,
]
"""What every method has to pass."""
