"""Main effects: the ridge solution of dense algebra, and variances that a made-up tensor was drawn with."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.numerics.sampled_effects import SampledEffects, choose_shrinkage, fit_effects
from tensorfill.tensor import Array

SHAPES = [(7, 5), (6, 5, 4), (3, 1, 2, 4)]


def sample(shape: tuple[int, ...], share: float = 0.6, seed: int = 0) -> tuple[SampledEffects, Array, Array]:
    """Known positions, random values there, and the matrix from effects to values."""
    rng = np.random.default_rng(seed)
    positions = np.flatnonzero(rng.random(np.prod(shape)) < share)
    indices = np.unravel_index(positions, shape)
    columns = [np.eye(size)[index] for size, index in zip(shape, indices, strict=True)]
    design = np.hstack([*columns, np.ones((len(positions), 1))])
    return SampledEffects(shape, positions), 5 + rng.standard_normal(len(positions)), design


def draw_random_effects(shape: tuple[int, ...], deviations: tuple[float, ...]) -> tuple[SampledEffects, Array]:
    rng = np.random.default_rng(1)
    positions = np.flatnonzero(rng.random(np.prod(shape)) < 0.2)
    values = 3 + rng.standard_normal(len(positions))
    for index, deviation in zip(np.unravel_index(positions, shape), deviations, strict=True):
        values += deviation * rng.standard_normal(index.max() + 1)[index]
    return SampledEffects(shape, positions), values


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_are_those_of_the_matrix(shape: tuple[int, ...]) -> None:
    sampled, values, design = sample(shape)
    effects = np.random.default_rng(2).standard_normal(sampled.length)
    np.testing.assert_allclose(sampled.values(effects), design @ effects)
    np.testing.assert_allclose(sampled.sums(values), design.T @ values)
    np.testing.assert_allclose(sampled.gram(effects), design.T @ (design @ effects), atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("least", [1e-6, 0.5, 20.0])
def test_effects_are_the_dense_ridge_solution(shape: tuple[int, ...], least: float) -> None:
    sampled, values, design = sample(shape)
    shrinkage = least * np.arange(1.0, len(shape) + 1)
    penalties = np.diag([*np.repeat(shrinkage, shape), 0.0])
    expected = np.linalg.solve(design.T @ design + penalties, design.T @ values)
    found = fit_effects(sampled, values, shrinkage)
    np.testing.assert_allclose(
        [*np.concatenate(found.effects), found.mean], expected, atol=1e-5 if least < 0.1 else 1e-7
    )


def test_an_index_with_nothing_known_has_no_effect() -> None:
    shape = (6, 5, 4)
    positions = np.array([p for p in range(120) if np.unravel_index(p, shape)[1] != 2])
    values = np.random.default_rng(0).random(len(positions))
    found = fit_effects(SampledEffects(shape, positions), values, (1.0, 1.0, 1.0))
    assert found.effects[1][2] == 0
    assert all(np.count_nonzero(effect) >= len(effect) - 1 for effect in found.effects)


def test_shrinkage_is_the_ratio_of_the_variances_that_data_was_drawn_with() -> None:
    sampled, values = draw_random_effects((120, 100, 30), (0.5, 1.0, 0.25))
    np.testing.assert_allclose(choose_shrinkage(sampled, values), (4.0, 1.0, 16.0), rtol=0.35)


def test_a_mode_without_effects_has_none() -> None:
    sampled, values = draw_random_effects((120, 100, 30), (0.5, 0.0, 0.5))
    found = fit_effects(sampled, values, choose_shrinkage(sampled, values))
    assert np.abs(found.effects[1]).max() < 0.05
    assert np.std(found.effects[0]) > 0.3


def test_what_is_additive_is_met_exactly() -> None:
    rng = np.random.default_rng(0)
    a, b, c = rng.random(20), rng.random(15), rng.random(10)
    whole = a[:, None, None] + b[:, None] + c
    positions = np.flatnonzero(rng.random(whole.shape) < 0.3)
    sampled = SampledEffects(whole.shape, positions)
    values = whole.reshape(-1)[positions]
    found = fit_effects(sampled, values, choose_shrinkage(sampled, values))
    rebuilt = found.mean + found.effects[0][:, None, None] + found.effects[1][:, None] + found.effects[2]
    np.testing.assert_allclose(rebuilt, whole, atol=1e-3)


def test_the_same_number_everywhere_is_no_trouble() -> None:
    sampled, values, _ = sample((7, 5))
    found = fit_effects(sampled, np.full_like(values, 3.0), choose_shrinkage(sampled, np.full_like(values, 3.0)))
    assert found.mean == 3.0
    assert not any(effect.any() for effect in found.effects)
