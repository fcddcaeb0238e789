"""Posterior means by conjugate gradients in the coefficients, for entries that are missing here and there.

Minimises ‖(y − Q c)_Ω‖² + Σ (σ²/s) c². Where entries are missing at random, QᵀP_ΩQ is close to the share of known
entries times the identity, so a diagonal preconditioner is all it takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..memory import give_back
from .bases import Numbers
from .kernels import add_ridge, divided_square, dot, in_pieces, keep, step, turn_divided
from .summed import SummedTransform
from .transform import Transform


@dataclass(frozen=True, eq=False)
class Solved:
    """Coefficients, how many steps they took, and the value that was reached."""

    coefficients: Numbers
    steps: int
    energy: float


class ScatteredSolver:
    """Solves for any data on one set of known entries."""

    def __init__(self, transform: Transform | SummedTransform, known: NDArray[np.bool_]) -> None:
        self._transform = transform
        self._known = known
        self._share = float(known.mean())

    def holding(self, known: NDArray[np.bool_]) -> ScatteredSolver:
        """One for a few more known entries."""
        return ScatteredSolver(self._transform, known)

    def solve(
        self,
        y: Numbers,
        ratio: Numbers,
        start: Numbers | None,
        tolerance: float,
        most: int,
        energy: float | None = None,
    ) -> Solved:
        """Stop when the minimum is near: within about `tolerance` of itself, or of `energy` if that is given.

        y must be zero at unknown entries; `start` is written over.
        """
        give_back()
        reached = in_pieces(dot, y, y)
        r = self._transform.to_coefficients(y)
        del y  # arrays are large; what is not needed any more is let go of
        if start is None:
            x: Numbers = np.zeros_like(r)
        else:
            x = start
            linear = in_pieces(dot, x, r)
            q = self._applied(x)
            curved = in_pieces(add_ridge, q, ratio, x)
            r -= q
            reached += curved - 2 * linear
            del q
        d: Numbers = np.zeros_like(r)
        near = in_pieces(divided_square, r, ratio, numbers=(self._share,))
        beta, steps = 0.0, 0
        while steps < most and near > tolerance * (reached if energy is None else energy) and near > 0:
            in_pieces(turn_divided, d, r, ratio, numbers=(self._share, beta))
            q = self._applied(d)
            alpha = near / in_pieces(add_ridge, q, ratio, d)
            in_pieces(step, x, r, d, q, numbers=(alpha,))
            del q
            reached -= alpha * near
            near, before = in_pieces(divided_square, r, ratio, numbers=(self._share,)), near
            beta = near / before
            steps += 1
        return Solved(x, steps, reached)

    def _applied(self, c: Numbers) -> Numbers:
        """QᵀP_ΩQ c."""
        x = self._transform.to_entries(c)
        in_pieces(keep, x, self._known)
        return self._transform.to_coefficients(x, overwrite=True)
