"""The linear system (D + K) x = b on some entries, and a preconditioner that inverts what makes it hard.

What makes it hard is the leading direction of every mode. One direction u_k of U_k, near constant on ordinary data,
holds most of its weight. Split off, K is

    K = Σ_k λ_k (u_k u_kᵀ on every mode-k fibre)  +  a rest that is close to its diagonal.

With Δ for that diagonal (and D), M = Δ^½ Π_k (I + Δ^-½ λ_k u_k u_kᵀ Δ^-½) Δ^½ would be exact where an entry pattern is
strong along one mode only; along several it is too large, the more so the smaller Δ, hence the factor in Δ below. It is
applied in the symmetric order Q_1 … Q_K … Q_1, Q_k the inverse root of the k-th factor (in the middle, its inverse):
on each fibre the identity plus rank one, so a pass costs little beside K with all its ranks. The idea is that of
alternating-direction implicit methods (Peaceman & Rachford 1955). Single precision is enough for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..numerics import fibre_kernels as kernels
from ..numerics.conjugate_gradients import (
    Direction,
    LinearSolution,
    PreconditionedSystem,
    Stop,
    Vector,
    conjugate_gradients,
)
from ..numerics.fibre_operator import Factors, FibreOperator, ModeFibres
from ..tensor import Array

Mask = NDArray[np.bool_]
Single = NDArray[np.float32]
MakePreconditioner = Callable[[FibreOperator, Factors, tuple[float, ...], Array, Mask], Callable[[Vector], Vector]]


@dataclass(frozen=True)
class LeadingSettings:
    """What steers the preconditioner."""

    safety: float = 2.0  # Δ is this many times (the rest's diagonal + its average)
    least_rest: float = 0.3  # the average is at least this share of K's from all modes but one: rank 1 has no rest
    faint: float = -1 / 1.3  # a mode is left out if −1/(1 + vᵀv), v = Δ^-½u, is below this on average


LEADING = LeadingSettings()


@dataclass(frozen=True, eq=False)
class _Pass:
    """One factor's inverse, or its inverse root: on every fibre x += g Δ⁻¹u (uᵀx), for x that carries a Δ^-½."""

    fibres: ModeFibres
    u: Single
    to_root: Single
    to_inverse: Single

    def matters(self, faint: float) -> bool:
        """Whether the factor differs from the identity enough to be worth a pass."""
        return float(self.to_inverse.mean()) > faint

    def apply(self, x: Single, g: Single, inverse: Single) -> None:
        self.fibres.share(partial(kernels.add_rank_one, *self.fibres.where, self.u, inverse, g, x))


class LeadingDirections:
    """M⁻¹ for one U, one diagonal D and the entries that are `free` to move (the others stay zero)."""

    def __init__(
        self,
        operator: FibreOperator,
        U: Factors,
        lam: tuple[float, ...],
        D: Array,
        free: Mask,
        settings: LeadingSettings = LEADING,
    ) -> None:
        leading = [_leading_direction(factor) for factor in U]
        rest = [np.einsum("ir,ir->i", factor, factor) - u * u for factor, u in zip(U, leading, strict=True)]
        delta = operator.spread(rest, lam, dtype=np.float32)
        delta += D
        averages = [weight / len(factor) for weight, factor in zip(lam, U, strict=True)]
        least = settings.least_rest * (sum(averages) - max(averages))
        delta += max(delta.mean(where=free, dtype=np.float64), least)
        delta *= settings.safety
        self._inverse = np.divide(np.float32(1), delta, out=delta)
        self._inverse[~free] = 0.0
        passes = [
            _prepare_pass(fibres, (np.sqrt(weight) * u).astype(np.float32), self._inverse)
            for fibres, u, weight in zip(operator.modes, leading, lam, strict=True)
        ]
        self._passes = [one for one in passes if one.matters(settings.faint)]

    def __call__(self, r: Array) -> Single:
        x: Single = np.multiply(r, self._inverse, dtype=np.float32, casting="same_kind")
        if self._passes:
            *sides, middle = self._passes
            for side in sides:
                side.apply(x, side.to_root, self._inverse)
            middle.apply(x, middle.to_inverse, self._inverse)
            for side in reversed(sides):
                side.apply(x, side.to_root, self._inverse)
        return x


def _prepare_pass(fibres: ModeFibres, u: Single, inverse: Single) -> _Pass:
    root, whole = np.empty((2, len(fibres.fibre)), np.float32)
    fibres.share(partial(kernels.fill_rank_one, *fibres.where, u, inverse, root, whole))
    return _Pass(fibres, u, root, whole)


class FreeSystem(PreconditionedSystem):
    """(D + K) x = b on the entries that are `free` to move; the others stay zero."""

    def __init__(
        self,
        operator: FibreOperator,
        U: Factors,
        lam: tuple[float, ...],
        D: Array,
        free: Mask,
        make_preconditioner: MakePreconditioner = LeadingDirections,
    ) -> None:
        def forward(x: Array) -> Array:
            out = operator.apply(U, lam, x)
            add_diagonal(out, D, x, free)
            return out

        super().__init__(forward, make_preconditioner(operator, U, lam, D, free))

    def solve(self, b: Array, stop: Stop, *, after: Direction | None = None, keep_last: bool = False) -> LinearSolution:
        """x from zero, for b that is zero at other entries."""
        return conjugate_gradients(self, np.zeros_like(b), b.copy(), stop, after=after, keep_last=keep_last)


@compiled(nogil=True, fastmath=True)
def add_diagonal(out, diagonal, x, free):  # type: ignore[no-untyped-def]
    """out += diagonal ∘ x where `free`, and out = 0 elsewhere, in place."""
    for i in range(len(out)):
        out[i] = out[i] + diagonal[i] * x[i] if free[i] else 0.0


def _leading_direction(U: Array) -> Array:
    """The column of U with the most weight, among all rotations U Q."""
    _, rotations = np.linalg.eigh(U.T @ U)
    return np.asarray(U @ rotations[:, -1])
