"""The paper's components in the same model: their covariance, their sum with the smooth part, and nothing but them."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill import complete
from tensorfill.errors import InvalidSetting
from tensorfill.spectral.bases import Cosines
from tensorfill.spectral.data import KnownData
from tensorfill.spectral.solver import ScatteredSolver
from tensorfill.spectral.start import starting_prior
from tensorfill.spectral.summed import SummedBins, SummedTransform, with_components
from tensorfill.tensor import Array, mode_product

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


def low_rank_and_smooth() -> tuple[Array, Array]:
    rng = np.random.default_rng(4)
    patterns = np.einsum("ir,jr,kr->ijk", *(rng.random((size, 2)) for size in (16, 14, 12)))
    i, j = np.meshgrid(np.linspace(0, 3, 16), np.linspace(0, 3, 14), indexing="ij")
    truth = patterns + 0.5 * (1 + np.sin(i + j))[:, :, None]
    return truth, rng.random(truth.shape) < 0.4


def test_rank_adds_the_components_to_the_model() -> None:
    truth, known = low_rank_and_smooth()
    done = complete(truth, known, method="spectral", rank=2)
    assert len(done.components) == 5, "smooth, one per mode, constant"
    np.testing.assert_allclose(sum(done.components), done.estimate.dense(), atol=1e-9)
    assert done.settings["rank"] == 2
    assert done.model.min() >= 0
    assert done.certificate is not None
    assert done.certificate.lower <= done.certificate.upper
    error = np.sqrt(np.mean((done.model - truth)[~known] ** 2))
    assert error < 0.5 * truth.std()


def test_nothing_but_the_papers_components_is_the_papers_method() -> None:
    truth, known = low_rank_and_smooth()
    alone = complete(truth, known, method="spectral", spectrum="identity", rank=3)
    paper = complete(truth, known, method="nonneg-dual", rank=3)
    assert np.abs(alone.model - paper.model).max() <= 1e-6 * truth.max()
    assert alone.method == "spectral"
    assert alone.certificate == paper.certificate
    again = complete(truth, known, method="spectral", **alone.settings)
    np.testing.assert_array_equal(again.model, alone.model)


def test_ranks_that_do_not_fit_are_refused() -> None:
    truth, known = low_rank_and_smooth()
    with pytest.raises(InvalidSetting, match=r"^The 'rank' of spectral must have 3 entries"):
        complete(truth, known, method="spectral", rank=(2, 2))
    with pytest.raises(InvalidSetting, match=r"^The 'rank' of spectral must come with"):
        complete(truth, known, method="spectral", rank=2, spectrum="matern-1/2")
