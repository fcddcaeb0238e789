"""Groups of similar patches written down with explicit matrices in double precision, for a few dozen sites.

Nothing here comes from the code that is tested but for the records that both are given.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tensorfill.patches.planning import GroupModel
from tensorfill.patches.view import PatchData
from tensorfill.tensor import Array

Site = tuple[int, int, int]

BY_PRECISION_FROM = 0.58
"""Above this share of known entries, known entries of plain patches have the covariance 0 and the variance σ²/2."""


@dataclass(frozen=True, eq=False)
class Belief:
    """A Gaussian patch: its mean and covariance."""

    mean: Array
    covariance: Array


def conditional(prior: Belief, H: Array, y: Array, noise: float) -> Belief:
    """Given y = H f + noise."""
    gain = np.linalg.solve(H @ prior.covariance @ H.T + noise * np.eye(len(y)), H @ prior.covariance).T
    mean = prior.mean + gain @ (y - H @ prior.mean)
    return Belief(mean, prior.covariance - gain @ H @ prior.covariance)


def observation_matrix(basis: Array, P: int, observed: NDArray[np.bool_]) -> Array:
    """From the coefficients of a patch to what is observed of it; `observed` is band after band, site after site."""
    return np.asarray(np.kron(basis, np.eye(P))[observed])


@dataclass(frozen=True, eq=False)
class DenseGroups:
    """x and the data as arrays with a mode for bands and three for sites."""

    x: Array
    values: Array
    known: NDArray[np.bool_]
    basis: Array
    plain: bool
    model: GroupModel
    common: Array

    @classmethod
    def of(cls, x: NDArray[Any], data: PatchData, model: GroupModel, common: NDArray[Any]) -> DenseGroups:
        """The same that `average_groups` is given."""
        shaped = [part.reshape(-1, *data.extent) for part in (x.astype(float), data.values.astype(float), data.known)]
        return cls(shaped[0], shaped[1], shaped[2], data.basis.astype(float), data.plain, model, common.astype(float))

    def patch(self, of: NDArray[Any], at: Site) -> NDArray[Any]:
        """The patch that begins there, band after band."""
        inside = tuple(slice(first, first + side) for first, side in zip(at, self.model.patch, strict=True))
        return of[(slice(None), *inside)].reshape(-1)

    def nearest(self, reference: Site) -> list[tuple[float, Site]]:
        """All patches in the window with their squared distances, the nearest first, equal ones in order of place."""
        ranges = [
            range(max(0, at - reach), min(size - side, at + reach) + 1)
            for at, reach, size, side in zip(
                reference, self.model.window, self.x.shape[1:], self.model.patch, strict=True
            )
        ]
        own = self.patch(self.x, reference)
        return sorted((float(np.sum((self.patch(self.x, at) - own) ** 2)), at) for at in itertools.product(*ranges))

    def prior(self, F: Array, weights: Array, C: Array, k: int) -> Belief:
        """The Gaussian of a group."""
        total, strength = weights.sum(), self.model.strength
        mean = weights @ F / total
        scatter = (F - mean).T @ (weights[:, None] * (F - mean))
        c = np.trace(scatter) / (total * np.trace(self.common))
        return Belief(mean, (scatter + total / k * C + strength * c * self.common) / (total + strength))

    def posterior(self, prior: Belief, at: Site) -> Belief | None:
        """What a group says of one of its patches; None if nothing of it is missing, or nothing is known."""
        known = self.patch(self.known, at)
        if not known.any() or (self.plain and known.all()):
            return None
        H = observation_matrix(self.basis, int(np.prod(self.model.patch)), known)
        found = conditional(prior, H, self.patch(self.values, at)[known], self.model.noise)
        if self.plain and known.mean() > BY_PRECISION_FROM:
            found.covariance[known] = 0
            found.covariance[:, known] = 0
        return found

    def variance(self, found: Belief, at: Site) -> Array:
        """Of every entry of a patch."""
        known = self.patch(self.known, at)
        variance = np.diag(found.covariance).copy()
        if self.plain and known.mean() > BY_PRECISION_FROM:
            variance[known] = 0.5 * self.model.noise
        return variance

    def group(self, reference: Site) -> list[tuple[Site, Belief]]:
        """What the group of a reference patch says of its members after all passes; C from every patch."""
        nearest = self.nearest(reference)[: self.model.informers]
        k = min(self.model.members, len(nearest))
        F = np.array([self.patch(self.x, at) for _, at in nearest])
        weights = np.array([1.0 if m < k or d == 0 else nearest[k - 1][0] / d for m, (d, _) in enumerate(nearest)])
        C = np.zeros((F.shape[1], F.shape[1]))
        said: list[tuple[Site, Belief]] = []
        for _ in range(self.model.passes):
            prior = self.prior(F, weights, C, k)
            posteriors = [(m, at, self.posterior(prior, at)) for m, (_, at) in enumerate(nearest[:k])]
            C, said = np.zeros_like(C), []
            for m, at, found in posteriors:
                if found is not None:
                    F[m], C = found.mean, C + found.covariance
                    said.append((at, found))
                elif not self.patch(self.known, at).any():
                    C += prior.covariance  # nobody has become surer of it
        return said

    def average(self, references: Sequence[Site]) -> tuple[Array, Array]:
        """How far the weighted mean of all groups is from x, and the variance about it."""
        sums = np.zeros((3, *self.x.shape))
        noise, shape = self.model.noise, (len(self.x), *self.model.patch)
        for reference in references:
            for at, found in self.group(reference):
                inside = tuple(slice(first, first + side) for first, side in zip(at, self.model.patch, strict=True))
                variance = self.variance(found, at).reshape(shape)
                off = found.mean.reshape(shape) - self.x[(slice(None), *inside)]
                for total, part in zip(sums, (off, np.ones(shape), off**2 + variance), strict=True):
                    total[(slice(None), *inside)] += part / (variance + noise)
        with np.errstate(invalid="ignore"):
            change = np.where(sums[1] > 0, sums[0] / sums[1], 0)
            variance = sums[2] / sums[1] - change**2
        return change.reshape(len(self.x), -1), variance.reshape(len(self.x), -1)
