"""Where patches begin, where their sites are, and the covariance that all have in common."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tensorfill.patches.model import GroupModel, Triple, common_covariance


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
