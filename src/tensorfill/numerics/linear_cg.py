"""Linear conjugate gradients that stop on the error that matters: the energy, not the residual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..tensor import Array
from .vector_kernels import advance, dot, turn, weighted_square

_LEAST_WINDOW = 4  # the energy error is estimated over this many steps, or
_PLATEAU = 20.0  # ½ rᵀM⁻¹r may exceed the energy tolerance by half of this, not more
_WINDOW_SHARE = 4  # over one in this many of all steps, if that is more


@dataclass(frozen=True)
class LinearSolution:
    """An approximate solution x of A x = b."""

    x: Array
    iterations: int
    energy_error: float
    """Estimate of ½(x − x*)ᵀA(x − x*): how far ½xᵀAx − bᵀx is above its minimum."""


def linear_cg(
    apply: Callable[[Array], Array],
    b: Array,
    x: Array,
    *,
    diagonal: Array,
    residual: Array | None = None,
    energy_tolerance: float,
    residual_tolerance: float = 0.0,
    max_iter: int = 1000,
) -> LinearSolution:
    """Solve A x = b for a symmetric positive definite A, from the start `x`, preconditioned by a `diagonal`.

    `residual` is b − A x at the start, if the caller has it (one application less).

    Every step lowers the energy ½xᵀAx − bᵀx by ½ α_j r_jᵀM⁻¹r_j, M the diagonal, so the sum of the last of these
    decreases estimates the error some steps ago (Hestenes & Stiefel 1952; Strakoš & Tichý 2002). On a plateau it would
    estimate too little, so the residual has to be small as well. Stops as soon as

        ½ Σ α_j r_jᵀM⁻¹r_j over the last quarter of the steps, 4 at least, ≤ energy_tolerance  and
        ½ rᵀM⁻¹r ≤ 10 · energy_tolerance,   r = b − A x;
        or rᵀM⁻¹r ≤ residual_tolerance² · bᵀM⁻¹b.
    """
    x = x.copy()
    inverse = 1 / diagonal
    if residual is None:
        residual = b - apply(x) if x.any() else b
    r = residual.copy()
    p = inverse * r
    rz = weighted_square(r, inverse)
    goal = residual_tolerance**2 * weighted_square(b, inverse)
    decreases: list[float] = []  # of the energy, step by step
    while len(decreases) < max_iter and rz > goal and max(_recent(decreases), rz / _PLATEAU) > energy_tolerance:
        q = apply(p)
        curvature = dot(p, q)
        if curvature <= 0:  # only by rounding, at the end of what double precision can do
            break
        alpha = rz / curvature
        decreases.append(0.5 * alpha * rz)
        rz, previous = advance(x, r, p, q, alpha, inverse), rz
        turn(p, r, rz / previous, inverse)
    error = _recent(decreases)
    return LinearSolution(x, len(decreases), error if np.isfinite(error) else sum(decreases))


def _recent(decreases: list[float]) -> float:
    """The decrease over the window at the end; infinite before there is one."""
    window = max(_LEAST_WINDOW, len(decreases) // _WINDOW_SHARE)
    return sum(decreases[-window:]) if len(decreases) >= window else np.inf
