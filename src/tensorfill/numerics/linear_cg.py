"""Linear conjugate gradients that stop on the error that matters: the energy, not the residual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array
from .vector_kernels import advance, dot, turn

_LEAST_WINDOW = 3  # the energy error is estimated over this many steps, or
_WINDOW_SHARE = 4  # over one in this many of all steps, if that is more
_PLATEAU = 20.0  # ½ rᵀM⁻¹r may exceed the energy tolerance by half of this, not more

LinearMap = Callable[[Array], Array]
Preconditioner = Callable[[Array], NDArray[np.float32] | Array]
"""May answer in single precision."""


@dataclass(frozen=True, eq=False)
class Direction:
    """A search direction p, with A p."""

    p: Array
    Ap: Array


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """An approximate solution x of A x = b."""

    x: Array
    residual: Array
    """b − A x, as the recurrence has it."""
    iterations: int
    energy_error: float
    """Estimate of ½(x − x*)ᵀA(x − x*): how far ½xᵀAx − bᵀx is above its minimum."""
    last: Direction | None
    """The last direction searched, if it was to be kept."""


def linear_cg(
    apply: LinearMap,
    b: Array,
    *,
    precondition: Preconditioner,
    energy_tolerance: float,
    energy_share: float = 0.0,
    residual_floor: float = 0.0,
    after: Direction | None = None,
    keep_last: bool = False,
    max_iter: int = 1000,
) -> LinearSolution:
    """Solve A x = b for a symmetric positive definite A, from x = 0; `precondition` applies M⁻¹ ≈ A⁻¹.

    Every step lowers the energy ½xᵀAx − bᵀx by ½ α_j r_jᵀM⁻¹r_j, so the sum of the last of these decreases estimates
    the error some steps ago (Hestenes & Stiefel 1952; Strakoš & Tichý 2002). On a plateau it would estimate too little,
    so the residual has to be small as well. Stops as soon as

        ½ Σ α_j r_jᵀM⁻¹r_j over the last quarter of the steps, 3 at least, ≤ energy_tolerance  and
        ½ rᵀM⁻¹r ≤ 10 · energy_tolerance,   r = b − A x;
        or rᵀM⁻¹r ≤ residual_floor;

    energy_tolerance is raised to `energy_share` of all that was gained, for callers to whom a good part is enough.

    `after` is the last direction of a solve with nearly the same A, zero where x has to stay so. The first direction is
    made conjugate to it, so that what the earlier solve had found out is not searched again. `keep_last` gives such a
    direction back; without either, vectors are let go of earlier.
    """
    x = np.zeros_like(b)
    r = b.copy()
    z = precondition(r)
    rz = dot(r, z)
    # Masked or rounded, it may not be a direction any more.
    last = after if after is not None and dot(after.p, after.Ap) > 0 else None
    p = np.zeros_like(b) if last is None else last.p.copy()
    beta = 0.0 if last is None else -dot(last.Ap, z) / dot(last.p, last.Ap)
    decreases: list[float] = []  # of the energy, step by step
    while len(decreases) < max_iter and rz > residual_floor:
        allowed = max(energy_tolerance, energy_share * sum(decreases))
        if max(_recent(decreases), rz / _PLATEAU) <= allowed:
            break
        turn(p, z, beta)
        del z  # vectors are long, and the next ones are made before these names are used again
        last = None
        q = apply(p)
        curvature = dot(p, q)
        if curvature <= 0:  # only by rounding, at the end of what double precision can do
            break
        slope = dot(r, p)
        alpha = slope / curvature
        decreases.append(0.5 * alpha * slope)
        advance(x, r, p, q, alpha)
        if keep_last or after is not None:
            last = Direction(p, q)
        del q
        z = precondition(r)
        rz, previous = dot(r, z), rz
        # The two are the same as long as every direction was conjugate to all before it.
        beta = rz / previous if last is None else -dot(last.Ap, z) / curvature
    error = _recent(decreases)
    return LinearSolution(x, r, len(decreases), error if np.isfinite(error) else sum(decreases), last)


def _recent(decreases: list[float]) -> float:
    """The decrease over the window at the end; infinite before there is one."""
    window = max(_LEAST_WINDOW, len(decreases) // _WINDOW_SHARE)
    return sum(decreases[-window:]) if len(decreases) >= window else np.inf
