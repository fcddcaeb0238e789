"""TMac: every unfolding of the tensor is close to a product of two thin matrices, and what is missing is their mean.

minimise  Σ_k α_k/2 ‖X_k Y_k − M_k‖²      over X_k (n_k × r_k), Y_k, and M with M_Ω = Y_Ω

The result is Σ_k α_k fold(X_k Y_k); M, which has the known entries, only serves on the way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ..completion import StopReason
from ..estimates.factored import MatrixPairs, Pair
from ..iterating import Solver
from ..method import Stroke
from ..numerics.pair_products import PairProducts
from ..numerics.unfoldings import cross_product
from ..observed import ObservedTensor
from ..tensor import Array, entries, fold, mode_product, unfold
from .admm import ModeOrder
from .baseline import Baseline
from .setting_checks import Count, Rank, Tolerance, resolve_counts, resolve_rank, supported_rank

_COPIES = 4  # arrays of full size that are held at a time, at most


@dataclass(frozen=True)
class Internals:
    """What steers `tmac` besides its settings."""

    quiet_iterations: int = 3  # this many in a row with hardly any change are the end
    clear_gap: float = 10.0  # times the mean of the other ratios, about
    standstill: float = 1e-2  # relative change of a residual below which a higher rank is tried


@dataclass(frozen=True, kw_only=True)
class TMac(Baseline):
    """Parallel matrix factorisation, the method of Xu, Hao, Yin and Su.

    The cost in the history is the objective, on data scaled to a largest value of 1, with the α that made M.

    Parameters
    ----------
    rank
        r_k, one per mode or one for all (default: 10, or what is smaller: the mode's size, and the rank at which there
        are two known entries for every number of some X_k Y_k).
    weights
        "fixed": α_k = 1/K. "dynamic": α_k ∝ 1/‖X_k Y_k − Y‖² on the known entries, renewed in every iteration. The
        authors' program has "dynamic" by default; see the trap below.
    ranks
        "fixed", "decreasing" (each r_k is cut once, at the first clear gap in the spectrum) or "increasing" (each r_k
        grows while the fit of its mode stands still).
    rank_increment
        By how much a rank grows at a time, one per mode or one for all.
    rank_min
        Where the search for a gap begins, one per mode or one for all.
    rank_max
        How far a rank may grow, one per mode or one for all.
    tolerance
        Stop when R = Σ_k ‖X_k Y_k − Y‖² on the known entries changes by less than tolerance · (R + 1) in three
        iterations in a row, or when Σ_k α_k ‖X_k Y_k − Y‖ < tolerance · ‖Y‖.
    max_iter
        Most iterations.
    start
        What M holds at first where nothing is known: "zero", as in the authors' program, or "mean", the mean of what
        is known (default: "mean" if the rank is left open too).

    Notes
    -----
    A mode with r_k = n_k reproduces M, zeros included, in the first iteration. Dynamic weights then trust nothing but
    that mode: the data comes back with what M began with where nothing was known. Colour images with rank 3 in the
    third mode are the usual case, so the weights are fixed by default.
    """

    name: ClassVar[str] = "tmac"
    summary: ClassVar[str] = "Mean of low-rank factorisations of all unfoldings; may go negative"
    stroke: ClassVar[Stroke] = Stroke("#a6611a", "X")
    reference: ClassVar[str] = "Xu, Hao, Yin & Su, Inverse Problems and Imaging 2015"
    internals: ClassVar[Internals] = Internals()

    rank: Rank = None
    weights: Literal["fixed", "dynamic"] = "fixed"
    ranks: Literal["fixed", "decreasing", "increasing"] = "fixed"
    rank_increment: int | Sequence[int] = 1
    rank_min: int | Sequence[int] = 1
    rank_max: int | Sequence[int] = 50
    tolerance: Tolerance = 1e-4
    max_iter: Count = 500
    start: Literal["mean", "zero"] | None = None

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        """Ranks and their limits per mode, and the start."""
        limits = ("rank_increment", "rank_min", "rank_max")
        return {
            "rank": self._choose_rank(observed),
            **{name: resolve_counts(self.name, name, getattr(self, name), observed.order) for name in limits},
            "start": self.start or ("mean" if self.rank is None else "zero"),
        }

    def count_arrays(self, observed: ObservedTensor) -> int:
        return _COPIES

    def warn(self, observed: ObservedTensor, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """A sentence if unknown entries are going to stay where they start."""
        ranks, shape = settings["rank"], observed.shape
        free = [rank >= min(n, entries(shape) // n) for rank, n in zip(ranks, shape, strict=True)]
        if self.ranks == "decreasing" or not (all(free) or (any(free) and self.weights == "dynamic")):
            return ()
        dynamic = "" if all(free) else " and weights='dynamic'"
        return (
            f"With rank {ranks} for shape {shape}{dynamic}, {self.name} can reproduce any tensor, so that unknown "
            f"entries stay at {'zero' if settings['start'] == 'zero' else 'the mean'}, where they start; give a "
            "smaller rank" + ("." if all(free) else ", or weights='fixed'."),
        )

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> TMacSolver:
        return TMacSolver(data, settings, rng, self.internals)

    def _choose_rank(self, observed: ObservedTensor) -> tuple[int, ...]:
        shape = observed.shape
        if self.rank is not None:
            return resolve_rank(self.name, self.rank, shape)

        def numbers(ranks: tuple[int, ...]) -> int:
            return min(r * (n + observed.size // n - r) for r, n in zip(ranks, shape, strict=True))

        return supported_rank(lambda most: tuple(min(most, n) for n in shape), numbers, observed.count)


class TMacSolver(Solver):
    """Factors of every unfolding of M from M, then M from all factors.

    X_k ← M_k Y_kᵀ  and  Y_k ← (X_kᵀ X_k)⁺ X_kᵀ M_k  for all k,  then  M ← Σ_k α_k fold(X_k Y_k)  and  M_Ω ← Y_Ω

    "Axis" is a place in the order of the modes by size, "mode" one of the tensor as it came.
    """

    def __init__(
        self,
        data: ObservedTensor,
        settings: Mapping[str, Any],
        rng: np.random.Generator,
        internals: Internals,
    ) -> None:
        self._settings, self._internals, self._rng = settings, internals, rng
        self._order, self._given = ModeOrder.by_size(data.shape), data.shape
        self._shape = self._order.shape(data)
        positions, values = self._order.known(data)
        self._products = PairProducts(self._shape, positions, values)
        self._norm = float(np.linalg.norm(values))
        self._M = self._order.fill(data, values.mean() if settings["start"] == "mean" else 0.0)
        self._weights = np.full(data.order, 1 / data.order)
        self._lefts, self._rights = self._draw(self._norm * math.sqrt(data.size / data.count))
        self._next_lefts = self._products.lefts(self._M, self._rights)
        squares = [self._squared_distance(axis) for axis in range(data.order)]
        self.cost = 0.5 * float(self._weights @ squares)
        self._spectra: Sequence[Array] = ()
        self._residuals = self._before = np.full(data.order, np.inf)
        self._quiet = 0
        self._cut = [False] * data.order

    def step(self) -> None:
        """All X_k, all Y_k, then M, and the weights if they are dynamic."""
        if self._spectra:
            self._rights = [self._adjust(axis) for axis in range(len(self._shape))]
            self._next_lefts = self._products.lefts(self._M, self._rights)
        self._lefts = self._next_lefts
        self._spectra, solvers = zip(*(_spectrum_and_solver(left) for left in self._lefts), strict=True)
        self._rights = self._products.rights(self._M, solvers)
        spread, misfits = self._products.blend(self._lefts, self._rights, self._weights, out=self._M)
        self.cost = 0.5 * (spread + float(self._weights @ misfits))
        self._before, self._residuals = self._residuals, np.sqrt(misfits)
        if self._settings["weights"] == "dynamic":
            self._weights = _trust(self._residuals)
        total = float(self._before @ self._before)
        hardly = abs(float(misfits.sum()) - total) < self._settings["tolerance"] * (total + 1)
        self._quiet = self._quiet + 1 if hardly else 0

    def estimate(self) -> MatrixPairs:
        pairs = []
        for mode, axis in enumerate(self._order.axis):
            rows = unfold(self._order.restore(self._rights[axis]), mode)
            weight = float(self._weights[axis])
            pairs.append(Pair(mode, self._lefts[axis], np.asarray(rows, dtype=np.float64), weight))
        return MatrixPairs(self._given, tuple(pairs))

    def finished(self) -> StopReason | None:
        tolerance, most = self._settings["tolerance"], self._internals.quiet_iterations
        if float(self._weights @ self._residuals) < tolerance * self._norm:
            return StopReason("fit", f"The known entries are met: the residual is below {tolerance:g} of the data.")
        if self._quiet >= most:
            sentence = (
                f"The fit has hardly changed in {most} iterations in a row; a tolerance below {tolerance:g} goes on."
            )
            return StopReason("change", sentence)
        return None

    def _draw(self, size: float) -> tuple[list[Array], list[Array]]:
        """Gaussian pairs whose products are about as large as the whole tensor may be."""
        pairs: list[tuple[Array, Array]] = []
        for mode, (length, rank) in enumerate(zip(self._given, self._settings["rank"], strict=True)):
            share = length / (length + entries(self._given) // length)
            left = self._rng.standard_normal((length, rank))
            right = self._rng.standard_normal((*self._given[:mode], rank, *self._given[mode + 1 :]))
            left *= size**share / np.linalg.norm(left)
            right *= size ** (1 - share) / np.linalg.norm(right)
            pairs.append((left, np.ascontiguousarray(right.transpose(self._order.modes))))
        return [pairs[mode][0] for mode in self._order.modes], [pairs[mode][1] for mode in self._order.modes]

    def _squared_distance(self, axis: int) -> float:
        """‖X_k Y_k − M_k‖², from M_k Y_kᵀ."""
        left, right = self._lefts[axis], self._rights[axis]
        own = float(np.sum((left.T @ left) * cross_product(right, right, axis)))
        return own - 2 * float(np.sum(left * self._next_lefts[axis])) + float(np.vdot(self._M, self._M))

    def _adjust(self, axis: int) -> Array:
        """Y_k, with fewer or more rows if the ranks are not fixed and it is time; X_k = M_k Y_kᵀ follows from it."""
        settings, inner, right = self._settings, self._internals, self._rights[axis]
        mode, rank = self._order.modes[axis], right.shape[axis]
        if settings["ranks"] == "decreasing" and not self._cut[axis]:
            fewer = find_gap(self._spectra[axis], settings["rank_min"][mode], inner.clear_gap)
            if fewer is not None:
                self._cut[axis] = True
                return reduce_rank(self._lefts[axis], right, axis, fewer)
        if settings["ranks"] == "increasing":
            length, residual = self._shape[axis], self._residuals[axis]
            most = min(settings["rank_max"][mode], length, entries(self._shape) // length)
            more = min(settings["rank_increment"][mode], most - rank)
            still = max(inner.standstill, 10 * settings["tolerance"])
            if more > 0 and residual > 0 and abs(1 - residual / self._before[axis]) < still:
                return raise_rank(right, axis, more, self._rng)
        return right


def find_gap(eigenvalues: Array, smallest: int, clear: float) -> int | None:
    """Where the eigenvalues of X_kᵀ X_k (largest first) drop much more than elsewhere, from position `smallest` on."""
    floor = len(eigenvalues) * np.finfo(float).eps * eigenvalues[0]  # below it there is only rounding
    tail = np.maximum(eigenvalues[smallest - 1 :], floor)
    if len(tail) < 3 or floor <= 0:  # a single ratio has nothing to stand out from
        return None
    ratios = tail[:-1] / tail[1:]
    others = ratios.sum() - ratios.max()
    return smallest + int(ratios.argmax()) if len(ratios) * ratios.max() > clear * others else None


def reduce_rank(left: Array, right: Array, mode: int, rank: int) -> Array:
    """Y_k of lower rank: the leading right singular vectors of X_k Y_k."""
    _, triangle = np.linalg.qr(left)
    squares, vectors = np.linalg.eigh(triangle @ cross_product(right, right, mode) @ triangle.T)
    leading = vectors[:, ::-1][:, :rank] / np.sqrt(np.maximum(squares[::-1][:rank], np.finfo(float).tiny))
    return mode_product(right, leading.T @ triangle, mode)


def raise_rank(right: Array, mode: int, more: int, rng: np.random.Generator) -> Array:
    """Y_k of higher rank: with random rows appended, all of them orthonormal."""
    rows = unfold(right, mode)
    basis, _ = np.linalg.qr(np.concatenate([rows, rng.standard_normal((more, rows.shape[1]))]).T)
    shape = (*right.shape[:mode], len(rows) + more, *right.shape[mode + 1 :])
    return np.ascontiguousarray(fold(basis.T, mode, shape), dtype=np.float64)


def _spectrum_and_solver(left: Array) -> tuple[Array, Array]:
    """The eigenvalues of XᵀX, largest first, and X (XᵀX)⁺."""
    squares, vectors = np.linalg.eigh(left.T @ left)
    inside = squares > len(squares) * np.finfo(float).eps * squares[-1]
    inverse = np.divide(1.0, squares, out=np.zeros_like(squares), where=inside)
    return squares[::-1], left @ ((vectors * inverse) @ vectors.T)


def _trust(residuals: Array) -> Array:
    """Weights in proportion to 1/residual², adding up to 1."""
    smallest = residuals.min()
    trust = (smallest / residuals) ** 2 if smallest > 0 else (residuals == 0).astype(np.float64)
    return np.asarray(trust / trust.sum())
