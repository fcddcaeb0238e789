"""Posterior means by conjugate gradients in the coefficients, for entries that are missing here and there.

Minimises ‖(y − Q c)_Ω‖² + Σ (σ²/s) c². Where entries are missing at random, QᵀP_ΩQ is close to the share of known
entries times the identity, so a diagonal preconditioner is all it takes. Passes over long vectors are compiled: fused,
and summed in double precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..memory import return_freed_memory
from ..numerics.conjugate_gradients import NearWithin, conjugate_gradients
from ..numerics.vectors import Run, dot, in_pieces
from .bases import Numbers
from .transform import SummedTransform, Transform

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Solved:
    """Coefficients, how many steps they took, and the value that was reached."""

    coefficients: Numbers
    steps: int
    energy: float


class Solver(Protocol):
    """Posterior means for any data on one set of known entries."""

    def solve(
        self, y: Numbers, ratio: Numbers, start: Numbers | None, tolerance: float, most: int, scale: float | None = None
    ) -> Solved:
        """Coefficients whose objective is within about `tolerance` of its minimum, or of `scale` if that is given.

        y must be zero at unknown entries; `start` may be written over.
        """
        ...

    def with_known(self, known: Mask) -> Solver:
        """One for a few more known entries."""
        ...


@compiled(nogil=True, fastmath=True)
def weighted_square(a, weight):  # type: ignore[no-untyped-def]
    """Σ weight a²."""
    total = 0.0
    for i in range(len(a)):
        total += np.float64(a[i]) * a[i] * weight[i]
    return total


@compiled(nogil=True, fastmath=True)
def divided_square(r, ratio, share_known):  # type: ignore[no-untyped-def]
    """Σ r²/(share + ratio)."""
    total = 0.0
    for i in range(len(r)):
        total += np.float64(r[i]) * r[i] / (ratio[i] + share_known)
    return total


@compiled(nogil=True, fastmath=True)
def keep(x, where):  # type: ignore[no-untyped-def]
    """x = 0 outside of `where`, in place."""
    for i in range(len(x)):
        if not where[i]:
            x[i] = 0
    return 0.0


@compiled(nogil=True, fastmath=True)
def add_ridge(q, ratio, d):  # type: ignore[no-untyped-def]
    """q += ratio ∘ d, in place; qᵀd."""
    total = 0.0
    for i in range(len(q)):
        q[i] += ratio[i] * d[i]
        total += np.float64(q[i]) * d[i]
    return total


@compiled(nogil=True, fastmath=True)
def turn_divided(d, r, ratio, share_known, beta):  # type: ignore[no-untyped-def]
    """d ← r/(share + ratio) + βd, in place."""
    p, b = d.dtype.type(share_known), d.dtype.type(beta)
    for i in range(len(d)):
        d[i] = r[i] / (p + ratio[i]) + b * d[i]
    return 0.0


@dataclass(frozen=True, eq=False)
class CoefficientSystem:
    """QᵀP_ΩQ + ratio. Its preconditioner, share + ratio, is never applied alone: it is fused with what comes next."""

    transform: Transform | SummedTransform
    known: Mask
    share: float
    """Of known entries."""
    ratio: Numbers

    run: ClassVar[Run] = staticmethod(in_pieces)

    def apply(self, p: Numbers) -> tuple[Numbers, float]:
        """The product with p, and its inner product with p."""
        x = self.transform.to_entries(p)
        in_pieces(keep, x, self.known)
        q = self.transform.to_coefficients(x, overwrite=True)
        return q, in_pieces(add_ridge, q, self.ratio, p)

    def precondition(self, r: Numbers) -> tuple[Numbers, float]:
        """r itself, and rᵀz for z = r/(share + ratio)."""
        return r, in_pieces(divided_square, r, self.ratio, numbers=(self.share,))

    def turn(self, p: Numbers, z: Numbers, beta: float) -> None:
        """p ← r/(share + ratio) + βp, in place."""
        in_pieces(turn_divided, p, z, self.ratio, numbers=(self.share, beta))


class ScatteredSolver:
    """Solves for any data on one set of known entries."""

    def __init__(self, transform: Transform | SummedTransform, known: Mask) -> None:
        self._transform = transform
        self._known = known
        self._share = float(known.mean())

    def with_known(self, known: Mask) -> ScatteredSolver:
        """One for a few more known entries."""
        return ScatteredSolver(self._transform, known)

    def solve(
        self, y: Numbers, ratio: Numbers, start: Numbers | None, tolerance: float, most: int, scale: float | None = None
    ) -> Solved:
        """See `Solver`; `start` is written over."""
        return_freed_memory()
        system = CoefficientSystem(self._transform, self._known, self._share, ratio)
        objective = in_pieces(dot, y, y)
        r = self._transform.to_coefficients(y)
        del y  # arrays are large; what is not needed any more is let go of
        if start is None:
            x: Numbers = np.zeros_like(r)
        else:
            x = start
            q, curved = system.apply(x)
            objective += curved - 2 * in_pieces(dot, x, r)
            r -= q
            del q
        found = conjugate_gradients(system, x, r, NearWithin(tolerance, objective, scale, most))
        return Solved(found.x, found.steps, objective - sum(found.gains))
