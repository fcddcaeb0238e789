"""The transform of a tensor is the Kronecker product of its bases, bins are boxes of coefficients, and both add up."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from dense_model import bin_labels, pair, product_matrix

from tensorfill.spectral.bases import Columns, Cosines, CosinesWithin, Entries, Waves
from tensorfill.spectral.transform import Bins, SpectralEstimate, Transform

KINDS = ("dct", "fourier", "identity", "own")
MIXTURES = [
    *itertools.product(KINDS, repeat=2),
    *itertools.product(KINDS, repeat=3),
    ("dct", "own", "dct", "fourier"),
    ("identity", "dct", "fourier", "own"),
    ("own", "identity", "identity", "dct"),
]


@pytest.mark.parametrize("kinds", MIXTURES, ids="-".join)
def test_it_is_the_kronecker_product(kinds: tuple[str, ...]) -> None:
    shape = (5, 3, 4, 2)[: len(kinds)]
    bases, matrices = zip(*(pair(kind, size) for kind, size in zip(kinds, shape, strict=True)), strict=True)
    transform, Q = Transform(bases), product_matrix(matrices)
    x = np.random.default_rng(0).standard_normal(shape)
    given = x.copy()
    entries, coefficients = transform.to_entries(x), transform.to_coefficients(x)
    np.testing.assert_allclose(entries.reshape(-1), Q @ x.reshape(-1), atol=1e-13)
    np.testing.assert_allclose(coefficients.reshape(-1), Q.T @ x.reshape(-1), atol=1e-13)
    np.testing.assert_allclose(transform.to_coefficients(entries), x, atol=1e-13)
    for found in (entries, coefficients):
        assert found.flags.c_contiguous
        assert not np.shares_memory(found, x)
    np.testing.assert_array_equal(x, given)


@pytest.mark.parametrize("shape", [(6, 5, 4), (70, 5, 4), (6, 70, 66)], ids=str)
@pytest.mark.parametrize("columns", [(3, None, 4), (None, 2, 1), (4, 3, None), (2, 4, 3)], ids=str)
def test_columns_may_be_fewer_than_entries(shape: tuple[int, ...], columns: tuple[int | None, ...]) -> None:
    """Whatever order that makes the modes be done in."""
    sizes = list(zip(shape, columns, strict=True))
    matrices = [pair("own" if few else "dct", size)[1][:, :few] for size, few in sizes]
    transform = Transform(
        [
            Columns(Q, "own", np.float64) if few else Cosines(size)
            for Q, (size, few) in zip(matrices, sizes, strict=True)
        ]
    )
    rng = np.random.default_rng(0)
    x, c = rng.standard_normal(shape), rng.standard_normal(transform.coefficient_shape)
    there = np.einsum("ax,by,cz,abc->xyz", *matrices, x, optimize=True)
    back = np.einsum("ax,by,cz,xyz->abc", *matrices, c, optimize=True)
    np.testing.assert_allclose(transform.to_coefficients(x), there, atol=1e-12)
    np.testing.assert_allclose(transform.to_coefficients(x.copy(), overwrite=True), there, atol=1e-12)
    np.testing.assert_allclose(transform.to_entries(c), back, atol=1e-12)


BASES = (Cosines(9), Waves(12), Entries(6))


def test_bins_count_and_sum_what_is_in_them() -> None:
    bins, labels = Bins(BASES), bin_labels(BASES)
    values = np.random.default_rng(0).standard_normal((9, 12, 6))
    np.testing.assert_array_equal(bins.counts.reshape(-1), np.bincount(labels))
    np.testing.assert_allclose(bins.sums(values).reshape(-1), np.bincount(labels, values.reshape(-1)), atol=1e-12)
    assert bins.shape == bins.counts.shape == bins.sums(values).shape
    assert bins.counts.sum() == values.size


def test_sums_are_double_whatever_is_summed() -> None:
    single = np.full((9, 12, 6), 0.1, np.float32)
    assert Bins(BASES).sums(single).dtype == np.float64


def test_spreading_gives_every_coefficient_the_value_of_its_bin() -> None:
    bins, labels = Bins(BASES), bin_labels(BASES)
    values = np.random.default_rng(0).random(bins.shape)
    spread = bins.spread(values, np.dtype(np.float64))
    np.testing.assert_array_equal(spread.reshape(-1), values.reshape(-1)[labels])
    np.testing.assert_allclose(bins.sums(spread), values * bins.counts)
    assert bins.spread(values, np.dtype(np.float32)).dtype == np.float32


def test_smoothing_keeps_constants_and_averages_neighbours() -> None:
    bins = Bins((Cosines(40), Waves(12)))
    np.testing.assert_allclose(bins.smoothed(np.full(bins.shape, 3.0), 2.0), 3.0)
    peak = np.zeros(bins.shape)
    peak[10, 3] = 1.0
    smooth = bins.smoothed(peak, 2.0)
    assert 0 < smooth[9, 3] < smooth[10, 3] < 0.2
    assert smooth.sum() == pytest.approx(1.0, rel=0.2)
    np.testing.assert_array_equal(bins.smoothed(peak, 1e-9), peak)


def test_channels_are_never_smoothed_over() -> None:
    bins = Bins((Cosines(30), Cosines(3)))
    values = np.random.default_rng(0).random((1, 3)) * np.ones(bins.shape)
    np.testing.assert_allclose(bins.smoothed(values, 2.0), values)


def test_bins_of_a_border_are_not_smoothed_along_their_mode() -> None:
    bins = Bins([CosinesWithin(20, 1, 1), Cosines(12)])
    values = np.random.default_rng(1).random(bins.shape)
    inner = Bins([Cosines(18), Cosines(12)])
    np.testing.assert_allclose(bins.smoothed(values, 2.0)[:-2], inner.smoothed(values[:-2], 2.0))
    one = np.zeros(bins.shape)
    one[-1] = 1
    np.testing.assert_allclose(bins.smoothed(one, 2.0)[-1], 1)
    assert not bins.smoothed(one, 2.0)[:-1].any()


def test_a_border_varies_as_other_slices_do() -> None:
    bins = Bins([CosinesWithin(20, 0, 1), Cosines(3)])
    variances = np.random.default_rng(2).random(bins.shape)
    spread = bins.spread(bins.with_borders(variances), np.dtype(np.float64))
    np.testing.assert_allclose(spread[-1], spread[:-1].mean(axis=0))
    np.testing.assert_array_equal(bins.with_borders(variances)[:-1], variances[:-1])


# Estimates


@pytest.mark.parametrize("kinds", [("dct", "own"), ("identity", "fourier", "dct"), ("dct", "dct", "own", "fourier")])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_entries_agree_however_they_are_asked_for(kinds: tuple[str, ...], dtype: type) -> None:
    shape = (5, 4, 3, 2)[: len(kinds)]
    bases, matrices = zip(*(pair(kind, size) for kind, size in zip(kinds, shape, strict=True)), strict=True)
    coefficients = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    estimate = SpectralEstimate(Transform(bases), coefficients, 0.7)
    whole = estimate.dense()
    expected = 0.7 + (product_matrix(matrices) @ coefficients.reshape(-1)).reshape(shape)
    np.testing.assert_allclose(whole, expected, atol=1e-13 if dtype is np.float64 else 1e-5)
    rows = np.random.default_rng(1).permutation(np.argwhere(np.ones(shape, dtype=bool)))
    np.testing.assert_array_equal(estimate.at(rows), whole[tuple(rows.T)])
    np.testing.assert_allclose(np.sum(estimate.components(), axis=0), whole, atol=1e-15)
    assert whole.dtype == estimate.at(rows).dtype == np.float64


def test_what_was_given_out_can_be_written_over() -> None:
    estimate = SpectralEstimate(Transform([pair("identity", 3)[0]] * 2), np.ones((3, 3)), 0.5)
    estimate.dense()[:] = 9
    for part in estimate.components():
        part[:] = 9
    np.testing.assert_array_equal(estimate.dense(), np.full((3, 3), 1.5))
    np.testing.assert_array_equal(estimate.at(np.array([[1, 2]])), [1.5])
