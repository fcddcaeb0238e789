"""Nonnegative least squares by projected gradients with subspace Barzilai–Borwein steps.

    minimise ½ xᵀQx − bᵀx   subject to x ≥ 0,     Q = AᵀA given as an operator

D. Kim, S. Sra, I. S. Dhillon, "A non-monotonic method for large-scale non-negative least squares", Optimization
Methods and Software 28(5), 2013: the two step lengths alternate and look only at the variables that are free;
a step scale that shrinks when a whole round brought no decrease guarantees convergence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..tensor import Array

_ROUND = 100  # iterations between two checks that the objective went down
_DECREASE = 0.1  # share of the predicted decrease a round must bring
_SHRINK = 0.5  # what the step scale is multiplied by when it does not


@dataclass(frozen=True)
class NonnegSolution:
    """An approximate minimiser and the gradient Qx − b there."""

    x: Array
    gradient: Array
    iterations: int


def nonneg_least_squares(
    apply: Callable[[Array], Array], b: Array, x: Array, *, tolerance: float, max_iter: int = 1000
) -> NonnegSolution:
    """Start from `x` ≥ 0; stop when max |g_i| over {i : x_i > 0 or g_i < 0} ≤ tolerance, with g = Qx − b."""
    x = np.maximum(x, 0.0)
    gradient = apply(x) - b
    previous = gradient
    scale = 1.0
    reference, reference_gradient = x, gradient
    done = 0
    while done < max_iter:
        unsettled = (x > 0) | (gradient < 0)
        if not unsettled.any() or np.abs(gradient[unsettled]).max() <= tolerance:
            break
        free = ~((x == 0) & (gradient > 0))
        h = np.where(free, previous, 0.0)
        if not h.any():
            h = np.where(free, gradient, 0.0)
        Qh = apply(h)
        curvature = float(h @ Qh)
        if curvature <= 0:  # a direction Q does not see at all
            break
        if done % 2 == 0:
            step = float(h @ h) / curvature
        else:
            seen = Qh[free]
            step = curvature / float(seen @ seen)
        x = np.maximum(x - scale * step * gradient, 0.0)
        previous, gradient = gradient, apply(x) - b
        done += 1
        if done % _ROUND == 0:
            predicted = float(reference_gradient @ (reference - x))
            # f(x) = ½ xᵀ(g − b), since g = Qx − b.
            decrease = 0.5 * float(reference @ (reference_gradient - b)) - 0.5 * float(x @ (gradient - b))
            if decrease < _DECREASE * predicted:
                scale *= _SHRINK
            reference, reference_gradient = x, gradient
    return NonnegSolution(x, gradient, done)
