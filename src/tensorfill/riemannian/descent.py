"""Riemannian descent for functions whose values carry a known error: a line search, conjugate gradients, quasi-Newton.

One trial point is one evaluation. Where no step helps, a point is evaluated more finely before a search ends.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from .spectrahedron import Point, Product, Tangent, add, scale


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

Refresh = Callable[[E, float], E]
"""refresh(at, decrease) looks at an accepted point again, for functions that are made more exact on the way."""


@dataclass(frozen=True)
class SearchSettings:
    """What steers a line search, the look at a point where no step helps, and the memory of quasi-Newton."""

    enough: float = 1e-4  # share of the linear decrease that a step must bring (Armijo)
    steep: float = 0.5  # a step whose end still descends this steeply, relative to its start, is lengthened
    accuracy: float = 0.2  # error allowed in a value, as a share of the decrease it is compared for
    most_trials: int = 10
    too_fine: float = 0.1  # share of a value's error below which comparing with it shows nothing
    closer: float = 0.01  # what a value's error is multiplied by where no step helps,
    finer: float = 0.5  # what has to come of it for the search to go on,
    exact: float = 1e-14  # and the share of a value that is not looked into any more
    wrong: float = 2.0  # how many times its error a value must be off to be called wrong, and
    rounding: float = 1e-9  # how much of itself at least
    memory: int = 30  # pairs of steps and gradient changes that quasi-Newton keeps; they are as small as U
    least_curvature: float = 1e-6  # a pair is kept only if the angle between its members has at least this cosine


SEARCH = SearchSettings()


@dataclass(frozen=True)
class Step(Generic[E]):
    """An accepted step: its end, its length, and the minimiser that the slopes at both ends predict."""

    end: E
    length: float
    predicted: float


def line_search(
    manifold: Product,
    evaluate: Evaluate[E],
    at: E,
    direction: Tangent,
    slope: float,
    first: float,
    settings: SearchSettings = SEARCH,
) -> Step[E] | None:
    """Find t with f(t) ≤ f(0) + 1e-4·t·slope + errors and a slope that is not steep any more; None if there is none.

    `slope` is f'(0) < 0 and `first` the first trial. A failed trial is followed by the minimiser of the parabola
    through f(0), f'(0), f(t), kept within [t/10, t/2]; a trial that still descends steeply by one further out. Steps so
    short that they should pass by the error of f(0) alone, and do not, end the search: see `look_closer`.
    """
    t, best = first, None
    for _ in range(settings.most_trials):
        tolerance = settings.accuracy * t * -slope
        if t < first and tolerance < settings.too_fine * at.value_error:
            break
        trial = evaluate(manifold.retract(at.point, scale(t, direction)), at if best is None else best.end, tolerance)
        carried = manifold.transport(at.point, trial.point, direction)
        end_slope = manifold.inner(trial.point, trial.gradient, carried)
        errors = at.value_error + trial.value_error
        if trial.value > at.value + settings.enough * t * slope + errors:
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
        if end_slope > settings.steep * slope:
            return best
        t = min(max(predicted, 2 * t), 10 * t)
    return best


def look_closer(evaluate: Evaluate[E], at: E, settings: SearchSettings = SEARCH) -> E | None:
    """A point where no step helps, evaluated more finely; None if there is nothing more to be seen.

    A step's decrease may be hidden by the error of a value, and a direction spoiled by that of the gradient, which goes
    with its root. And an error that was estimated too small makes the value too low for any step to improve on it.
    """
    closer = evaluate(at.point, at, settings.closer * at.value_error)
    was_coarse = (
        at.value_error > settings.exact * abs(at.value) and closer.value_error < settings.finer * at.value_error
    )
    was_wrong = closer.value - at.value > max(settings.wrong * at.value_error, settings.rounding * abs(at.value))
    return closer if was_coarse or was_wrong else None


def hestenes_stiefel(manifold: Product, new: E, gradient: Tangent, old_gradient: Tangent, direction: Tangent) -> float:
    """β = max(0, <g₊, g₊ − g> / <d, g₊ − g>), all at the new point."""
    change = add(gradient, scale(-1.0, old_gradient))
    bend = manifold.inner(new.point, direction, change)
    return max(0.0, manifold.inner(new.point, gradient, change) / bend) if bend > 0 else 0.0


def keep(at: E, decrease: float) -> E:
    """A refresh that changes nothing."""
    return at


class Descent(ABC, Generic[E]):
    """A search from better to better points. All it knows is in its attributes, so that it can be copied and go on."""

    def __init__(
        self,
        manifold: Product,
        evaluate: Evaluate[E],
        start: E,
        refresh: Refresh[E] = keep,
        search: SearchSettings = SEARCH,
    ) -> None:
        self.manifold, self.evaluate, self.refresh, self.search = manifold, evaluate, refresh, search
        self.at = start

    @abstractmethod
    def step(self) -> E | None:
        """The next point, which is better; None if the search finds none that can be told from the last one."""


class ConjugateGradient(Descent[E]):
    """Riemannian conjugate gradients.

    Ends when not even the negative gradient gives a decrease that the accuracy of the values can show.
    """

    def __init__(
        self,
        manifold: Product,
        evaluate: Evaluate[E],
        start: E,
        refresh: Refresh[E] = keep,
        search: SearchSettings = SEARCH,
    ) -> None:
        super().__init__(manifold, evaluate, start, refresh, search)
        self._point_downhill()
        self._guess = 0.1 * start.value / -self._slope if self._slope < 0 else 0.0

    def step(self) -> E | None:
        while self._slope < 0:
            at = self.at
            step = line_search(self.manifold, self.evaluate, at, self._direction, self._slope, self._guess, self.search)
            if step is not None:
                return self._take(step)
            closer = look_closer(self.evaluate, at, self.search)
            if closer is None and self._steepest:
                return None
            if closer is None:
                self._point_downhill()
            else:  # the same direction, of a gradient that is more exact
                self.at = closer
                self._point(add(self._direction, add(at.gradient, scale(-1.0, closer.gradient))), self._steepest)
        return None

    def _take(self, step: Step[E]) -> E:
        at, new = self.at, step.end
        carried = self.manifold.transport(at.point, new.point, self._direction)
        old_gradient = self.manifold.transport(at.point, new.point, at.gradient)
        beta = hestenes_stiefel(self.manifold, new, new.gradient, old_gradient, carried)
        old_size = self._minimiser()
        self.at = self.refresh(new, at.value - new.value)
        self._point(add(scale(-1.0, self.at.gradient), scale(beta, carried)), beta == 0.0)
        # The curvature along the last step, taken for the curvature along the next one.
        self._guess = step.predicted * self._minimiser() / old_size
        return self.at

    def _point(self, direction: Tangent, steepest: bool) -> None:
        """Take a direction; the negative gradient instead, if it does not lead down."""
        self._direction, self._steepest = direction, steepest
        self._slope = self.manifold.inner(self.at.point, self.at.gradient, direction)
        if self._slope >= 0 and not steepest:
            self._point_downhill()

    def _point_downhill(self) -> None:
        self._point(scale(-1.0, self.at.gradient), True)

    def _minimiser(self) -> float:
        """Where along the direction a function of curvature 1 is smallest."""
        return -self._slope / self.manifold.inner(self.at.point, self._direction, self._direction)


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


class QuasiNewton(Descent[E]):
    """Quasi-Newton steps of limited memory (L-BFGS) on top of a model of the Hessian.

    Ends when not even the step of the bare model gives a decrease that the accuracy of the values can show.
    W. Huang, K. A. Gallivan, P.-A. Absil, "A Broyden class of quasi-Newton methods for Riemannian optimization", SIAM
    J. Optim. 25, 2015; J. Nocedal & S. J. Wright, "Numerical Optimization", algorithm 7.4.
    """

    def __init__(
        self,
        manifold: Product,
        evaluate: Evaluate[E],
        model: Callable[[E], HessianModel],
        start: E,
        refresh: Refresh[E] = keep,
        search: SearchSettings = SEARCH,
    ) -> None:
        super().__init__(manifold, evaluate, start, refresh, search)
        self._model, self._pairs = model, list[_Pair]()

    def step(self) -> E | None:
        manifold, search = self.manifold, self.search
        while True:
            at = self.at
            direction = _newton_direction(manifold, at, self._model(at), self._pairs)
            slope = manifold.inner(at.point, at.gradient, direction)
            step = line_search(manifold, self.evaluate, at, direction, slope, 1.0, search) if slope < 0 else None
            if step is not None:
                self._pairs = _carry_pairs(manifold, self._pairs, at, scale(step.length, direction), step.end, search)
                self.at = self.refresh(step.end, at.value - step.end.value)
                return self.at
            closer = look_closer(self.evaluate, at, search)
            if closer is not None:
                self.at = closer
            elif self._pairs:
                self._pairs = []
            else:
                return None


def _carry_pairs(
    manifold: Product, pairs: list[_Pair], old: E, step: Tangent, new: E, settings: SearchSettings
) -> list[_Pair]:
    """The latest pairs and that of the last step, as tangent vectors at its end."""
    pairs = pairs[1 - settings.memory :]

    def carry(tangents: list[Tangent]) -> list[Tangent]:
        stacks = tuple(np.stack(members) for members in zip(*tangents, strict=True))
        carried = manifold.transport(old.point, new.point, stacks)
        return list(zip(*carried, strict=True))

    steps = carry([*(pair.step for pair in pairs), step])
    changes = carry([*(pair.change for pair in pairs), scale(-1.0, old.gradient)])
    changes[-1] = add(new.gradient, changes[-1])
    usable = []
    for one, change in zip(steps, changes, strict=True):
        product = manifold.inner(new.point, one, change)
        if product > settings.least_curvature * manifold.norm(new.point, one) * manifold.norm(new.point, change):
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
        rest = add(rest, scale(-weights[-1], pair.change))
    result = manifold.project(at.point, model.solve(rest))
    if pairs:
        latest = pairs[-1]
        result = scale(latest.product / inner(latest.change, model.solve(latest.change)), result)
    for pair, weight in zip(pairs, reversed(weights), strict=True):
        correction = weight - inner(pair.change, result) / pair.product
        result = add(result, scale(correction, pair.step))
    return scale(-1.0, result)
