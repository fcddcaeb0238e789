"""Riemannian trust regions: truncated conjugate gradients on the exact Hessian.

P.-A. Absil, C. G. Baker, K. A. Gallivan, "Trust-region methods on Riemannian manifolds", FoCM 7, 2007.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .descent import SEARCH, Descent, E, Evaluate, Refresh, SearchSettings, keep, look_closer
from .spectrahedron import Product, Tangent, add, scale

Hessian = Callable[[E, Tangent], Tangent]


@dataclass(frozen=True)
class TrustSettings:
    """What steers a trust region."""

    accept: float = 0.1  # share of the predicted decrease that a step must bring
    linear: float = 0.1  # the model is solved until ‖r‖ ≤ ‖r₀‖ min(linear, ‖r₀‖/‖first gradient‖)
    most_inner: int = 40
    most_rejections: int = 12
    accuracy: float = 0.03  # error allowed in a value, as a share of the decrease it is compared for


TRUST = TrustSettings()


class TrustRegion(Descent[E]):
    """Steps within a radius in which a model of second order can be trusted; ends where it cannot be anywhere."""

    def __init__(
        self,
        manifold: Product,
        evaluate: Evaluate[E],
        hessian: Hessian[E],
        start: E,
        refresh: Refresh[E] = keep,
        search: SearchSettings = SEARCH,
        trust: TrustSettings = TRUST,
    ) -> None:
        super().__init__(manifold, evaluate, start, refresh, search)
        self._hessian, self._trust = hessian, trust
        self._largest = np.sqrt(len(manifold.factors))
        self._radius = self._largest / 8
        self._first_norm = manifold.norm(start.point, start.gradient)
        self._rejections = 0

    def step(self) -> E | None:
        manifold, trust = self.manifold, self._trust
        while True:
            if self._rejections == trust.most_rejections:
                closer = look_closer(self.evaluate, self.at, self.search)
                if closer is None:
                    return None
                self.at, self._radius, self._rejections = closer, self._largest / 8, 0
            at, radius = self.at, self._radius
            step, predicted, at_boundary = _solve_model(manifold, self._hessian, at, radius, self._first_norm, trust)
            if not predicted > 0:
                return None
            trial = self.evaluate(manifold.retract(at.point, step), at, trust.accuracy * predicted)
            decrease = at.value - trial.value
            # Values are too low by their errors; a step must not be distrusted for the error of where it began.
            ratio = (decrease + at.value_error + trial.value_error) / predicted
            if ratio < 0.25:
                self._radius /= 4
            elif ratio > 0.75 and at_boundary:
                self._radius = min(2 * radius, self._largest)
            if ratio > trust.accept:
                self.at, self._rejections = self.refresh(trial, decrease), 0
                return self.at
            self._rejections += 1


def _solve_model(
    manifold: Product, hessian: Hessian[E], at: E, radius: float, first_norm: float, trust: TrustSettings
) -> tuple[Tangent, float, bool]:
    """Minimise <g, s> + ½<s, H s> within ‖s‖ ≤ radius: (step, predicted decrease, whether it ends at the boundary)."""
    point, gradient = at.point, at.gradient
    step = scale(0.0, gradient)
    H_step = scale(0.0, gradient)
    residual = gradient
    direction = scale(-1.0, gradient)
    rr = start_rr = manifold.inner(point, residual, residual)
    goal = np.sqrt(start_rr) * min(trust.linear, np.sqrt(start_rr) / first_norm)

    def predicted(s: Tangent, Hs: Tangent) -> float:
        return -manifold.inner(point, gradient, s) - 0.5 * manifold.inner(point, s, Hs)

    for _ in range(trust.most_inner):
        H_direction = hessian(at, direction)
        curvature = manifold.inner(point, direction, H_direction)
        alpha = rr / curvature if curvature > 0 else np.inf
        longer = add(step, scale(alpha, direction)) if curvature > 0 else None
        if longer is None or manifold.norm(point, longer) >= radius:
            tau = _to_boundary(manifold, at, step, direction, radius)
            step, H_step = add(step, scale(tau, direction)), add(H_step, scale(tau, H_direction))
            return step, predicted(step, H_step), True
        step, H_step = longer, add(H_step, scale(alpha, H_direction))
        residual = add(residual, scale(alpha, H_direction))
        rr, previous = manifold.inner(point, residual, residual), rr
        if np.sqrt(rr) <= goal:
            break
        direction = add(scale(-1.0, residual), scale(rr / previous, direction))
    return step, predicted(step, H_step), False


def _to_boundary(manifold: Product, at: E, step: Tangent, direction: Tangent, radius: float) -> float:
    """τ ≥ 0 with ‖step + τ direction‖ = radius."""
    a = manifold.inner(at.point, direction, direction)
    b = manifold.inner(at.point, step, direction)
    c = manifold.inner(at.point, step, step) - radius**2
    return float((-b + np.sqrt(max(b * b - a * c, 0.0))) / a)
