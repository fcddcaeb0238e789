"""One linear system for what is missing, by conjugate gradients: for holes, such as blocks, lines and frames.

If nothing were missing, c = (1 − g) Qᵀy with g = σ²/(s + σ²). So find u, zero at known entries, for which y + u is as
likely as possible: minimise (y + u)ᵀ Q g Qᵀ (y + u). The matrix is a part of Q g Qᵀ. Its inverse is known for slices
that are lost as a whole (`dead_slices`); for other missing entries there is something close to it (`depth`), with a κ
that bounds what the surroundings leave open.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .bases import Numbers
from .bins import Bins
from .dead_slices import DeadSlices
from .depth import depth_weights
from .kernels import add_flat, divide, dot, drop, in_pieces, multiply, step, turn, weighted_square
from .transform import Transform

_BOUNDS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
FIRST_BOUND, FIRM_BOUND = 1e-4, 1e-2
"""κ to begin with, and if entries inside of holes are held as well: then less is open there."""
_TRIAL = 6  # steps after which the bounds are compared


@dataclass(frozen=True, eq=False)
class Filled:
    """Missing entries (zero elsewhere), how many steps they took, the value that was reached, and κ."""

    entries: Numbers
    steps: int
    energy: float
    bound: float


@dataclass(frozen=True, eq=False)
class _Weight:
    """g, and what the preconditioner makes of it."""

    values: Numbers
    flat: float
    """The inverse of its mean."""
    inverses: tuple[Array, ...]
    """For the slices."""


class HoleSystem:
    """Solves for any data and any g on one set of known entries."""

    def __init__(
        self,
        transform: Transform,
        bins: Bins,
        known: NDArray[np.bool_],
        seen: NDArray[np.bool_] | None = None,
    ) -> None:
        """Slices count as lost if nothing of them is in `seen`, even if they hold a few known entries."""
        self._transform = transform
        self._known = known
        missing = ~known if seen is None else ~seen
        self._dead = DeadSlices.of(transform, bins, missing)
        for slices in self._dead:
            np.moveaxis(missing, slices.mode, 0)[slices.indices] = False
        missing &= ~known
        self._depth = depth_weights(missing, np.float32) if missing.any() else None

    def improved(self, y: Numbers, g: Numbers, start: Numbers | None, bound: float) -> Filled:
        """A few steps, with the κ that gets furthest in them, looked for from `bound` on."""
        weight = self._weighed(g)
        best = self._minimised(y, weight, start, bound, 0.0, _TRIAL)
        place = _BOUNDS.index(bound)
        for direction in (-1, 1) if self._depth is not None else ():
            first = best
            while 0 <= place + direction < len(_BOUNDS):
                tried = self._minimised(y, weight, start, _BOUNDS[place + direction], 0.0, _TRIAL)
                if tried.energy >= best.energy:
                    break
                best, place = tried, place + direction
            if best is not first:
                break
        return best

    def solve(
        self,
        y: Numbers,
        g: Numbers,
        start: Numbers | None,
        bound: float,
        tolerance: float,
        most: int,
        energy: float | None = None,
    ) -> Filled:
        """Stop when the minimum is near: within about `tolerance` of itself, or of `energy` if that is given.

        Begins with the missing entries of `start`. y must be zero at unknown entries.
        """
        return self._minimised(y, self._weighed(g), start, bound, tolerance, most, energy)

    def _weighed(self, g: Numbers) -> _Weight:
        inverses = tuple(slices.inverses(g) for slices in self._dead)
        return _Weight(g, 1 / float(g.mean(dtype=np.float64)), inverses)

    def _minimised(
        self,
        y: Numbers,
        weight: _Weight,
        start: Numbers | None,
        bound: float,
        tolerance: float,
        most: int,
        energy: float | None = None,
    ) -> Filled:
        u: Numbers = np.zeros_like(y)
        if start is not None:
            u += start
            in_pieces(drop, u, self._known)
        c = self._transform.to_coefficients(y + u)
        reached = in_pieces(weighted_square, c, weight.values)
        r = -self._part(c, weight)
        del c
        d: Numbers = np.zeros_like(y)
        steps, before = 0, math.inf
        while True:
            z = self._nearly_inverse(r, weight, bound)
            near = in_pieces(dot, r, z)
            if steps >= most or near <= tolerance * (reached if energy is None else energy) or near <= 0:
                return Filled(u, steps, reached, bound)
            in_pieces(turn, d, z, numbers=(near / before,))
            del z
            q = self._part(self._transform.to_coefficients(d), weight)
            alpha = near / in_pieces(dot, d, q)
            in_pieces(step, u, r, d, q, numbers=(alpha,))
            reached -= alpha * near
            before = near
            steps += 1

    def _part(self, c: Numbers, weight: _Weight) -> Numbers:
        """Q g c at missing entries; c is written over."""
        in_pieces(multiply, c, weight.values)
        x = self._transform.to_entries(c)
        in_pieces(drop, x, self._known)
        return x

    def _nearly_inverse(self, r: Numbers, weight: _Weight, bound: float) -> Numbers:
        """About what the inverse makes of r."""
        if self._depth is None:
            z: Numbers = np.zeros_like(r)
        else:
            c = self._transform.to_coefficients(r * self._depth)
            in_pieces(divide, c, weight.values, numbers=(bound,))
            z = self._transform.to_entries(c)
            in_pieces(add_flat, z, self._depth, r, numbers=(weight.flat,))
        for slices, inverses in zip(self._dead, weight.inverses, strict=True):
            slices.add_to(z, r, inverses)
        if self._dead:
            in_pieces(drop, z, self._known)
        return z
