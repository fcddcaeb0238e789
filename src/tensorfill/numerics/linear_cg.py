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


@dataclass(frozen=True)
class LinearSolution:
    """An approximate solution x of A x = b."""

    x: Array
    residual: Array
    """b − A x, as the recurrence has it."""
    iterations: int
    energy_error: float
    """Estimate of ½(x − x*)ᵀA(x − x*): how far ½xᵀAx − bᵀx is above its minimum."""


def linear_cg(
    apply: LinearMap,
    b: Array,
    *,
    precondition: Preconditioner,
    energy_tolerance: float,
    energy_share: float = 0.0,
    residual_floor: float = 0.0,
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
    """
    x = np.zeros_like(b)
    r = b.copy()
    p = precondition(r).astype(np.float64)
    rz = dot(r, p)
    decreases: list[float] = []  # of the energy, step by step
    while len(decreases) < max_iter and rz > residual_floor:
        allowed = max(energy_tolerance, energy_share * sum(decreases))
        if max(_recent(decreases), rz / _PLATEAU) <= allowed:
            break
        q = apply(p)
        curvature = dot(p, q)
        if curvature <= 0:  # only by rounding, at the end of what double precision can do
            break
        alpha = rz / curvature
        decreases.append(0.5 * alpha * rz)
        advance(x, r, p, q, alpha)
        del q  # vectors are long, and the next ones are made before these names are used again
        z = precondition(r)
        rz, previous = dot(r, z), rz
        turn(p, z, rz / previous)
        del z
    error = _recent(decreases)
    return LinearSolution(x, r, len(decreases), error if np.isfinite(error) else sum(decreases))


def _recent(decreases: list[float]) -> float:
    """The decrease over the window at the end; infinite before there is one."""
    window = max(_LEAST_WINDOW, len(decreases) // _WINDOW_SHARE)
    return sum(decreases[-window:]) if len(decreases) >= window else np.inf
