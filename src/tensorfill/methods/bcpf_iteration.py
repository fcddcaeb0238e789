"""The iteration of `bcpf`: the distribution of every factor, then those of λ and τ, each with the others held.

Row i of factor k is Gaussian, with the covariance and the mean

    V = (E[τ] Σ E[k kᵀ] + diag E[λ])⁻¹,     a = E[τ] V Σ y E[k]

over the known entries of slice i, with k the entrywise product of the other factors' rows: E[k kᵀ] is that of their
second moments. Then λ_r from Σ_k E‖a_kr‖², and τ from the expected misfit of the known entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..completion import StopReason
from ..estimates.kruskal import KruskalTensor
from ..iterating import Progress
from ..numerics.sampled_kruskal import SampledKruskal
from ..numerics.sampled_moments import Floats, SampledMoments, pack, unpack
from ..numerics.threads import share
from ..observed import ObservedTensor
from .bcpf_evidence import evidence, precisions
from .bcpf_start import SeenRows, starting_factors

_MANY = 100_000  # known entries above which second moments are kept in single precision
_ROWS = 16  # whose covariances are computed at a time
# In units in which the data has a standard deviation of 2. Less certain starts, with more noise or larger covariances,
# give up components that are there.
_START_VARIANCE = 0.1
_START_PRECISION = 10.0
_VANISHED = 1e-6  # components below this share of the largest, by norm, are dropped


class BCPFIteration:
    """Where the iteration stands: means and second moments (packed) of the rows of all factors, E[λ] and E[τ]."""

    def __init__(self, data: ObservedTensor, rank: int, rng: np.random.Generator) -> None:
        self._seen = SeenRows(data)
        self._unit = 0.5 * max(float(data.values.std()), 1e-3 * float(data.values.max()))
        self._values = data.values / self._unit
        self._kruskal = SampledKruskal(self._seen.shape, self._seen.positions)
        self._moments = SampledMoments(self._seen.shape, self._seen.indices)
        self.factors = starting_factors(self._seen, self._values, rank, rng)
        self._dtype: Any = np.float32 if data.count > _MANY else np.float64
        self.seconds: list[Floats] = [
            pack(_START_VARIANCE * np.eye(rank) + factor[:, :, None] * factor[:, None, :]).astype(self._dtype)
            for factor in self.factors
        ]
        self._settle(volume=0.5 * rank * sum(self._seen.shape) * float(np.log(_START_VARIANCE)))
        self.relevance, self.noise = np.ones(rank), _START_PRECISION
        self.dropped = False

    def step(self) -> None:
        """One iteration."""
        volume = 0.0
        for mode in range(len(self.factors)):
            sums = self._first_sums if mode == 0 else self._moments.sums(self.seconds, mode)
            volume += self._update_factor(mode, sums)
        self._settle(volume)
        self._drop_what_vanished()

    def estimate(self) -> KruskalTensor:
        """The tensor of the means."""
        first, *others = self._seen.whole(self.factors)
        return KruskalTensor((first * self._unit, *others))

    def _update_factor(self, mode: int, sums: Floats) -> float:
        """The distribution of a factor; returns ½ Σ ln det V."""
        rank = len(self.relevance)
        towards = self._kruskal.times_khatri_rao(self._values, np.concatenate(self.factors), mode)
        means = np.empty_like(self.factors[mode])
        seconds = np.empty_like(self.seconds[mode])
        volumes = np.zeros(-(-len(means) // _ROWS))
        diagonal = np.arange(rank)
        rounding = rank * np.finfo(self._dtype).eps  # of the sums, which would not be positive definite without it

        def work(piece: int) -> None:
            here = slice(piece * _ROWS, (piece + 1) * _ROWS)
            inverse = unpack(sums[here])
            inverse[:, diagonal, diagonal] *= 1.0 + rounding
            inverse *= self.noise
            inverse[:, diagonal, diagonal] += self.relevance
            volumes[piece] = -np.log(np.linalg.cholesky(inverse)[:, diagonal, diagonal]).sum()
            covariances = np.linalg.inv(inverse)
            mean = self.noise * (covariances @ towards[here, :, None])[:, :, 0]
            means[here] = mean
            seconds[here] = pack(covariances + mean[:, :, None] * mean[:, None, :])

        share(work, len(volumes))
        self.factors[mode], self.seconds[mode] = means, seconds
        return float(volumes.sum())

    def _settle(self, volume: float) -> None:
        """The distributions of λ and τ, and the bound."""
        rank = self.factors[0].shape[1]
        rows, columns = np.triu_indices(rank)
        diagonal = np.flatnonzero(rows == columns)
        squares = np.sum([seconds[:, diagonal].sum(axis=0, dtype=np.float64) for seconds in self.seconds], axis=0)
        self._first_sums = self._moments.sums(self.seconds, 0)
        products = np.einsum("ip,ip->p", self._first_sums, self.seconds[0], dtype=np.float64)
        spread = float(2.0 * products.sum() - products[diagonal].sum())
        fitted = self._kruskal.values(np.concatenate(self.factors))
        length = float(self._values @ self._values)
        misfit = max(length - 2.0 * float(self._values @ fitted) + spread, np.finfo(self._dtype).eps * length)
        relevance, noise = precisions(sum(self._seen.shape), squares), precisions(len(fitted), np.array([misfit]))
        self.relevance, self.noise = relevance.mean, float(noise.mean[0])
        bound = evidence(noise, len(fitted), misfit, relevance, sum(self._seen.shape), squares, volume)
        self.cost = -bound / len(fitted)

    def _drop_what_vanished(self) -> None:
        norms = np.prod([np.linalg.norm(factor, axis=0) for factor in self.factors], axis=0)
        kept = norms > _VANISHED * norms.max()
        kept[np.argmax(norms)] = True
        self.dropped = not kept.all()
        if self.dropped:
            rows, columns = np.triu_indices(len(kept))
            pairs = np.flatnonzero(kept[rows] & kept[columns])
            self.factors = [factor[:, kept] for factor in self.factors]
            self.seconds = [np.ascontiguousarray(seconds[:, pairs]) for seconds in self.seconds]
            self._first_sums = np.ascontiguousarray(self._first_sums[:, pairs])
            self.relevance = self.relevance[kept]


def iterations(data: ObservedTensor, rank: int, tolerance: float, rng: np.random.Generator) -> Iterator[Progress]:
    """The states of the method; the cost is −L per known entry."""
    state = BCPFIteration(data, rank, rng)
    stop: StopReason | None = None
    while True:
        yield Progress(state.cost, state.estimate(), stop=stop)
        before = state.cost
        state.step()
        if not state.dropped and abs(state.cost - before) < tolerance:
            stop = StopReason(
                "change",
                f"Converged with {len(state.relevance)} components: the evidence has hardly changed; a tolerance below "
                f"{tolerance:g} goes on.",
            )
