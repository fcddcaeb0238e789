"""Data with another lower bound than zero, or with none: worked on shifted, told in its own units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.bounds import Bounds
from tensorfill.completion import Completion, Snapshot
from tensorfill.errors import InvalidInput, InvalidSetting
from tensorfill.library import complete
from tensorfill.methods.registry import available_methods
from tensorfill.observed import ObservedTensor
from tensorfill.units import Shift


@pytest.fixture
def field() -> NDArray[Any]:
    """Smooth, with both signs."""
    x, y, z = np.meshgrid(*(np.linspace(0, 1, size) for size in (11, 9, 6)), indexing="ij")
    return np.asarray(np.sin(5 * x + 2 * z) * np.cos(3 * y) + 0.4 * z)


@pytest.fixture
def known(field: NDArray[Any]) -> NDArray[np.bool_]:
    return np.random.default_rng(1).random(field.shape) < 0.4


def error(done: Completion, truth: NDArray[Any], known: NDArray[np.bool_]) -> float:
    return float(np.sqrt(np.mean((done.tensor - truth)[~known] ** 2)))


# What a method sees


def seen(known: Any, lower: float | None, *, dtype: Any) -> ObservedTensor:
    data = ObservedTensor.from_array(np.array([known], dtype), lower=None)
    return Shift.of(Bounds.of(lower, None), data).apply(data)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32])
def test_with_the_usual_bound_it_is_the_data_itself(dtype: Any) -> None:
    data = ObservedTensor.from_array(np.array([[3, 7]], dtype))
    assert Shift.of(Bounds(), data).apply(data) is data


@pytest.mark.parametrize("dtype", [np.int16, np.int64, np.float16, np.float32, np.float64])
def test_else_it_is_the_distance_from_the_bound(dtype: Any) -> None:
    found = seen([-3, 0, 4], -5, dtype=dtype)
    assert found.known.tolist() == [2, 5, 9]
    assert found.floor == 0


def test_without_a_bound_it_is_the_distance_from_the_smallest_value_and_nothing_to_keep_to() -> None:
    found = seen([-3, 0, 4], None, dtype=np.int8)
    assert found.known.tolist() == [0, 3, 7]
    assert found.floor == -np.inf


def test_whole_numbers_of_any_size_keep_their_differences() -> None:
    lowest, highest = -(2**63), 2**63 - 1
    assert seen([lowest, lowest + 1, highest], lowest, dtype=np.int64).known.tolist() == [0, 1, 2**64 - 1]
    assert seen([2**63, 2**64 - 1], None, dtype=np.uint64).known.tolist() == [0, 2**63 - 1]
    assert seen([3, 200], -1, dtype=np.uint8).known.tolist() == [4, 201]
    assert seen([False, True], -1, dtype=np.bool_).known.tolist() == [1, 2]
    assert seen([2**63, 2**64 - 1], -(2**63), dtype=np.uint64).known.dtype == np.float64  # farther than any integer


def test_single_precision_has_room_for_its_differences() -> None:
    top = np.finfo(np.float32).max
    assert seen([-top, top], None, dtype=np.float32).known.tolist() == [0, 2 * float(top)]
    assert seen([-3, 4], None, dtype=np.float32).known.dtype == np.float32


def test_differences_that_are_no_floats_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"reach from -1e\+308 to 1e\+308, too far .*; divide the data by 16\.$"):
        complete(np.array([[-1e308, 1e308], [0, np.nan]]), lower=None)


def test_a_bound_that_is_far_away_does_not_drown_the_data() -> None:
    assert seen([1.0, 2.0, 3.0], -1e9, dtype=np.float64).known.tolist() == [20, 21, 22]
    assert seen([1, 2, 3], -(10**30), dtype=np.int64).known.tolist() == [20, 21, 22]
    assert seen([1.0, 2.0, 3.0], -19, dtype=np.float64).known.tolist() == [20, 21, 22]
    assert seen([1.0, 2.0, 3.0], -18, dtype=np.float64).known.tolist() == [19, 20, 21]


# What a user gets


@pytest.mark.parametrize("settings", [{"method": "spectral"}, {"method": "t-ctv"}, {"effort": "normal"}], ids=str)
def test_a_signed_field_has_the_error_of_the_shifted_one(
    field: NDArray[Any], known: NDArray[np.bool_], settings: dict[str, Any]
) -> None:
    above = field - field.min()
    expected = error(complete(above, known, **settings), above, known)
    for lower in (None, float(field.min())):
        assert error(complete(field, known, lower=lower, **settings), field, known) <= 1.01 * expected


def test_without_a_bound_estimates_go_below_what_is_known() -> None:
    """The lowest place of a bowl is not known."""
    x, y = np.meshgrid(np.linspace(-1, 1, 21), np.linspace(-1, 1, 21), indexing="ij")
    bowl = x**2 + y**2 - 3
    around = bowl > -2.9
    for method in ("auto", "spectral"):
        assert complete(bowl, around, method, lower=None).tensor.min() < -2.97
        assert complete(bowl, around, method, lower=-2.9).tensor.min() == -2.9


def test_bounds_are_remembered_and_known_entries_are_as_they_were(
    field: NDArray[Any], known: NDArray[np.bool_]
) -> None:
    done = complete(field, known, "nonneg-dual", lower=-1.5, upper=2)
    assert (done.lower, done.upper, done.nonnegative) == (-1.5, 2, True)
    np.testing.assert_array_equal(done.observed.known, field[known])
    np.testing.assert_array_equal(done.tensor[known], field[known])
    assert complete(field, known, "nonneg-dual", lower=None).nonnegative is False


def test_computed_tomography_stays_in_its_dtype() -> None:
    x, y = np.meshgrid(np.linspace(-1, 1, 24), np.linspace(-1, 1, 24), indexing="ij")
    scan = np.where(x**2 + y**2 < 0.7, 40 + 30 * x, -1000).astype(np.int16)
    known = np.random.default_rng(0).random(scan.shape) < 0.7
    for lower in (-1024, None):
        done = complete(scan, known, lower=lower)
        assert done.tensor.dtype == np.int16
        np.testing.assert_array_equal(done.tensor[known], scan[known])
        inside = ~known & (x**2 + y**2 < 0.4)
        assert np.sqrt(np.mean((done.tensor.astype(float) - scan)[inside] ** 2)) < 40


def test_clipping_known_values_is_told(field: NDArray[Any], known: NDArray[np.bool_]) -> None:
    count = int((field[known] < 0).sum())
    (note,) = complete(field, known, "mean-fill", negatives="clip").notes
    assert note == f"{count:,} negative known values were set to 0."
    assert complete(field, known, "mean-fill", lower=-2, negatives="clip").notes == ()


def test_an_observed_tensor_is_held_to_the_bounds_too(field: NDArray[Any], known: NDArray[np.bool_]) -> None:
    given = ObservedTensor.from_array(field, known, lower=None)
    with pytest.raises(InvalidInput, match="observed values are negative"):
        complete(given, method="mean-fill")
    assert complete(given, method="mean-fill", lower=None).tensor.min() == field[known].min()


def test_watchers_see_the_data_in_its_own_units(field: NDArray[Any], known: NDArray[np.bool_]) -> None:
    snapshots: list[Snapshot] = []
    done = complete(field, known, "nonneg-dual", lower=None, upper=1.3, negatives="clip", watch=snapshots.append)
    last = snapshots[-1].estimate.dense()
    np.testing.assert_allclose(last, done.model, atol=0.2)
    assert last.max() <= 1.3
    np.testing.assert_allclose(sum(done.components), done.estimate.dense(), atol=1e-12)


def test_deviations_are_those_of_the_shifted_field(field: NDArray[Any], known: NDArray[np.bool_]) -> None:
    field = np.rint(1024 * field) / 1024
    above = complete(field + 4, known, "spectral", lower=2).uncertainty
    below = complete(field - 4, known, "spectral", lower=-6).uncertainty
    np.testing.assert_array_equal(below, above)
    free = complete(field, known, "spectral", lower=None).uncertainty
    assert 0.5 < float(free[~known].mean() / above[~known].mean()) < 2


def test_time_that_is_over_at_once_leaves_an_interpolation_in_the_datas_units(
    field: NDArray[Any], known: NDArray[np.bool_]
) -> None:
    done = complete(field, known, lower=None, time_limit=1e-9)
    assert done.stop.kind == "time"
    assert error(done, field, known) < 0.3


@pytest.mark.parametrize(("value", "lower"), [(-3.0, None), (-3.0, -3), (0.0, None), (0.0, -2), (5.0, -2)])
def test_a_constant_is_extended_whatever_the_bound(value: float, lower: float | None) -> None:
    known = np.zeros((4, 3), dtype=bool)
    known[:2] = True
    done = complete(np.full((4, 3), value), known, lower=lower)
    np.testing.assert_array_equal(done.tensor, np.full((4, 3), value))
    assert done.stop.sentence == f"The known values are all {value:.6g}, so the completion is {value:.6g} everywhere."
    assert done.uncertainty[3, 0] == pytest.approx(abs(value - (lower or 0)) / np.sqrt(7))


def test_extraordinary_data_is_shifted_and_scaled(field: NDArray[Any], known: NDArray[np.bool_]) -> None:
    plain, huge = (complete(scale * field, known, "spectral", lower=None) for scale in (1.0, 2.0**900))
    np.testing.assert_allclose(huge.tensor / 2.0**900, plain.tensor, atol=1e-9)
    (note,) = huge.notes
    assert note.startswith(f"The largest known value, less {2.0**900 * field[known].min()}, is ")


# What does not go together


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        (
            {"method": "ncpc"},
            r"^ncpc is a sum of nonnegative parts and needs a lower bound: .* dual or t-ctv\.",
        ),
        ({"method": "spectral", "constrained": True}, "must not be True where there is no lower bound to keep to"),
        ({"nonnegative_on": "observed"}, "must not be given where there is no lower bound to enforce"),
    ],
)
def test_what_needs_a_bound_is_refused_without_one(
    field: NDArray[Any], known: NDArray[np.bool_], settings: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(InvalidSetting, match=complaint):
        complete(field, known, lower=None, **settings)


def test_without_a_bound_nonneg_dual_solves_the_problem_of_dual(field: NDArray[Any], known: NDArray[np.bool_]) -> None:
    one, other = (complete(field, known, method, lower=None, rank=3) for method in ("nonneg-dual", "dual"))
    np.testing.assert_array_equal(one.model, other.model)
    assert one.settings["nonnegative_on"] is None
    assert set(one.settings) >= {"rank", "C", "lam"}
    assert available_methods()["nonneg-dual"].nonnegative
