"""How sure to be of a blend of which nobody knows the errors."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from tensorfill.completion import Completion, StopReason
from tensorfill.estimates.derived import BlendedEstimate
from tensorfill.estimates.estimate import ConstantEstimate
from tensorfill.observed import ObservedTensor
from tensorfill.selection.mixture import mixture_deviations
from tensorfill.tensor import Array

SHAPE = (2, 3)


def completion(value: float, deviation: float | None) -> Completion:
    """The same value everywhere, and how sure it is of it."""
    data = ObservedTensor.from_coordinates([[0, 0]], [1.0], SHAPE)
    sure = None if deviation is None else partial(np.full, SHAPE, deviation)
    stop = StopReason("done", "Done.")
    return Completion(data, "made-up", ConstantEstimate(SHAPE, value), True, stop, 0.0, deviations=sure)


def mixture(weights: dict[str, float], parts: dict[str, Completion]) -> Callable[[], Array] | None:
    blend = BlendedEstimate([parts[name].estimate for name in weights], list(weights.values()))
    return mixture_deviations(weights, parts, blend, 0.0)


def deviation(weights: dict[str, float], parts: dict[str, Completion]) -> float:
    found = mixture(weights, parts)
    assert found is not None
    (value,) = set(found().ravel())
    return float(value)


def test_methods_that_agree_are_as_sure_as_they_are_on_average() -> None:
    parts = {"a": completion(2.0, 1.0), "b": completion(2.0, 3.0)}
    assert deviation({"a": 0.5, "b": 0.5}, parts) == pytest.approx(np.sqrt((1 + 9) / 2))
    assert deviation({"a": 0.75, "b": 0.25}, parts) == pytest.approx(np.sqrt(0.75 + 0.25 * 9))


def test_methods_that_disagree_are_less_sure() -> None:
    parts = {"a": completion(2.0, 1.0), "b": completion(4.0, 1.0)}
    assert deviation({"a": 0.5, "b": 0.5}, parts) == pytest.approx(np.sqrt(1 + 1))


def test_one_that_does_not_tell_counts_by_what_it_moves() -> None:
    parts = {"a": completion(2.0, 1.0), "b": completion(6.0, None)}
    assert deviation({"a": 0.5, "b": 0.5}, parts) == pytest.approx(np.sqrt(1 + 4))


def test_what_is_below_the_floor_counts_as_the_floor() -> None:
    parts = {"a": completion(-3.0, 1.0), "b": completion(0.0, 1.0)}
    assert deviation({"a": 0.5, "b": 0.5}, parts) == pytest.approx(1)


def test_where_none_tells_nothing_is_told() -> None:
    assert mixture({"a": 1.0}, {"a": completion(2.0, None)}) is None


def test_it_can_be_pickled() -> None:
    found = mixture({"a": 1.0}, {"a": completion(2.0, 1.0)})
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found))(), 1.0)
