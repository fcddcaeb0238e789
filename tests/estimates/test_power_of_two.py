"""Estimates times powers of two."""

from __future__ import annotations

import numpy as np

from tensorfill.estimates.dense import DenseEstimate
from tensorfill.estimates.power_of_two import PowerOfTwoEstimate

VALUES = np.array([[0.75, -0.5], [1.5, 0.0]])


def test_all_its_sides_are_the_estimate_times_the_power() -> None:
    scaled = PowerOfTwoEstimate(DenseEstimate(VALUES), -1000)
    np.testing.assert_array_equal(scaled.dense(), VALUES * 2.0**-1000)
    np.testing.assert_array_equal(scaled.at(np.array([[1, 0]])), [1.5 * 2.0**-1000])
    (part,) = scaled.components()
    np.testing.assert_array_equal(part, scaled.dense())


def test_what_no_float_can_hold_is_the_largest_one() -> None:
    largest = np.finfo(np.float64).max
    np.testing.assert_array_equal(
        PowerOfTwoEstimate(DenseEstimate(VALUES), 1024).dense(), [[0.75 * 2.0**1023 * 2, -(2.0**1023)], [largest, 0.0]]
    )


def test_the_estimate_itself_is_not_changed() -> None:
    values = VALUES.copy()
    PowerOfTwoEstimate(DenseEstimate(values), 5).dense()
    np.testing.assert_array_equal(values, VALUES)
