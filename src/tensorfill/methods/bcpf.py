"""BCPF: a sum of rank-one tensors whose number is found from the data, by variational Bayesian inference.

Y = [[A_1, …, A_K]] + noise of variance 1/τ at the known entries, and column r of every factor is Gaussian with variance
1/λ_r: a component that explains nothing gets a large λ_r and vanishes.

An iteration finds the distribution of every factor, then those of λ and τ, each with the others held.

Row i of factor k is Gaussian, with the covariance and the mean

    V = (E[τ] Σ E[k kᵀ] + diag E[λ])⁻¹,     a = E[τ] V Σ y E[k]

over the known entries of slice i, with k the entrywise product of the other factors' rows: E[k kᵀ] is that of their
second moments. Then λ_r from Σ_k E‖a_kr‖², and τ from the expected misfit of the known entries. What is maximised is a
lower bound of the logarithm of the evidence, the density of the data under the model:

    L = E[ln p(Y | A, τ) + ln p(A | λ) + ln p(λ) + ln p(τ)] + entropies, under the distributions found so far
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import digamma, gammaln

from ..completion import StopReason
from ..estimates.factored import KruskalTensor
from ..iterating import Solver
from ..method import Stroke
from ..numerics.eigenvalues import leading_eigenpairs
from ..numerics.sampled_kruskal import SampledKruskal
from ..numerics.sampled_moments import Floats, SampledMoments, pack, unpack
from ..numerics.threads import share
from ..observed import ObservedTensor
from ..tensor import Array
from .baseline import Baseline, refuse_memory
from .setting_checks import Count, Tolerance

_PRIOR = 1e-6  # both parameters of the Gamma priors of τ and λ: next to no opinion
_ROWS = 16  # whose covariances are computed at a time
_SMALL = 2000  # modes up to this size have their X Xᵀ built


@dataclass(frozen=True)
class Internals:
    """What steers `bcpf` besides its settings, in units in which the data has a standard deviation of 2.

    Less certain starts, with more noise or larger covariances, give up components that are there.
    """

    start_variance: float = 0.1
    start_precision: float = 10.0
    vanished: float = 1e-6  # components below this share of the largest, by norm, are dropped
    many: int = 100_000  # known entries above which second moments are kept in single precision


@dataclass(frozen=True, kw_only=True)
class BCPF(Baseline):
    """Bayesian CP factorisation with automatic rank, the method of Zhao, Zhang and Cichocki.

    The cost in the history is minus the lower bound of the logarithm of the evidence, per known entry.

    Parameters
    ----------
    max_rank
        How many rank-one tensors to start with (default: the size of the largest mode, but 100 at most,
        and no more than the other modes have entries together).
    tolerance
        Stop when the lower bound of the logarithm of the evidence, per known entry, changes by less than this and no
        component has vanished.
    max_iter
        Most iterations, each one update of all factors, λ and τ.
    """

    name: ClassVar[str] = "bcpf"
    summary: ClassVar[str] = "Sum of rank-one tensors, as many as the data asks for (Bayesian CP); may go negative"
    reference: ClassVar[str] = "Zhao, Zhang & Cichocki, TPAMI 2015"
    stroke: ClassVar[Stroke] = Stroke("#7f6bb3", "2", size=6.5)
    needs_known_only: ClassVar[bool] = True
    internals: ClassVar[Internals] = Internals()

    max_rank: Count | None = None
    tolerance: Tolerance = 1e-4
    max_iter: Count = 100

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        """The rank to start with: no tensor needs more than all modes but its longest have entries."""
        longest = max(observed.shape)
        return {"max_rank": int(self.max_rank or min(_LARGEST_DEFAULT, longest, observed.size // longest))}

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Why the second moments would not fit into memory, if so; refuses nothing else."""
        rank = self.resolve(observed)["max_rank"]
        rows = sum(min(size, observed.count) for size in observed.shape)
        return refuse_memory(
            rows * rank * (rank + 1) // 2 * 8 * _COPIES + sum(observed.shape) * rank * 8,
            f"{self.name} with max_rank {rank} would need {{needed}} GiB for the covariances of a tensor of shape "
            f"{observed.shape} and this machine has {{there}}; a smaller max_rank needs less.",
        )

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> BCPFSolver:
        return BCPFSolver(data, settings, rng, self.internals)


