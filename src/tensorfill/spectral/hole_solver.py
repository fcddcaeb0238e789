"""Posterior means by conjugate gradients in the missing entries, for holes: blocks, lines, frames.

If nothing were missing, c = (1 − g) Qᵀy with g = σ²/(s + σ²). So find u, zero at known entries, for which y + u is as
likely as possible: minimise (y + u)ᵀ Q g Qᵀ (y + u). The matrix is a part of Q g Qᵀ. Its inverse is known for slices
that are lost as a whole (`dead_slices`); for other missing entries there is something close to it (`depth`), with a κ
that bounds what the surroundings leave open.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .bases import Numbers
from .bins import Bins
from .dead_slices import DeadSlices
from .depth import depth_weights
from .kernels import add_flat, divide, dot, drop, in_pieces, multiply, step, turn, weighted_square
from .scattered_solver import Solved
from .transform import Transform

_BOUNDS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
FIRST_BOUND = 1e-4
_TRIAL = 6  # steps after which the bounds are compared


class HoleSolver:
    """Solves for any data on one set of known entries."""

    def __init__(
        self,
        transform: Transform,
        bins: Bins,
        known: NDArray[np.bool_],
        bound: float = FIRST_BOUND,
        seen: NDArray[np.bool_] | None = None,
    ) -> None:
        """`bound` is κ. Slices count as lost if nothing of them is in `seen`, even if they hold a few known entries."""
        self._transform = transform
        self._known = known
        self.bound = bound
        missing = ~known if seen is None else ~seen
        self._dead = DeadSlices.of(transform, bins, missing)
        for slices in self._dead:
            np.moveaxis(missing, slices.mode, 0)[slices.indices] = False
        self._depth = depth_weights(missing, np.float32) if missing.any() else None
        if self._depth is not None and seen is not None:
            in_pieces(drop, self._depth, known)

    def improved(self, y: Numbers, ratio: Numbers, start: Numbers | None) -> Solved:
        """A few steps, with the κ that gets furthest in them; it is kept for later."""
        weight = self._weighed(ratio)
        best = self._minimised(y, weight, start, self.bound, 0.0, _TRIAL)
        place = _BOUNDS.index(self.bound)
        for direction in (-1, 1) if self._depth is not None else ():
            found_here = False
            while 0 <= place + direction < len(_BOUNDS):
                tried = self._minimised(y, weight, start, _BOUNDS[place + direction], 0.0, _TRIAL)
                if tried[2] >= best[2]:
                    break
                best, place, found_here = tried, place + direction, True
            if found_here:
                break
        self.bound = _BOUNDS[place]
        return self._solved(y, weight, *best)

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
        weight = self._weighed(ratio)
        return self._solved(y, weight, *self._minimised(y, weight, start, self.bound, tolerance, most, energy))

    def _weighed(self, ratio: Numbers) -> Numbers:
        """g, which the slices take on."""
        weight: Numbers = ratio / (1 + ratio)
        for slices in self._dead:
            slices.weigh(weight)
        return weight

    def _solved(self, y: Numbers, weight: Numbers, u: Numbers, steps: int, reached: float) -> Solved:
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
        flat = 1 / float(weight.mean(dtype=np.float64))
        d: Numbers = np.zeros_like(y)
        steps, before = 0, math.inf
        while True:
            z = self._nearly_inverse(r, weight, bound, flat)
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

    def _part(self, c: Numbers, weight: Numbers) -> Numbers:
        """Q g c at missing entries; c is written over."""
        in_pieces(multiply, c, weight)
        x = self._transform.to_entries(c)
        in_pieces(drop, x, self._known)
        return x

    def _nearly_inverse(self, r: Numbers, weight: Numbers, bound: float, flat: float) -> Numbers:
        """About what the matrix makes r of."""
        if self._depth is None:
            z: Numbers = np.zeros_like(r)
        else:
            c = self._transform.to_coefficients(r * self._depth)
            in_pieces(divide, c, weight, numbers=(bound,))
            z = self._transform.to_entries(c)
            in_pieces(add_flat, z, self._depth, r, numbers=(flat,))
        for slices in self._dead:
            slices.add_to(z, r)
        if self._dead:
            in_pieces(drop, z, self._known)
        return z
