"""The spectral model written down with explicit matrices, for tensors of a few hundred entries at most.

y = Q_Ω c + noise, c ~ N(0, diag(s)), Q = Q_1 ⊗ … ⊗ Q_K. Nothing here comes from the code that is tested, but for the
places where bins begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from tensorfill.spectral.bases import Basis, Columns, Cosines, Entries, Waves
from tensorfill.spectral.data import KnownData
from tensorfill.spectral.prior import Prior
from tensorfill.spectral.transform import Bins, Transform
from tensorfill.tensor import Array


def cosine_matrix(n: int) -> Array:
    """Columns of the DCT-II: √(2/n) cos(π (i + ½) k / n), and 1/√n for k = 0."""
    i, k = np.arange(n)[:, None], np.arange(n)[None, :]
    return np.sqrt(np.where(k == 0, 1.0, 2.0) / n) * np.cos(np.pi * (i + 0.5) * k / n)


def wave_matrix(n: int) -> Array:
    """Columns (cos + sin)(2π f i / n) / √n for f = 0, 1, −1, 2, −2, …"""
    f = np.array([0, *(sign * number for number in range(1, n) for sign in (1, -1))][:n])
    angle = 2 * np.pi * np.arange(n)[:, None] * f[None, :] / n
    return (np.cos(angle) + np.sin(angle)) / np.sqrt(n)


def orthonormal_matrix(n: int, seed: int = 0) -> Array:
    """Some orthonormal matrix."""
    return np.linalg.qr(np.random.default_rng([seed, n]).standard_normal((n, n)))[0]


def pair(kind: str, size: int) -> tuple[Basis, Array]:
    """A basis, and its matrix written down."""
    if kind == "dct":
        return Cosines(size), cosine_matrix(size)
    if kind == "fourier":
        return Waves(size), wave_matrix(size)
    if kind == "identity":
        return Entries(size), np.eye(size)
    matrix = orthonormal_matrix(size)
    return Columns(matrix, "own", np.float64), matrix


def product_matrix(matrices: Sequence[Array]) -> Array:
    """Q_1 ⊗ … ⊗ Q_K, for tensors laid out with their last mode varying fastest."""
    return reduce(np.kron, matrices)


def bin_labels(bases: Sequence[Basis]) -> NDArray[np.intp]:
    """The number of its bin for every coefficient."""
    along = [np.searchsorted(basis.bin_starts(), np.arange(basis.size), side="right") - 1 for basis in bases]
    shape = [len(basis.bin_starts()) for basis in bases]
    return np.ravel_multi_index(np.meshgrid(*along, indexing="ij"), shape).reshape(-1)


@dataclass(frozen=True, eq=False)
class Belief:
    """Gaussian coefficients: their mean and covariance."""

    mean: Array
    covariance: Array


@dataclass(frozen=True, eq=False)
class DenseModel:
    """Q and the bins of its columns, known entries and their values; s is given per bin, flat."""

    Q: Array
    labels: NDArray[np.intp]
    mask: NDArray[np.bool_]
    y: Array

    @classmethod
    def of(cls, matrices: Sequence[Array], bases: Sequence[Basis], data: KnownData) -> DenseModel:
        """The model of some data. `matrices` are the bases as they should be."""
        return cls(product_matrix(matrices), bin_labels(bases), data.mask.reshape(-1), data.values.astype(np.float64))

    @property
    def H(self) -> Array:
        """Q_Ω: from coefficients to known entries."""
        return self.Q[self.mask]

    def covariance(self, s: Array, noise: float) -> Array:
        """The covariance of the known values, Q_Ω diag(s) Q_Ωᵀ + σ²."""
        return (self.H * s.reshape(-1)[self.labels]) @ self.H.T + noise * np.eye(len(self.y))

    def posterior(self, s: Array, noise: float) -> Belief:
        """The coefficients, given what is known."""
        spread = s.reshape(-1)[self.labels]
        gain = np.linalg.solve(self.covariance(s, noise), self.H * spread).T
        return Belief(gain @ self.y, np.diag(spread) - gain @ (self.H * spread))

    def log_likelihood(self, s: Array, noise: float) -> float:
        """The logarithm of the marginal likelihood of the known values."""
        root = np.linalg.cholesky(self.covariance(s, noise))
        white = np.linalg.solve(root, self.y)
        return float(-0.5 * white @ white - np.log(np.diag(root)).sum() - 0.5 * len(self.y) * np.log(2 * np.pi))

    def em_step(self, s: Array, noise: float) -> tuple[Array, float]:
        """Exact EM: s ← bins of m² + posterior variance, σ² ← mean of (y − m_Ω)² + posterior variance."""
        belief = self.posterior(s, noise)
        squares = belief.mean**2 + np.diag(belief.covariance)
        missed = self.y - self.H @ belief.mean
        unsure = np.sum((self.H @ belief.covariance) * self.H)
        means = np.bincount(self.labels, squares) / np.bincount(self.labels)
        return means.reshape(s.shape), float((missed @ missed + unsure) / len(self.y))

    def objective(self, c: Array, s: Array, noise: float) -> float:
        """‖(y − Q c)_Ω‖² + Σ (σ²/s) c²: least at the posterior mean."""
        c = c.reshape(-1)
        missed = self.y - self.H @ c
        return float(missed @ missed + noise * np.sum(c * c / s.reshape(-1)[self.labels]))


@dataclass(frozen=True, eq=False)
class Drawn:
    """Data drawn from a prior, and the same model twice: as it is tested, and with explicit matrices."""

    prior: Prior
    data: KnownData
    truth: Array
    dense: DenseModel

    def knowing(self, mask: NDArray[np.bool_]) -> Drawn:
        """The same truth, without noise, of which these entries are known."""
        data = KnownData(mask, self.truth[mask])
        return replace(self, data=data, dense=replace(self.dense, mask=mask.reshape(-1), y=data.values))


def drawn(
    kinds: Sequence[str], shape: Sequence[int], share: float = 0.5, *, noise: float = 0.01, seed: int = 0
) -> Drawn:
    """Data whose variances fall from bin to bin along every mode; at least one entry is known, one is not."""
    rng = np.random.default_rng(seed)
    bases, matrices = zip(*(pair(kind, size) for kind, size in zip(kinds, shape, strict=True)), strict=True)
    transform, bins = Transform(bases), Bins(bases)
    variances = reduce(np.multiply.outer, [3.0 / (1.0 + np.arange(size)) ** 1.5 for size in bins.shape])
    Q, spread = product_matrix(matrices), variances.reshape(-1)[bin_labels(bases)]
    truth = (Q @ (np.sqrt(spread) * rng.standard_normal(len(Q)))).reshape(transform.coefficient_shape)
    mask = rng.random(transform.coefficient_shape) < share
    mask.flat[0], mask.flat[-1] = True, False
    return known_of(Prior(transform, bins, variances, noise), matrices, truth, mask, rng)


def known_of(
    prior: Prior, matrices: Sequence[Array], truth: Array, mask: NDArray[np.bool_], rng: np.random.Generator
) -> Drawn:
    """What is known of a tensor, with the noise of the prior."""
    data = KnownData(mask, truth[mask] + np.sqrt(prior.noise) * rng.standard_normal(int(mask.sum())))
    return Drawn(prior, data, truth, DenseModel.of(matrices, prior.transform.bases, data))