class BCPFSolver(Solver):
    """Where the iteration stands: means and second moments (packed) of the rows of all factors, E[λ] and E[τ]."""

    def __init__(
        self,
        data: ObservedTensor,
        settings: Mapping[str, Any],
        rng: np.random.Generator,
        internals: Internals = Internals(),
    ) -> None:
        rank = settings["max_rank"]
        self._tolerance, self._internals = settings["tolerance"], internals
        self._seen = SeenRows(data)
        self._unit = 0.5 * max(float(data.values.std()), 1e-3 * float(data.values.max()))
        self._values = data.values / self._unit
        self._kruskal = SampledKruskal(self._seen.shape, self._seen.positions)
        self._moments = SampledMoments(self._seen.shape, self._seen.indices)
        self.factors = start_factors(self._seen, self._values, rank, rng)
        self._dtype: Any = np.float32 if data.count > internals.many else np.float64
        self.seconds: list[Floats] = [
            pack(internals.start_variance * np.eye(rank) + factor[:, :, None] * factor[:, None, :]).astype(self._dtype)
            for factor in self.factors
        ]
        self._settle(volume=0.5 * rank * sum(self._seen.shape) * float(np.log(internals.start_variance)))
        self.relevance, self.noise = np.ones(rank), internals.start_precision
        self._dropped, self._change = False, np.inf

    def step(self) -> None:
        volume, before = 0.0, self.cost
        for mode in range(len(self.factors)):
            sums = self._first_sums if mode == 0 else self._moments.sums(self.seconds, mode)
            volume += self._update_factor(mode, sums)
        self._settle(volume)
        self._drop_vanished()
        self._change = abs(self.cost - before)

    def estimate(self) -> KruskalTensor:
        first, *others = self._seen.restore(self.factors)
        return KruskalTensor((first * self._unit, *others))

    def finished(self) -> StopReason | None:
        if self._dropped or not self._change < self._tolerance:
            return None
        return StopReason(
            "change",
            f"Converged with {len(self.relevance)} components: the evidence has hardly changed; a tolerance below "
            f"{self._tolerance:g} goes on.",
        )

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
        relevance, noise = (
            fit_precisions(sum(self._seen.shape), squares),
            fit_precisions(len(fitted), np.array([misfit])),
        )
        self.relevance, self.noise = relevance.mean, float(noise.mean[0])
        bound = bound_evidence(noise, len(fitted), misfit, relevance, sum(self._seen.shape), squares, volume)
        self.cost = -bound / len(fitted)

    def _drop_vanished(self) -> None:
        norms = np.prod([np.linalg.norm(factor, axis=0) for factor in self.factors], axis=0)
        kept = norms > self._internals.vanished * norms.max()
        kept[np.argmax(norms)] = True
        self._dropped = not kept.all()
        if self._dropped:
            rows, columns = np.triu_indices(len(kept))
            pairs = np.flatnonzero(kept[rows] & kept[columns])
            self.factors = [factor[:, kept] for factor in self.factors]
            self.seconds = [np.ascontiguousarray(seconds[:, pairs]) for seconds in self.seconds]
            self._first_sums = np.ascontiguousarray(self._first_sums[:, pairs])
            self.relevance = self.relevance[kept]


class Gamma(NamedTuple):
    """Gamma distributions of precisions, of one shape parameter and with one rate each."""

    shape: float
    rates: Array

    @property
    def mean(self) -> Array:
        """E[x]."""
        return np.asarray(self.shape / self.rates)

    @property
    def mean_log(self) -> Array:
        """E[ln x]."""
        return np.asarray(digamma(self.shape) - np.log(self.rates))

    def bound(self) -> float:
        """Their part in L: E[ln prior] plus the entropies."""
        prior = _PRIOR * np.log(_PRIOR) - gammaln(_PRIOR) + (_PRIOR - 1) * self.mean_log - _PRIOR * self.mean
        entropy = self.shape - np.log(self.rates) + gammaln(self.shape) + (1 - self.shape) * digamma(self.shape)
        return float(np.sum(prior + entropy))


