"""A line search for functions whose values carry a known error: one trial point, one evaluation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from .product import Point, Product, Tangent, scaled


class Evaluated(Protocol):
    """What a search needs to know at a point; value and gradient come from the same evaluation."""

    @property
    def point(self) -> Point: ...
    @property
    def value(self) -> float: ...
    @property
    def value_error(self) -> float: ...
    @property
    def gradient(self) -> Tangent: ...


E = TypeVar("E", bound=Evaluated)
Evaluate = Callable[[Point, E, float], E]
"""evaluate(point, near, value_tolerance): `near` is an evaluation to start from."""

_ENOUGH = 1e-4  # share of the linear decrease a step must bring (Armijo)
_STEEP = 0.5  # a step whose end still descends this steeply, relative to its start, is lengthened
_ACCURACY = 0.2  # error allowed in a value, as a share of the decrease it is compared for
_MOST_TRIALS = 10
_TOO_FINE = 0.1  # share of a value's error below which comparing with it shows nothing
_WRONG = 2.0  # how many times its error a value must be off to be called wrong, and
_ROUNDING = 1e-9  # how much of itself at least
_CLOSER = 0.01  # what a value's error is multiplied by where no step helps,
_FINER = 0.5  # what has to come of it for the search to go on,
_EXACT = 1e-14  # and the share of a value that is not looked into any more


@dataclass(frozen=True)
class Step(Generic[E]):
    """An accepted step: its end, its length, and the minimiser that the slopes at both ends predict."""

    end: E
    length: float
    predicted: float


def line_search(
    manifold: Product, evaluate: Evaluate[E], at: E, direction: Tangent, slope: float, first: float
) -> Step[E] | None:
    """Find t with f(t) ≤ f(0) + 1e-4·t·slope + errors and a slope that is not steep any more; None if there is none.

    `slope` is f'(0) < 0 and `first` the first trial. A failed trial is followed by the minimiser of the parabola
    through f(0), f'(0), f(t), kept within [t/10, t/2]; a trial that still descends steeply by one further out. Steps so
    short that they should pass by the error of f(0) alone, and do not, end the search: see `looked_closer`.
    """
    t, best = first, None
    for _ in range(_MOST_TRIALS):
        tolerance = _ACCURACY * t * -slope
        if t < first and tolerance < _TOO_FINE * at.value_error:
            break
        trial = evaluate(manifold.retract(at.point, scaled(t, direction)), at if best is None else best.end, tolerance)
        carried = manifold.transport(at.point, trial.point, direction)
        end_slope = manifold.inner(trial.point, trial.gradient, carried)
        errors = at.value_error + trial.value_error
        if trial.value > at.value + _ENOUGH * t * slope + errors:
            if best is not None:
                return best
            excess = trial.value - at.value - t * slope
            t *= min(max(-slope * t / (2 * excess), 0.1), 0.5)
            continue
        if best is not None and trial.value > best.end.value:
            return best
        bend = (end_slope - slope) / t
        predicted = -slope / bend if bend > 0 else 4 * t
        best = Step(trial, t, predicted)
        if end_slope > _STEEP * slope:
            return best
        t = min(max(predicted, 2 * t), 10 * t)
    return best


def looked_closer(evaluate: Evaluate[E], at: E) -> E | None:
    """A point where no step helps, evaluated more finely; None if there is nothing more to be seen.

    A step's decrease may be hidden by the error of a value, and a direction spoiled by that of the gradient, which goes
    with its root. And an error that was estimated too small makes the value too low for any step to improve on it.
    """
    closer = evaluate(at.point, at, _CLOSER * at.value_error)
    was_coarse = at.value_error > _EXACT * abs(at.value) and closer.value_error < _FINER * at.value_error
    was_wrong = closer.value - at.value > max(_WRONG * at.value_error, _ROUNDING * abs(at.value))
    return closer if was_coarse or was_wrong else None
