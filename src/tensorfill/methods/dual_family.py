"""What `dual` and `nonneg-dual` share: settings, and the way from a tensor to a Completion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..completion import Certificate, Completion, StopReason, Watch
from ..dual.problem import DualProblem
from ..dual.recover import find_negatives
from ..dual.solve import OUTER, Inner, Optimizer, OuterSettings, Solution, Solver, Start, solve
from ..estimates.constant import ConstantEstimate
from ..observed import ObservedTensor
from .setting_checks import (
    Rank,
    Weights,
    check_choice,
    check_count,
    check_positive,
    check_tolerance,
    resolved_rank,
    resolved_weights,
)

LARGEST_SCAN = 10**9
"""Tensors with more entries than this are not gone through entry by entry."""


@dataclass(frozen=True, kw_only=True)
class DualSettings:
    """Settings of the paper's Algorithm 1, with or without nonnegativity.

    Parameters
    ----------
    rank
        Rank of each mode's component, one per mode or one for all (default: 10, or the mode's size if smaller).
    C
        Weight of the data: the larger, the closer W follows the observed values.
    lam
        λ_k, the freedom of each component (default: λ_k = n_k). Only the products C·λ_k matter for W.
    max_iter
        Most outer iterations.
    gradient_tolerance
        τ of Algorithm 1: stop when ‖grad g(U)‖ ≤ τ·g(U).
    gap_tolerance
        Stop when provably within this share of the global optimum, (g − D)/g ≤ gap_tolerance; looked at every
        10 iterations. With small ranks the gap stays open.
    start
        "spectral" (from the data) or "random".
    optimizer
        "quasi-newton", "conjugate-gradient" (the paper's) or "trust-region".
    """

    name: ClassVar[str]
    needs_known_only: ClassVar[bool] = True
    has_components: ClassVar[bool] = True
    outer: ClassVar[OuterSettings] = OUTER

    rank: Rank = None
    C: float = 10.0
    lam: Weights = None
    max_iter: int = 200
    gradient_tolerance: float = 5e-3
    gap_tolerance: float = 1e-6
    start: Start = "spectral"
    optimizer: Optimizer = "quasi-newton"

    def __post_init__(self) -> None:
        check_positive(self.name, "C", self.C)
        check_count(self.name, "max_iter", self.max_iter)
        check_tolerance(self.name, "gradient_tolerance", self.gradient_tolerance)
        check_tolerance(self.name, "gap_tolerance", self.gap_tolerance)
        check_choice(self.name, "start", self.start, ("spectral", "random"))
        check_choice(self.name, "optimizer", self.optimizer, ("quasi-newton", "conjugate-gradient", "trust-region"))

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Raises for a rank or λ that does not fit the tensor; refuses nothing else."""
        resolved_rank(self.name, self.rank, observed.shape)
        resolved_weights(self.name, self.lam, observed.shape)
        return None

    def used_on(self, observed: ObservedTensor) -> dict[str, Any]:
        """The settings as they are used on a tensor, nothing left open."""
        return {
            "rank": resolved_rank(self.name, self.rank, observed.shape),
            "C": float(self.C),
            "lam": resolved_weights(self.name, self.lam, observed.shape),
            "max_iter": self.max_iter,
            "gradient_tolerance": self.gradient_tolerance,
            "gap_tolerance": self.gap_tolerance,
            "start": self.start,
            "optimizer": self.optimizer,
        }


def complete_by_dual(
    observed: ObservedTensor,
    method: str,
    problem: DualProblem,
    settings: Mapping[str, Any],
    *,
    inner: Inner,
    negativity_tolerance: float,
    rng: np.random.Generator,
    watch: Watch | None,
    notes: tuple[str, ...] = (),
    two_stages: bool = True,
    outer: OuterSettings = OUTER,
) -> Completion:
    """Solve the problem with settings from `used_on` and tell the story as a Completion."""
    if not observed.values.any():
        return _all_zero(observed, method, settings)
    solver = Solver(
        ranks=settings["rank"],
        max_iter=settings["max_iter"],
        gradient_tolerance=settings["gradient_tolerance"],
        gap_tolerance=settings["gap_tolerance"],
        negativity_tolerance=negativity_tolerance,
        inner=inner,
        start=settings["start"],
        optimizer=settings["optimizer"],
        two_stages=two_stages,
        outer=outer,
    )
    found = solve(problem, solver, rng, watch)
    smallest, negative_share = _lowest(problem, found, observed.size)
    return Completion(
        observed=observed,
        method=method,
        estimate=found.dual.recover(),
        nonnegative=problem.enforced != "nowhere",
        stop=found.stop,
        seconds=found.seconds,
        certificate=found.certificate,
        history=found.history,
        settings=settings,
        smallest=smallest,
        negative_share=negative_share,
        notes=(*notes, *_left_negative(found, negativity_tolerance * problem.largest)),
    )


def _left_negative(found: Solution, allowed: float) -> tuple[str, ...]:
    """Tells it where W ≥ 0 was not reached as closely as asked; in a way that is true for any lower bound."""
    if found.dual.smallest >= -allowed:
        return ()
    return (
        "Keeping every entry at the lower bound or above was given up early: the smallest is "
        f"{-found.dual.smallest:.2g} below it. What is below is set to it, and the certificate counts it.",
    )


def _lowest(problem: DualProblem, found: Solution, size: int) -> tuple[float, float | None]:
    """The smallest entry, and the share of negative ones if nothing keeps them from being so and all were looked at."""
    if problem.enforced != "nowhere":
        return found.dual.smallest, None
    if size <= LARGEST_SCAN:
        negatives = find_negatives(found.dual.recover())
        return negatives.smallest, len(negatives.positions) / size
    return float(found.dual.W.min()), None


def _all_zero(observed: ObservedTensor, method: str, settings: Mapping[str, Any]) -> Completion:
    """The completion of data that is zero wherever it was observed: W = 0 is the global optimum, with cost 0."""
    return Completion(
        observed=observed,
        method=method,
        estimate=ConstantEstimate(observed.shape, 0.0),
        nonnegative=True,
        stop=StopReason("all zero", "Every observed value is zero, so the completion is zero everywhere."),
        seconds=0.0,
        certificate=Certificate(upper=0.0, lower=0.0, negativity=0.0, complementarity=0.0, stationarity=0.0),
        settings=dict(settings),
        smallest=0.0,
    )
