"""Dual and nonneg-dual: trace-norm tensor completion by its fixed-rank dual, without and with nonnegativity.

minimise  C ‖W_Ω − Y_Ω‖² + Σ_k 1/(2λ_k) ‖W^(k)_k‖_*²      over W = B + Σ_k W^(k), for nonneg-dual over W ≥ 0

B is zero, or main effects that were fitted before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from ..completion import Certificate, Completion, StopReason, Watch
from ..dual.problem import DualProblem
from ..dual.recover import find_negatives
from ..dual.solve import OUTER, Inner, Optimizer, OuterSettings, Plan, Solution, Start, solve
from ..iterating import Clock
from ..method import UNMEASURED, Cost, Method, Stroke
from ..observed import ObservedTensor, check_coordinates, positions_of
from .baseline import CheckedMethod, complete_zeros
from .dual_choice import choose_settings
from .main_effects import fit_main_effects
from .setting_checks import (
    AUTO,
    Count,
    Flag,
    FlagOrAuto,
    Positive,
    PositiveOrAuto,
    Rank,
    Tolerance,
    Weights,
    check_choice,
    is_auto,
    resolve_rank,
    resolve_weights,
    wrong,
)

_LARGEST_SCAN = 10**9  # tensors with more entries than this are not gone through entry by entry
_WHERE = ("everywhere", "observed")


@dataclass(frozen=True, kw_only=True)
class DualMethod(CheckedMethod):
    """Settings of the paper's Algorithm 1, with or without nonnegativity.

    Parameters
    ----------
    rank
        Rank of each mode's component, one per mode or one for all (default: 10, or the mode's size if smaller);
        "auto": by held-out entries.
    C
        Weight of the data: the larger, the closer W follows the observed values. "auto": by held-out entries.
    lam
        λ_k, the freedom of each component (default: λ_k = n_k). Only the products C·λ_k matter for W. "auto": by
        held-out entries.
    main_effects
        Whether a fixed part of W are the main effects of all modes (see `MainEffects`), so that the components model
        what is left. "auto": by held-out entries.
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

    needs_known_only: ClassVar[bool] = True
    has_components: ClassVar[bool] = True
    outer: ClassVar[OuterSettings] = OUTER
    """What steers the solver; an ablation is a subclass with another one."""

    rank: Rank | str = None
    C: PositiveOrAuto = 10.0
    lam: Weights | str = None
    main_effects: FlagOrAuto = False
    max_iter: Count = 200
    gradient_tolerance: Tolerance = 5e-3
    gap_tolerance: Tolerance = 1e-6
    start: Start = "spectral"
    optimizer: Optimizer = "quasi-newton"

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        """Ranks and weights; "auto" is left open until there is more to go by than the shape."""
        name, shape = self.name, observed.shape
        return {
            "rank": AUTO if is_auto(self.rank) else resolve_rank(name, cast(Rank, self.rank), shape),
            "C": AUTO if is_auto(self.C) else float(self.C),
            "lam": AUTO if is_auto(self.lam) else resolve_weights(name, cast(Weights, self.lam), shape),
        }

    @property
    def left_open(self) -> tuple[str, ...]:
        """The settings that are to be chosen by held-out entries."""
        return tuple(name for name in ("rank", "C", "lam", "main_effects") if is_auto(getattr(self, name)))

    def pose(self, observed: ObservedTensor, settings: Mapping[str, Any]) -> DualProblem:
        """The problem on a tensor: W is nowhere kept nonnegative."""
        known = observed.positions, observed.values
        B = fit_main_effects(observed) if settings["main_effects"] else None
        return DualProblem(observed.shape, *known, settings["C"], settings["lam"], "nowhere", B=B)

    def plan(self, settings: Mapping[str, Any]) -> Plan:
        """How to solve it."""
        return Plan(
            ranks=settings["rank"],
            max_iter=settings["max_iter"],
            gradient_tolerance=settings["gradient_tolerance"],
            gap_tolerance=settings["gap_tolerance"],
            negativity_tolerance=1e-6,
            inner="active-set",
            start=settings["start"],
            optimizer=settings["optimizer"],
            outer=self.outer,
        )

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        if self.left_open:
            return self._complete_as_chosen(observed, rng, watch)
        settings = self.used_on(observed)
        if not observed.values.any():  # W = 0 is the global optimum, with cost 0
            optimal = Certificate(upper=0.0, lower=0.0, negativity=0.0, complementarity=0.0, stationarity=0.0)
            return complete_zeros(observed, self.name, settings, optimal)
        problem, plan = self.pose(observed, settings), self.plan(settings)
        if not problem.left.any():
            return self._complete_as_effects(observed, problem, settings)
        found = solve(problem, plan, rng, watch)
        smallest, negative_share = _find_lowest(problem, found, observed.size)
        left = _report_negatives(found, plan.negativity_tolerance * problem.largest)
        return Completion(
            observed=observed,
            method=self.name,
            estimate=found.dual.recover(),
            nonnegative=problem.enforced != "nowhere",
            stop=found.stop,
            seconds=found.seconds,
            certificate=found.certificate,
            history=found.history,
            settings=settings,
            smallest=smallest,
            negative_share=negative_share,
            notes=(*self.warn(observed, settings), *left),
        )

    def settled(self, done: Completion) -> Method:
        """With what was chosen for a completion, so that nothing is chosen again on nearly the same data."""
        return replace(self, **{name: done.settings[name] for name in self.left_open})

    def _complete_as_chosen(
        self, observed: ObservedTensor, rng: np.random.Generator, watch: Watch | None
    ) -> Completion:
        """With the settings chosen that were left open; the random numbers are those of a run that names them."""
        self.resolve(observed)  # what is given must fit
        clock = Clock()
        choice = choose_settings(self, observed, rng.spawn(1)[0])
        chosen = clock.seconds
        done = replace(self, **choice.settings).complete(observed, rng=rng, watch=watch)
        reasons = dict.fromkeys(self.left_open, choice.reason)
        return replace(done, seconds=done.seconds + chosen, reasons={**done.reasons, **reasons})

    def _complete_as_effects(
        self, observed: ObservedTensor, problem: DualProblem, settings: Mapping[str, Any]
    ) -> Completion:
        """Main effects alone, which meet all that is known: no components is the global optimum, with cost 0."""
        assert problem.B is not None
        return Completion(
            observed=observed,
            method=self.name,
            estimate=problem.B,
            nonnegative=problem.enforced != "nowhere",
            stop=StopReason("done", "Main effects meet everything that is known."),
            seconds=0.0,
            certificate=Certificate(upper=0.0, lower=0.0, negativity=0.0, complementarity=0.0, stationarity=0.0),
            settings=settings,
            smallest=problem.B.smallest,
        )


