"""Differences in a circle: their matrix, their adjoint, and the linear system that is solved by waves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorfill.numerics.periodic_differences import Smoother, add_adjoint, add_differences
from tensorfill.tensor import Array

SHAPES = [(6, 5), (4, 3, 5), (2, 1, 3), (3, 2, 4, 3)]


def differences(array: Array, axis: int) -> Array:
    out = np.zeros_like(array)
    add_differences(array, axis, out)
    return out


def adjoint(array: Array, axis: int) -> Array:
    out = np.zeros_like(array)
    add_adjoint(array, axis, out)
    return out


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_last_difference_goes_around(shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(0).random(shape)
    for axis in range(len(shape)):
        np.testing.assert_allclose(differences(array, axis), np.roll(array, -1, axis) - array, atol=1e-15)


def test_what_is_there_is_added_to() -> None:
    out = np.full((3, 4), 7.0)
    add_differences(np.ones((3, 4)), 0, out)
    add_adjoint(np.ones((3, 4)), 1, out)
    np.testing.assert_array_equal(out, 7.0)


@pytest.mark.parametrize(
    ("shape", "axes"),
    [((6, 5), (0, 1)), ((4, 3, 5), (0, 1, 2)), ((4, 3, 5), (1,)), ((4, 3, 5), (0, 2)), ((2, 1), (0, 1))],
)
def test_the_system_is_solved(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    right = np.random.default_rng(0).normal(size=shape)
    before = right.copy()
    x = Smoother(shape, axes, np.float64).solve(right)
    np.testing.assert_array_equal(right, before)
    np.testing.assert_allclose(x + sum(adjoint(differences(x, axis), axis) for axis in axes), right, atol=1e-13)


def test_single_precision_stays_single_and_threads_do_not_matter(monkeypatch: Any) -> None:
    right = np.random.default_rng(0).normal(size=(20, 31, 16)).astype(np.float32)
    found = []
    for threads in (1, 2, 3):
        monkeypatch.setattr("tensorfill.numerics.periodic_differences.thread_count", lambda threads=threads: threads)
        found.append(Smoother(right.shape, (0, 1, 2), np.float32).solve(right))
    assert found[0].dtype == np.float32
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])
