"""Bounds: what they accept, and how they are kept in every dtype."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tensorfill.bounds import Bounds
from tensorfill.errors import InvalidInput, InvalidSetting
from tensorfill.observed import ObservedTensor

# What a user may give


@pytest.mark.parametrize(
    ("lower", "upper", "found"),
    [
        (0, None, Bounds()),
        (None, None, Bounds(None, None)),
        (-3.0, np.float32(0.5), Bounds(-3, 0.5)),
        (np.int64(-(2**63)), 2**64 - 1, Bounds(-(2**63), 2**64 - 1)),
    ],
)
def test_any_two_numbers_in_order_or_none_are_bounds(lower: Any, upper: Any, found: Bounds) -> None:
    assert Bounds.of(lower, upper) == found


@pytest.mark.parametrize("bound", ["0", True, float("nan"), float("-inf"), 1j, [0]])
def test_nothing_else_is_a_bound(bound: Any) -> None:
    for bounds in ((bound, None), (None, bound)):
        with pytest.raises(InvalidSetting, match=r"must be a number, or None for no bound\. Got "):
            Bounds.of(*bounds)


@pytest.mark.parametrize("upper", [-3, -4.5])
def test_the_upper_bound_must_be_above_the_lower_one(upper: float) -> None:
    with pytest.raises(InvalidSetting, match=rf"^'upper' must be above lower=-3\. Got {upper} instead\.$"):
        Bounds.of(-3, upper)


# Limits of a dtype


def test_whole_numbers_are_rounded_inwards() -> None:
    assert Bounds(-2.5, 7.5).limits(np.dtype(np.int16)) == (-2, 7)
    assert Bounds(-2.5, None).limits(np.dtype(np.uint8)) == (0, 255)
    assert Bounds(None, None).limits(np.dtype(np.int64)) == (-(2**63), 2**63 - 1)
    assert Bounds(None, None).limits(np.dtype(bool)) == (0, 1)


@pytest.mark.parametrize("bound", [0.1, 0.3, 0.7, -0.1, -0.7, 1e30 / 3])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_are_rounded_inwards(bound: float, dtype: Any) -> None:
    if bound > float(np.finfo(dtype).max):
        return
    lowest, _ = Bounds(bound, None).limits(np.dtype(dtype))
    _, highest = Bounds(None, bound).limits(np.dtype(dtype))
    assert lowest.dtype == highest.dtype == dtype
    assert float(highest) <= bound <= float(lowest)
    assert float(np.nextafter(lowest, dtype(-np.inf))) < bound < float(np.nextafter(highest, dtype(np.inf)))


@pytest.mark.parametrize(("bounds", "dtype"), [((300, None), np.uint8), ((0.2, 0.8), np.int64), ((1e6, None), "f2")])
def test_bounds_that_a_dtype_cannot_keep_to_are_refused(bounds: tuple[float, float | None], dtype: Any) -> None:
    with pytest.raises(InvalidSetting, match=r"^No number of the data's type, \w+, keeps to lower="):
        Bounds(*bounds).limits(np.dtype(dtype))


# Values as a dtype


def test_the_largest_and_smallest_integers_are_exact() -> None:
    values = np.array([-1e30, -(2.0**63), -1.4, 0.5, 2.0**63, 1e30])
    whole = Bounds(None, None).as_dtype(values, np.dtype(np.int64))
    assert whole.tolist() == [-(2**63), -(2**63), -1, 0, 2**63 - 1, 2**63 - 1]
    odd = 2**53 + 1  # which is no float
    inside = Bounds(-odd, odd).as_dtype(values, np.dtype(np.int64))
    assert inside.tolist() == [-odd, -odd, -1, 0, odd, odd]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint16, np.bool_])
def test_everything_ends_up_inside(dtype: Any) -> None:
    found = Bounds(-0.7, 5.3).as_dtype(np.linspace(-9, 9, 1001), np.dtype(dtype))
    assert found.dtype == dtype
    assert -0.7 <= found.astype(np.float64).min() <= found.astype(np.float64).max() <= 5.3


# Known values


def test_values_above_the_upper_bound_are_refused_with_what_to_do() -> None:
    sentence = (
        "2 observed values are above upper=5, the first 7 at (0, 1); if that is right, use upper=None for data "
        "without such a bound, or upper=9, the largest of them. To set them to 5 use negatives='clip'."
    )
    with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}$"):
        ObservedTensor.from_array(np.array([[1, 7], [9, 2]]), upper=5)


def test_values_below_another_lower_bound_are_refused_with_what_to_do() -> None:
    expected = r"^1 observed values are below lower=-2, the first -3\.5 at \(1, 0\); .*lower=-3\.5, the smallest"
    with pytest.raises(InvalidInput, match=expected):
        ObservedTensor.from_coordinates([[0, 0], [1, 0]], [1.0, -3.5], (2, 2), lower=-2)


def test_a_bound_of_single_precision_data_is_its_own() -> None:
    data = np.full((2, 2), 0.7, np.float32)  # a little less than 0.7
    data[0, 0] = 1
    assert ObservedTensor.from_array(data, lower=0.7).count == 4
    assert ObservedTensor.from_array(data, upper=1.0, lower=None).count == 4


def test_clipped_values_are_counted_on_either_side() -> None:
    data = ObservedTensor.from_array(np.array([[-9, -5, 0], [4, 7, 1]], np.int16), lower=None)
    inside, notes = data.within(Bounds(-5.5, 4), "clip")
    assert inside.known.tolist() == [-5, -5, 0, 4, 4, 1]
    assert inside.dtype == np.int16
    assert notes == ("1 known value below -5 was set to -5.", "1 known value above 4 was set to 4.")
    assert data.within(Bounds(-9, 7)) == (data, ())


def test_looking_at_values_does_not_lock_an_array_of_the_users_own() -> None:
    own = np.array([1.0, 2.0])
    ObservedTensor((2, 2), np.array([0, 3]), own).within(Bounds())
    assert own.flags.writeable
