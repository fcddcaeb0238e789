"""Riemannian conjugate gradients: every point it accepts, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .line_search import E, Evaluate, line_search, looked_closer
from .product import Product, Tangent, plus, scaled


def hestenes_stiefel(manifold: Product, new: E, gradient: Tangent, old_gradient: Tangent, direction: Tangent) -> float:
    """β = max(0, <g₊, g₊ − g> / <d, g₊ − g>), all at the new point."""
    change = plus(gradient, scaled(-1.0, old_gradient))
    bend = manifold.inner(new.point, direction, change)
    return max(0.0, manifold.inner(new.point, gradient, change) / bend) if bend > 0 else 0.0


def conjugate_gradient(
    manifold: Product,
    evaluate: Evaluate[E],
    start: E,
    refresh: Callable[[E, float], E] = lambda at, decrease: at,
) -> Iterator[E]:
    """Yield better and better points, for as long as the caller asks and the line search finds one.

    `refresh(at, decrease)` may look at an accepted point again, for functions that are made more exact as the
    search goes on.
    Ends when not even the negative gradient gives a decrease that the accuracy of the values can show.
    """
    at = start
    direction = scaled(-1.0, at.gradient)
    steepest = True
    slope = manifold.inner(at.point, at.gradient, direction)
    guess = 0.1 * at.value / -slope if slope < 0 else 0.0
    while slope < 0:
        step = line_search(manifold, evaluate, at, direction, slope, guess)
        if step is None:
            closer = looked_closer(evaluate, at)
            if closer is None and steepest:
                return
            if closer is None:
                direction, steepest = scaled(-1.0, at.gradient), True
            else:  # the same direction, of a gradient that is more exact
                direction = plus(direction, plus(at.gradient, scaled(-1.0, closer.gradient)))
                at = closer
            slope = manifold.inner(at.point, at.gradient, direction)
            if slope >= 0 and not steepest:
                direction, steepest = scaled(-1.0, at.gradient), True
                slope = manifold.inner(at.point, at.gradient, direction)
            continue
        new = step.end
        carried = manifold.transport(at.point, new.point, direction)
        old_gradient = manifold.transport(at.point, new.point, at.gradient)
        beta = hestenes_stiefel(manifold, new, new.gradient, old_gradient, carried)
        new = refresh(new, at.value - new.value)
        yield new
        old_size = -slope / manifold.inner(at.point, direction, direction)
        at = new
        direction = plus(scaled(-1.0, at.gradient), scaled(beta, carried))
        slope, steepest = manifold.inner(at.point, at.gradient, direction), beta == 0.0
        if slope >= 0:
            direction, steepest = scaled(-1.0, at.gradient), True
            slope = manifold.inner(at.point, at.gradient, direction)
        # The curvature along the last step, taken for the curvature along the next one.
        new_size = -slope / manifold.inner(at.point, direction, direction)
        guess = step.predicted * new_size / old_size
