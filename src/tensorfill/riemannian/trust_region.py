"""Riemannian trust regions: truncated conjugate gradients on the exact Hessian.

P.-A. Absil, C. G. Baker, K. A. Gallivan, "Trust-region methods on Riemannian manifolds", FoCM 7, 2007.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .line_search import E, Evaluate, looked_closer
from .product import Product, Tangent, plus, scaled

Hessian = Callable[[E, Tangent], Tangent]

_ACCEPT = 0.1  # share of the predicted decrease a step must bring
_LINEAR, _SUPERLINEAR = 0.1, 1.0  # the model is solved until ‖r‖ ≤ ‖r₀‖ min(0.1, (‖r₀‖/‖first gradient‖)¹)
_MOST_INNER = 40
_MOST_REJECTIONS = 12
_ACCURACY = 0.03  # error allowed in a value, as a share of the decrease it is compared for


def trust_region(
    manifold: Product,
    evaluate: Evaluate[E],
    hessian: Hessian[E],
    start: E,
    refresh: Callable[[E, float], E] = lambda at, decrease: at,
) -> Iterator[E]:
    """Yield better and better points, for as long as the caller asks and the model can be trusted anywhere.

    `refresh(at, decrease)` may look at an accepted point again (see conjugate_gradient).
    """
    at = start
    largest = np.sqrt(len(manifold.factors))
    radius = largest / 8
    first_norm = manifold.norm(at.point, at.gradient)
    rejections = 0
    while True:
        if rejections == _MOST_REJECTIONS:
            closer = looked_closer(evaluate, at)
            if closer is None:
                return
            at, radius, rejections = closer, largest / 8, 0
        step, predicted, at_boundary = _truncated_cg(manifold, hessian, at, radius, first_norm)
        if not predicted > 0:
            return
        trial = evaluate(manifold.retract(at.point, step), at, _ACCURACY * predicted)
        decrease = at.value - trial.value
        # Values are too low by their errors; a step must not be distrusted for the error of where it began.
        ratio = (decrease + at.value_error + trial.value_error) / predicted
        if ratio < 0.25:
            radius /= 4
        elif ratio > 0.75 and at_boundary:
            radius = min(2 * radius, largest)
        if ratio > _ACCEPT:
            at = refresh(trial, decrease)
            rejections = 0
            yield at
        else:
            rejections += 1


def _truncated_cg(
    manifold: Product, hessian: Hessian[E], at: E, radius: float, first_norm: float
) -> tuple[Tangent, float, bool]:
    """Minimise <g, s> + ½<s, H s> within ‖s‖ ≤ radius: (step, predicted decrease, whether it ends at the boundary)."""
    point, gradient = at.point, at.gradient
    step = scaled(0.0, gradient)
    H_step = scaled(0.0, gradient)
    residual = gradient
    direction = scaled(-1.0, gradient)
    rr = start_rr = manifold.inner(point, residual, residual)
    goal = np.sqrt(start_rr) * min(_LINEAR, (np.sqrt(start_rr) / first_norm) ** _SUPERLINEAR)

    def predicted(s: Tangent, Hs: Tangent) -> float:
        return -manifold.inner(point, gradient, s) - 0.5 * manifold.inner(point, s, Hs)

    for _ in range(_MOST_INNER):
        H_direction = hessian(at, direction)
        curvature = manifold.inner(point, direction, H_direction)
        alpha = rr / curvature if curvature > 0 else np.inf
        longer = plus(step, scaled(alpha, direction)) if curvature > 0 else None
        if longer is None or manifold.norm(point, longer) >= radius:
            tau = _to_boundary(manifold, at, step, direction, radius)
            step, H_step = plus(step, scaled(tau, direction)), plus(H_step, scaled(tau, H_direction))
            return step, predicted(step, H_step), True
        step, H_step = longer, plus(H_step, scaled(alpha, H_direction))
        residual = plus(residual, scaled(alpha, H_direction))
        rr, previous = manifold.inner(point, residual, residual), rr
        if np.sqrt(rr) <= goal:
            break
        direction = plus(scaled(-1.0, residual), scaled(rr / previous, direction))
    return step, predicted(step, H_step), False


def _to_boundary(manifold: Product, at: E, step: Tangent, direction: Tangent, radius: float) -> float:
    """τ ≥ 0 with ‖step + τ direction‖ = radius."""
    a = manifold.inner(at.point, direction, direction)
    b = manifold.inner(at.point, step, direction)
    c = manifold.inner(at.point, step, step) - radius**2
    return float((-b + np.sqrt(max(b * b - a * c, 0.0))) / a)