def fit_precisions(count: int, squares: Array) -> Gamma:
    """The distributions of precisions, given the expected sums of squares of `count` Gaussian numbers each."""
    return Gamma(_PRIOR + 0.5 * count, _PRIOR + 0.5 * squares)


def bound_evidence(
    noise: Gamma, known: int, misfit: float, columns: Gamma, rows: int, squares: Array, volume: float
) -> float:
    """L, from the distributions of τ and λ and those of the factors.

    `misfit` is E‖Y − [[A]]‖² over the `known` entries, `squares` Σ_k E‖a_kr‖² for every component r, `rows` Σ_k n_k,
    and `volume` ½ Σ ln det of the covariances of all rows.
    """
    data = 0.5 * known * (noise.mean_log - np.log(2 * np.pi)) - 0.5 * noise.mean * misfit
    factors = 0.5 * rows * (columns.mean_log + 1.0) - 0.5 * columns.mean * squares
    return float(data.sum() + factors.sum()) + volume + noise.bound() + columns.bound()


class SeenRows:
    """A tensor without the indices of which nothing is known: their rows are what they were before any data, zero."""

    def __init__(self, data: ObservedTensor) -> None:
        found = [np.unique(indices, return_inverse=True) for indices in np.unravel_index(data.positions, data.shape)]
        self._rows: list[NDArray[np.int64]] = [rows for rows, _ in found]
        self._given = data.shape
        self.indices = [inverse.astype(np.int32) for _, inverse in found]
        self.shape = tuple(len(rows) for rows, _ in found)
        self.positions = np.ravel_multi_index([inverse for _, inverse in found], self.shape)

    def restore(self, factors: Sequence[Array]) -> tuple[Array, ...]:
        """Factors with a row for every index of the tensor as it was given."""
        result = []
        for size, rows, factor in zip(self._given, self._rows, factors, strict=True):
            whole = np.zeros((size, factor.shape[1]))
            whole[rows] = factor
            result.append(whole)
        return tuple(result)


def start_factors(seen: SeenRows, values: Array, rank: int, rng: np.random.Generator) -> list[Array]:
    """A_k = U_k Σ_k^(1/K) from the largest singular values of the mode-k unfolding; columns beyond are Gaussian.

    The power makes [[A_1, …, A_K]] as large as the data, for any number of modes.
    """
    factors = []
    for mode, size in enumerate(seen.shape):
        unfolding = _unfolding(seen, values, mode)
        square = (unfolding @ unfolding.T).toarray() if size <= _SMALL else None
        found, directions = leading_eigenpairs(partial(_apply_square, unfolding, square), size, min(rank, size))
        roots = np.maximum(found[::-1], 0.0) ** (0.5 / len(seen.shape))
        drawn = rng.standard_normal((size, rank - len(roots)))
        factors.append(np.concatenate([directions[:, ::-1] * roots, drawn], axis=1))
    return factors


def _unfolding(seen: SeenRows, values: Array, mode: int) -> csr_array:
    """The mode-k unfolding, without the columns that are empty."""
    others = [other for other in range(len(seen.shape)) if other != mode]
    fibres = np.ravel_multi_index([seen.indices[other] for other in others], [seen.shape[other] for other in others])
    columns, number = np.unique(fibres, return_inverse=True)
    return csr_array((values, (seen.indices[mode], number)), shape=(seen.shape[mode], len(columns)))


def _apply_square(unfolding: csr_array, square: Array | None, V: Array) -> Array:
    """X Xᵀ V, where X Xᵀ may have been built."""
    return np.asarray(unfolding @ (unfolding.T @ V) if square is None else square @ V)


_LARGEST_DEFAULT = 100  # components; an iteration takes time in proportion to the square of their number
_COPIES = 4  # arrays of second moments that are held at a time
