"""Settings of nonneg-dual by held-out entries: a path from strong to weak regularisation, then ranks and weights.

A tenth of the known entries is held out. U is learned from the rest for one C after the other, each from the U before,
so that a step of the path takes a few iterations; the error at the held-out entries says where to stop. W ≥ 0 is not
enforced meanwhile: predictions are clipped instead. Then ranks are doubled or halved, and λ_k of single modes changed,
for as long as that helps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ..dual.problem import DualProblem, coordinates_of
from ..dual.solve import DualSolver, Plan
from ..estimates.additive import AdditiveEstimate
from ..interrupting import TimeIsUp, seconds_left
from ..iterating import NoFurtherStep
from ..observed import ObservedTensor
from ..riemannian.spectrahedron import Point
from ..selection.held_out import hold_out
from .main_effects import fit_main_effects
from .setting_checks import is_auto


@dataclass(frozen=True)
class ChoosingSettings:
    """What steers the choice."""

    held_out: float = 0.1  # share of the known entries
    least: int = 10  # entries held out, for less there is no choice to be made
    largest_mask: int = 2**24  # entries of tensors whose missingness is looked at, so that holes are held out for holes
    path: tuple[float, ...] = (1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0)  # C, where λ_k = n_k
    noisy: float = 1e-2
    """Where C is best no larger with main effects, components alone are not tried: W would be next to zero."""
    between: float = 10**0.5  # how far from the best of them C is tried afterwards
    risen: float = 1.01  # a path ends where the error is this multiple of the least on it,
    flat: float = 0.999  # or where it has twice not fallen below this share of it
    gain: float = 0.999  # share of the error before that a change of ranks or weights must come down to
    largest_rank: int = 80
    freedom: float = 4.0  # by which λ_k is multiplied and divided
    gradient_tolerance: float = 5e-3
    max_iter: int = 60  # of each step
    look: int = 15  # iterations after which a step is given up whose error is that of a path that ends, and again after
    weakest: float = 0.05  # singular value of U, as a share of the largest, that a step begins with, at least
    worth: float = 0.998  # share of the error at the default settings below which others are taken


CHOOSING = ChoosingSettings()


class Tunable(Protocol):
    """What is needed of a method: `DualMethod`, whose settings may be "auto"."""

    def used_on(self, observed: ObservedTensor) -> dict[str, Any]:
        """Its settings."""
        ...

    def pose(self, observed: ObservedTensor, settings: Mapping[str, Any]) -> DualProblem:
        """The problem."""
        ...

    def plan(self, settings: Mapping[str, Any]) -> Plan:
        """How to solve it."""
        ...


@dataclass(frozen=True)
class SettingsChoice:
    """Settings that were left open, and why they are what they are."""

    settings: Mapping[str, Any]
    reason: str


@dataclass(frozen=True, eq=False)
class _Trial:
    """Settings, their error at held-out entries, and the U that was learned with them."""

    settings: Mapping[str, Any]
    error: float
    U: Point

    def beats(self, other: _Trial, gain: float) -> bool:
        return self.error < gain * other.error


def choose_settings(
    method: Tunable, observed: ObservedTensor, rng: np.random.Generator, choosing: ChoosingSettings = CHOOSING
) -> SettingsChoice:
    """Values for all settings of the method that are "auto"."""
    fields = ("rank", "C", "lam", "main_effects")
    left_open = tuple(name for name in fields if is_auto(getattr(method, name)))
    defaults = {name: type(method).__dataclass_fields__[name].default for name in left_open}  # type: ignore[attr-defined]
    default = cast(Tunable, replace(cast(Any, method), **defaults))
    start = {name: default.used_on(observed)[name] for name in fields}
    held = _hold_out(observed, rng, choosing)
    count = int(np.count_nonzero(held))
    if count < choosing.least or count == observed.count:
        return SettingsChoice({name: start[name] for name in left_open}, "Too little is known to hold any of it out.")
    tuning = _Tuning(default, observed, held, rng, choosing)
    try:
        _search(tuning, start, left_open, choosing)
    except TimeIsUp:
        if not tuning.trials:
            raise
    best = _pick(tuning.trials, choosing.gain)
    standard = next((trial for trial in tuning.trials if trial.settings == start), None)
    if standard is not None and not best.beats(standard, choosing.worth):
        best = standard
    reason = f"By {count:,} held-out entries, of which it has an RMSE of {best.error:.4g} ({len(tuning.trials)} tried)."
    return SettingsChoice({name: best.settings[name] for name in left_open}, reason)


def _pick(trials: Sequence[_Trial], gain: float) -> _Trial:
    """Of those with nearly the least error, the one with the smallest ranks."""
    least = min(trial.error for trial in trials)
    close = [trial for trial in trials if gain * trial.error <= least]
    return min(close, key=lambda trial: (sum(trial.settings["rank"]), trial.error))


def _hold_out(observed: ObservedTensor, rng: np.random.Generator, choosing: ChoosingSettings) -> NDArray[np.bool_]:
    """Which known entries are held out: in holes if entries are missing in holes, else one by one."""
    if observed.size <= choosing.largest_mask and observed.missingness.structured:
        pattern, indices = observed.missingness.left
        if pattern.structured:
            held = np.zeros(observed.shape, dtype=bool)
            held[np.ix_(*indices)] = hold_out(pattern, rng)
            return held.reshape(-1)[observed.positions]
    return rng.random(observed.count) < choosing.held_out


@dataclass(eq=False)
class _Tuning:
    """Trials on all known entries but those held out."""

    method: Tunable
    observed: ObservedTensor
    held: NDArray[np.bool_]
    rng: np.random.Generator
    choosing: ChoosingSettings
    trials: list[_Trial] = field(default_factory=list)

    def __post_init__(self) -> None:
        kept = ~self.held
        self._training = replace(
            self.observed, positions=self.observed.positions[kept], known=self.observed.known[kept]
        )
        self._wanted = coordinates_of(self.observed.positions[self.held], self.observed.shape)
        self._truth = self.observed.values[self.held]
        self._B: AdditiveEstimate | None = None
        self._enough = 0.5 * seconds_left()  # what is left for the completion itself

    def attempt(self, settings: Mapping[str, Any], start: Point | None = None) -> _Trial:
        """The error at the held-out entries with these settings, U learned from the rest, from `start`.

        It is given up early where the error is clearly above the least so far.
        """
        if seconds_left() < self._enough:
            raise TimeIsUp
        used = {**self.method.used_on(self.observed), **settings, "main_effects": False}
        problem = self.method.pose(self._training, used).without_nonnegativity()
        if settings["main_effects"]:
            self._B = self._B or fit_main_effects(self._training)
            problem = replace(problem, B=self._B)
        U, error = self._learn(problem, self.method.plan(used), start)
        self.trials.append(_Trial(dict(settings), error, U))
        return self.trials[-1]

    def _learn(self, problem: DualProblem, plan: Plan, start: Point | None) -> tuple[Point, float]:
        """U, and the error at the held-out entries."""
        too_much = self.choosing.risen * min((trial.error for trial in self.trials), default=np.inf)
        plan = replace(
            plan,
            gradient_tolerance=self.choosing.gradient_tolerance,
            max_iter=self.choosing.max_iter,
            start=plan.start if start is None else _raise_weak(start, self.choosing.weakest),
            outer=replace(plan.outer, gap_every=self.choosing.max_iter + 1),
        )
        with plan.outer.limit_blas():
            run = DualSolver(problem, plan, self.rng)
            while run.finished() is None:
                if run.iteration and run.iteration % self.choosing.look == 0 and self._error(run) > too_much:
                    break
                try:
                    run.step()
                except NoFurtherStep:
                    break
            return run.best.point, self._error(run)

    def _error(self, run: DualSolver) -> float:
        """The root mean square error at the held-out entries."""
        W = np.maximum(run.estimate().at(self._wanted), self.observed.floor)
        return float(np.sqrt(np.mean((W - self._truth) ** 2)))


def _raise_weak(U: Point, weakest: float) -> Point:
    """U with no direction so weak that it could not grow, and of norm 1."""
    found = []
    for member in U:
        left, s, right = np.linalg.svd(member, full_matrices=False)
        raised = left * np.maximum(s, weakest * s[0]) @ right
        found.append(raised / np.linalg.norm(raised))
    return tuple(found)


def _search(tuning: _Tuning, start: Mapping[str, Any], left_open: Sequence[str], choosing: ChoosingSettings) -> None:
    """Try settings: C along a path, with main effects and without, then around its best; ranks; weights."""
    average = float(np.mean([weight / size for weight, size in zip(start["lam"], tuning.observed.shape, strict=True)]))
    path = [C / average for C in choosing.path] if "C" in left_open else [start["C"]]
    both = "main_effects" in left_open
    effects = both or start["main_effects"]
    best = _follow_path(tuning, ({**start, "C": C, "main_effects": effects} for C in path), choosing)
    if both and ("C" not in left_open or best.settings["C"] > choosing.noisy / average):
        weak = [C for C in path if choosing.noisy / average <= C] or path
        alone = _follow_path(tuning, ({**start, "C": C, "main_effects": False} for C in weak), choosing)
        best = min(best, alone, key=lambda trial: trial.error)
    if "C" in left_open:
        best = _try_around(tuning, best, choosing)
    if "rank" in left_open:
        best = _try_ranks(tuning, best, "C" in left_open, choosing)
    if "lam" in left_open and tuning.observed.order > 2:  # of a matrix both components are the same
        _try_weights(tuning, best, choosing)


def _follow_path(tuning: _Tuning, along: Iterable[Mapping[str, Any]], choosing: ChoosingSettings) -> _Trial:
    """From strong to weak regularisation, each step from the U before, until the error rises or stays."""
    best: _Trial | None = None
    last: _Trial | None = None
    stayed = 0
    for settings in along:
        last = tuning.attempt(settings, None if last is None else last.U)
        if best is None or last.beats(best, choosing.flat):
            best, stayed = last, 0
            continue
        stayed += 1
        risen = last.error > choosing.risen * best.error
        best = min(best, last, key=lambda trial: trial.error)
        if risen or stayed == 2:
            break
    assert best is not None
    return best


def _try_around(tuning: _Tuning, best: _Trial, choosing: ChoosingSettings) -> _Trial:
    """A little less and a little more C than the best so far."""
    C = best.settings["C"]
    around = [tuning.attempt({**best.settings, "C": C * by}, best.U) for by in (1 / choosing.between, choosing.between)]
    return min(best, *around, key=lambda trial: trial.error)


def _try_ranks(tuning: _Tuning, best: _Trial, with_C: bool, choosing: ChoosingSettings) -> _Trial:
    """Twice the ranks for as long as that helps, with a little more C too; if it does not, half of them."""
    shape = tuning.observed.shape
    for by in (2.0, 0.5):
        first = best
        while True:
            ranks = tuple(
                min(n, max(1, round(by * rank))) for n, rank in zip(shape, best.settings["rank"], strict=True)
            )
            if ranks == best.settings["rank"] or max(ranks) > choosing.largest_rank:
                break
            larger = tuning.attempt({**best.settings, "rank": ranks})
            if with_C and by > 1:
                C = choosing.between * best.settings["C"]
                larger = min(larger, tuning.attempt({**larger.settings, "C": C}, larger.U), key=lambda t: t.error)
            if not larger.beats(best, choosing.gain):
                break
            best = larger
        if best is not first:
            break
    return best


def _try_weights(tuning: _Tuning, best: _Trial, choosing: ChoosingSettings) -> _Trial:
    """More or less freedom for one component after the other."""
    for settings in _weights(tuning.observed.order, choosing.freedom):
        lam = tuple(weight * by for weight, by in zip(best.settings["lam"], settings, strict=True))
        changed = tuning.attempt({**best.settings, "lam": lam}, best.U)
        best = changed if changed.beats(best, choosing.gain) else best
    return best


def _weights(modes: int, freedom: float) -> Iterator[tuple[float, ...]]:
    """Multiples of λ."""
    for mode in range(modes):
        for by in (1 / freedom, freedom):
            yield tuple(by if other == mode else 1.0 for other in range(modes))
