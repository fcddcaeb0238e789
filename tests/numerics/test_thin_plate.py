"""Thin plates: what dense least squares says, planes as they are, band by band, on surfaces and in volumes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.numerics import thin_plate
from tensorfill.numerics.thin_plate import fill_by_thin_plate
from tensorfill.tensor import Array

Mask = NDArray[np.bool_]
Extent = tuple[int, int, int]

CLOSE = 1e-5
"""A ridge of 1e-9 and normal equations whose condition numbers are some thousands."""


def laplacian(extent: Extent) -> Array:
    """Δ as a matrix: for every site the sum of its neighbours' values less its own."""
    sites = int(np.prod(extent))
    places = np.stack(np.unravel_index(np.arange(sites), extent), axis=1)
    beside = np.abs(places[:, None] - places).sum(axis=2) == 1
    return beside.astype(float) - np.diag(beside.sum(axis=1))


def dense(values: Array, missing: Mask) -> Array:
    """The missing values of every band for which ‖Δu‖² is smallest."""
    extent: Extent = missing.shape  # type: ignore[assignment]
    D, unknown = laplacian(extent), missing.reshape(-1)
    flat = values.reshape(len(values), -1)
    return np.linalg.lstsq(D[:, unknown], -D[:, ~unknown] @ flat[:, ~unknown].T, rcond=None)[0].T


def scratch(extent: Extent) -> Mask:
    """A line through the middle and a small block at a border."""
    missing = np.zeros(extent, dtype=bool)
    missing[extent[0] // 2, :, 1:-1] = True
    missing[:2, :, -2:] = True
    return missing


EXTENTS: list[Extent] = [(7, 1, 8), (1, 6, 9), (8, 7, 1), (5, 4, 6)]


@pytest.mark.parametrize("extent", EXTENTS)
@pytest.mark.parametrize("bands", [1, 3])
def test_it_is_the_solution_of_dense_least_squares(extent: Extent, bands: int) -> None:
    values = np.random.default_rng(0).random((bands, *extent))
    missing = np.random.default_rng(1).random(extent) < 0.3
    found = fill_by_thin_plate(values, missing)
    assert found.shape == (bands, np.count_nonzero(missing))
    in_a_volume = min(extent) > 1  # where a sparse factor is too large, and an iteration ends at a tolerance of 1e-4
    np.testing.assert_allclose(found, dense(values, missing), atol=1e-3 if in_a_volume else CLOSE)


def test_the_iteration_finds_what_the_factor_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    values, missing = np.random.default_rng(0).random((2, 20, 1, 20)), scratch((20, 1, 20))
    directly = fill_by_thin_plate(values, missing)
    monkeypatch.setattr(thin_plate, "_DIRECTLY", 0)
    step_by_step = fill_by_thin_plate(values, missing)
    assert not np.array_equal(step_by_step, directly)
    np.testing.assert_allclose(step_by_step, directly, atol=2e-3)


def test_what_it_finds_bends_less_than_anything_beside_it() -> None:
    rng = np.random.default_rng(0)
    values, missing = rng.random((1, 7, 1, 8)), scratch((7, 1, 8))

    def bending(at_missing: Array) -> float:
        filled = values[0].copy()
        filled[missing] = at_missing
        return float(np.sum((laplacian((7, 1, 8)) @ filled.reshape(-1)) ** 2))

    found = fill_by_thin_plate(values, missing)[0]
    for _ in range(20):
        assert bending(found) < bending(found + 0.01 * rng.standard_normal(found.shape))


@pytest.mark.parametrize("extent", [(12, 1, 14), (1, 12, 14), (9, 8, 10)])
def test_planes_are_continued_exactly(extent: Extent) -> None:
    """Away from borders, where the Laplacian of a plane is zero."""
    a, b, c = np.meshgrid(*map(np.arange, extent), indexing="ij")
    plane = 1 + 0.2 * a - 0.1 * b + 0.3 * c
    missing = np.zeros(extent, dtype=bool)
    missing[tuple(slice(3, -3) if size > 1 else slice(None) for size in extent)] = True
    found = fill_by_thin_plate(plane[None], missing)[0]
    np.testing.assert_allclose(found, plane[missing], atol=5e-3 if min(extent) > 1 else CLOSE)


def test_what_is_the_same_everywhere_stays_so_up_to_the_borders() -> None:
    missing = scratch((9, 1, 10))
    missing[0] = missing[:, :, 0] = True
    np.testing.assert_allclose(fill_by_thin_plate(np.full((2, 9, 1, 10), 0.7), missing), 0.7, atol=CLOSE)


@pytest.mark.parametrize("extent", [(10, 1, 12), (6, 5, 7)])
def test_bands_know_nothing_of_each_other(extent: Extent) -> None:
    values, missing = np.random.default_rng(0).random((3, *extent)), scratch(extent)
    together = fill_by_thin_plate(values, missing)
    for band in range(3):
        alone = fill_by_thin_plate(values[band : band + 1], missing)[0]
        np.testing.assert_allclose(together[band], alone, atol=1e-3 if min(extent) > 1 else 1e-9)


def test_only_what_is_known_counts_and_it_stays_as_it_is() -> None:
    values, missing = np.random.default_rng(0).random((2, 10, 1, 12)), scratch((10, 1, 12))
    hidden, was = np.where(missing, 77.0, values), missing.copy()
    before = hidden.copy()
    np.testing.assert_array_equal(fill_by_thin_plate(hidden, missing), fill_by_thin_plate(values, missing))
    np.testing.assert_array_equal(hidden, before)
    np.testing.assert_array_equal(missing, was)


def test_what_is_further_than_two_sites_from_a_hole_does_not_count() -> None:
    values, missing = np.random.default_rng(0).random((1, 12, 1, 12)), np.zeros((12, 1, 12), dtype=bool)
    missing[5:7, :, 5:7] = True
    near = np.zeros_like(missing)
    near[3:9, :, 3:9] = True
    other = np.where(near, values, 50.0)
    np.testing.assert_array_equal(fill_by_thin_plate(other, missing), fill_by_thin_plate(values, missing))
    assert not np.allclose(
        fill_by_thin_plate(np.where(near[:, :, ::-1], values + 1, values), missing), values[0][missing]
    )


def test_single_precision_is_enough() -> None:
    values, missing = np.random.default_rng(0).random((2, 10, 1, 12)), scratch((10, 1, 12))
    found = fill_by_thin_plate(values.astype(np.float32), missing)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, fill_by_thin_plate(values, missing), atol=1e-5)


def test_where_nothing_is_known_there_is_a_finite_answer() -> None:
    found = fill_by_thin_plate(np.zeros((1, 5, 1, 5)), np.ones((5, 1, 5), dtype=bool))
    assert np.isfinite(found).all()
