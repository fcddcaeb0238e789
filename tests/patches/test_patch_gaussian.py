"""The Gaussian of a group and the conditional of a patch are those of dense linear algebra."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from dense_groups import Belief, conditional, observation_matrix
from numpy.typing import NDArray

from tensorfill.patches.gaussian import (
    add_covariance,
    condition_by_precision,
    condition_on_known,
    learn_covariance,
    learn_mean,
    mean_given_known,
    scatter_of_informers,
    solve_positive,
)
from tensorfill.patches.matching import copy_row
from tensorfill.tensor import Array

# The Gaussian of a group


@pytest.mark.parametrize("members", [4, 9])
def test_mean_and_covariance(members: int) -> None:
    rng = np.random.default_rng(members)
    count, d, strength, a = 9, 5, 2.0, 0.3
    F, weights = rng.random((count, d)), np.append(np.ones(members), rng.random(count - members))
    common, C = (root @ root.T for root in rng.random((2, d, d)))
    G, S, of_informers = np.empty((count, d)), np.empty((d, d)), np.empty((d, d))
    mean, centre = np.empty(d), np.empty(d)
    for turn in range(2):
        total = learn_mean(F, weights, count, mean)
        np.testing.assert_allclose(mean, weights @ F / weights.sum())
        if turn == 0:
            scatter_of_informers(F, weights, members, count, mean, G, centre, of_informers)
        trace = learn_covariance(F, weights, members, total, mean, centre, of_informers, strength, common, C, a, G, S)
        scatter = (F - mean).T @ (weights[:, None] * (F - mean))
        c = np.trace(scatter) / (weights.sum() * np.trace(common))
        expected = (scatter + a * C + strength * c * common) / (weights.sum() + strength)
        np.testing.assert_allclose(S, expected, atol=1e-12)
        assert trace == pytest.approx(np.trace(expected))
        F[:members] += rng.random((members, d))  # those that inform stay as they are


# Elimination


TOLERANCES = [(np.float64, 1e-12), (np.float32, 1e-4)]


@pytest.mark.parametrize("wants_inverse", [False, True])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 8, 13, 37])
@pytest.mark.parametrize(("kind", "close"), TOLERANCES)
def test_solution_and_factors(kind: type[np.floating], close: float, count: int, wants_inverse: bool) -> None:
    rng = np.random.default_rng(count)
    roots = rng.random((count, count)) / max(count, 1)
    matrix = roots @ roots.T + 0.05 * np.eye(count)
    right = rng.random(count)
    A = np.full((count + 2, count + 3), np.nan, kind)
    A[:count, :count] = matrix if wants_inverse else np.triu(matrix)
    z, factors, scales = right.astype(kind), np.empty(count, kind), np.empty(count, kind)
    solve_positive(A, count, kind(1e-6), z, wants_inverse, factors, scales)
    np.testing.assert_allclose(z, np.linalg.solve(matrix, right), atol=20 * close)
    L = np.linalg.cholesky(matrix)
    np.testing.assert_allclose(scales, 1 / np.diag(L), atol=20 * close)
    np.testing.assert_allclose(np.triu(A[:count, :count], 1), np.triu(L.T, 1), atol=close)
    if wants_inverse:
        np.testing.assert_allclose(np.tril(A[:count, :count], -1), np.tril(np.linalg.inv(L), -1), atol=20 * close)


def test_no_pivot_is_below_the_least() -> None:
    A = np.ones((3, 3))
    z, scales = np.ones(3), np.empty(3)
    solve_positive(A, 3, 0.25, z, True, np.empty(3), scales)
    np.testing.assert_allclose(scales, [1, 2, 2])
    assert np.isfinite(A).all()


def test_a_row_is_copied() -> None:
    target, source = np.zeros((2, 3)), np.arange(12.0).reshape(4, 3)
    copy_row(target, 1, source, 2)
    np.testing.assert_array_equal(target, [[0, 0, 0], [6, 7, 8]])


# The conditional of a patch


CLOSE = 2e-5
"""Entries are about 1 and condition numbers, σ² being 0.01, some hundreds: 2⁻²⁴ times that."""

NOISE = 0.01

Kind = type[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Patch:
    """A Gaussian patch of which some bands of some sites are observed."""

    prior: Belief
    basis: Array
    plain: bool
    P: int
    observed: NDArray[np.bool_]
    y: Array

    @property
    def truth(self) -> Belief:
        """In double precision."""
        return conditional(self.prior, observation_matrix(self.basis, self.P, self.observed), self.y, NOISE)

    def by_known(self, noise: float = NOISE, kind: Kind = np.float32) -> tuple[Array, Array, Array]:
        """Mean, variances and the rows V whose products the covariance has lost."""
        d, count = len(self.prior.mean), len(self.y)
        V = np.full((count + 1, d), np.nan, kind)
        found, variance = self.prior.mean.astype(kind), np.empty(d, kind)
        condition_on_known(
            self.prior.covariance.astype(kind),
            self._covariances(kind),
            self._residuals(kind),
            kind(noise),
            self.basis.astype(kind),
            self.plain,
            self.P,
            np.flatnonzero(self.observed)[None],
            0,
            count,
            V,
            np.empty(count + 1, kind),
            found,
            variance,
        )
        return found, variance, V[:count]

    def mean_alone(self, noise: float = NOISE, kind: Kind = np.float32) -> Array:
        """The mean."""
        count = len(self.y)
        found, residuals = self.prior.mean.astype(kind), self._residuals(kind)
        mean_given_known(
            self._covariances(kind),
            residuals,
            kind(noise),
            self.basis.astype(kind),
            self.plain,
            self.P,
            np.flatnonzero(self.observed)[None],
            0,
            count,
            np.full((count + 1, count + 1), np.nan, kind),
            np.empty(count + 1, kind),
            np.empty(count + 1, kind),
            found,
        )
        return found

    def _covariances(self, kind: Kind) -> NDArray[Any]:
        """Of all that could be observed with the patch."""
        return (np.kron(self.basis, np.eye(self.P)) @ self.prior.covariance).astype(kind)

    def _residuals(self, kind: Kind) -> NDArray[Any]:
        H = observation_matrix(self.basis, self.P, self.observed)
        return np.append(self.y - H @ self.prior.mean, np.nan).astype(kind)

    def by_precision(self, *, wants_variance: bool = True, kind: Kind = np.float32) -> tuple[Array, Array, Array]:
        """Mean, variances, and the covariance of what is missing."""
        d, missing = len(self.prior.mean), np.flatnonzero(~self.observed)
        noisy = self.prior.covariance + NOISE * np.eye(d)
        found, variance = self.prior.mean.astype(kind), np.empty(d, kind)
        found[self.observed] = self.y
        A, products = (np.full((d, d), np.nan, kind) for _ in range(2))
        scales = np.empty(d, kind)
        condition_by_precision(
            (NOISE * np.linalg.inv(noisy)).astype(kind),
            self.prior.mean.astype(kind),
            kind(NOISE),
            kind(NOISE / np.trace(noisy)),
            missing,
            len(missing),
            A,
            np.empty(d, kind),
            scales,
            np.empty(d, kind),
            wants_variance,
            found,
            variance,
        )
        C = np.zeros((d, d), kind)
        if wants_variance:
            add_covariance(C, A, scales, missing, len(missing), kind(NOISE), products)
        return found, variance, C[np.ix_(missing, missing)]


def some_patch(q: int, P: int, share: float, *, bands: int | None = None, seed: int = 0) -> Patch:
    """q coefficients at each of P sites, as correlated as neighbours are; with a basis if `bands` are given."""
    rng = np.random.default_rng([seed, q, P])
    d = q * P
    place, kind = np.arange(d) % P, np.arange(d) // P
    covariance = np.exp(-np.abs(place[:, None] - place) / 3) * 0.6 ** np.abs(kind[:, None] - kind)
    basis = np.eye(q) if bands is None else np.linalg.qr(rng.standard_normal((bands, q)))[0]
    observed = rng.random(len(basis) * P) < share
    y = rng.standard_normal(np.count_nonzero(observed))
    return Patch(Belief(rng.random(d), covariance), basis, bands is None, P, observed, y)


SIZES = [(1, 4), (1, 16), (3, 9), (2, 8)]
SHARES = [0.0, 0.1, 0.5, 0.9, 1.0]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("q", "P"), SIZES)
def test_given_what_is_known(q: int, P: int, share: float) -> None:
    patch = some_patch(q, P, share)
    mean, variance, V = patch.by_known()
    np.testing.assert_allclose(mean, patch.truth.mean, atol=CLOSE)
    np.testing.assert_allclose(variance, np.diag(patch.truth.covariance), atol=CLOSE)
    np.testing.assert_allclose(patch.prior.covariance - V.T @ V, patch.truth.covariance, atol=CLOSE)
    np.testing.assert_allclose(patch.mean_alone(), patch.truth.mean, atol=2 * CLOSE)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("q", "P", "bands"), [(3, 4, 7), (5, 4, 5), (1, 9, 6), (4, 1, 12)])
def test_given_some_bands_by_way_of_a_basis(q: int, P: int, bands: int, share: float) -> None:
    patch = some_patch(q, P, share, bands=bands)
    mean, variance, V = patch.by_known()
    np.testing.assert_allclose(mean, patch.truth.mean, atol=CLOSE)
    np.testing.assert_allclose(variance, np.diag(patch.truth.covariance), atol=CLOSE)
    np.testing.assert_allclose(patch.prior.covariance - V.T @ V, patch.truth.covariance, atol=CLOSE)
    np.testing.assert_allclose(patch.mean_alone(), patch.truth.mean, atol=2 * CLOSE)


def test_the_identity_as_a_basis_is_no_basis() -> None:
    patch = some_patch(3, 5, 0.5)
    with_basis = Patch(patch.prior, np.eye(3), False, patch.P, patch.observed, patch.y)
    for plain, based in zip(patch.by_known(), with_basis.by_known(), strict=True):
        np.testing.assert_allclose(based, plain, atol=CLOSE)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize(("q", "P"), SIZES)
def test_by_what_is_missing_means_are_the_same_and_so_are_variances_of_what_is_missing(
    q: int, P: int, share: float
) -> None:
    patch = some_patch(q, P, share)
    missing = ~patch.observed
    mean, variance, covariance = patch.by_precision()
    np.testing.assert_allclose(mean, patch.truth.mean, atol=CLOSE)
    np.testing.assert_allclose(mean, patch.by_known()[0], atol=2 * CLOSE)
    np.testing.assert_allclose(variance[missing], np.diag(patch.truth.covariance)[missing], atol=CLOSE)
    np.testing.assert_array_equal(variance[~missing], np.float32(0.5) * np.float32(NOISE))
    np.testing.assert_allclose(covariance, patch.truth.covariance[np.ix_(missing, missing)], atol=CLOSE)
    np.testing.assert_allclose(patch.by_precision(wants_variance=False)[0], mean, atol=CLOSE)


@pytest.mark.parametrize("share", SHARES)
def test_in_double_precision(share: float) -> None:
    patch, close = some_patch(3, 9, share), 1e-12
    missing = ~patch.observed
    truth = patch.truth
    mean, variance, V = patch.by_known(kind=np.float64)
    np.testing.assert_allclose(mean, truth.mean, atol=close)
    np.testing.assert_allclose(variance, np.diag(truth.covariance), atol=close)
    np.testing.assert_allclose(patch.prior.covariance - V.T @ V, truth.covariance, atol=close)
    np.testing.assert_allclose(patch.mean_alone(kind=np.float64), truth.mean, atol=close)
    mean, variance, covariance = patch.by_precision(kind=np.float64)
    np.testing.assert_allclose(mean, truth.mean, atol=close)
    np.testing.assert_allclose(variance[missing], np.diag(truth.covariance)[missing], atol=close)
    np.testing.assert_allclose(covariance, truth.covariance[np.ix_(missing, missing)], atol=close)


@pytest.mark.parametrize(("q", "P"), SIZES)
def test_variances_of_what_is_known_lie_below_that_of_noise(q: int, P: int) -> None:
    patch = some_patch(q, P, 0.5)
    assert np.diag(patch.truth.covariance)[patch.observed].max() < NOISE
    assert patch.by_known()[1][patch.observed].max() < NOISE


def test_a_group_that_is_sure_of_itself_is_not_moved_by_data() -> None:
    patch = some_patch(2, 4, 0.5)
    sure = Patch(Belief(patch.prior.mean, np.zeros((8, 8))), patch.basis, True, patch.P, patch.observed, patch.y)
    for mean, variance, _ in (sure.by_known(), sure.by_precision()):
        np.testing.assert_allclose(mean, sure.prior.mean, atol=1e-6)
        assert variance.max() <= np.float32(0.5) * np.float32(NOISE)


def test_rounding_that_eats_a_pivot_does_no_harm() -> None:
    """A covariance of rank one, large next to noise: pivots after the first are rounding."""
    patch = some_patch(1, 9, 1.0)
    alike = Patch(Belief(patch.prior.mean, np.ones((9, 9))), patch.basis, True, 9, patch.observed, np.ones(9))
    mean, variance, _ = alike.by_known(noise=1e-9)
    assert np.isfinite(mean).all()
    assert (variance >= 0).all()
    np.testing.assert_allclose(mean - mean.mean(), patch.prior.mean - patch.prior.mean.mean(), atol=0.01)
