"""The most similar patches are those that a search of all of them finds; they are taken and put back as they are."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.patches.layout import Triple
from tensorfill.patches.matching import (
    add_to_sums,
    find_similar,
    is_absurd,
    keep_nearest,
    put_known,
    take_known,
    take_patches,
)
from tensorfill.patches.planning import GroupModel

# Finding them


Found = list[tuple[float, int]]

# extent, patch, window
SEARCHES: list[tuple[Triple, Triple, Triple]] = [
    ((9, 1, 11), (3, 1, 3), (2, 0, 3)),
    ((9, 1, 11), (2, 1, 2), (20, 0, 20)),
    ((8, 1, 8), (5, 1, 2), (3, 0, 1)),
    ((7, 1, 6), (7, 1, 6), (4, 0, 4)),
    ((5, 6, 7), (2, 2, 2), (1, 2, 3)),
    ((5, 6, 7), (3, 3, 3), (9, 9, 9)),
    ((5, 4, 6), (1, 1, 1), (1, 1, 1)),
    ((6, 1, 6), (2, 1, 3), (0, 0, 0)),
]


def searched(x: NDArray[Any], extent: Triple, patch: Triple, window: Triple, reference: int) -> Found:
    """Distances and places, in the order in which they are found."""
    model = GroupModel(patch=patch, window=window, stride=(1, 1, 1), members=1, informers=1, strength=1.0, noise=1.0)
    room = int(np.prod([2 * reach + 1 for reach in window]))
    distances, places = np.full(room, np.nan, np.float32), np.full(room, -1)
    sizes = (np.array(extent), np.array(patch), np.array(window), model.offsets(extent))
    count = find_similar(x.reshape(-1), len(x), *sizes, reference, distances, places)
    return [(float(d), int(at)) for d, at in zip(distances[:count], places[:count], strict=True)]


def all_compared(x: NDArray[Any], extent: Triple, patch: Triple, window: Triple, reference: int) -> Found:
    """The same by looking at every patch."""
    shaped = x.astype(float).reshape(-1, *extent)
    own = np.unravel_index(reference, extent)

    def cut(at: tuple[Any, ...]) -> NDArray[Any]:
        return shaped[(slice(None), *(slice(first, first + side) for first, side in zip(at, patch, strict=True)))]

    return [
        (float(np.sum((cut(at) - cut(own)) ** 2)), int(np.ravel_multi_index(at, extent)))
        for at in itertools.product(*(range(size - side + 1) for size, side in zip(extent, patch, strict=True)))
        if all(abs(a - b) <= reach for a, b, reach in zip(at, own, window, strict=True))
    ]


def references(extent: Triple, patch: Triple) -> list[int]:
    """Corners, and one in the middle."""
    ends = [(0, (size - side) // 2, size - side) for size, side in zip(extent, patch, strict=True)]
    return sorted({int(np.ravel_multi_index(at, extent)) for at in itertools.product(*ends)})


def some(q: int, extent: Triple) -> NDArray[np.float32]:
    return np.random.default_rng(q).random((q, int(np.prod(extent))), dtype=np.float32)


@pytest.mark.parametrize("q", [1, 3])
@pytest.mark.parametrize(("extent", "patch", "window"), SEARCHES)
def test_all_patches_of_the_window_are_found_in_order_of_place_with_their_distances(
    extent: Triple, patch: Triple, window: Triple, q: int
) -> None:
    x = some(q, extent)
    for reference in references(extent, patch):
        found = searched(x, extent, patch, window, reference)
        expected = all_compared(x, extent, patch, window, reference)
        assert [at for _, at in found] == [at for _, at in expected]
        np.testing.assert_allclose([d for d, _ in found], [d for d, _ in expected], rtol=1e-5, atol=1e-6)
        assert {at: d for d, at in found}[reference] == 0


def kept(distances: list[float], wanted: int) -> tuple[Found, Found]:
    """What is in front, and what is left."""
    d, places = np.array(distances, np.float32), np.arange(len(distances)) * 3
    keep_nearest(d, places, len(distances), wanted)
    pairs = [(float(one), int(at)) for one, at in zip(d, places, strict=True)]
    return pairs[:wanted], pairs[wanted:]


@pytest.mark.parametrize("count", [1, 2, 3, 10, 257])
@pytest.mark.parametrize("kinds", [1, 2, 5, 10**6])
@pytest.mark.parametrize("seed", range(3))
def test_the_nearest_are_in_front_in_order_and_equal_ones_in_order_of_place(count: int, kinds: int, seed: int) -> None:
    distances = (np.random.default_rng(seed).integers(0, kinds, count) / 8).tolist()
    pairs = {(float(np.float32(d)), 3 * number) for number, d in enumerate(distances)}
    for wanted in sorted({1, 2, count // 2, count - 1, count} & set(range(1, count + 1))):
        front, rest = kept(distances, wanted)
        assert front == sorted(front)
        assert [d for d, _ in front] == sorted(np.float32(distances).tolist())[:wanted]
        assert set(front) | set(rest) == pairs, "nothing is lost, and every place keeps its distance"
        assert all(front[-1][0] <= d for d, _ in rest)


@pytest.mark.parametrize("order", ["rising", "falling", "like a roof", "alike"])
def test_distances_may_come_in_any_order(order: str) -> None:
    numbers = np.arange(50.0)
    shapes = {"rising": numbers, "falling": -numbers, "like a roof": -abs(numbers - 25), "alike": 0 * numbers}
    distances = (shapes[order] + 50).tolist()
    for wanted in (1, 7, 49, 50):
        assert [d for d, _ in kept(distances, wanted)[0]] == sorted(distances)[:wanted]


# Taking them, and putting back


EXTENT, SITES, BANDS = (4, 5), 20, 2
OFFSETS = np.array([0, 1, 5, 6])  # two by two
PLACES = np.array([7, 0, 13])


def planar(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(BANDS * SITES)


def expected(of: np.ndarray, place: int) -> np.ndarray:
    a, b = divmod(place, EXTENT[1])
    return np.asarray(of.reshape(BANDS, *EXTENT)[:, a : a + 2, b : b + 2].reshape(-1))


def test_patches_are_taken_as_they_are() -> None:
    x, F = planar(0), np.zeros((3, 8))
    largest = take_patches(x, SITES, BANDS, PLACES, 2, OFFSETS, F)
    for m in range(2):
        np.testing.assert_array_equal(F[m], expected(x, PLACES[m]))
    assert not F[2].any()
    assert largest == np.abs(F).max()


def test_what_is_known_of_them_and_what_is_missing() -> None:
    values, known = planar(1), planar(2) > 0
    observed, Y, counts = np.zeros((3, 9), np.int64), np.zeros((3, 9)), np.zeros(3, np.int64)
    take_known(values, known, SITES, BANDS, PLACES, 3, OFFSETS, observed, Y, counts)
    for m, place in enumerate(PLACES):
        where = np.flatnonzero(expected(known, place))
        np.testing.assert_array_equal(observed[m, : counts[m]], where)
        np.testing.assert_array_equal(Y[m, : counts[m]], expected(values, place)[where])
        found, missing = np.full(8, np.nan), np.zeros(8, np.int64)
        absent = put_known(Y, observed, m, counts[m], found, missing)
        np.testing.assert_array_equal(missing[:absent], np.setdiff1d(np.arange(8), where))
        np.testing.assert_array_equal(found[where], expected(values, place)[where])
        assert np.isnan(found[missing[:absent]]).all()


def test_what_is_far_off_is_absurd() -> None:
    mean = np.zeros(3)
    assert not is_absurd(np.array([0.5, -0.9, 0.0]), mean, 1.0)
    assert is_absurd(np.array([0.5, -1.1, 0.0]), mean, 1.0)


def test_sums_have_differences_weights_and_squares() -> None:
    x, X, sums = planar(3), np.empty((1, 8)), np.zeros((3, BANDS * SITES))
    take_patches(x, SITES, BANDS, PLACES, 1, OFFSETS, X)
    off, variance = planar(4)[:8], np.abs(planar(5)[:8])
    add_to_sums(X + off, variance[None], 0.5, X, 0, SITES, BANDS, PLACES[0], OFFSETS, sums, np.empty(8))
    weights = 1 / (variance + 0.5)
    for total, part in zip(sums, (weights * off, weights, weights * (off**2 + variance)), strict=True):
        np.testing.assert_allclose(expected(total, PLACES[0]), part)
        assert np.count_nonzero(total) == 8
