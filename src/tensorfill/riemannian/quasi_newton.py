"""Riemannian quasi-Newton steps of limited memory (L-BFGS) on top of a model of the Hessian.

W. Huang, K. A. Gallivan, P.-A. Absil, "A Broyden class of quasi-Newton methods for Riemannian optimization", SIAM J.
Optim. 25, 2015; J. Nocedal & S. J. Wright, "Numerical Optimization", algorithm 7.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .line_search import E, Evaluate, line_search, looked_closer
from .product import Product, Tangent, plus, scaled

_MEMORY = 30  # pairs of steps and gradient changes kept; they are as small as U
_LEAST_CURVATURE = 1e-6  # a pair is kept only if the angle between its members has at least this cosine


class HessianModel(Protocol):
    """A symmetric positive definite model of the Hessian at a point."""

    def solve(self, tangent: Tangent) -> Tangent:
        """The model's inverse applied to a tangent vector."""
        ...


@dataclass(frozen=True)
class _Pair:
    """A step, how the gradient changed along it, and the inner product of the two, which is positive."""

    step: Tangent
    change: Tangent
    product: float


def quasi_newton(
    manifold: Product,
    evaluate: Evaluate[E],
    model: Callable[[E], HessianModel],
    start: E,
    refresh: Callable[[E, float], E] = lambda at, decrease: at,
) -> Iterator[E]:
    """Yield better and better points, for as long as the caller asks and the line search finds one.

    `refresh(at, decrease)` may look at an accepted point again (see conjugate_gradient). Ends when not even the step of
    the bare model gives a decrease that the accuracy of the values can show.
    """
    at, pairs = start, list[_Pair]()
    while True:
        direction = _newton_direction(manifold, at, model(at), pairs)
        slope = manifold.inner(at.point, at.gradient, direction)
        step = line_search(manifold, evaluate, at, direction, slope, 1.0) if slope < 0 else None
        if step is None:
            closer = looked_closer(evaluate, at)
            if closer is None and not pairs:
                return
            at, pairs = (at, []) if closer is None else (closer, pairs)
            continue
        pairs = _carried(manifold, pairs, at, scaled(step.length, direction), step.end)
        at = refresh(step.end, at.value - step.end.value)
        yield at


def _carried(manifold: Product, pairs: list[_Pair], old: E, step: Tangent, new: E) -> list[_Pair]:
    """The latest pairs and that of the last step, as tangent vectors at its end."""
    pairs = pairs[1 - _MEMORY :]

    def carry(tangents: list[Tangent]) -> list[Tangent]:
        stacks = tuple(np.stack(members) for members in zip(*tangents, strict=True))
        carried = manifold.transport(old.point, new.point, stacks)
        return list(zip(*carried, strict=True))

    steps = carry([*(pair.step for pair in pairs), step])
    changes = carry([*(pair.change for pair in pairs), scaled(-1.0, old.gradient)])
    changes[-1] = plus(new.gradient, changes[-1])
    usable = []
    for one, change in zip(steps, changes, strict=True):
        product = manifold.inner(new.point, one, change)
        if product > _LEAST_CURVATURE * manifold.norm(new.point, one) * manifold.norm(new.point, change):
            usable.append(_Pair(one, change, product))
    return usable


def _newton_direction(manifold: Product, at: E, model: HessianModel, pairs: list[_Pair]) -> Tangent:
    """−H⁻¹∇f by the two-loop recursion, around the model scaled to the latest pair."""

    def inner(first: Tangent, second: Tangent) -> float:
        return manifold.inner(at.point, first, second)

    rest = at.gradient
    weights = []
    for pair in reversed(pairs):
        weights.append(inner(pair.step, rest) / pair.product)
        rest = plus(rest, scaled(-weights[-1], pair.change))
    result = manifold.project(at.point, model.solve(rest))
    if pairs:
        latest = pairs[-1]
        result = scaled(latest.product / inner(latest.change, model.solve(latest.change)), result)
    for pair, weight in zip(pairs, reversed(weights), strict=True):
        correction = weight - inner(pair.change, result) / pair.product
        result = plus(result, scaled(correction, pair.step))
    return scaled(-1.0, result)
