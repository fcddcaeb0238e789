"""RPrecon: a Tucker tensor of fixed rank, fitted by preconditioned Riemannian conjugate gradients.

minimise  ½ ‖P_Ω(X) − Y‖²      over X = G ×_1 U_1 … ×_K U_K, U_k with orthonormal columns
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
from ..riemannian.tucker import TuckerQuotient, add, scale
from .setting_checks import check_tolerance
from .tucker_fit import Fitted, TuckerFit, TuckerMethod

_ENOUGH = 1e-4  # share of the linear decrease that a step must bring (Armijo)
_MOST_HALVINGS = 25
_SHORTEST = 1e-10  # length of a step below which the iteration is at its end
_EARLIEST_STOP = 3  # iterations before the fit may end it


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
    stroke: ClassVar[Stroke] = Stroke("#009e73", "^")
    summary: ClassVar[str] = "A Tucker tensor of fixed rank, by preconditioned conjugate gradients; may go negative"
    reference: ClassVar[str] = "Kasai & Mishra, ICML 2016"

    max_iter: int = 200
    gradient_tolerance: float = 1e-8
    fit_tolerance: float = 1e-8

    def __post_init__(self) -> None:
        super().__post_init__()
        check_tolerance(self.name, "gradient_tolerance", self.gradient_tolerance)
        check_tolerance(self.name, "fit_tolerance", self.fit_tolerance)

    def steps(self, fit: TuckerFit, start: TuckerTensor) -> Iterator[Progress]:
        """The iteration, from the start on."""
        at = fit.look(start)
        around = TuckerQuotient(at.point)
        gradient = around.gradient(fit.derivatives(at))
        direction = scale(gradient, -1.0)
        iteration = 0
        while True:
            norm = np.sqrt(max(around.inner(gradient, gradient), 0.0))
            stop = self._reason(at, float(norm), iteration)
            yield Progress(at.cost, at.point, float(norm), stop)
            slope = around.inner(gradient, direction)
            if slope >= 0:
                direction, slope = scale(gradient, -1.0), -(norm**2)
            new, step = _backtracked(fit, around, at, direction, slope)
            if new is None or step * np.sqrt(around.inner(direction, direction)) < _SHORTEST:
                yield Progress(at.cost, at.point, float(norm), _stalled())
                return
            there = TuckerQuotient(new.point)
            new_gradient = there.gradient(fit.derivatives(new))
            carried = there.project(direction)
            change = add(new_gradient, there.project(gradient), -1.0)
            bend = there.inner(carried, change)
            beta = max(0.0, there.inner(new_gradient, change) / bend) if bend != 0 else 0.0  # Hestenes & Stiefel
            at, around, gradient = new, there, new_gradient
            direction = add(scale(gradient, -1.0), carried, beta)
            iteration += 1

    def _reason(self, at: Fitted, norm: float, iteration: int) -> StopReason | None:
        mean_square = 2 * at.cost / len(at.residual)
        if iteration >= _EARLIEST_STOP and mean_square <= self.fit_tolerance:
            return StopReason(
                "fit",
                f"Converged: the mean squared error on the known entries is {mean_square:.1e}, within fit_tolerance="
                f"{self.fit_tolerance:g}.",
            )
        if norm <= self.gradient_tolerance:
            return StopReason(
                "gradient",
                f"Converged: the gradient norm is {norm:.1e}, within gradient_tolerance={self.gradient_tolerance:g}.",
            )
        return None


def _backtracked(
    fit: TuckerFit, around: TuckerQuotient, at: Fitted, direction: TuckerTensor, slope: float
) -> tuple[Fitted | None, float]:
    """The end of the first step that decreases enough, halving from the best one along the straight line."""
    step = fit.best_step(at, direction)
    for _ in range(_MOST_HALVINGS):
        new = fit.look(around.retract(direction, step))
        if new.cost <= at.cost + _ENOUGH * step * slope:
            return new, step
        step /= 2
    return None, 0.0


def _stalled() -> StopReason:
    return StopReason("stalled", "Stopped because no step along the search direction brought a decrease.")
