"""The iteration of TMac: factors of every unfolding of M from M, then M from all factors.

X_k ← M_k Y_kᵀ  and  Y_k ← (X_kᵀ X_k)⁺ X_kᵀ M_k  for all k,  then  M ← Σ_k α_k fold(X_k Y_k)  and  M_Ω ← Y_Ω
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..completion import StopReason
from ..estimates.matrix_pairs import MatrixPairs, Pair
from ..iterating import Progress
from ..numerics.pair_products import PairProducts
from ..numerics.unfoldings import cross_product
from ..observed import ObservedTensor
from ..tensor import Array, entries, unfold
from .tmac_ranks import grown, rank_at_gap, shrunken, stands_still

_QUIET_ITERATIONS = 3  # this many in a row with hardly any change are the end


class TMacIteration:
    """The iteration, on the tensor with its modes ordered by size: products with its unfoldings are quickest then.

    "Axis" is a place in that order, "mode" one of the tensor as it came. `settings` are those of TMac, resolved.
    """

    def __init__(self, data: ObservedTensor, settings: Mapping[str, Any], rng: np.random.Generator) -> None:
        self._modes = sorted(range(data.order), key=lambda mode: data.shape[mode])
        self._shape = tuple(data.shape[mode] for mode in self._modes)
        self._given = data.shape
        self._positions, self._values = _reordered(data, self._modes)
        self._settings = settings
        self._rng = rng
        self._products = PairProducts(self._shape, self._positions, self._values)
        self._norm = float(np.linalg.norm(self._values))
        self._cut = [False] * data.order

    def run(self) -> Iterator[Progress]:
        """The states of the method."""
        tolerance, axes = self._settings["tolerance"], range(len(self._shape))
        M = np.full(self._shape, self._values.mean() if self._settings["start"] == "mean" else 0.0)
        M.reshape(-1)[self._positions] = self._values
        weights = np.full(len(axes), 1 / len(axes))
        lefts, rights = self._start()
        towards = self._products.lefts(M, rights)
        squares = [_squared_distance(lefts[k], rights[k], M, towards[k], k) for k in axes]
        yield Progress(0.5 * float(weights @ squares), self._estimate(lefts, rights, weights))

        residuals, quiet = np.full(len(axes), np.inf), 0
        while True:
            lefts = towards
            spectra, solvers = zip(*(_spectrum_and_solver(left) for left in lefts), strict=True)
            rights = self._products.rights(M, solvers)
            spread, misfits = self._products.blend(lefts, rights, weights, out=M)
            cost = 0.5 * (spread + float(weights @ misfits))
            before, residuals = residuals, np.sqrt(misfits)
            if self._settings["weights"] == "dynamic":
                weights = _trust(residuals)
            total = float(before @ before)
            quiet = quiet + 1 if abs(float(misfits.sum()) - total) < tolerance * (total + 1) else 0
            stop = _reason(float(weights @ residuals), self._norm, quiet, tolerance)
            yield Progress(cost, self._estimate(lefts, rights, weights), stop=stop)
            for k in axes:
                rights[k] = self._adjusted(k, lefts[k], rights[k], spectra[k], residuals[k], before[k])
            towards = self._products.lefts(M, rights)

    def _start(self) -> tuple[list[Array], list[Array]]:
        """Gaussian pairs whose products are about as large as the whole tensor may be."""
        size = entries(self._shape)
        whole = self._norm * math.sqrt(size / len(self._values))
        pairs: dict[int, tuple[Array, Array]] = {}
        for mode, (length, rank) in enumerate(zip(self._given, self._settings["rank"], strict=True)):
            share = length / (length + size // length)
            left = self._rng.standard_normal((length, rank))
            right = self._rng.standard_normal((*self._given[:mode], rank, *self._given[mode + 1 :]))
            left *= whole**share / np.linalg.norm(left)
            right *= whole ** (1 - share) / np.linalg.norm(right)
            pairs[mode] = left, np.ascontiguousarray(right.transpose(self._modes))
        return [pairs[mode][0] for mode in self._modes], [pairs[mode][1] for mode in self._modes]

    def _estimate(self, lefts: Sequence[Array], rights: Sequence[Array], weights: Array) -> MatrixPairs:
        pairs = []
        for mode in range(len(self._modes)):
            axis = self._modes.index(mode)
            rows = unfold(rights[axis].transpose(np.argsort(self._modes)), mode)
            pairs.append(Pair(mode, lefts[axis], np.asarray(rows, dtype=np.float64), float(weights[axis])))
        return MatrixPairs(self._given, tuple(pairs))

    def _adjusted(self, axis: int, left: Array, right: Array, spectrum: Array, residual: float, before: float) -> Array:
        """Y_k, with fewer or more rows if the ranks are not fixed and it is time."""
        mode, rank = self._modes[axis], right.shape[axis]
        if self._settings["ranks"] == "decreasing" and not self._cut[axis]:
            fewer = rank_at_gap(spectrum, self._settings["rank_min"][mode])
            if fewer is not None:
                self._cut[axis] = True
                return shrunken(left, right, axis, fewer)
        if self._settings["ranks"] == "increasing":
            most = min(self._settings["rank_max"][mode], *_unfolded_shape(self._shape, axis))
            more = min(self._settings["rank_increment"][mode], most - rank)
            if more > 0 and stands_still(residual, before, self._settings["tolerance"]):
                return grown(right, axis, more, self._rng)
        return right


def _squared_distance(left: Array, right: Array, M: Array, towards: Array, axis: int) -> float:
    """‖X_k Y_k − M_k‖², from M_k Y_kᵀ."""
    own = float(np.sum((left.T @ left) * cross_product(right, right, axis)))
    return own - 2 * float(np.sum(left * towards)) + float(np.vdot(M, M))


def _unfolded_shape(shape: Sequence[int], axis: int) -> tuple[int, int]:
    """Rows and columns of an unfolding."""
    return shape[axis], entries(shape) // shape[axis]


def _reordered(data: ObservedTensor, modes: Sequence[int]) -> tuple[NDArray[np.int64], Array]:
    """Positions and values of the tensor with its modes in another order, sorted again."""
    indices = np.unravel_index(data.positions, data.shape)
    positions = np.ravel_multi_index([indices[mode] for mode in modes], [data.shape[mode] for mode in modes])
    order = np.argsort(positions, kind="stable")
    return positions[order], data.values[order]


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


def _reason(residual: float, norm: float, quiet: int, tolerance: float) -> StopReason | None:
    if residual < tolerance * norm:
        return StopReason("fit", f"The known entries are met: the residual is below {tolerance:g} of the data.")
    if quiet >= _QUIET_ITERATIONS:
        return StopReason(
            "change",
            f"The fit has hardly changed in {_QUIET_ITERATIONS} iterations in a row; a tolerance below {tolerance:g} "
            "goes on.",
        )
    return None
