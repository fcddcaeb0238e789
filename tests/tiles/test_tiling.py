"""Where a tensor is cut: cores cover it once, weights add up to one, tiles fit, little is seen twice."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorfill.errors import InvalidSetting
from tensorfill.tiles.tiling import Tiling, given_tiles, overhead, plan_tiles, sizes_of, within

SHAPES = st.lists(st.integers(1, 60), min_size=2, max_size=4).map(tuple)


@st.composite
def tilings(draw: st.DrawFn) -> Tiling:
    shape = draw(SHAPES)
    sizes = [draw(st.integers(2, 40)) for _ in shape]
    return given_tiles(shape, sizes, leading=draw(st.integers(0, len(shape) - 1)), overlap=draw(st.integers(0, 20)))


@given(tilings())
def test_cores_cover_every_entry_once(tiling: Tiling) -> None:
    seen = np.zeros(tiling.shape, int)
    for tile in tiling:
        seen[tile.core] += 1
    assert (seen == 1).all()


@given(tilings())
def test_weights_add_up_to_one_and_no_more_than_two_tiles_meet_along_a_mode(tiling: Tiling) -> None:
    for mode, size in enumerate(tiling.shape):
        total, count = np.zeros(size), np.zeros(size, int)
        for index in range(tiling.counts[mode]):
            tile = next(tile for tile in tiling if tile.at[mode] == index)
            total[tile.share[mode]] += tiling.weights(tile)[mode]
            count[tile.share[mode]] += 1
        np.testing.assert_allclose(total, 1)
        assert count.max() <= 2


@given(tilings())
def test_a_tile_sees_more_than_it_says_and_says_more_than_its_core(tiling: Tiling) -> None:
    for tile in tiling:
        for core, share, reach in zip(tile.core, tile.share, tile.reach, strict=True):
            assert reach.start <= share.start <= core.start < core.stop <= share.stop <= reach.stop


@given(tilings())
def test_tiles_come_layer_after_layer(tiling: Tiling) -> None:
    places = [tile.at[tiling.leading] for tile in tiling]
    assert places == sorted(places)
    assert [tile.number for tile in tiling] == list(range(tiling.count))
    assert tiling.count == len(tiling.tiles) == tiling.layer * tiling.counts[tiling.leading]


@given(tilings())
def test_neighbours_are_all_that_say_something_of_a_core(tiling: Tiling) -> None:
    for tile in tiling:
        meeting = {
            other.number
            for other in tiling
            if all(a.start < b.stop and b.start < a.stop for a, b in zip(other.share, tile.core, strict=True))
        }
        assert meeting <= {other.number for other in tiling.neighbours(tile)}


@given(SHAPES, st.integers(200, 100_000), st.integers(0, 6))
def test_the_largest_tile_fits_where_any_does(shape: tuple[int, ...], most: int, overlap: int) -> None:
    tiling = plan_tiles(shape, most, overlap=overlap)
    assert math.prod(tiling.largest) == max(math.prod(sizes_of(tile.reach)) for tile in tiling)
    if math.prod(tiling.largest) > most:  # then it is as small as tiles get
        for size, side in zip(shape, tiling.largest, strict=True):
            smallest = -(-size // max(1, size // max(2 * overlap, 1)))
            assert side <= (smallest + 2 * overlap if size > 4 else size)


def test_what_fits_is_not_cut() -> None:
    assert plan_tiles((100, 100, 3), 30_000).count == 1


def test_colours_are_not_cut() -> None:
    assert plan_tiles((480, 854, 300, 3), 10_000_000, leading=2).counts[3] == 1


def test_as_little_as_possible_is_seen_twice() -> None:
    planned = plan_tiles((640, 480, 120), 9_000_000, overlap=8)
    others = [given_tiles((640, 480, 120), sizes, overlap=8) for sizes in ((160, 480, 120), (640, 160, 120))]
    assert all(overhead(planned) <= overhead(other) + 0.02 for other in others)


def test_a_layer_counts_too() -> None:
    many = plan_tiles((4000, 500, 500), 20_000_000, layer_weight=0.5)
    assert many.largest[0] * 500 * 500 * 0.5 < 20_000_000


def test_a_tile_needs_a_size_for_every_mode() -> None:
    with pytest.raises(InvalidSetting, match="a size for each of the 3 modes"):
        given_tiles((10, 10, 10), (5, 5))


def test_what_is_left_over_is_no_tile_of_its_own() -> None:
    assert given_tiles((101, 10), (20, 10)).edges[0][-2:] == (80, 101)


def test_a_region_is_counted_from_the_corner_of_one_around_it() -> None:
    assert within((slice(5, 7),), (slice(3, 9),)) == (slice(2, 4),)