@dataclass(frozen=True, kw_only=True)
class Dual(DualMethod):
    """The method of Nimishakavi, Jawanpuria and Mishra, the first baseline; settings as in `DualMethod`."""

    name: ClassVar[str] = "dual"
    summary: ClassVar[str] = "Sum of low-rank components, one per mode; may go negative"
    # Its curve often lies on that of nonneg-dual: wider and drawn first, so that both can be seen.
    stroke: ClassVar[Stroke] = Stroke("#0072b2", "s", width=2.8, size=6.5)
    reference: ClassVar[str] = "Nimishakavi, Jawanpuria & Mishra, NeurIPS 2018"
    costs: ClassVar[tuple[Cost, Cost]] = Cost(100, 20), Cost(140, 30)
    compared: ClassVar[bool] = False  # nonneg-dual is the same, and nowhere negative


@dataclass(frozen=True, kw_only=True)
class DualDemo(Dual):
    """The preset at which published figures for `dual` come out; settings as in `DualMethod`."""

    name: ClassVar[str] = "dual-demo"
    summary: ClassVar[str] = "dual with its authors' demo settings, lam=1 and C=1000"
    stroke: ClassVar[Stroke] = Stroke("#56b4e9", "D", "--")
    costs: ClassVar[tuple[Cost, Cost]] = UNMEASURED

    C: Positive = 1000.0
    lam: Weights = 1.0


def _check_where(method: str, setting: str, value: Any) -> None:
    """Words are checked here, coordinates when there is a tensor."""
    if isinstance(value, str):
        check_choice(method, setting, value, _WHERE)


