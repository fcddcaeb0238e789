"""Support: the entries where X = Z + S may be nonzero — the observed ones and those watched for W < 0."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .fibre_operator import CallCount, FibreOperator
from .positions import sorted_union
from .problem import DualProblem


@dataclass(frozen=True, eq=False)
class Support:
    """Sorted entries with their fibre operator, what was observed at them, and where W ≥ 0 is enforced."""

    problem: DualProblem
    operator: FibreOperator
    observed: NDArray[np.bool_]
    values: Array
    """Y on the support; zero where nothing was observed."""
    enforced: NDArray[np.bool_]

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
        return support_of(problem, calls=self.operator.calls)

    def with_watched(self, watched: NDArray[np.int64]) -> Support:
        """The observed entries together with these, nothing else."""
        return support_of(self.problem, watched, self.operator.calls)


def support_of(
    problem: DualProblem, watched: NDArray[np.int64] | None = None, calls: CallCount | None = None
) -> Support:
    """The observed entries, those where the user asked for W ≥ 0, and `watched` ones."""
    positions = problem.positions
    for more in (problem.chosen, watched):
        if more is not None and len(more):
            positions = sorted_union(positions, more)
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
    )
