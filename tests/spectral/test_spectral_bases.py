"""Bases of a mode are orthonormal, fast transforms are their matrices, and bins respect what belongs together."""

from __future__ import annotations

import numpy as np
import pytest
from dense_model import orthonormal_matrix, pair

from tensorfill.spectral.bases import Basis, Binning, Columns, Cosines, CosinesWithin, Entries, Waves
from tensorfill.tensor import SHORT, Array

SIZES = [1, 2, 3, 4, 5, 8, 9, 17, 64, 65]
PLACES = [((6, 5), 0), ((6, 5), 1), ((3, 6, 4), 1), ((2, 3, 4, 6), 3), ((2, 6, 3, 4), 1)]


every_kind = pytest.mark.parametrize("kind", ["dct", "fourier", "identity", "own"])


@every_kind
@pytest.mark.parametrize("size", SIZES)
def test_columns_are_those_of_the_formula_and_orthonormal(kind: str, size: int) -> None:
    basis, matrix = pair(kind, size)
    assert (basis.kind, basis.size) == (kind, size)
    np.testing.assert_allclose(basis.synthesise(np.eye(size), 0), matrix, atol=1e-13)
    np.testing.assert_allclose(matrix.T @ matrix, np.eye(size), atol=1e-13)


@every_kind
@pytest.mark.parametrize(("shape", "axis"), PLACES, ids=str)
def test_analysis_and_synthesis_are_products_with_the_matrix_and_inverse(
    kind: str, shape: tuple[int, ...], axis: int
) -> None:
    basis, matrix = pair(kind, shape[axis])
    x = np.random.default_rng(0).standard_normal(shape)
    there = np.moveaxis(x, axis, -1)
    np.testing.assert_allclose(basis.analyse(x, axis), np.moveaxis(there @ matrix, -1, axis), atol=1e-13)
    np.testing.assert_allclose(basis.synthesise(x, axis), np.moveaxis(there @ matrix.T, -1, axis), atol=1e-13)
    np.testing.assert_allclose(basis.synthesise(basis.analyse(x, axis), axis), x, atol=1e-13)


@every_kind
def test_single_precision_stays_single(kind: str) -> None:
    basis = Columns(orthonormal_matrix(6), "own") if kind == "own" else pair(kind, 6)[0]
    x = np.random.default_rng(0).standard_normal((6, 4)).astype(np.float32)
    assert basis.analyse(x, 0).dtype == basis.synthesise(x, 0).dtype == np.float32
    np.testing.assert_allclose(basis.analyse(x, 0), pair(kind, 6)[1].T @ x, atol=1e-5)


@pytest.mark.parametrize("size", [5, 8, 12])
def test_waves_close_in_a_circle(size: int) -> None:
    """However far a signal is shifted, each frequency keeps its power; cosines do not have that."""
    signal = np.random.default_rng(0).standard_normal(size)
    frequencies = (np.arange(size) + 1) // 2

    def power(basis: Basis, x: Array) -> Array:
        return np.bincount(frequencies, basis.analyse(x, 0) ** 2)

    for shift in range(1, size):
        np.testing.assert_allclose(power(Waves(size), np.roll(signal, shift)), power(Waves(size), signal), atol=1e-12)
    assert np.abs(power(Cosines(size), np.roll(signal, 2)) - power(Cosines(size), signal)).max() > 0.01


@pytest.mark.parametrize("size", [*SIZES, 40, 101, 300])
@every_kind
def test_bins_begin_at_zero_and_rise(kind: str, size: int) -> None:
    starts = pair(kind, size)[0].bin_starts()
    assert starts[0] == 0
    assert (np.diff(starts) > 0).all()
    assert starts[-1] < size


@pytest.mark.parametrize("size", [*SIZES, 40, 101, 300])
def test_bins_of_waves_never_split_a_frequency(size: int) -> None:
    frequencies = (np.arange(size) + 1) // 2
    starts = Waves(size).bin_starts()
    assert (frequencies[starts[1:]] > frequencies[starts[1:] - 1]).all()


def test_entries_share_one_bin() -> None:
    np.testing.assert_array_equal(Entries(50).bin_starts(), [0])


def test_the_lowest_frequencies_are_alone_and_bins_grow() -> None:
    assert Binning().starts(SHORT).tolist() == list(range(SHORT))
    starts = Binning().starts(300)
    np.testing.assert_array_equal(starts[:6], np.arange(6))
    lengths = np.diff([*starts.tolist(), 300])
    assert lengths[-1] > 30
    assert (np.diff(lengths) >= -1).all(), "but for rounding"
    assert len(starts) < 32


@pytest.mark.parametrize(("first", "last"), [(1, 0), (0, 2), (2, 1)])
@pytest.mark.parametrize("axis", [0, 1])
def test_columns_are_orthonormal_and_those_of_a_border_touch_nothing_else(first: int, last: int, axis: int) -> None:
    basis = CosinesWithin(9, first, last)
    Q = basis.synthesise(np.eye(9), 0)
    np.testing.assert_allclose(Q.T @ Q, np.eye(9), atol=1e-12)
    x = np.random.default_rng(0).random((9, 9))
    np.testing.assert_allclose(basis.analyse(x, axis), Q.T @ x if axis == 0 else x @ Q, atol=1e-12)
    np.testing.assert_allclose(basis.synthesise(basis.analyse(x, axis), axis), x, atol=1e-12)
    outside = [*range(first), *range(9 - last, 9)]
    np.testing.assert_array_equal(Q[np.ix_(outside, range(9 - basis.alone, 9))], np.eye(basis.alone))
    assert not Q[outside, : 9 - basis.alone].any()
