"""Mixtures: how sure to be of a blend, from how sure its methods are and how far apart they are."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tensorfill.completion import Completion, StopReason
from tensorfill.estimates.derived import BlendedEstimate
from tensorfill.estimates.estimate import ConstantEstimate
from tensorfill.observed import ObservedTensor
from tensorfill.selection.mixture import Mixture

SHAPE = (2, 3)


def completion(value: float, deviation: float | None, *, at: bool = False) -> Completion:
    """The same value everywhere, and how sure it is of it; told at rows of coordinates or of all entries."""
    data, stop = ObservedTensor.from_coordinates([[0, 0]], [1.0], SHAPE), StopReason("done", "Done.")
    done = Completion(data, "made-up", ConstantEstimate(SHAPE, value), True, stop, 0.0)
    if deviation is None:
        return done
    if at:
        return replace(done, deviations_at=ConstantEstimate(SHAPE, deviation).at)
    return replace(done, deviations=partial(np.full, SHAPE, deviation))


def mixture(weights: dict[str, float], parts: dict[str, Completion]) -> Mixture | None:
    blend = BlendedEstimate([parts[name].estimate for name in weights], list(weights.values()))
    return Mixture.of(weights, parts, blend, 0.0)


def deviation(weights: dict[str, float], parts: dict[str, Completion]) -> float:
    found = mixture(weights, parts)
    assert found is not None
    (value,) = set(found.deviations().ravel())
    if found.tells_at:
        assert found.deviations_at(np.array([[1, 2], [0, 0]])).tolist() == [value, value]
    return float(value)


@pytest.mark.parametrize("at", [False, True])
def test_methods_that_agree_are_as_sure_as_they_are_on_average(at: bool) -> None:
    parts = {"a": completion(2.0, 1.0, at=at), "b": completion(2.0, 3.0, at=at)}
    assert deviation({"a": 0.5, "b": 0.5}, parts) == pytest.approx(np.sqrt((1 + 9) / 2))
    assert deviation({"a": 0.75, "b": 0.25}, parts) == pytest.approx(np.sqrt(0.75 + 0.25 * 9))


@pytest.mark.parametrize("at", [False, True])
def test_methods_that_disagree_are_less_sure(at: bool) -> None:
    parts = {"a": completion(2.0, 1.0, at=at), "b": completion(4.0, 1.0, at=at)}
    assert deviation({"a": 0.5, "b": 0.5}, parts) == pytest.approx(np.sqrt(1 + 1))


def test_one_that_does_not_tell_counts_by_what_it_moves() -> None:
    parts = {"a": completion(2.0, 1.0), "b": completion(6.0, None)}
    assert deviation({"a": 0.5, "b": 0.5}, parts) == pytest.approx(np.sqrt(1 + 4))


def test_what_is_below_the_floor_counts_as_the_floor() -> None:
    parts = {"a": completion(-3.0, 1.0), "b": completion(0.0, 1.0)}
    assert deviation({"a": 0.5, "b": 0.5}, parts) == pytest.approx(1)


def test_where_none_tells_nothing_is_told() -> None:
    assert mixture({"a": 1.0}, {"a": completion(2.0, None)}) is None


def test_single_entries_are_told_only_where_all_methods_that_tell_do_so() -> None:
    weights = {"a": 0.4, "b": 0.3, "c": 0.3}
    some = {"a": completion(2.0, 1.0, at=True), "b": completion(2.0, None), "c": completion(2.0, 2.0)}
    every = {**some, "c": completion(2.0, 2.0, at=True)}
    expected = np.sqrt((0.4 + 0.3 * 4) / 0.7)
    for parts, told in ((some, False), (every, True)):
        found = mixture(weights, parts)
        assert found is not None
        assert found.tells_at is told
        np.testing.assert_allclose(found.deviations(), expected)


def test_it_can_be_pickled() -> None:
    found = mixture({"a": 1.0}, {"a": completion(2.0, 1.0)})
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found)).deviations(), 1.0)
