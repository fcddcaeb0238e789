"""Which reference patches are worth solving for, and where settings are compared."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.patches.layout import Triple
from tensorfill.patches.view import local_misfit, patches_around, sample_tiles, touching, worst


@pytest.mark.parametrize(
    ("extent", "patch"),
    [((8, 1, 9), (3, 1, 3)), ((8, 1, 9), (1, 1, 1)), ((6, 1, 7), (6, 1, 2)), ((5, 6, 7), (2, 3, 2))],
)
def test_patches_with_something_missing(extent: Triple, patch: Triple) -> None:
    missing = np.random.default_rng(0).random(extent) < 0.05
    missing[0, 0, 0] = missing[-1, -1, -1] = True
    before = missing.copy()
    found = touching(missing, patch)
    for at in np.ndindex(*extent):
        inside = tuple(slice(first, first + side) for first, side in zip(at, patch, strict=True))
        assert found[at] == missing[inside].any(), at
    np.testing.assert_array_equal(missing, before)


def test_the_worst_are_the_fewest_that_hold_a_share_of_the_error() -> None:
    misfit = np.random.default_rng(0).random((7, 1, 9)).astype(np.float32) ** 4
    for share in (0.1, 0.5, 0.95):
        found = worst(misfit, share)
        assert misfit[found].sum() >= share * misfit.sum() * (1 - 1e-6)
        assert misfit[found].min() > misfit[~found].max(initial=-1)
        assert misfit[found].sum() - misfit[found].min() < share * misfit.sum(), "one less would not do"


def test_where_all_are_as_bad_all_are_worst() -> None:
    assert worst(np.ones((4, 1, 5), np.float32), 0.5).all()
    assert worst(np.zeros((4, 1, 5), np.float32), 0.95).all()


@pytest.mark.parametrize("patch", [(3, 1, 3), (4, 1, 4), (6, 1, 6), (2, 2, 2), (1, 1, 1)])
def test_patches_with_a_site_in_the_middle(patch: Triple) -> None:
    extent = (14, patch[1] * 3, 15)
    sites = np.zeros(extent, dtype=bool)
    sites[7, extent[1] // 2, 8] = True
    first = np.argwhere(patches_around(sites, patch))
    assert len(first) == 1
    assert (first[0] + np.array(patch) // 2).tolist() == [7, extent[1] // 2, 8]


@pytest.mark.parametrize("patch", [(3, 1, 3), (6, 1, 6), (2, 2, 2)])
def test_sites_at_a_border_lend_themselves_to_no_patch_elsewhere(patch: Triple) -> None:
    extent = (12, 4 * patch[1] - 3, 13)
    sites = np.zeros(extent, dtype=bool)
    sites[0], sites[:, :, 0] = True, True
    last = tuple(size - side for size, side in zip(extent, patch, strict=True))
    for at in np.argwhere(patches_around(sites, patch)):
        inside = (at <= last).all()
        assert not inside or ((at + np.array(patch) // 2)[[0, 2]] == 0).any()


def test_the_misfit_around_a_site_is_a_mean_over_what_is_known_there() -> None:
    rng = np.random.default_rng(0)
    known = rng.integers(0, 3, (30, 1, 31)).astype(np.float32)
    squares = known * rng.random(known.shape).astype(np.float32)
    found = local_misfit(squares, known)
    around = np.s_[11:20, :, 6:15]
    assert found[15, 0, 10] == pytest.approx(squares[around].sum() / known[around].sum(), rel=1e-3)
    assert found.dtype == np.float32


def test_far_from_all_that_is_known_the_misfit_is_the_usual_one() -> None:
    known, squares = np.zeros((2, 40, 1, 40), np.float32)
    known[:10], squares[:10] = 1, 0.25
    found = local_misfit(squares, known)
    np.testing.assert_allclose(found, 0.25, rtol=1e-2)


def test_without_any_misfit_there_is_none() -> None:
    found = local_misfit(np.zeros((5, 1, 6), np.float32), np.ones((5, 1, 6), np.float32))
    np.testing.assert_array_equal(found, 0)


def test_of_many_tiles_every_sixth_is_taken_from_the_worst_to_the_best() -> None:
    misfit = np.zeros((4 * 32, 6 * 32 - 5), np.float32)
    order = np.random.default_rng(0).permutation(24)
    for number, rank in enumerate(order):
        misfit[32 * (number // 6), 32 * (number % 6)] = 100 - rank
    found = sample_tiles(misfit)
    ranks = sorted(rank for number, rank in enumerate(order) if found[32 * (number // 6), 32 * (number % 6)])
    assert ranks == [1, 7, 13, 19]
    for number, rank in enumerate(order):
        row, column = divmod(number, 6)
        tile = found[32 * row : 32 * row + 32, 32 * column : 32 * column + 32]
        assert (tile == (rank in ranks)).all(), "tiles are taken whole"


@pytest.mark.parametrize("shape", [(20, 30), (64, 64), (32, 160)])
def test_of_few_tiles_all_are_taken(shape: tuple[int, int]) -> None:
    assert sample_tiles(np.random.default_rng(0).random(shape).astype(np.float32)).all()


def test_where_the_error_is_in_a_few_of_nine_tiles_one_of_those_is_taken() -> None:
    misfit = np.full((96, 96), 1e-3, np.float32)
    misfit[:32, :64] = 1.0
    found = sample_tiles(misfit)
    assert found[:32, :64].any()
    assert found.mean() == pytest.approx(1 / 3)
