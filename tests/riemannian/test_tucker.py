"""The laws of both geometries of fixed-rank Tucker tensors, checked on full tensors."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.estimates.factored import TuckerTensor
from tensorfill.riemannian.tucker import (
    CoreGram,
    TuckerEmbedded,
    TuckerQuotient,
    add,
    random_nonnegative,
    scale,
    truncate,
)
from tensorfill.tensor import Array, mode_product, unfold

SIZES = [((7, 6), (3, 3)), ((8, 7, 6), (3, 2, 4)), ((5, 4, 6, 3), (2, 3, 2, 2))]
GEOMETRIES = [TuckerQuotient, TuckerEmbedded]
Geometry = TuckerQuotient | TuckerEmbedded


def point(shape: tuple[int, ...], ranks: tuple[int, ...]) -> TuckerTensor:
    return random_nonnegative(shape, ranks, np.random.default_rng(0))


def ambient(at: TuckerTensor, seed: int = 1) -> TuckerTensor:
    rng = np.random.default_rng(seed)
    return TuckerTensor(
        rng.standard_normal(at.core.shape), tuple(rng.standard_normal(factor.shape) for factor in at.factors)
    )


def tangent(geometry: Geometry, seed: int = 1) -> TuckerTensor:
    free = ambient(geometry.at, seed)
    if isinstance(geometry, TuckerQuotient):
        return geometry.project(free)
    return geometry.project(TuckerTensor(free.core, tuple(np.asarray(factor) for factor in free.factors)))


def direction(at: TuckerTensor, change: TuckerTensor) -> Array:
    """The full tensor that a tangent vector stands for."""
    total = TuckerTensor(change.core, at.factors).dense()
    for mode, factor in enumerate(change.factors):
        total += TuckerTensor(at.core, (*at.factors[:mode], factor, *at.factors[mode + 1 :])).dense()
    return total


def derivatives(at: TuckerTensor, outer: Array) -> TuckerTensor:
    """The derivatives by core and factors of a function with gradient `outer` in the space of all tensors."""
    core = TuckerTensor(outer, tuple(U.T for U in at.factors)).dense()
    factors = []
    for mode in range(outer.ndim):
        seen = outer
        for other, U in enumerate(at.factors):
            if other != mode:
                seen = mode_product(seen, U.T, other)
        factors.append(unfold(seen, mode) @ unfold(at.core, mode).T)
    return TuckerTensor(core, tuple(factors))


@pytest.fixture(params=GEOMETRIES, ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest) -> type[Geometry]:
    return request.param  # type: ignore[no-any-return]


@pytest.mark.parametrize(("shape", "ranks"), SIZES, ids=str)
def test_the_start_is_nonnegative_with_orthonormal_factors(shape: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    start = point(shape, ranks)
    assert start.dense().min() > 0
    for U in start.factors:
        np.testing.assert_allclose(U.T @ U, np.eye(U.shape[1]), atol=1e-13)


@pytest.mark.parametrize(("shape", "ranks"), SIZES, ids=str)
def test_projecting_twice_is_projecting_once(
    kind: type[Geometry], shape: tuple[int, ...], ranks: tuple[int, ...]
) -> None:
    geometry = kind(point(shape, ranks))
    once = tangent(geometry)
    twice = (
        geometry.project(once) if isinstance(geometry, TuckerQuotient) else geometry.project(geometry.as_tensor(once))
    )
    np.testing.assert_allclose(direction(geometry.at, twice), direction(geometry.at, once), atol=1e-5)


@pytest.mark.parametrize(("shape", "ranks"), SIZES, ids=str)
def test_the_gradient_gives_the_slope_along_the_retraction(
    kind: type[Geometry], shape: tuple[int, ...], ranks: tuple[int, ...]
) -> None:
    geometry = kind(point(shape, ranks))
    target = np.random.default_rng(3).random(shape)

    def cost(at: TuckerTensor) -> float:
        return 0.5 * float(np.sum((at.dense() - target) ** 2))

    gradient = geometry.gradient(derivatives(geometry.at, geometry.at.dense() - target))
    way = tangent(geometry)
    h = 1e-5
    slope = (cost(geometry.retract(way, h)) - cost(geometry.retract(way, -h))) / (2 * h)
    assert geometry.inner(gradient, way) == pytest.approx(slope, rel=1e-4)


@pytest.mark.parametrize(("shape", "ranks"), SIZES, ids=str)
def test_a_retraction_stays_on_the_manifold_and_sets_off_in_the_right_direction(
    kind: type[Geometry], shape: tuple[int, ...], ranks: tuple[int, ...]
) -> None:
    geometry = kind(point(shape, ranks))
    way, h = tangent(geometry), 1e-5
    there, back = geometry.retract(way, h), geometry.retract(way, -h)
    assert there.core.shape == ranks
    for U in there.factors:
        np.testing.assert_allclose(U.T @ U, np.eye(U.shape[1]), atol=1e-12)
    moved = (there.dense() - back.dense()) / (2 * h)
    expected = direction(geometry.at, way)
    assert np.linalg.norm(moved - expected) < 1e-5 * np.linalg.norm(expected)


@pytest.mark.parametrize(("shape", "ranks"), SIZES, ids=str)
def test_horizontal_means_orthogonal_to_turning_the_factors(shape: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    geometry = TuckerQuotient(point(shape, ranks))
    way = tangent(geometry)
    rng = np.random.default_rng(4)
    turns = []
    for rank in ranks:
        matrix = rng.standard_normal((rank, rank))
        turns.append(matrix - matrix.T)
    turning = geometry.vertical(tuple(turns))
    np.testing.assert_allclose(direction(geometry.at, turning), 0, atol=1e-12)
    sizes = np.sqrt(geometry.inner(way, way) * geometry.inner(turning, turning))
    assert abs(geometry.inner(way, turning)) < 1e-5 * sizes
    for U, factor in zip(geometry.at.factors, way.factors, strict=True):
        np.testing.assert_allclose(U.T @ factor + factor.T @ U, 0, atol=1e-7 * np.linalg.norm(factor))


@pytest.mark.parametrize(("shape", "ranks"), SIZES, ids=str)
def test_the_embedded_projection_is_the_closest_tangent_vector(shape: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    geometry = TuckerEmbedded(point(shape, ranks))
    other = ambient(geometry.at, 7)
    projected = geometry.project(other)
    for U, factor in zip(geometry.at.factors, projected.factors, strict=True):
        np.testing.assert_allclose(U.T @ factor, 0, atol=1e-10)
    left_over = other.dense() - direction(geometry.at, projected)
    for seed in range(3):
        way = tangent(geometry, seed)
        assert abs(np.vdot(left_over, direction(geometry.at, way))) < 1e-8 * np.linalg.norm(left_over)


def test_the_embedded_metric_is_that_of_the_full_tensors() -> None:
    geometry = TuckerEmbedded(point((8, 7, 6), (3, 2, 4)))
    first, second = tangent(geometry, 1), tangent(geometry, 2)
    full = np.vdot(direction(geometry.at, first), direction(geometry.at, second))
    assert geometry.inner(first, second) == pytest.approx(full)
    np.testing.assert_allclose(geometry.as_tensor(first).dense(), direction(geometry.at, first), atol=1e-12)


def test_truncation_gives_back_a_tensor_that_already_has_the_rank() -> None:
    small = point((8, 7, 6), (2, 2, 2))
    padded = np.zeros((4, 4, 4))
    padded[:2, :2, :2] = small.core
    bases = [
        np.linalg.qr(np.hstack([U, np.random.default_rng(1).standard_normal((len(U), 2))]))[0] for U in small.factors
    ]
    signs = [np.sign(np.diag(Q[:, :2].T @ U)) for Q, U in zip(bases, small.factors, strict=True)]
    for mode, sign in enumerate(signs):
        padded[:2, :2, :2] = mode_product(padded[:2, :2, :2], np.diag(sign), mode)
    np.testing.assert_allclose(truncate(padded, bases, (2, 2, 2)).dense(), small.dense(), atol=1e-12)


def test_a_core_of_too_small_a_rank_is_not_divided_by() -> None:
    gram = CoreGram(np.diag([1.0, 0.0]), 0)
    np.testing.assert_array_equal(gram.inverse, np.diag([1.0, 0.0]))
    assert np.isfinite(gram.lyapunov(np.ones((2, 2)))).all()


def test_tangent_vectors_add_and_scale_part_by_part() -> None:
    at = point((5, 4), (2, 2))
    one, other = ambient(at, 1), ambient(at, 2)
    total = add(one, scale(other, 3.0), -1.0)
    np.testing.assert_allclose(total.core, one.core - 3 * other.core)
    np.testing.assert_allclose(total.factors[1], one.factors[1] - 3 * other.factors[1])
