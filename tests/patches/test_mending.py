"""Mending: a patch with a hole is filled by what the patches most like it have there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.patches.layout import Layout
from tensorfill.patches.mending import find_others, mend, turn
from tensorfill.patches.planning import GroupModel, Wishes, common_covariance, mending_model, mending_sides, with_side

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

EXTENT = 48, 1, 40


def waves(bands: int = 1) -> Floats:
    """Stripes along the diagonal, which come again every 12 sites; each band is brighter than the one before."""
    i, _, j = np.mgrid[: EXTENT[0], :1, : EXTENT[2]]
    stripes = 0.5 + 0.3 * np.sin(2 * np.pi * (i + j) / 12).reshape(-1)
    return np.stack([stripes * (1 + 0.2 * band) for band in range(bands)]).astype(np.float32)


def scratch() -> Mask:
    missing = np.zeros(EXTENT, dtype=bool)
    missing[20:24, :, 5:35] = True
    return missing


def model(side: int = 6) -> GroupModel:
    layout = Layout((EXTENT[0], EXTENT[2]), (0, 1))
    return with_side(layout, mending_model(layout, 1e-5, Wishes(reach=16)), side)


def damaged(full: Floats, missing: Mask) -> Floats:
    return np.where(missing.reshape(-1), np.float32(0.5), full)


@pytest.mark.parametrize("bands", [1, 3])
def test_what_comes_again_is_found(bands: int) -> None:
    full, missing, chosen = waves(bands), scratch(), model()
    x = damaged(full, missing)
    common = common_covariance(x, chosen, EXTENT, np.random.default_rng(0))
    for _ in range(3):
        mended = mend(x, missing, chosen, common)
        x[:, mended.sites] = mended.means
    np.testing.assert_array_equal(mended.sites, np.flatnonzero(missing))
    error = np.sqrt(np.mean((x - full)[:, mended.sites] ** 2))
    assert error < 0.1 * full[:, mended.sites].std()
    assert np.isfinite(mended.variance).all()
    assert (mended.variance >= 0).all()


def test_what_no_patch_reaches_stays_as_it_is() -> None:
    full = waves()
    missing = np.zeros(EXTENT, dtype=bool)
    missing[10:34, :, 10:34] = True
    x = damaged(full, missing)
    mended = mend(x, missing, model(), common_covariance(x, model(), EXTENT, np.random.default_rng(0)))
    silent = np.isnan(mended.variance[0])
    places = np.stack(np.unravel_index(mended.sites, EXTENT))[[0, 2]]
    depth = np.minimum(places - 9, 34 - places).min(axis=0)
    assert silent[depth > 6].all(), "patches there are empty"
    assert not silent[depth == 1].any()
    np.testing.assert_array_equal(mended.means[:, silent], x[:, mended.sites[silent]])


def test_only_patches_at_some_holes() -> None:
    missing = scratch()
    missing[40:42, :, 5:10] = True
    x = damaged(waves(), missing)
    where = missing.copy()
    where[:30] = False
    mended = mend(x, missing, model(), common_covariance(x, model(), EXTENT, np.random.default_rng(0)), where=where)
    here = where.reshape(-1)[mended.sites]
    assert not np.isnan(mended.variance[0, here]).any()
    assert np.isnan(mended.variance[0, ~here]).all()


def test_the_number_of_threads_has_no_part_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    x, missing = damaged(waves(3), scratch()), scratch()
    common = common_covariance(x, model(), EXTENT, np.random.default_rng(0))
    first = mend(x, missing, model(), common)
    monkeypatch.setattr("tensorfill.numerics.threads.thread_count", lambda: 1)
    np.testing.assert_array_equal(mend(x, missing, model(), common).means, first.means)


def test_what_is_filled_in_counts_less_and_the_patch_itself_is_left_out() -> None:
    x = np.random.default_rng(0).random((2, 48 * 40)).astype(np.float32)
    chosen = replace(model(3), window=(4, 0, 4))
    offsets = chosen.offsets(EXTENT)
    weights = np.array([1, 1, 0.6, 1, 0.6, 1, 1, 0.6, 1], np.float32)
    distances, more, places = np.empty(81, np.float32), np.empty(81, np.float32), np.empty(81, np.int64)
    reference = 20 * 40 + 20
    count = find_others(
        x.reshape(-1),
        2,
        np.array(EXTENT),
        np.array(chosen.patch),
        np.array(chosen.window),
        offsets[weights == 1],
        offsets[weights < 1],
        reference,
        distances,
        more,
        places,
    )
    assert count == 80
    assert reference not in places[:count]
    assert len(set(places[:count].tolist())) == count
    off = x[:, places[:count, None] + offsets] - x[:, None, reference + offsets]
    np.testing.assert_allclose(distances[:count], (weights * off**2).sum(axis=(0, 2)), rtol=1e-4)


@pytest.mark.parametrize("sites", [4, 9])
def test_a_covariance_is_made_more_like_itself_turned(sites: int) -> None:
    root = np.random.default_rng(0).standard_normal((2 * sites, 2 * sites))
    before = (root @ root.T).astype(np.float32)
    order = np.concatenate([np.arange(sites)[::-1], sites + np.arange(sites)[::-1]])
    turned = before[np.ix_(order, order)]
    after = before.copy()
    turn(after, 2, sites)
    weight = 0.5 * (np.sum(np.diag(before) * np.diag(turned)) / np.sum(np.diag(before) ** 2)) ** 4
    np.testing.assert_allclose(after, (before + weight * turned) / (1 + weight), rtol=1e-4, atol=1e-5)
    assert np.linalg.eigvalsh(after.astype(float)).min() > 0


def test_one_side_that_does_not_vary_is_left_alone() -> None:
    before = np.diag([1.0, 1.0, 0.0, 0.0]).astype(np.float32)
    after = before.copy()
    turn(after, 1, 4)
    np.testing.assert_array_equal(after, before)


def test_sides_are_those_asked_for() -> None:
    assert mending_sides(Wishes(side=5)) == (5, 5, 5)
    assert len(set(mending_sides(Wishes()))) == 3


def test_values_whose_squares_vanish_are_no_reason_to_fail() -> None:
    full, missing, chosen = waves(3), scratch(), model(8)
    common = common_covariance(full, chosen, EXTENT, np.random.default_rng(0))
    # Black around the scratch, and what an earlier round has left in it.
    x = np.where(missing.reshape(-1), np.float32(1e-22) * full, np.float32(0))
    mended = mend(x, missing, chosen, common)
    assert np.isfinite(mended.means).all()
    assert np.abs(mended.means).max() < 1e-6
