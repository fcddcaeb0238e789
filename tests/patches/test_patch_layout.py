"""A tensor as sites with bands, and back again."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tensorfill.patches.layout import Layout

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
