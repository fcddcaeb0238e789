"""The problem of the paper: data, weights, where W ≥ 0 is asked for, and the entries where X = Z + S may be nonzero.

minimise   C ‖W_Ω − Y_Ω‖² + Σ_k 1/(2λ_k) ‖W^(k)_k‖_*²    subject to   W = B + Σ_k W^(k) ≥ 0

The paper's problem has B = 0. A fixed B ≥ 0, such as main effects, is a part of W that costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..estimates.additive import AdditiveEstimate
from ..numerics.fibre_operator import CallCount, Factors, FibreOperator
from ..tensor import Array

Enforced = Literal["everywhere", "observed", "chosen", "nowhere"]


@dataclass(frozen=True, eq=False)
class DualProblem:
    """Y on Ω (sorted `positions`), C, λ, and where nonnegativity is enforced."""

    shape: tuple[int, ...]
    positions: NDArray[np.int64]
    values: Array
    C: float
    lam: tuple[float, ...]
    enforced: Enforced = "everywhere"
    chosen: NDArray[np.int64] | None = None
    """With enforced="chosen": the sorted positions where W ≥ 0 is asked for."""
    B: AdditiveEstimate | None = None
    """The fixed part of W, nowhere negative where W ≥ 0 is asked for; None: zero."""

    @cached_property
    def largest(self) -> float:
        """The largest observed value: what 'small' is measured against."""
        return float(self.values.max())

    @cached_property
    def left(self) -> Array:
        """(Y − B)_Ω: what is left for the components."""
        return self.values if self.B is None else self.values - self.B.at(coordinates_of(self.positions, self.shape))

    @cached_property
    def squared_norm(self) -> float:
        """‖(Y − B)_Ω‖²."""
        return float(self.left @ self.left)

    @cached_property
    def share(self) -> float:
        """|Ω|/Πn."""
        return len(self.positions) / float(np.prod(self.shape, dtype=np.float64))

    def without_nonnegativity(self) -> DualProblem:
        """The same problem, W free to be negative."""
        return replace(self, enforced="nowhere", chosen=None)

    def is_enforced_at(self, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Where among these positions W ≥ 0 is asked for."""
        if self.enforced == "everywhere":
            return np.ones(len(positions), dtype=bool)
        if self.enforced == "nowhere":
            return np.zeros(len(positions), dtype=bool)
        wanted = self.positions if self.enforced == "observed" else self.chosen
        assert wanted is not None
        return ~find_new(positions, wanted)


@dataclass(frozen=True, eq=False)
class Support:
    """Sorted entries with their fibre operator, what was observed at them, and where W ≥ 0 is enforced."""

    problem: DualProblem
    operator: FibreOperator
    observed: NDArray[np.bool_]
    values: Array
    """Y on the support; zero where nothing was observed."""
    enforced: NDArray[np.bool_]
    B: Array | None = None
    """The fixed part of W on the support; None: zero."""

    @cached_property
    def left(self) -> Array:
        """Y − B on the support; zero where nothing was observed."""
        return self.values if self.B is None else np.where(self.observed, self.values - self.B, 0.0)

    def tensor(self, U: Factors, X: Array) -> Array:
        """W = B + K X on the support."""
        W = self.operator.apply(U, self.problem.lam, X)
        return W if self.B is None else W + self.B

    def pair_with_fixed(self, X: Array) -> float:
        """<X, B>."""
        return 0.0 if self.B is None else float(X @ self.B)

    @property
    def positions(self) -> NDArray[np.int64]:
        """Where the entries are in the flattened tensor."""
        return self.operator.positions

    def carry(self, values: NDArray[Any], to: Support) -> NDArray[Any]:
        """Values on this support as values on another; entries that are new there get zero."""
        if to.positions is self.positions:
            return values
        found = np.searchsorted(self.positions, to.positions).clip(max=len(self.positions) - 1)
        same = self.positions[found] == to.positions
        return np.where(same, values[found], np.zeros((), values.dtype))

    def under(self, problem: DualProblem) -> Support:
        """The support on which another problem with the same data starts."""
        if problem.chosen is None:
            return replace(self, problem=problem, enforced=problem.is_enforced_at(self.positions))
        return make_support(problem, calls=self.operator.calls)

    def with_watched(self, watched: NDArray[np.int64]) -> Support:
        """The observed entries together with these, nothing else."""
        return make_support(self.problem, watched, self.operator.calls)


def make_support(
    problem: DualProblem, watched: NDArray[np.int64] | None = None, calls: CallCount | None = None
) -> Support:
    """The observed entries, those where the user asked for W ≥ 0, and `watched` ones."""
    positions = problem.positions
    for more in (problem.chosen, watched):
        if more is not None and len(more):
            positions = unite_sorted(positions, more)
    if len(positions) == len(problem.positions):
        observed, values = np.ones(len(positions), dtype=bool), problem.values
    else:
        observed = np.zeros(len(positions), dtype=bool)
        values = np.zeros(len(positions))
        where = np.searchsorted(positions, problem.positions)
        observed[where] = True
        values[where] = problem.values
    return Support(
        problem,
        FibreOperator(problem.shape, positions, calls),
        observed,
        values,
        problem.is_enforced_at(positions),
        None if problem.B is None else problem.B.at(coordinates_of(positions, problem.shape)),
    )


def coordinates_of(positions: NDArray[np.int64], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Rows of coordinates of positions in the flattened tensor."""
    return np.stack(np.unravel_index(positions, shape), axis=1)


# Sorted positions as sets, without hashing.


def unite_sorted(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """The union of two sorted arrays without repetitions, sorted."""
    both = np.concatenate((first, second))
    both.sort(kind="stable")  # two runs: a merge
    keep = np.ones(len(both), dtype=bool)
    np.not_equal(both[1:], both[:-1], out=keep[1:])
    return both[keep]


def find_new(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which members of a sorted array are not in another sorted one, as a mask."""
    if len(second) == 0:
        return np.ones(len(first), dtype=bool)
    found = np.searchsorted(second, first)
    found[found == len(second)] = 0
    return np.asarray(second[found] != first)
