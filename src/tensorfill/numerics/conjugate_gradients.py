"""Preconditioned conjugate gradients for A x = b, with A symmetric and positive definite; stopping rules are values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .vectors import Run, advance, at_once, dot, turn

Vector = NDArray[Any]
"""Of any shape; A and M map arrays of a shape to arrays of that shape."""


class LinearSystem(Protocol):
    """A, with a preconditioner M ≈ A. A subclass may fuse products with what they are needed for."""

    @property
    def run(self) -> Run:
        """How vectors are gone through."""
        ...

    def apply(self, p: Vector) -> tuple[Vector, float]:
        """A p as a new array, and pᵀA p."""
        ...

    def precondition(self, r: Vector) -> tuple[Vector, float]:
        """z = M⁻¹r, in the form in which `turn` takes it, and rᵀz."""
        ...

    def turn(self, p: Vector, z: Vector, beta: float) -> None:
        """p ← z + βp, in place."""
        ...


class PreconditionedSystem:
    """A system of two functions, x ↦ A x and r ↦ M⁻¹r; the second may answer in single precision."""

    def __init__(
        self, forward: Callable[[Vector], Vector], inverse: Callable[[Vector], Vector], run: Run = at_once
    ) -> None:
        self.run = run
        self._forward = forward
        self._inverse = inverse

    def apply(self, p: Vector) -> tuple[Vector, float]:
        """A p, and pᵀA p."""
        q = self._forward(p)
        return q, self.run(dot, p, q)

    def precondition(self, r: Vector) -> tuple[Vector, float]:
        """M⁻¹r, and rᵀM⁻¹r."""
        z = self._inverse(r)
        return z, self.run(dot, r, z)

    def turn(self, p: Vector, z: Vector, beta: float) -> None:
        """p ← z + βp, in place."""
        self.run(turn, p, z, numbers=(beta,))


class Progress(NamedTuple):
    """What a stopping rule may look at before every step."""

    near: float
    """rᵀM⁻¹r, with r = b − A x."""
    gains: Sequence[float]
    """By how much each step has lowered xᵀA x − 2bᵀx."""
    residual: Vector


Stop = Callable[[Progress], bool]


@dataclass(frozen=True)
class EnergyWithin:
    """Stop as soon as the energy ½xᵀAx − bᵀx is within a tolerance of its minimum, by an estimate.

    Every step lowers the energy by ½ α_j r_jᵀM⁻¹r_j, so the sum of the last of these decreases estimates the error
    some steps ago (Hestenes & Stiefel 1952; Strakoš & Tichý 2002). On a plateau it would estimate too little, so the
    residual has to be small as well:

        ½ Σ α_j r_jᵀM⁻¹r_j over the last quarter of the steps, 3 at least, ≤ tolerance   and
        ½ rᵀM⁻¹r ≤ 10 · tolerance;   or rᵀM⁻¹r ≤ floor.
    """

    tolerance: float
    share: float = 0.0
    """The tolerance is raised to this share of all that was gained, for whom a good part is enough."""
    floor: float = 0.0
    most: int = 1000
    window: int = 3
    """The error is estimated over this many steps, or"""
    window_share: int = 4
    """over one in this many of all steps, if that is more."""
    plateau: float = 20.0
    """½ rᵀM⁻¹r may exceed the tolerance by half of this."""

    def __call__(self, at: Progress) -> bool:
        """Whether to stop."""
        if len(at.gains) >= self.most or not at.near > self.floor:
            return True
        allowed = max(self.tolerance, self.share * 0.5 * sum(at.gains))
        return max(self._estimate(at.gains), at.near / self.plateau) <= allowed

    def error(self, gains: Sequence[float]) -> float:
        """The error of the energy after these steps: all that was gained, before there are enough of them."""
        estimate = self._estimate(gains)
        return estimate if math.isfinite(estimate) else 0.5 * sum(gains)

    def _estimate(self, gains: Sequence[float]) -> float:
        window = max(self.window, len(gains) // self.window_share)
        return 0.5 * sum(gains[-window:]) if len(gains) >= window else math.inf


@dataclass(frozen=True)
class NearWithin:
    """Stop when rᵀM⁻¹r ≤ tolerance · (what a quadratic objective has come down to, or a given scale)."""

    tolerance: float
    start: float
    """The objective at the first x; each step lowers it by its gain."""
    scale: float | None
    most: int

    def __call__(self, at: Progress) -> bool:
        """Whether to stop."""
        scale = self.start - sum(at.gains) if self.scale is None else self.scale
        return len(at.gains) >= self.most or not at.near > max(self.tolerance * scale, 0.0)


@dataclass(frozen=True)
class ResidualWithin:
    """Stop when ‖b − A x‖ ≤ tolerance."""

    tolerance: float
    most: int

    def __call__(self, at: Progress) -> bool:
        """Whether to stop."""
        return len(at.gains) >= self.most or not at_once(dot, at.residual, at.residual) > self.tolerance**2


@dataclass(frozen=True, eq=False)
class Direction:
    """A search direction p, with A p."""

    p: Vector
    Ap: Vector


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """An approximate solution x of A x = b."""

    x: Vector
    residual: Vector
    """b − A x, as the recurrence has it."""
    gains: list[float]
    """By how much each step has lowered xᵀA x − 2bᵀx."""
    last: Direction | None
    """The last direction searched, if it was to be kept."""

    @property
    def steps(self) -> int:
        """How many steps it took."""
        return len(self.gains)


def conjugate_gradients(
    system: LinearSystem,
    x: Vector,
    residual: Vector,
    stop: Stop,
    *,
    after: Direction | None = None,
    keep_last: bool = False,
) -> LinearSolution:
    """Solve A x = b from x with the residual b − A x, until a rule says to stop. Both are written over.

    `after` is the last direction of a solve with nearly the same A, zero where x has to stay so. The first direction is
    made conjugate to it, so that what the earlier solve had found out is not searched again. `keep_last` returns such a
    direction; without either, vectors are let go of earlier.
    """
    run, r = system.run, residual
    z, near = system.precondition(r)
    # Masked or rounded, it may not be a direction any more.
    last = after if after is not None and run(dot, after.p, after.Ap) > 0 else None
    p: Vector = np.zeros_like(r) if last is None else last.p.copy()
    beta = 0.0 if last is None else -run(dot, last.Ap, z) / run(dot, last.p, last.Ap)
    keep = keep_last or after is not None
    gains: list[float] = []
    while not stop(Progress(near, gains, r)):
        # rᵀp is rᵀM⁻¹r as long as every direction was conjugate to all before it.
        exact = not keep and z.dtype == r.dtype
        system.turn(p, z, beta)
        del z  # vectors are long, and the next ones are made before these names are used again
        last = None
        q, curvature = system.apply(p)
        if curvature <= 0:  # only by rounding, at the end of what the precision can do
            break
        slope = near if exact else run(dot, r, p)
        alpha = slope / curvature
        gains.append(alpha * slope)
        run(advance, x, r, p, q, numbers=(alpha,))
        if keep:
            last = Direction(p, q)
        del q
        previous = near
        z, near = system.precondition(r)
        beta = near / previous if last is None else -run(dot, last.Ap, z) / curvature
    return LinearSolution(x, r, gains, last)
