"""A tensor as sites with bands, and coefficients of bands: there and back again."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.patches.layout import Bands, Layout, direction_count

# Sites


SHAPES = [(6, 7), (5, 4, 3), (4, 3, 5, 2), (3, 2, 4, 2, 3)]
LAYOUTS = [
    Layout(shape, searched)
    for shape in SHAPES
    for count in (2, 3)
    for searched in itertools.combinations(range(len(shape)), count)
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: f"{layout.shape} along {layout.searched}")
def test_there_and_back_again(layout: Layout) -> None:
    tensor = np.random.default_rng(0).random(layout.shape)
    planar = layout.planar(tensor)
    assert planar.shape == (layout.band_count, np.prod(layout.extent))
    assert planar.flags.c_contiguous
    np.testing.assert_array_equal(layout.tensor(planar), tensor)
    np.testing.assert_array_equal(layout.planar(layout.tensor(planar)), planar)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: f"{layout.shape} along {layout.searched}")
def test_every_entry_stands_at_its_site_among_its_bands(layout: Layout) -> None:
    planar = layout.planar(np.arange(np.prod(layout.shape)).reshape(layout.shape))
    for number, index in enumerate(np.ndindex(*layout.shape)):
        along = [index[mode] for mode in layout.searched]
        site = np.ravel_multi_index(along, [layout.shape[mode] for mode in layout.searched])
        others = [index[mode] for mode in layout.bands]
        band = np.ravel_multi_index(others, [layout.shape[mode] for mode in layout.bands]) if others else 0
        assert planar[band, site] == number


def test_a_picture_has_one_index_in_the_middle_and_its_colours_are_bands() -> None:
    layout = Layout((30, 40, 3), (0, 1))
    assert (layout.extent, layout.bands, layout.band_count) == ((30, 1, 40), (2,), 3)
    assert layout.pad([5, 6], 0) == (5, 0, 6)


def test_a_clip_has_three_searched_modes() -> None:
    layout = Layout((20, 30, 3, 10), (0, 1, 3))
    assert (layout.extent, layout.bands, layout.band_count) == ((20, 30, 10), (2,), 3)
    assert layout.pad([4, 5, 6], 0) == (4, 5, 6)


def test_masks_can_be_laid_out_too() -> None:
    layout = Layout((4, 3, 5), (0, 2))
    mask = np.random.default_rng(0).random(layout.shape) < 0.5
    assert layout.planar(mask).dtype == bool
    np.testing.assert_array_equal(layout.tensor(layout.planar(mask)), mask)


# Bands and coefficients


def some(bands: int, directions: int, sites: int = 300, seed: int = 0) -> NDArray[np.float32]:
    """Bands that are mixtures of a few, with means of their own."""
    rng = np.random.default_rng(seed)
    mixed = rng.standard_normal((bands, directions)) @ rng.standard_normal((directions, sites))
    return (mixed + 5 * rng.random((bands, 1))).astype(np.float32)


def some_known(planar: NDArray[np.float32], *, whole_sites: bool = False) -> NDArray[np.bool_]:
    """Half of all entries, or all bands of half of the sites."""
    known = np.random.default_rng(7).random((1, planar.shape[1]) if whole_sites else planar.shape) < 0.5
    return np.ascontiguousarray(np.broadcast_to(known, planar.shape))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_few_bands_are_their_own_coefficients(count: int) -> None:
    planar = some(count, count)
    known = some_known(planar)
    bands = Bands.of(planar, known)
    assert bands.direct
    assert bands.has_bounds
    assert bands.rest is None
    np.testing.assert_array_equal(bands.basis, np.eye(count))
    values, where = bands.observed(planar, known)
    np.testing.assert_array_equal(where, known)
    for same in (bands.coefficients(planar), bands.bands(planar), bands.variance(planar), values):
        np.testing.assert_array_equal(same, planar)


@pytest.mark.parametrize(("count", "directions"), [(5, 5), (8, 3), (16, 16), (17, 17), (60, 30)])
def test_the_estimate_comes_back_whatever_the_basis_can_tell(count: int, directions: int) -> None:
    planar = some(count, directions)
    bands = Bands.of(planar, some_known(planar))
    assert not bands.direct
    assert not bands.has_bounds
    assert bands.basis.shape == (count, direction_count(count))
    np.testing.assert_allclose(bands.basis.T @ bands.basis, np.eye(direction_count(count)), atol=1e-5)
    np.testing.assert_allclose(bands.bands(bands.coefficients(planar)), planar, atol=1e-4)


@pytest.mark.parametrize("count", [6, 40])
def test_coefficients_come_back_from_their_bands(count: int) -> None:
    planar = some(count, count)
    bands = Bands.of(planar, some_known(planar))
    coefficients = some(direction_count(count), 4, seed=1)
    np.testing.assert_allclose(bands.coefficients(bands.bands(coefficients)), coefficients, atol=1e-4)


def test_what_is_left_is_as_small_as_a_basis_can_make_it() -> None:
    planar = some(40, 40)
    centred = planar - planar.mean(axis=1, keepdims=True)
    bands = Bands.of(planar, some_known(planar))
    left = np.linalg.norm(bands.rest - planar.mean(axis=1, keepdims=True))
    assert left == pytest.approx(np.linalg.norm(np.linalg.svd(centred)[1][16:]), rel=1e-3)
    mixed = some(40, 7)
    few = Bands.of(mixed, some_known(mixed))
    assert few.rest is not None
    np.testing.assert_allclose(few.rest, np.broadcast_to(few.rest[:, :1], few.rest.shape), atol=1e-3)


def test_observed_bands_less_the_rest_are_what_the_basis_has_to_tell() -> None:
    planar = some(12, 12)
    known = some_known(planar)
    bands = Bands.of(planar, known)
    assert not bands.whole_sites
    values, where = bands.observed(planar, known)
    np.testing.assert_array_equal(where, known)
    np.testing.assert_allclose(values, bands.basis @ bands.coefficients(planar), atol=1e-4)


@pytest.mark.parametrize("count", [5, 12, 40])
def test_where_sites_are_known_in_all_bands_or_in_none_coefficients_are_observed(count: int) -> None:
    planar = some(count, count)
    known = some_known(planar, whole_sites=True)
    bands = Bands.of(planar, known)
    assert bands.whole_sites
    assert bands.direct
    assert not bands.has_bounds
    values, where = bands.observed(planar, known)
    np.testing.assert_array_equal(values, bands.coefficients(planar))
    assert where.shape == values.shape == (direction_count(count), planar.shape[1])
    np.testing.assert_array_equal(where, np.broadcast_to(known[0], where.shape))


def test_one_band_of_one_site_that_is_missing_alone_is_enough_for_bands_to_be_observed_one_by_one() -> None:
    planar = some(12, 12)
    known = some_known(planar, whole_sites=True)
    known[5, np.flatnonzero(known[0])[0]] = False
    assert not Bands.of(planar, known).direct


def test_variances_of_bands_are_those_of_independent_coefficients() -> None:
    planar = some(20, 20)
    bands = Bands.of(planar, some_known(planar))
    variance = np.random.default_rng(0).random((16, 4)).astype(np.float32)
    for site in range(4):
        expected = np.diag(bands.basis @ np.diag(variance[:, site]) @ bands.basis.T)
        np.testing.assert_allclose(bands.variance(variance)[:, site], expected, rtol=1e-4)


@pytest.mark.parametrize(("bands", "count"), [(1, 1), (4, 4), (5, 5), (16, 16), (17, 16), (200, 16)])
def test_how_many_coefficients_a_site_has(bands: int, count: int) -> None:
    assert direction_count(bands) == count
