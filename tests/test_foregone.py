"""Completions that need no method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorfill.library import complete


def constant(value: Any, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    return np.full((8, 6, 5), value, dtype), np.random.default_rng(0).random((8, 6, 5)) < 0.3


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(7.3, np.float64), (1e-320, np.float64), (1.7e308, np.float64), (3e38, np.float32), (200, np.uint8)],
)
def test_known_entries_that_are_all_the_same_are_all_the_others_too(value: float, dtype: Any) -> None:
    data, known = constant(value, dtype)
    done = complete(data, known, method="nonneg-dual")
    np.testing.assert_array_equal(done.tensor, data)
    assert done.stop.kind == "constant"
    assert str(done.stop).startswith("The known values are all ")


def test_a_single_known_entry_is_all_there_is_to_go_by() -> None:
    data, known = constant(5.0)
    known[:] = False
    known[2, 3, 4] = True
    done = complete(data, known)
    assert (done.tensor == 5.0).all()
    assert str(done.stop) == "The only known value is 5, so the completion is 5 everywhere."
    assert done.notes[0].startswith("Nothing is observed in 7 of the 8 slices of mode 1")
    assert done.uncertainty[0, 0, 0] > 3


def test_the_more_is_known_the_surer_it_is() -> None:
    data, known = constant(5.0)
    many = complete(data, known).uncertainty
    known[1:] = False
    few = complete(data, known).uncertainty
    assert 0 < many[~known].max() < few[~known].max() < 5.0
    assert (few[known] == 0).all()


def test_what_is_nearly_the_same_is_for_a_method() -> None:
    data, known = constant(5.0)
    data[tuple(np.argwhere(known)[0])] += 1e-12
    assert complete(data, known, method="halrtc").stop.kind != "constant"


def test_zeros_are_for_a_method() -> None:
    data, known = constant(0.0)
    assert complete(data, known, method="nonneg-dual").stop.kind == "all_zero"


def test_zero_fill_fills_in_zeros_whatever_is_known() -> None:
    data, known = constant(5.0)
    assert (complete(data, known, method="zero-fill").tensor[~known] == 0).all()
