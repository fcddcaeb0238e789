"""Priors: where learning starts, the same spectrum for a part, the paper's components, and families of spectra."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from dense_model import pair
from scipy import fft

from tensorfill.spectral.bases import Basis, Cosines, CosinesWithin, Entries
from tensorfill.spectral.data import KnownData
from tensorfill.spectral.prior import (
    CORRELATIONS,
    ParametricSpectrum,
    cosine_variances,
    resize,
    starting_prior,
    with_components,
)
from tensorfill.spectral.scattered_solver import ScatteredSolver
from tensorfill.spectral.transform import Bins, SummedBins, SummedTransform
from tensorfill.tensor import Array, mode_product

# Where learning starts


@pytest.mark.parametrize("length", [0.3, 3.0, 200.0])
@pytest.mark.parametrize("size", [1, 2, 3, 8, 65])
def test_variances_are_those_of_the_transformed_correlations(size: int, length: float) -> None:
    correlation = np.exp(-np.arange(size) / length)
    dense = correlation[np.abs(np.subtract.outer(np.arange(size), np.arange(size)))]
    expected = np.diag(fft.dct(fft.dct(dense, axis=0, norm="ortho"), axis=1, norm="ortho"))
    np.testing.assert_allclose(cosine_variances(size, correlation), np.maximum(expected, 1e-6), atol=1e-12)


def test_a_long_mode_takes_memory_in_proportion() -> None:
    tracemalloc.start()
    try:
        starting_prior([Cosines(2), Cosines(40_000)], 1.0)
        assert tracemalloc.get_traced_memory()[1] < 20e6, "40,000² numbers would be 12.8 GB"
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kinds", [("dct", "fourier", "identity"), ("own", "dct"), ("dct", "own", "fourier", "dct")])
def test_the_start_gives_entries_the_variance_asked_for(kinds: tuple[str, ...]) -> None:
    shape = (9, 8, 6, 3)[: len(kinds)]
    prior = starting_prior([pair(kind, size)[0] for kind, size in zip(kinds, shape, strict=True)], 0.3)
    spread = prior.bins.spread(prior.variances, np.dtype(np.float64))
    assert spread.mean() == pytest.approx(0.3, rel=1e-3), "the mean variance of coefficients is that of entries"
    assert (prior.variances > 0).all()
    np.testing.assert_allclose(prior.ratio(np.dtype(np.float64)), prior.noise / spread)


def test_learning_starts_with_borders_that_vary_as_other_slices_do() -> None:
    prior = starting_prior([CosinesWithin(30, 1, 1), Cosines(20), Cosines(3)], 2.0)
    np.testing.assert_allclose(prior.bins.with_borders(prior.variances), prior.variances)


# The same spectrum for a part


def cosines(shape: tuple[int, ...]) -> list[Basis]:
    return [Cosines(size) for size in shape]


def test_a_spectrum_is_the_same_function_of_frequency_in_the_window_and_in_the_whole() -> None:
    whole = starting_prior(cosines((480, 400, 3)), 2.0)
    expected = starting_prior(cosines((240, 100, 3)), 2.0)
    found = resize(whole, (240, 100, 3))
    assert found.noise == expected.noise
    inner = (slice(1, None), slice(1, None))
    np.testing.assert_allclose(found.variances[inner], expected.variances[inner], rtol=0.15)
    back = resize(found, (480, 400, 3))
    assert back.transform.coefficient_shape == (480, 400, 3)
    # What is slower than the window is long is taken to vary as the slowest there.
    np.testing.assert_allclose(back.variances[4:, 6:], whole.variances[4:, 6:], rtol=0.15)


def test_modes_that_are_not_cut_keep_their_basis_and_their_variances() -> None:
    whole = starting_prior([Entries(6), Cosines(200), CosinesWithin(30, 1, 0)], 1.0)
    found = resize(whole, (6, 100, 30))
    assert found.transform.bases[0] is whole.transform.bases[0]
    assert found.transform.bases[2] is whole.transform.bases[2]
    assert found.variances.shape == found.bins.shape
    np.testing.assert_allclose(found.variances[:, 0], whole.variances[:, 0])


# The paper's components

SHAPE = (6, 5, 4)
DTYPE = np.dtype(np.float64)


@pytest.fixture
def factors() -> tuple[Array, ...]:
    rng = np.random.default_rng(0)
    found = [rng.normal(size=(size, 2)) for size in SHAPE]
    return tuple(U / np.linalg.norm(U) for U in found)


def prior(factors: tuple[Array, ...]):  # type: ignore[no-untyped-def]
    return with_components(starting_prior([Cosines(size) for size in SHAPE], 1.0), factors, DTYPE)


def covariance(transform: SummedTransform, variances: Array, x: Array) -> Array:
    return np.asarray(transform.to_entries(variances * transform.to_coefficients(x)))


def test_coefficients_and_entries_are_adjoint(factors: tuple[Array, ...]) -> None:
    rng, transform = np.random.default_rng(1), prior(factors).transform
    c, x = rng.normal(size=transform.coefficient_shape), rng.normal(size=SHAPE)
    assert np.vdot(transform.to_entries(c), x) == pytest.approx(np.vdot(c, transform.to_coefficients(x)))
    np.testing.assert_allclose(transform.to_entries(transform.coefficients_of(x)), x)
    np.testing.assert_allclose(sum(transform.separate(c)), transform.to_entries(c))


def test_a_component_is_that_of_the_paper(factors: tuple[Array, ...]) -> None:
    model = prior(factors)
    assert isinstance(model.transform, SummedTransform)
    spread = model.bins.spread(model.variances, DTYPE)
    x = np.random.default_rng(2).normal(size=SHAPE)
    parts = model.transform.separate(spread * model.transform.to_coefficients(x))
    for mode, (U, found) in enumerate(zip(factors, parts[1:], strict=True)):
        expected = mode_product(x, U @ U.T, mode)
        weight = np.vdot(found, expected) / np.vdot(expected, expected)
        np.testing.assert_allclose(found, weight * expected, atol=1e-10)
        assert weight > 0


def test_half_of_the_variance_is_theirs(factors: tuple[Array, ...]) -> None:
    model = prior(factors)
    parts = [part.to_coefficients for part in model.transform.parts]
    assert len(parts) == 4
    spread = model.bins.spread(model.variances, DTYPE)
    total = sum(
        covariance(model.transform, spread, np.eye(1, 120, place).reshape(SHAPE)).reshape(-1)[place]
        for place in range(120)
    )
    assert total / 120 == pytest.approx(1.0, rel=0.05)


def test_bins_of_all_parts_keep_to_themselves(factors: tuple[Array, ...]) -> None:
    bins = prior(factors).bins
    assert isinstance(bins, SummedBins)
    ones = np.ones(prior(factors).transform.coefficient_shape)
    np.testing.assert_allclose(bins.sums(ones), bins.counts)
    np.testing.assert_allclose(
        bins.sums(bins.spread(np.arange(bins.shape[0], dtype=float), DTYPE)) / bins.counts, np.arange(bins.shape[0])
    )
    np.testing.assert_allclose(bins.smoothed(np.full(bins.shape, 3.0), 2.0), 3.0)


def test_the_posterior_mean_is_that_of_the_summed_covariance(factors: tuple[Array, ...]) -> None:
    rng, model = np.random.default_rng(3), prior(factors)
    spread = model.bins.spread(model.variances, DTYPE)
    H = np.stack([covariance(model.transform, spread, row.reshape(SHAPE)).reshape(-1) for row in np.eye(120)], axis=1)
    known = rng.random(SHAPE) < 0.5
    data = KnownData(known, rng.normal(size=int(known.sum())))
    inside = np.flatnonzero(known)
    K = H[np.ix_(inside, inside)] + model.noise * np.eye(len(inside))
    expected = H[:, inside] @ np.linalg.solve(K, data.values)
    solver = ScatteredSolver(model.transform, known)
    found = solver.solve(data.filled(data.values), model.ratio(DTYPE), None, 1e-14, 2000)
    np.testing.assert_allclose(model.transform.to_entries(found.coefficients).reshape(-1), expected, atol=1e-5)


# Families

BASES = (Cosines(40), Cosines(30), Cosines(3))


def of_the_family(family: str, lengths: tuple[float, float], channels: Array) -> Array:
    parts = [
        Bins([basis]).sums(cosine_variances(basis.size, CORRELATIONS[family](np.arange(basis.size) / length)))
        / Bins([basis]).counts
        for basis, length in zip(BASES, lengths, strict=False)
    ]
    return 0.7 * np.multiply.outer(np.multiply.outer(parts[0], parts[1]), channels)


@pytest.mark.parametrize("family", CORRELATIONS)
def test_variances_of_a_family_are_found_again_with_the_lengths_given(family: str) -> None:
    wanted = of_the_family(family, (5.0, 2.0), np.array([2.0, 0.5, 0.1]))
    spectrum = ParametricSpectrum(family, BASES, (5.0, 2.0, 1.0))  # type: ignore[arg-type]
    np.testing.assert_allclose(spectrum.nearest(wanted, Bins(BASES).counts), wanted, rtol=1e-6)


@pytest.mark.parametrize("family", ["matern-1/2", "matern-3/2"])
def test_lengths_are_found_if_they_are_not_given(family: str) -> None:
    wanted = of_the_family(family, (6.0, 2.0), np.array([2.0, 0.5, 0.1]))
    found = ParametricSpectrum(family, BASES, None).nearest(wanted, Bins(BASES).counts)  # type: ignore[arg-type]
    weights = Bins(BASES).counts / Bins(BASES).counts.sum()
    assert np.sqrt((weights * np.log(found / wanted) ** 2).sum()) < 0.15, "as near as the grid of lengths is fine"


def test_what_is_found_is_the_most_likely_of_all_lengths_tried() -> None:
    rng = np.random.default_rng(0)
    wanted = of_the_family("matern-1/2", (5.0, 2.0), np.ones(3)) * np.exp(0.5 * rng.normal(size=Bins(BASES).shape))
    weights = Bins(BASES).counts

    def cost(variances: Array) -> float:
        return float((weights * (np.log(variances) + wanted / variances)).sum())

    best = cost(ParametricSpectrum("matern-1/2", BASES, None).nearest(wanted, weights))
    for lengths in ((1.0, 1.0, 1.0), (20.0, 20.0, 1.0), (5.0, 10.0, 1.0)):
        assert best <= cost(ParametricSpectrum("matern-1/2", BASES, lengths).nearest(wanted, weights)) + 1e-6


def test_a_mode_without_a_basis_keeps_one_variance() -> None:
    bases = (Cosines(20), Entries(6))
    wanted = np.ones(Bins(bases).shape)
    found = ParametricSpectrum("matern-1/2", bases, None).nearest(wanted, Bins(bases).counts)
    assert found.shape == Bins(bases).shape == (found.shape[0], 1)
