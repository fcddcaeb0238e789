"""GeomCG: a Tucker tensor of fixed rank, fitted by conjugate gradients on the manifold of such tensors.

minimise  ½ ‖P_Ω(X) − Y‖²      over X of multilinear rank (r_1, …, r_K)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..completion import StopReason
from ..estimates.tucker import TuckerTensor
from ..iterating import Progress
from ..method import Stroke
from ..numerics.vectors import dot
from ..riemannian.tucker import TuckerEmbedded, add, scale
from .setting_checks import check_flag, check_tolerance
from .tucker_fit import Fitted, TuckerFit, TuckerMethod

_ENOUGH = 1e-4  # share of the linear decrease that a step must bring (Armijo)
_MOST_HALVINGS = 5
_NOT_ORTHOGONAL = 0.1  # share of the new gradient that the old one may have in common with it
_NO_GRADIENT = 10 * np.finfo(float).eps
_NO_CHANGE = 2 * np.finfo(float).eps


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
    stroke: ClassVar[Stroke] = Stroke("#cc79a7", "v")
    summary: ClassVar[str] = "A Tucker tensor of fixed rank, by conjugate gradients; may go negative"
    reference: ClassVar[str] = "Kressner, Steinlechner & Vandereycken, BIT 2014"

    max_iter: int = 400
    fit_tolerance: float = 1e-6
    change_tolerance: float = 1e-5
    backtracking: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_tolerance(self.name, "fit_tolerance", self.fit_tolerance)
        check_tolerance(self.name, "change_tolerance", self.change_tolerance)
        check_flag(self.name, "backtracking", self.backtracking)

    def steps(self, fit: TuckerFit, start: TuckerTensor) -> Iterator[Progress]:
        """The iteration, from the start on."""
        at = fit.look(start)
        around = TuckerEmbedded(at.point)
        gradient = around.gradient(fit.derivatives(at))
        direction = scale(gradient, -1.0)
        size = float(np.sqrt(dot(fit.values, fit.values)))
        error, before = float(np.sqrt(at.cost)) / size, np.inf
        while True:
            squared = around.inner(gradient, gradient)
            norm = float(np.sqrt(max(squared, 0.0)))
            yield Progress(at.cost, at.point, norm, self._reason(error, before, norm))
            slope = around.inner(gradient, direction)
            if slope >= 0:  # by rounding only
                direction, slope = scale(gradient, -1.0), -squared
            new = self._moved(fit, around, at, direction, slope)
            if new is None:
                stop = StopReason("stalled", "Stopped because no step along the search direction brought a decrease.")
                yield Progress(at.cost, at.point, norm, stop)
                return
            there = TuckerEmbedded(new.point)
            new_gradient = there.gradient(fit.derivatives(new))
            old_gradient = there.project(around.as_tensor(gradient))
            overlap = there.inner(old_gradient, new_gradient)
            new_squared = there.inner(new_gradient, new_gradient)
            if overlap >= _NOT_ORTHOGONAL * new_squared or squared == 0:
                direction = scale(new_gradient, -1.0)
            else:
                beta = max(0.0, (new_squared - overlap) / squared)  # Polak & Ribière
                direction = add(scale(new_gradient, -1.0), there.project(around.as_tensor(direction)), beta)
            at, around, gradient = new, there, new_gradient
            error, before = float(np.sqrt(at.cost)) / size, error

    def _moved(
        self, fit: TuckerFit, around: TuckerEmbedded, at: Fitted, direction: TuckerTensor, slope: float
    ) -> Fitted | None:
        """The end of the best step along the straight line, or of one that is short enough to decrease the cost."""
        step = fit.best_step(at, direction)
        new = fit.look(around.retract(direction, step))
        if not self.backtracking:
            return new
        for _ in range(_MOST_HALVINGS):
            if new.cost <= at.cost + _ENOUGH * step * slope:
                return new
            step /= 2
            new = fit.look(around.retract(direction, step))
        return new if new.cost < at.cost else None

    def _reason(self, error: float, before: float, norm: float) -> StopReason | None:
        change = abs(before - error)
        if error <= self.fit_tolerance:
            return StopReason(
                "fit",
                f"Converged: the relative residual on the known entries is {error:.1e}, within fit_tolerance="
                f"{self.fit_tolerance:g}.",
            )
        if norm <= _NO_GRADIENT:
            return StopReason("gradient", f"Converged: the gradient norm is {norm:.1e}.")
        if change <= max(_NO_CHANGE, self.change_tolerance * error):
            return StopReason(
                "change",
                f"Converged: the residual changed by {change / error:.1e} of itself, within change_tolerance="
                f"{self.change_tolerance:g}.",
            )
        return None
