"""One linear system for what is missing, by conjugate gradients: for holes, such as blocks, lines and frames.

If nothing were missing, c = (1 − g) Qᵀy with g = σ²/(s + σ²). So find u, zero at known entries, for which y + u is as
likely as possible: minimise (y + u)ᵀ Q g Qᵀ (y + u). The matrix is a part of Q g Qᵀ. Its inverse is known for slices
that are lost as a whole (`dead_slices`); for other missing entries there is something close to it (`depth`), with a κ
that bounds what the surroundings leave open.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .bases import Numbers
from .bins import Bins
from .dead_slices import DeadSlices, solvable_slices
from .depth import depth_weights
from .kernels import add_flat, divide, dot, drop, in_pieces, logarithms, multiply, step, turn, weighted_square
from .transform import Transform


@dataclass(frozen=True, eq=False)
class Filled:
    """Missing entries (zero elsewhere), how many steps they took, and the value that was reached."""

    entries: Numbers
    steps: int
    energy: float


@dataclass(frozen=True, eq=False)
class _Weight:
    """g, and what the preconditioner makes of it."""

    values: Numbers
    kappa: float
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
    ) -> None:
        self._transform = transform
        self._known = known
        missing = ~known
        self._dead = [DeadSlices(transform, bins, *lost) for lost in solvable_slices(bins, missing)]
        for slices in self._dead:
            np.moveaxis(missing, slices.mode, 0)[slices.indices] = False
        self._depth = depth_weights(missing, np.float32) if missing.any() else None

    def holding(self, known: NDArray[np.bool_]) -> HoleSystem:
        """The same with some more entries known: the shape of the holes is as it was."""
        other = copy(self)
        other._known = known
        if self._depth is not None:
            other._depth = self._depth.copy()
            in_pieces(drop, other._depth, known)
        return other

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

        κ is `bound` times the geometric mean of g. Begins with the missing entries of `start`. y must be zero at
        unknown entries.
        """
        weight = self._weighed(g, bound)
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
            z = self._nearly_inverse(r, weight)
            near = in_pieces(dot, r, z)
            if steps >= most or near <= tolerance * (reached if energy is None else energy) or near <= 0:
                return Filled(u, steps, reached)
            in_pieces(turn, d, z, numbers=(near / before,))
            del z
            q = self._part(self._transform.to_coefficients(d), weight)
            alpha = near / in_pieces(dot, d, q)
            in_pieces(step, u, r, d, q, numbers=(alpha,))
            reached -= alpha * near
            before = near
            steps += 1

    def _weighed(self, g: Numbers, bound: float) -> _Weight:
        inverses = tuple(slices.inverses(g) for slices in self._dead)
        kappa = bound * math.exp(in_pieces(logarithms, g) / g.size) if self._depth is not None else 0.0
        return _Weight(g, kappa, 1 / float(g.mean(dtype=np.float64)), inverses)

    def _part(self, c: Numbers, weight: _Weight) -> Numbers:
        """Q g c at missing entries; c is written over."""
        in_pieces(multiply, c, weight.values)
        x = self._transform.to_entries(c, overwrite=True)
        in_pieces(drop, x, self._known)
        return x

    def _nearly_inverse(self, r: Numbers, weight: _Weight) -> Numbers:
        """About what the inverse makes of r."""
        if self._depth is None:
            z: Numbers = np.zeros_like(r)
        else:
            c = self._transform.to_coefficients(r * self._depth, overwrite=True)
            in_pieces(divide, c, weight.values, numbers=(weight.kappa,))
            z = self._transform.to_entries(c, overwrite=True)
            in_pieces(add_flat, z, self._depth, r, numbers=(weight.flat,))
        for slices, inverses in zip(self._dead, weight.inverses, strict=True):
            slices.add_to(z, r, inverses)
        if self._dead:
            in_pieces(drop, z, self._known)
        return z
