"""Which solver: for entries missing here and there, or for holes."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .bases import Numbers
from .hole_solver import HoleSolver
from .scattered_solver import ScatteredSolver, Solved
from .summed import SummedTransform
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


def solver_for(
    transform: Transform | SummedTransform, known: NDArray[np.bool_], *, holes: bool
) -> ScatteredSolver | HoleSolver:
    """The one for holes if there are any, which takes an orthonormal transform."""
    if holes and isinstance(transform, Transform):
        return HoleSolver(transform, known)
    return ScatteredSolver(transform, known)
