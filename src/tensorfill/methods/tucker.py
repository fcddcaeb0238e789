"""RPrecon and geomCG: a Tucker tensor of fixed rank, fitted to what is known by conjugate gradients.

minimise  f(X) = ½ ‖P_Ω(X) − Y‖²      over X = G ×_1 U_1 … ×_K U_K of multilinear rank (r_1, …, r_K)

RPrecon goes along a quotient manifold with a metric that preconditions, geomCG along the manifold as it lies in space.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from ..completion import StopReason
from ..estimates.factored import TuckerTensor
from ..iterating import Solver
from ..method import Stroke
from ..numerics.linear_operator import LinearOperator
from ..numerics.sampled_tucker import SampledTucker
from ..numerics.vectors import dot
from ..observed import ObservedTensor
from ..riemannian.tucker import TuckerEmbedded, TuckerQuotient, add, random_nonnegative, scale
from ..tensor import Array
from .baseline import Baseline
from .setting_checks import Count, Flag, Rank, Tolerance, resolve_tucker_rank

_STALLED = StopReason("stalled", "Stopped because no step along the search direction brought a decrease.")


@dataclass(frozen=True)
class Internals:
    """What steers both methods besides their settings."""

    enough: float = 1e-4  # share of the linear decrease that a step must bring (Armijo)
    halvings: int = 25  # of a step, at most
    shortest: float = 1e-10  # length of a step below which the iteration is at its end
    earliest_stop: int = 3  # iterations before the fit may end it
    not_orthogonal: float = 0.1  # share of the new gradient that the old one may have in common with it
    no_gradient: float = 10 * np.finfo(float).eps
    no_change: float = 2 * np.finfo(float).eps


@dataclass(frozen=True, kw_only=True)
class TuckerMethod(Baseline):
    """A method that fits a Tucker tensor, from a random nonnegative start.

    Parameters
    ----------
    rank
        Multilinear rank, one per mode or one for all (default: 10, or what is smaller: the mode's size, and the rank
        at which there are two known entries for every number of the model).
    max_iter
        Most iterations.
    start
        How large the random start is: "data", as large as the data, or "authors", as in their program, far larger,
        from where single unknown entries may never come back (default: "data" if the rank is left open too).
    """

    needs_known_only: ClassVar[bool] = True
    internals: ClassVar[Internals] = Internals()
    solver_type: ClassVar[type[TuckerSolver]]

    rank: Rank = None
    max_iter: Count
    start: Literal["data", "authors"] | None = None

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        return {
            "rank": resolve_tucker_rank(self.name, self.rank, observed.shape, observed.count),
            "start": self.start or ("data" if self.rank is None else "authors"),
        }

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> TuckerSolver:
        start, fit = random_nonnegative(data.shape, settings["rank"], rng), TuckerFit(data)
        return self.solver_type(
            fit, fit.resize(start) if settings["start"] == "data" else start, settings, self.internals
        )


@dataclass(frozen=True, eq=False)
class Fitted:
    """A point with its residual on Ω, X − Y, and its cost."""

    point: TuckerTensor
    residual: Array
    cost: float


class TuckerFit:
    """The least-squares problem of one data set."""

    def __init__(self, data: ObservedTensor) -> None:
        self.values = data.values
        self._sampled = SampledTucker(data.shape, data.positions)

    def look(self, point: TuckerTensor) -> Fitted:
        """The residual and the cost at a point."""
        residual = self._sampled.values(point.core, point.factors)
        residual -= self.values
        return Fitted(point, residual, 0.5 * dot(residual, residual))

    def resize(self, point: TuckerTensor) -> TuckerTensor:
        """The multiple of a point that is closest to the data."""
        values = self._sampled.values(point.core, point.factors)
        return replace(point, core=dot(values, self.values) / dot(values, values) * point.core)

    def derivatives(self, at: Fitted) -> TuckerTensor:
        """∂f/∂G and ∂f/∂U_k."""
        return TuckerTensor(*self._tangent(at).adjoint(at.residual))

    def best_step(self, at: Fitted, direction: TuckerTensor) -> float:
        """The t that minimises f along the straight line X + t·direction; 0 if f does not change along it."""
        change = self._tangent(at).forward((direction.core, direction.factors))
        squared = dot(change, change)
        step = -dot(change, at.residual) / squared if squared > 0 else 0.0
        return step if np.isfinite(step) else 0.0

    def _tangent(self, at: Fitted) -> LinearOperator[tuple[Array, tuple[Array, ...]], Array]:
        return self._sampled.tangent(at.point.core, at.point.factors)


class TuckerSolver(Solver):
    """Conjugate gradients on a manifold of Tucker tensors: a point, the gradient there, and a search direction."""

    geometry: ClassVar[Any]

    def __init__(self, fit: TuckerFit, start: TuckerTensor, settings: Mapping[str, Any], internals: Internals) -> None:
        self.fit, self.settings, self.internals = fit, settings, internals
        self.iteration, self.stalled = 0, False
        self.go_to(fit.look(start))
        self.direction = scale(self.gradient, -1.0)

    def go_to(self, at: Fitted) -> None:
        """Take a point, and the gradient there."""
        self.at, self.cost = at, at.cost
        self.around = self.geometry(at.point)
        self.gradient = self.around.gradient(self.fit.derivatives(at))
        self.squared = self.around.inner(self.gradient, self.gradient)
        self.gradient_norm = float(np.sqrt(max(self.squared, 0.0)))

    @property
    def measures(self) -> dict[str, float]:
        """The norm of the Riemannian gradient."""
        return {"gradient_norm": self.gradient_norm}

    def step(self) -> None:
        """Go along the direction, and turn it; or stay, if no step along it helps."""
        slope = self.around.inner(self.gradient, self.direction)
        if slope >= 0:  # by rounding only
            self.direction, slope = scale(self.gradient, -1.0), -self.squared
        new = self.search(slope)
        self.stalled = new is None
        if new is not None:
            before, gradient, squared = self.around, self.gradient, self.squared
            self.go_to(new)
            self.turn(before, gradient, squared)
            self.iteration += 1

    @abstractmethod
    def search(self, slope: float) -> Fitted | None:
        """The end of a step along the direction that decreases the cost; None if there is none."""

    @abstractmethod
    def turn(self, before: Any, gradient: TuckerTensor, squared: float) -> None:
        """The next direction, from the last gradient and direction at the point before."""

    def backtrack(self, slope: float) -> tuple[Fitted | None, float]:
        """The first step that decreases enough, halving from the best one along the straight line; and its length."""
        step = self.fit.best_step(self.at, self.direction)
        for _ in range(self.internals.halvings):
            new = self.look_along(step)
            if new.cost <= self.at.cost + self.internals.enough * step * slope:
                return new, step
            step /= 2
        return None, step

    def look_along(self, step: float) -> Fitted:
        """The point that this step along the direction leads to."""
        return self.fit.look(self.around.retract(self.direction, step))

    def estimate(self) -> TuckerTensor:
        return self.at.point

    def finished(self) -> StopReason | None:
        return _STALLED if self.stalled else None


class RPreconSolver(TuckerSolver):
    """The iteration of Kasai and Mishra, with the directions of Hestenes and Stiefel."""

    geometry = TuckerQuotient

    def search(self, slope: float) -> Fitted | None:
        """The first step that decreases enough, unless it is too short to matter."""
        new, step = self.backtrack(slope)
        length = step * np.sqrt(self.around.inner(self.direction, self.direction))
        return None if new is None or length < self.internals.shortest else new

    def turn(self, before: TuckerQuotient, gradient: TuckerTensor, squared: float) -> None:
        """−gradient + β · direction, β from the change of the gradient."""
        carried = self.around.project(self.direction)
        change = add(self.gradient, self.around.project(gradient), -1.0)
        bend = self.around.inner(carried, change)
        beta = max(0.0, self.around.inner(self.gradient, change) / bend) if bend != 0 else 0.0
        self.direction = add(scale(self.gradient, -1.0), carried, beta)

    def finished(self) -> StopReason | None:
        if self.stalled:
            return _STALLED
        within, norm = self.settings["fit_tolerance"], self.gradient_norm
        mean_square = 2 * self.cost / len(self.at.residual)
        if self.iteration >= self.internals.earliest_stop and mean_square <= within:
            return StopReason(
                "fit",
                f"Converged: the mean squared error on the known entries is {mean_square:.1e}, within fit_tolerance="
                f"{within:g}.",
            )
        if norm <= self.settings["gradient_tolerance"]:
            tolerance = f"gradient_tolerance={self.settings['gradient_tolerance']:g}"
            return StopReason("gradient", f"Converged: the gradient norm is {norm:.1e}, within {tolerance}.")
        return None


class GeomCGSolver(TuckerSolver):
    """The iteration of Kressner, Steinlechner and Vandereycken, with the directions of Polak and Ribière."""

    geometry = TuckerEmbedded

    def __init__(self, fit: TuckerFit, start: TuckerTensor, settings: Mapping[str, Any], internals: Internals) -> None:
        self._size = float(np.sqrt(dot(fit.values, fit.values)))
        self._error = np.inf
        super().__init__(fit, start, settings, internals)

    def go_to(self, at: Fitted) -> None:
        """Take a point, and note how far the error moved."""
        super().go_to(at)
        self._before, self._error = self._error, float(np.sqrt(at.cost)) / self._size

    def search(self, slope: float) -> Fitted | None:
        """The end of the best step along the straight line, or of one that is short enough to decrease the cost."""
        if not self.settings["backtracking"]:
            return self.look_along(self.fit.best_step(self.at, self.direction))
        new, step = self.backtrack(slope)
        if new is None:
            new = self.look_along(step)
            return new if new.cost < self.at.cost else None
        return new

    def turn(self, before: TuckerEmbedded, gradient: TuckerTensor, squared: float) -> None:
        """−gradient + β · direction, or −gradient if it has much in common with the last one."""
        around, new_squared = self.around, self.squared
        overlap = around.inner(around.project(before.as_tensor(gradient)), self.gradient)
        downhill = scale(self.gradient, -1.0)
        if overlap >= self.internals.not_orthogonal * new_squared or squared == 0:
            self.direction = downhill
        else:
            beta = max(0.0, (new_squared - overlap) / squared)
            self.direction = add(downhill, around.project(before.as_tensor(self.direction)), beta)

    def finished(self) -> StopReason | None:
        if self.stalled:
            return _STALLED
        error, change, norm = self._error, abs(self._before - self._error), self.gradient_norm
        fit, share = self.settings["fit_tolerance"], self.settings["change_tolerance"]
        if error <= fit:
            return StopReason(
                "fit",
                f"Converged: the relative residual on the known entries is {error:.1e}, within fit_tolerance={fit:g}.",
            )
        if norm <= self.internals.no_gradient:
            return StopReason("gradient", f"Converged: the gradient norm is {norm:.1e}.")
        if change <= max(self.internals.no_change, share * error):
            return StopReason(
                "change",
                f"Converged: the residual changed by {change / error:.1e} of itself, within change_tolerance="
                f"{share:g}.",
            )
        return None


@dataclass(frozen=True, kw_only=True)
class RPrecon(TuckerMethod):
    """The method of Kasai and Mishra; `rank` and `start` as in `TuckerMethod`.

    Parameters
    ----------
    max_iter
        Most iterations. The authors' demo has 200, their function 250.
    gradient_tolerance
        Stop when the norm of the Riemannian gradient is at most this, for data scaled to a largest value of 1.
    fit_tolerance
        Stop when the mean squared error on the known entries is at most this, for the same data.
    """

    name: ClassVar[str] = "rprecon"
    summary: ClassVar[str] = "A Tucker tensor of fixed rank, by preconditioned conjugate gradients; may go negative"
    stroke: ClassVar[Stroke] = Stroke("#009e73", "^")
    reference: ClassVar[str] = "Kasai & Mishra, ICML 2016"
    solver_type: ClassVar[type[TuckerSolver]] = RPreconSolver

    max_iter: Count = 200
    gradient_tolerance: Tolerance = 1e-8
    fit_tolerance: Tolerance = 1e-8


@dataclass(frozen=True, kw_only=True)
class GeomCG(TuckerMethod):
    """The method of Kressner, Steinlechner and Vandereycken; `rank` and `start` as in `TuckerMethod`.

    Parameters
    ----------
    max_iter
        Most iterations (400, as the authors').
    fit_tolerance
        Stop when √f/‖Y‖ is at most this.
    change_tolerance
        Stop when √f/‖Y‖ changes by less than this share of itself in an iteration.
    backtracking
        Shorten steps that do not decrease the cost enough. Off is the authors' default, with which the cost may rise.
    """

    name: ClassVar[str] = "geomcg"
    summary: ClassVar[str] = "A Tucker tensor of fixed rank, by conjugate gradients; may go negative"
    stroke: ClassVar[Stroke] = Stroke("#cc79a7", "v")
    reference: ClassVar[str] = "Kressner, Steinlechner & Vandereycken, BIT 2014"
    internals: ClassVar[Internals] = Internals(halvings=5)
    solver_type: ClassVar[type[TuckerSolver]] = GeomCGSolver

    max_iter: Count = 400
    fit_tolerance: Tolerance = 1e-6
    change_tolerance: Tolerance = 1e-5
    backtracking: Flag = True
