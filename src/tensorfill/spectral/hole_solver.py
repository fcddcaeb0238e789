"""Posterior means by conjugate gradients in the missing entries, for holes: blocks, lines, frames.

If nothing were missing, c = (1 − g) Qᵀy with g = σ²/(s + σ²). So find u, zero at known entries, for which y + u is as
likely as possible: minimise (y + u)ᵀ Q g Qᵀ (y + u). The matrix is a part of Q g Qᵀ, and the same part of
Q (κ + g)⁻¹ Qᵀ is close to its inverse: nearly so inside of large holes, where 1/κ bounds what the surroundings leave
open.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .bases import Numbers
from .kernels import divide, dot, drop, in_pieces, multiply, step, turn, weighted_square
from .scattered_solver import Solved
from .transform import Transform

_BOUNDS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
_TRIAL = 6  # steps after which the bounds are compared


class HoleSolver:
    """Solves for any data on one set of known entries."""

    def __init__(self, transform: Transform, known: NDArray[np.bool_], bound: float = 1e-3) -> None:
        self._transform = transform
        self._known = known
        self.bound = bound
        self._chosen = False

    def choose_bound(self, y: Numbers, ratio: Numbers, start: Numbers | None) -> None:
        """Take the κ that gets furthest in a few steps."""
        weight = ratio / (1 + ratio)
        place = _BOUNDS.index(self.bound)
        # The best one moves little from round to round.
        bounds = _BOUNDS[max(0, place - 1) : place + 2] if self._chosen else _BOUNDS
        tried = [(self._minimised(y, weight, start, bound, 0.0, _TRIAL)[2], bound) for bound in bounds]
        self.bound = min(tried)[1]
        self._chosen = True

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

        Begins with the entries of `start`. y must be zero at unknown entries.
        """
        weight = ratio / (1 + ratio)
        u, steps, reached = self._minimised(y, weight, start, self.bound, tolerance, most, energy)
        u += y
        c = self._transform.to_coefficients(u)
        c -= weight * c
        return Solved(c, steps, reached)

    def _minimised(
        self,
        y: Numbers,
        weight: Numbers,
        start: Numbers | None,
        bound: float,
        tolerance: float,
        most: int,
        energy: float | None = None,
    ) -> tuple[Numbers, int, float]:
        """u, how many steps it took, and the value reached."""
        u: Numbers = np.zeros_like(y)
        if start is not None:
            u = self._transform.to_entries(start)
            in_pieces(drop, u, self._known)
        c = self._transform.to_coefficients(y + u)
        reached = in_pieces(weighted_square, c, weight)
        r = -self._part(c, weight)
        del c
        d: Numbers = np.zeros_like(y)
        steps, before = 0, math.inf
        while True:
            z = self._part(self._transform.to_coefficients(r), weight, bound)
            near = in_pieces(dot, r, z)
            if steps >= most or near <= tolerance * (reached if energy is None else energy) or near <= 0:
                return u, steps, reached
            in_pieces(turn, d, z, numbers=(near / before,))
            del z
            q = self._part(self._transform.to_coefficients(d), weight)
            alpha = near / in_pieces(dot, d, q)
            in_pieces(step, u, r, d, q, numbers=(alpha,))
            reached -= alpha * near
            before = near
            steps += 1

    def _part(self, c: Numbers, weight: Numbers, bound: float | None = None) -> Numbers:
        """Q g c, or with a bound Q (κ + g)⁻¹ c, at missing entries; c is written over."""
        if bound is None:
            in_pieces(multiply, c, weight)
        else:
            in_pieces(divide, c, weight, numbers=(bound,))
        x = self._transform.to_entries(c)
        in_pieces(drop, x, self._known)
        return x
