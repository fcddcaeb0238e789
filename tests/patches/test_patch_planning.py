"""What groups are tried with, and where their patches begin."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tensorfill.patches.layout import Layout, Triple
from tensorfill.patches.planning import (
    GroupModel,
    Wishes,
    common_covariance,
    first_model,
    longest_side,
    other_groups,
    other_noises,
    possible_layouts,
)

# What is tried


NO_WISHES = Wishes()
GRAY, COLOUR = Layout((200, 300), (0, 1)), Layout((200, 300, 3), (0, 1))
CLIP, COLOUR_CLIP = Layout((60, 80, 40), (0, 1, 2)), Layout((60, 80, 3, 40), (0, 1, 3))
CUBE = Layout((60, 80, 31), (0, 1))


def searched(shape: tuple[int, ...], *places: int, **wishes: Any) -> list[tuple[int, ...]]:
    return [layout.searched for layout in possible_layouts(shape, frozenset(places), Wishes(**wishes))]


def model(layout: Layout, share: float = 0.3, learned: float = 0.01, **wishes: Any) -> GroupModel:
    return first_model(layout, share, learned, Wishes(**wishes))


# What is too large


def test_a_patch_is_no_longer_than_its_modes_and_has_1024_entries_at_most() -> None:
    assert longest_side((20, 300), (0, 1)) == 20
    assert longest_side((200, 300), (0, 1)) == 32, "32² = 1024"
    assert longest_side((200, 300, 3), (0, 1)) == 18, "3 · 18² = 972"
    assert longest_side((200, 300, 90), (0, 1, 2)) == 10
    assert longest_side((7, 300, 90), (0, 1, 2)) == 7


def test_where_no_modes_are_given_it_may_extend_along_the_best_two() -> None:
    assert longest_side((3, 200, 300), None) == 18
    assert longest_side((3, 4), None) == 3


def test_modes_along_which_a_patch_would_be_too_large_are_not_searched() -> None:
    assert searched((60, 80, 40), 0, 1, side=8) == [(0, 1, 2), (0, 1)]
    assert searched((60, 80, 40), 0, 1, side=10) == [(0, 1, 2)], "of sites with many bands there is more to a patch"
    assert searched((60, 80, 40), 0, 1, side=11) == []


# Modes


def test_pictures_are_searched_along_rows_and_columns() -> None:
    assert searched((200, 300), 0, 1) == [(0, 1)]
    assert searched((200, 300, 3), 0, 1) == [(0, 1)]
    assert searched((3, 200, 300), 1, 2) == [(1, 2)]


def test_clips_and_cubes_are_searched_along_a_third_mode_or_without_it() -> None:
    assert searched((60, 80, 40), 0, 1) == [(0, 1, 2), (0, 1)]
    assert searched((40, 60, 80), 1, 2) == [(0, 1, 2), (1, 2)]
    assert searched((60, 80, 3, 40), 0, 1) == [(0, 1, 3), (0, 1)]
    assert searched((60, 80, 20, 40), 0, 1) == [(0, 1, 3), (0, 1)], "never along four"


def test_where_fewer_than_two_modes_have_neighbours_there_is_nothing_to_search() -> None:
    assert searched((2000, 4), 0) == []
    assert searched((4, 3, 2)) == []


def test_among_too_few_sites_none_are_similar() -> None:
    assert searched((31, 32), 0, 1) == []
    assert searched((32, 32), 0, 1) == [(0, 1)]
    assert searched((12, 10, 8), 0, 1) == []
    assert searched((12, 10, 9), 0, 1) == [(0, 1, 2)], "enough along three, not along two"
    assert searched((12, 10, 9), 0, 1, modes=(0, 1)) == []


def test_a_wish_for_modes_is_respected_whatever_they_look_like() -> None:
    assert searched((60, 80, 40), 0, 1, modes=(0, 2)) == [(0, 2)]
    assert searched((60, 80, 40), 0, 1, modes=(0, 1, 2)) == [(0, 1, 2)]
    assert searched((60, 80, 3), 0, 1, modes=(0, 1, 2)) == [(0, 1, 2)]


# The side of a patch


@pytest.mark.parametrize(
    ("layout", "share", "side"),
    [
        (GRAY, 0.05, 6),
        (GRAY, 0.5, 6),
        (GRAY, 1.0, 6),
        (COLOUR, 0.1, 6),
        (COLOUR, 0.5, 5),
        (COLOUR, 0.9, 6),
        (CLIP, 0.1, 5),
        (CLIP, 0.5, 4),
        (CLIP, 0.9, 5),
        (COLOUR_CLIP, 0.1, 3),
        (COLOUR_CLIP, 0.5, 3),
        (COLOUR_CLIP, 0.9, 3),
        (CUBE, 0.05, 3),
        (CUBE, 0.5, 2),
        (CUBE, 0.9, 2),
        (Layout((60, 80, 8), (0, 1)), 0.1, 4),
        (Layout((60, 80, 200), (0, 1)), 0.01, 3),
    ],
    ids=str,
)
def test_a_patch_is_as_long_as_it_can_be_solved_for(layout: Layout, share: float, side: int) -> None:
    patch = model(layout, share).patch
    assert patch == layout.pad([side] * len(layout.searched), 1)


@pytest.mark.parametrize("layout", [GRAY, COLOUR, CLIP, COLOUR_CLIP, CUBE], ids=lambda layout: str(layout.shape))
def test_the_more_there_is_to_solve_for_the_shorter_it_is_and_reference_patches_leave_nothing_out(
    layout: Layout,
) -> None:
    """A few bands are solved for by what is missing, if that is less; many by what is known in any case."""
    models = [model(layout, share / 20) for share in range(1, 20)]
    less_and_less = models if layout is CUBE else models[:10]
    assert all(a.patch >= b.patch for a, b in itertools.pairwise(less_and_less))
    if layout is not CUBE:
        assert [one.patch for one in models] == [one.patch for one in reversed(models)]
    for one in models:
        assert all(1 <= step <= side for step, side in zip(one.stride, one.patch, strict=True))


def test_a_patch_is_no_longer_than_its_mode() -> None:
    assert model(Layout((5, 300), (0, 1)), 0.1).patch == (5, 1, 6)
    assert model(Layout((60, 80, 3), (0, 1, 2)), 0.1).patch == (5, 5, 3)
    assert model(GRAY, side=1000).patch == (200, 1, 300)


# Groups


@pytest.mark.parametrize("layout", [GRAY, COLOUR, CLIP, COLOUR_CLIP, CUBE], ids=lambda layout: str(layout.shape))
def test_a_group_learns_from_more_patches_than_it_is_solved_for(layout: Layout) -> None:
    found = model(layout)
    assert found.members < found.informers
    for other in other_groups(found, NO_WISHES):
        assert other.members < other.informers


@pytest.mark.parametrize("layout", [GRAY, COLOUR, CLIP], ids=lambda layout: str(layout.shape))
def test_if_only_strokes_are_missing_fewer_patches_are_solved_for_and_each_learns_from_as_many(layout: Layout) -> None:
    usual = first_model(layout, 0.9, 0.01, NO_WISHES)
    strokes = first_model(layout, 0.9, 0.01, NO_WISHES, strokes=True)
    assert strokes.members == usual.members // 2
    assert strokes.informers >= 0.8 * usual.informers
    assert max(strokes.window) <= max(usual.window)
    assert (strokes.patch, strokes.noise) == (usual.patch, usual.noise)
    wished = first_model(layout, 0.9, 0.01, Wishes(members=11, reach=7), strokes=True)
    assert (wished.members, max(wished.window)) == (11, 7)


def test_wishes_are_respected() -> None:
    found = model(GRAY, side=3, reach=7, members=11, noise=0.25)
    assert (found.patch, found.window, found.members, found.noise) == ((3, 1, 3), (7, 0, 7), 11, 0.25)
    assert model(CLIP, reach=7).window == (7, 7, 7)


def test_what_is_wished_for_is_not_tried_otherwise() -> None:
    for wish in ({"reach": 7}, {"members": 11}):
        assert list(other_groups(model(GRAY, **wish), Wishes(**wish))) == []
    assert list(other_groups(model(CLIP, reach=7), Wishes(reach=7))) == []
    assert [other.members for other in other_groups(model(CLIP, members=11), Wishes(members=11))] == [11]
    assert list(other_noises(model(GRAY, noise=0.25), Wishes(noise=0.25))) == []


def test_wishes_beyond_what_there_is_are_for_all_there_is() -> None:
    found = model(GRAY, reach=10**30, members=10**30)
    assert (found.window, found.members) == ((200, 0, 300), 200 * 300)
    assert model(CLIP, reach=1, members=10**30).members == 27
    assert model(GRAY, noise=1e-300).noise == 1e-12
    assert model(GRAY, noise=1e300).noise == 1e6


def test_other_noise_is_tried_on_both_sides() -> None:
    found = model(GRAY)
    less, more = other_noises(found, NO_WISHES)
    assert less.noise < found.noise < more.noise
    assert model(GRAY, 0.3, 0.02).noise == 2 * model(GRAY, 0.3, 0.01).noise


def test_where_spectral_cannot_tell_how_little_noise_there_is_less_is_taken() -> None:
    assert model(GRAY, 0.3, 1e-6).noise == pytest.approx(1e-7)
    assert model(GRAY, 0.3, 2e-6).noise == pytest.approx(8e-7)


def test_in_pictures_a_wider_window_with_fewer_members_is_tried() -> None:
    found = model(GRAY)
    (other,) = other_groups(found, NO_WISHES)
    assert (other.window, other.members) == ((64, 0, 64), 20)
    assert (found.window, found.members) == ((32, 0, 32), 40)


def test_in_clips_a_window_that_is_as_wide_along_all_modes_is_tried() -> None:
    (other,) = other_groups(model(CLIP), NO_WISHES)
    assert len(set(other.window)) == 1
    assert other.members == model(CLIP).members


# Patches of a model


def some_model(**settings: Any) -> GroupModel:
    usual = {"patch": (3, 1, 3), "window": (4, 0, 4), "stride": (2, 1, 2), "members": 4, "informers": 8}
    return GroupModel(**{**usual, "strength": 5.0, "noise": 0.01, **settings})


# extent, patch, stride
GRIDS: list[tuple[Triple, Triple, Triple]] = [
    ((10, 1, 13), (3, 1, 3), (2, 1, 2)),
    ((10, 1, 13), (6, 1, 6), (4, 1, 4)),
    ((9, 8, 7), (2, 2, 2), (2, 2, 2)),
    ((9, 8, 7), (3, 3, 3), (3, 3, 3)),
    ((5, 1, 6), (5, 1, 6), (4, 1, 4)),
    ((4, 1, 4), (1, 1, 1), (1, 1, 1)),
]


@pytest.mark.parametrize(("extent", "patch", "stride"), GRIDS)
def test_wherever_the_grid_begins_every_site_is_covered(extent: Triple, patch: Triple, stride: Triple) -> None:
    model = some_model(patch=patch, stride=stride)
    for shift in itertools.product(*(range(2 * step) for step in stride)):
        for first, size, side, step in zip(model.grid(extent, shift), extent, patch, stride, strict=True):
            assert (first[0], first[-1]) == (0, size - side), "borders"
            assert (np.diff(first) > 0).all()
            assert np.diff(first).max(initial=0) <= step <= side or side == size


def test_a_shift_moves_the_grid_and_one_by_a_whole_stride_does_not() -> None:
    model = some_model(stride=(3, 1, 2))
    rows, middle, columns = model.grid((12, 1, 9), (1, 0, 0))
    assert rows.tolist() == [0, 1, 4, 7, 9]
    assert middle.tolist() == [0]
    assert columns.tolist() == [0, 2, 4, 6]
    again = model.grid((12, 1, 9), (4, 5, 2))
    assert [along.tolist() for along in again] == [rows.tolist(), [0], columns.tolist()]


@pytest.mark.parametrize(("extent", "patch", "stride"), GRIDS)
def test_the_sites_of_a_patch(extent: Triple, patch: Triple, stride: Triple) -> None:
    offsets = some_model(patch=patch, stride=stride).offsets(extent)
    assert offsets.tolist() == [np.ravel_multi_index(at, extent) for at in np.ndindex(*patch)]


@pytest.mark.parametrize(("extent", "patch"), [((7, 1, 8), (3, 1, 2)), ((4, 5, 6), (2, 2, 2))])
def test_the_common_covariance_is_that_of_all_patches_less_their_means(extent: Triple, patch: Triple) -> None:
    rng = np.random.default_rng(0)
    x = (rng.random((2, int(np.prod(extent)))) + np.array([[0.0], [7.0]])).astype(np.float32)
    found = common_covariance(x, some_model(patch=patch), extent, rng)
    shaped = x.astype(float).reshape(2, *extent)
    everywhere = itertools.product(*(range(size - side + 1) for size, side in zip(extent, patch, strict=True)))
    rows = []
    for at in everywhere:
        inside = tuple(slice(first, first + side) for first, side in zip(at, patch, strict=True))
        cut = shaped[(slice(None), *inside)].reshape(2, -1)
        rows.append((cut - cut.mean(axis=1, keepdims=True)).reshape(-1))
    expected = np.mean([np.outer(row, row) for row in rows], axis=0)
    # 20,000 patches are drawn: a hundredth, and entries are about 0.1.
    np.testing.assert_allclose(found, expected, atol=0.01)
    np.testing.assert_array_equal(found, found.T)


def test_the_same_numbers_are_drawn_from_the_same_seed() -> None:
    x = np.random.default_rng(0).random((1, 80), dtype=np.float32)
    found = [common_covariance(x, some_model(), (8, 1, 10), np.random.default_rng(3)) for _ in range(2)]
    np.testing.assert_array_equal(*found)
