"""Patches are taken from planar arrays, with what is known of them, and added to sums."""

from __future__ import annotations

import numpy as np

from tensorfill.patches.members import add_to_sums, is_absurd, put_known, take_known, take_patches

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
    add_to_sums(X[0] + off, variance, 0.5, X, 0, SITES, BANDS, PLACES[0], OFFSETS, sums, np.empty(8))
    weights = 1 / (variance + 0.5)
    for total, part in zip(sums, (weights * off, weights, weights * (off**2 + variance)), strict=True):
        np.testing.assert_allclose(expected(total, PLACES[0]), part)
        assert np.count_nonzero(total) == 8
