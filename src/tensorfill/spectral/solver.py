"""Which solver: for entries missing here and there, or for holes."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .bases import Numbers
from .bins import Bins
from .hole_solver import FIRST_BOUND, HoleSolver
from .prior import Prior
from .scattered_solver import ScatteredSolver, Solved
from .transform import Transform


class Solver(Protocol):
    """Posterior means for any data on one set of known entries."""

    def solve(
        self,
        y: Numbers,
        ratio: Numbers,
        start: Numbers | None,
        tolerance: float,
        most: int,
        energy: float | None = None,
    ) -> Solved:
        """Coefficients whose objective is within about `tolerance` of its minimum; `start` may be written over."""
        ...

    def holding(self, known: NDArray[np.bool_]) -> Solver:
        """One for a few more known entries."""
        ...


def solver_for(
    prior: Prior,
    known: NDArray[np.bool_],
    *,
    holes: bool,
    bound: float = FIRST_BOUND,
    divide: bool = True,
) -> ScatteredSolver | HoleSolver:
    """The one for holes if there are any, which takes a square transform; it is also told the last two."""
    transform, bins = prior.transform, prior.bins
    square = transform.coefficient_shape == known.shape
    if holes and square and isinstance(transform, Transform) and isinstance(bins, Bins):
        return HoleSolver(transform, bins, known, bound, divide=divide)
    return ScatteredSolver(transform, known)