@dataclass(frozen=True, kw_only=True)
class NonnegDual(DualMethod):
    """The method of Sinha, Naram and Kumar, exact; settings as in `DualMethod`, and these.

    Parameters
    ----------
    inner
        How S ≥ 0 is found: "active-set" (ours) or "alternating" (the paper's, slower).
    two_stages
        Whether U is learned without S first; False: S is found in every iteration, as in the paper.
    nonnegative_on
        Where W ≥ 0 is enforced: "everywhere" (the default up to 10⁹ entries), "observed" (the default beyond), or
        an array of coordinates (entries × modes). What is returned is clipped at zero everywhere in any case. Where
        there is no lower bound it is enforced nowhere.
    negativity_tolerance
        Largest −W left where it is enforced, as a share of the largest observed value, before clipping.
    """

    name: ClassVar[str] = "nonneg-dual"
    summary: ClassVar[str] = "Sum of low-rank components, one per mode, that is nonnegative everywhere"
    stroke: ClassVar[Stroke] = Stroke("#d55e00", "o", width=1.4, size=4.5)
    reference: ClassVar[str] = "Sinha, Naram & Kumar, nonnegative low-rank tensor completion via dual formulation"
    nonnegative: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Cost(140, 40), Cost(200, 60)

    gradient_tolerance: Tolerance = 0.1
    inner: Inner = "active-set"
    two_stages: Flag = True
    nonnegative_on: Annotated[Literal["everywhere", "observed"] | ArrayLike, _check_where] | None = None
    negativity_tolerance: Positive = 5e-6

    @classmethod
    def for_sparse(cls) -> NonnegDual:
        """With everything chosen: the defaults are made for pictures."""
        return cls(rank=AUTO, C=AUTO, lam=AUTO, main_effects=AUTO)

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        """Ranks, weights, and where W ≥ 0 is enforced."""
        where: Any = self.nonnegative_on
        if where is not None and not isinstance(where, str):
            where = f"{len(check_coordinates(where, observed.shape))} chosen coordinates"
        if where is not None and observed.floor != 0:
            requirement = "not be given where there is no lower bound to enforce"
            raise wrong(self.name, "nonnegative_on", requirement, self.nonnegative_on)
        if where is None and observed.floor == 0:
            where = "everywhere" if observed.size <= _LARGEST_SCAN else "observed"
        resolved = {**super().resolve(observed), "nonnegative_on": where}
        if observed.floor != 0:  # There is no second stage, and the first goes on to where S would join.
            resolved["gradient_tolerance"] = min(self.gradient_tolerance, DualMethod.gradient_tolerance)
        return resolved

    def pose(self, observed: ObservedTensor, settings: Mapping[str, Any]) -> DualProblem:
        """The problem on a tensor: W ≥ 0 where that is asked for."""
        where, problem = settings["nonnegative_on"], super().pose(observed, settings)
        if where is None:
            return problem
        if where in _WHERE:
            return replace(problem, enforced=where)
        rows = check_coordinates(self.nonnegative_on, observed.shape)  # type: ignore[arg-type]
        return replace(problem, enforced="chosen", chosen=np.unique(positions_of(rows, observed.shape)))

    def plan(self, settings: Mapping[str, Any]) -> Plan:
        """How to solve it."""
        own = {name: settings[name] for name in ("inner", "two_stages", "negativity_tolerance")}
        return replace(super().plan(settings), **own)

    def warn(self, observed: ObservedTensor, settings: Mapping[str, Any]) -> tuple[str, ...]:
        if self.nonnegative_on is not None or settings["nonnegative_on"] != "observed":
            return ()
        return (
            f"With {observed.size:.1e} entries the tensor is too large to be gone through: the lower bound was "
            "enforced on the observed entries only, and predictions elsewhere are clipped at it.",
        )


def _report_negatives(found: Solution, allowed: float) -> tuple[str, ...]:
    """A sentence where W ≥ 0 was not reached as closely as asked, in words that are true for any lower bound."""
    if found.dual.smallest >= -allowed:
        return ()
    return (
        "Keeping every entry at the lower bound or above was given up early: the smallest is "
        f"{-found.dual.smallest:.2g} below it. What is below is set to it, and the certificate counts it.",
    )


def _find_lowest(problem: DualProblem, found: Solution, size: int) -> tuple[float, float | None]:
    """The smallest entry, and the share of negative ones if nothing keeps them from being so and all were looked at."""
    if problem.enforced != "nowhere":
        return found.dual.smallest, None
    if size <= _LARGEST_SCAN:
        negatives = find_negatives(found.dual.recover())
        return negatives.smallest, len(negatives.positions) / size
    return float(found.dual.W.min()), None
