"""Projections onto balls of the spectral norm: what the decomposition says, in both precisions, however cut up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorfill.numerics import singular_values
from tensorfill.numerics.singular_values import project_onto_balls, soft_threshold
from tensorfill.tensor import Array, fold, unfold

SHAPES = [(6, 9), (3, 40), (3, 5, 8), (2, 3, 50), (1, 4, 6), (2, 3, 3, 4), (1, 1)]


def stack(shape: tuple[int, ...], dtype: Any = np.float64) -> Any:
    """One tensor per mode, all different, far from zero as data is."""
    return (1.0 + np.random.default_rng(0).normal(size=(len(shape), *shape))).astype(dtype)


def by_decomposition(tensor: Array, limit: float, mode: int) -> tuple[Array, float]:
    u, s, vt = np.linalg.svd(unfold(tensor, mode), full_matrices=False)
    inside = fold((u * np.minimum(s, limit)) @ vt, mode, tensor.shape)
    return np.asarray(inside, dtype=float), float(np.maximum(s - limit, 0.0).sum())


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("limit", [0.0, 1e-3, 0.5, 3.0, 1000.0])
def test_it_is_what_the_singular_value_decomposition_gives(shape: tuple[int, ...], limit: float) -> None:
    given, found = stack(shape), stack(shape)
    limits = [limit * (mode + 1) for mode in range(len(shape))]
    taken = project_onto_balls(found, limits)
    for mode in range(len(shape)):
        expected, norm = by_decomposition(given[mode], limits[mode], mode)
        np.testing.assert_allclose(found[mode], expected, atol=1e-6 * limit + 1e-12)
        np.testing.assert_allclose(taken[mode], norm, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_largest_singular_values_can_be_free(shape: tuple[int, ...], dtype: Any) -> None:
    given, found = stack(shape, dtype), stack(shape, dtype)
    free = [min(1 + mode, *unfold(given[mode], mode).shape) for mode in range(len(shape))]
    taken = project_onto_balls(found, [0.5] * len(shape), free)
    for mode in range(len(shape)):
        u, s, vt = np.linalg.svd(unfold(given[mode].astype(float), mode), full_matrices=False)
        s[: free[mode]] = 0.0
        expected = fold((u * np.minimum(s, 0.5)) @ vt, mode, shape)
        np.testing.assert_allclose(found[mode], expected, atol=1e-9 if dtype == np.float64 else 2e-3)
        np.testing.assert_allclose(
            taken[mode], np.maximum(s - 0.5, 0.0).sum(), atol=1e-6 if dtype == np.float64 else 1e-3
        )


@pytest.mark.parametrize("limit", [0.3, 3.0])
def test_what_is_taken_away_is_the_soft_thresholded_tensor(limit: float) -> None:
    given, found = stack((3, 5, 8)), stack((3, 5, 8))
    project_onto_balls(found, [limit] * 3)
    for mode in range(3):
        np.testing.assert_allclose(given[mode] - found[mode], soft_threshold(given[mode], limit, mode).array, atol=1e-9)


def test_a_point_of_the_ball_stays_and_a_second_projection_changes_nothing() -> None:
    found = stack((3, 5, 8))
    project_onto_balls(found, [2.0] * 3)
    once = found.copy()
    taken = project_onto_balls(found, [2.0] * 3)
    np.testing.assert_allclose(found, once, atol=1e-9)
    np.testing.assert_allclose(taken, 0.0, atol=1e-7)


def test_it_brings_points_no_further_apart() -> None:
    a, b = stack((3, 5, 8)), 0.7 * stack((3, 5, 8))[::-1]
    b = np.ascontiguousarray(b)
    before = np.linalg.norm(a - b)
    project_onto_balls(a, [1.0] * 3)
    project_onto_balls(b, [1.0] * 3)
    assert np.linalg.norm(a - b) <= before


@pytest.mark.parametrize(("width", "pieces"), [(512, 8), (2, 3), (5, 1), (1, 100)])
def test_it_does_not_depend_on_how_the_columns_are_cut(monkeypatch: Any, width: int, pieces: int) -> None:
    whole, cut = stack((3, 9, 20)), stack((3, 9, 20))
    project_onto_balls(whole, [1.0, 2.0, 3.0])
    monkeypatch.setattr(singular_values, "_WIDTH", width)
    monkeypatch.setattr(singular_values, "PIECES", pieces)
    project_onto_balls(cut, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(cut, whole, atol=1e-11)


def test_single_precision_is_good_to_its_digits() -> None:
    exact, single = stack((20, 30, 40)), stack((20, 30, 40), np.float32)
    taken = project_onto_balls(exact, [5.0, 5.0, 5.0])
    np.testing.assert_allclose(project_onto_balls(single, [5.0, 5.0, 5.0]), taken, rtol=1e-4)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, exact, atol=1e-4)
