"""Nearest slices: what is missing of a slice is taken from the slices most like it, such as similar rows of a table.

x_ic = Σ_j w_ij x_jc / Σ_j w_ij over the k slices j nearest to i of those that know entry c, with w_ij = 1/d_ij² and
d_ij² the mean of the squared differences of what is known in both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..estimates.estimate import DenseEstimate
from ..interrupting import look_at_clock
from ..method import Cost
from ..observed import ObservedTensor
from ..tensor import Array, fold, unfold
from .baseline import Baseline, OneStep
from .setting_checks import Count, are_modes, require, wrong

_COPIES = 4  # of the tensor
_MOST_SLICES = 8192  # their distances are a matrix
_LEAST = 1e-12  # a squared distance, on data scaled to a largest value of 1
_check_mode = require("be a mode number, counted from 1", lambda value: are_modes([value]))


@dataclass(frozen=True, kw_only=True)
class NearestSlices(Baseline):
    """A weighted mean of the most similar slices that know the entry.

    Parameters
    ----------
    mode
        Whose slices are compared, counted from 1 (default: the longest mode, such as the rows of a table that has
        more rows than columns).
    neighbours
        How many of them the mean is taken over, at most.
    """

    name: ClassVar[str] = "nearest-slices"
    summary: ClassVar[str] = "The mean of the most similar slices, such as rows of a table; for tables"
    reference: ClassVar[str] = "Troyanskaya et al., Bioinformatics 2001"
    nonnegative: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Cost(120, 2), Cost(120, 2)
    place_if_small: ClassVar[int | None] = 40

    mode: Annotated[int, _check_mode] | None = None
    neighbours: Count = 8

    def worth_trying(self, observed: ObservedTensor) -> bool:
        """Tables: slices of more modes have neighbours in place, too, and other methods know them."""
        return observed.order == 2 and self.refuses(observed) is None

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        """The mode, and one iteration."""
        if self.mode is not None and self.mode > observed.order:
            raise wrong(self.name, "mode", f"be a mode number from 1 to {observed.order}", self.mode)
        mode = int(np.argmax(observed.shape)) + 1 if self.mode is None else int(self.mode)
        return {"mode": mode, "max_iter": 1}

    def count_arrays(self, observed: ObservedTensor) -> int:
        return _COPIES

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Raises for a mode that the tensor does not have; refuses what does not fit into memory."""
        if refusal := super().refuses(observed):
            return refusal
        slices = observed.shape[self.resolve(observed)["mode"] - 1]
        if slices <= _MOST_SLICES:
            return None
        return f"{self.name} compares all slices with each other, {_MOST_SLICES:,} at most; there are {slices:,}."

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> OneStep:
        """From the means of what other slices know of an entry."""
        mode = settings["mode"] - 1
        whole: Array = np.zeros(data.shape)
        whole.reshape(-1)[data.positions] = data.values
        values = unfold(whole, mode).astype(np.float64)
        known = unfold(data.mask(), mode).astype(np.bool_)
        filled = np.where(known, values, _column_means(values, known))
        start = _fold(filled, mode, data.shape)
        return OneStep(start, partial(_improve, values, known, filled, settings["neighbours"], mode, data.shape))


def _improve(
    values: Array, known: NDArray[np.bool_], filled: Array, neighbours: int, mode: int, shape: tuple[int, ...]
) -> DenseEstimate:
    """The means of the nearest slices, where entries can be compared."""
    distances = _squared_distances(values, known)
    better = filled.copy()
    for column in np.flatnonzero(~known.all(axis=0) & known.any(axis=0)):
        look_at_clock()
        there, missing = np.flatnonzero(known[:, column]), np.flatnonzero(~known[:, column])
        better[missing, column] = _weighted_means(
            distances[np.ix_(missing, there)], values[there, column], neighbours, filled[missing, column]
        )
    return _fold(better, mode, shape)


def _fold(matrix: Array, mode: int, shape: tuple[int, ...]) -> DenseEstimate:
    return DenseEstimate(np.ascontiguousarray(fold(matrix, mode, shape), dtype=np.float64))


def _column_means(values: Array, known: NDArray[np.bool_]) -> Array:
    """Of each column; of all, where nothing is known in one."""
    counts = known.sum(axis=0)
    total = float(values.sum() / counts.sum())
    return np.asarray(np.where(counts > 0, values.sum(axis=0) / np.maximum(counts, 1), total))


def _squared_distances(values: Array, known: NDArray[np.bool_]) -> Array:
    """The mean of the squared differences over what is known in both slices; infinite where that is nothing."""
    there = known.astype(np.float64)
    squares = values**2 @ there.T
    both = there @ there.T
    total = np.maximum(squares + squares.T - 2 * values @ values.T, 0.0)
    return np.asarray(np.divide(total, both, out=np.full_like(total, np.inf), where=both > 0))


def _weighted_means(distances: Array, values: Array, neighbours: int, otherwise: Array) -> Array:
    """For every row of distances the mean of the nearest values; `otherwise`, where nothing can be compared."""
    count = min(neighbours, len(values))
    nearest = np.argpartition(distances, count - 1, axis=1)[:, :count]
    weights = 1 / (np.take_along_axis(distances, nearest, axis=1) + _LEAST)
    total = weights.sum(axis=1)
    found = (weights * values[nearest]).sum(axis=1)
    return np.asarray(np.divide(found, total, out=otherwise.copy(), where=total > 0))
