"""The choice that `auto` makes: spectral first, others on what is left when some entries are held out, then a blend.

Spectral is fitted once, as it would be alone: the others are compared on the entries that it holds out for its own
choices, and takes back at the end. All methods have the random numbers that they have when run by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, Estimate, History, Iteration, Snapshot, StopKind, StopReason, Watch
from ..deadline import TimeIsUp, seconds_left
from ..estimates.blend import BlendedEstimate
from ..estimates.by_place import EstimateByPlace
from ..iterating import Clock
from ..method import SHORT, Effort, Method, Question, fills_lost_slices, interpolates, worth_trying
from ..observed import ObservedTensor
from ..selection.hard_places import STRATA, hard_places, strata
from ..selection.held_out import hold_out
from ..selection.held_out_evidence import HeldOutEvidence
from ..selection.judge import Judge, can_judge_lost, goes_deeper
from ..selection.pattern import HolePattern
from ..spectral.run import SpectralRun
from ..tensor import Array
from .auto_phases import tell_comparing, tell_completing
from .candidates import HOLDINGS, candidates, holdings
from .forecast import forecast
from .setting_checks import wrong
from .spectral import Spectral

# Of a slice when only one other is known nobody can tell whether it is like that one or like the mean. These two say
# different things about it.
_UNJUDGED = {"spectral": 0.5, "linear": 0.5}
_FALLBACK = "nonneg-dual"
_ENDED: dict[StopKind, str] = {
    "watch": "Stopped by the watcher",
    "time": "Out of time",
    "interrupted": "Interrupted",
}
_HOPELESS = 2.0  # times the smallest error the first time: not tried again
_ENOUGH_HELD = 20_000  # so many scattered entries judge well enough at once; of holes there are never that many


def _with_hope(methods: Mapping[str, Method], errors: Mapping[str, float]) -> dict[str, Method]:
    """Those that further entries could show to be the best, or of use to it."""
    best = min(error for error in errors.values() if np.isfinite(error))
    return {name: method for name, method in methods.items() if errors.get(name, np.inf) <= _HOPELESS * best}


class _Stopped(Exception):
    """The watcher or Ctrl-C ended it."""

    def __init__(self, reason: StopReason) -> None:
        self.reason = reason


class Choice:
    """One run of `auto`."""

    def __init__(
        self,
        effort: Effort,
        weights: Mapping[str, float] | None,
        lost_weights: Mapping[str, float] | None,
        observed: ObservedTensor,
        rng: np.random.Generator,
        watch: Watch | None,
    ) -> None:
        self._effort: Effort = effort
        self._weights = weights
        self._lost_weights = lost_weights
        self._observed = observed
        self._rng_of_all = deepcopy(rng)
        self._seed = int(rng.integers(2**31))
        self._watch = watch
        self._scale = float(observed.values.max())
        self._clock = Clock()
        self._history: list[Iteration] = []
        self._standing: Completion | None = None  # what would be returned
        self._error = float("nan")  # its error at held-out entries
        self._errors: dict[str, float] = {}
        self._sure: Callable[[Array], Array] | None = None  # from an estimate to its deviations

    @cached_property
    def _pattern(self) -> HolePattern:
        """Where entries are missing; found out when it is asked for, since not every tensor fits into memory."""
        return HolePattern.of(self._observed.mask())

    def made(self) -> Completion:
        """The completion."""
        try:
            if self._weights is not None:
                lost = None if self._lost_weights is None else dict(self._lost_weights)
                return self._blend(dict(self._weights), {}, lost_weights=lost)
            refusal = Spectral().refuses(self._observed)
            if refusal is not None:
                return self._blend({_FALLBACK: 1.0}, {}, f"{_FALLBACK} alone: {refusal}")
            return self._compared()
        except _Stopped as stopped:
            assert self._standing is not None
            return self._told(self._standing, {self._standing.method: 1.0}, stopped.reason)
        except KeyboardInterrupt:  # between two methods, or before the first iteration of one
            if self._standing is None:
                raise
            return self._told(self._standing, {self._standing.method: 1.0}, self._stopped("Interrupted", "interrupted"))
        except TimeIsUp:
            if self._standing is None:
                raise
            return self._told(self._standing, {self._standing.method: 1.0}, self._stopped("Out of time", "time"))

    def _compared(self) -> Completion:
        pattern = self._pattern
        shaped = pattern.shaped or pattern.any_lost or pattern.any_deep
        others = self._candidates(shaped)
        tell_comparing("spectral", ("spectral", *others), self._observed.shape)
        first, run = Spectral().run(self._observed, rng=self._rng(), watch=self._watcher(), pattern=pattern)
        self._standing = first
        self._raise_if_stopped(first)
        others = self._in_time(others, shaped)
        able = others
        if pattern.any_lost:
            able = {name: method for name, method in others.items() if fills_lost_slices(method, self._observed)}
        if pattern.only_lost:
            others = able
        held = None if run is None else run.held
        if run is None or held is None or run.held_predictions is None or not others or not held.any():
            return self._told(first, {"spectral": 1.0})
        scale = self._scale
        own = np.maximum(scale * (run.held_predictions.astype(np.float64) + run.mean), self._observed.floor)
        at_first = self._evidence_of({"spectral": own}, held)
        self._error = at_first.errors()["spectral"]
        at_first = replace(at_first, predictions={**at_first.predictions, **self._predicted(others, held)})
        evidence = self._with_more(at_first, others, held)
        small = self._observed.size <= SHORT
        simple = ["spectral", *(name for name, method in others.items() if interpolates(method))]
        if (run.judge.shaped or small) and goes_deeper(pattern, held):  # nothing tells what low rank would put there
            evidence = evidence.of(simple)
        self._errors = at_first.errors() | evidence.errors()
        favourite = "spectral" if small else None
        weights = evidence.weights(favourite)
        apart = evidence.of(simple if small and evidence.is_little_apart() else ["spectral", *able])
        judged = apart.apart_weights(favourite)
        prediction = evidence.mixed(weights, judged)
        self._error = evidence.error(prediction)
        misses = at_first.mixed(weights, judged) - at_first.truth
        # What was held out later may have been harder than what the deviations are fitted to.
        more = max(0.0, evidence.mean_square(prediction, scale) - float(np.mean((misses / scale) ** 2)))
        self._sure = partial(_sureness, run, misses, more, scale)
        return self._blend(
            weights, {"spectral": first}, lost_weights=judged if can_judge_lost(pattern, held) else _UNJUDGED
        )

    def _with_more(
        self, at_first: HeldOutEvidence, others: Mapping[str, Method], held: NDArray[np.bool_]
    ) -> HeldOutEvidence:
        """The same with further entries held out, if effort is high or trying again costs little."""
        evidence = at_first
        few = at_first.judge.shaped or at_first.judge.mixed or len(at_first.truth) < _ENOUGH_HELD
        cheap = self._observed.size <= SHORT
        if not cheap:
            others = _with_hope(others, at_first.errors())
        if cheap and others and not at_first.judge.shaped and (hard := hard_places(self._observed, held)).any():
            evidence = evidence.joined(self._evidence(others, hard))
        for number in range(1, holdings(self._observed.size) if cheap else HOLDINGS):
            if not others or not ((self._effort == "high" and few) or (cheap and evidence.is_little())):
                break
            again = self._held_out(number)
            if np.array_equal(again, held):  # where only ends are empty, there is one way to hold out
                break
            evidence = evidence.joined(self._evidence(others, again))
        return evidence

    def _evidence(self, others: Mapping[str, Method], held: NDArray[np.bool_]) -> HeldOutEvidence:
        """What spectral and others, started anew, say of held-out entries."""
        return self._evidence_of(self._predicted({"spectral": Spectral(), **others}, held), held)

    def _evidence_of(self, predictions: dict[str, Array], held: NDArray[np.bool_]) -> HeldOutEvidence:
        """Predictions of held-out entries, next to the truth."""
        pattern, inside = self._pattern, self._inside(held)
        judge = Judge.of(pattern, held)
        alike = judge.shaped or self._observed.size > SHORT
        missing = None if alike else strata(self._observed, pattern.mask)[~pattern.mask & ~pattern.apart]
        return HeldOutEvidence(
            judge,
            self._observed.values[inside],
            predictions,
            self._observed.positions[inside],
            None if alike else strata(self._observed, pattern.mask & ~held)[held],
            None if missing is None else np.bincount(missing, minlength=STRATA) / max(1, len(missing)),
        )

    def _predicted(self, methods: Mapping[str, Method], held: NDArray[np.bool_]) -> dict[str, Array]:
        """What methods say of held-out entries, from the rest."""
        inside = self._inside(held)
        rest = replace(self._observed, positions=self._observed.positions[~inside], known=self._observed.known[~inside])
        where = np.stack(np.unravel_index(self._observed.positions[inside], self._observed.shape), axis=1)
        predictions = {}
        for name, method in methods.items():
            if method.refuses(rest) is None:
                compared = "spectral", *(other for other in methods if other != "spectral")
                tell_comparing(name, compared, self._observed.shape)
                done = method.complete(rest, rng=self._rng(), watch=self._watcher())
                self._raise_if_stopped(done)
                predictions[name] = np.maximum(done.estimate.at(where), rest.floor)
        return predictions

    def _inside(self, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of the known entries are held out."""
        return np.asarray(held.reshape(-1)[self._observed.positions])

    def _held_out(self, number: int) -> NDArray[np.bool_]:
        """Other entries than spectral holds out."""
        return hold_out(self._pattern, np.random.default_rng([self._seed, 0, number]))

    def _candidates(self, shaped_holes: bool) -> dict[str, Method]:
        """Methods next to spectral, by the effort asked for."""
        methods = candidates(Question(self._effort, self._observed.shape, shaped_holes))
        if self._effort == "high":
            return methods
        return {name: method for name, method in methods.items() if worth_trying(method, self._observed)}

    def _in_time(self, methods: Mapping[str, Method], shaped_holes: bool) -> dict[str, Method]:
        """Some cannot be stopped before they are done, so what is likely not to be done in time is not begun."""
        left = seconds_left()
        shape = self._observed.shape
        missing = 1 - self._observed.share
        expected = {name: forecast(shape, name, shaped_holes=shaped_holes, missing=missing).seconds for name in methods}
        return {name: method for name, method in methods.items() if expected[name] < left}

    def _blend(
        self,
        weights: dict[str, float],
        done: dict[str, Completion],
        reason: str | None = None,
        lost_weights: Mapping[str, float] | None = None,
    ) -> Completion:
        """All methods with a weight on all known entries, and their weighted mean."""
        from .registry import make

        parts = dict(done)
        if lost_weights == weights:
            lost_weights = None
        named = list(dict.fromkeys([*weights, *(lost_weights or {})]))
        for name in named:
            if name not in parts:
                method = make(name, {})
                if refusal := method.refuses(self._observed):
                    raise wrong("auto", "weights", f"name methods that can complete this tensor ({refusal})", weights)
                tell_completing(name, [other for other in named if other not in done])
                parts[name] = method.complete(self._observed, rng=self._rng(), watch=self._watcher())
                if self._standing is None:
                    self._standing = parts[name]
                self._raise_if_stopped(parts[name])
        if len(named) == 1:
            return self._told(parts[named[0]], weights, reason=reason)

        def blended(shares: Mapping[str, float]) -> Estimate:
            found = [parts[name].estimate for name in shares]
            return BlendedEstimate(found, list(shares.values()), self._observed.floor)

        estimate = blended(weights)
        if lost_weights is not None:
            estimate = EstimateByPlace(estimate, blended(lost_weights), self._pattern.apart)
        whole = replace(
            parts[named[0]],
            estimate=estimate,
            certificate=None,
            smallest=None,
            negative_share=None,
            notes=tuple(dict.fromkeys(note for name in named for note in parts[name].notes)),
        )
        return self._told(whole, weights, reason=reason, lost_weights=lost_weights)

    def _told(
        self,
        done: Completion,
        weights: Mapping[str, float],
        stop: StopReason | None = None,
        reason: str | None = None,
        lost_weights: Mapping[str, float] | None = None,
    ) -> Completion:
        reasons = dict(done.reasons)
        if reason is not None:
            reasons["weights"] = reason
        elif self._errors:
            told = ", ".join(f"{name} {error:.4g}" for name, error in self._errors.items())
            reasons["weights"] = f"Error at held-out entries: {told}; with these weights {self._error:.4g}."
        if stop is None:
            chosen = _shown(weights)
            if lost_weights is not None:
                chosen += f", and {_shown(lost_weights)} in {self._apart()}"
            stop = StopReason(
                "done", f"Done: {chosen}, by their errors at held-out entries." if self._errors else f"Done: {chosen}."
            )
        return replace(
            done,
            method="auto",
            nonnegative=True,
            stop=stop if done.stop.kind != "all zero" else done.stop,
            seconds=self._clock.seconds,
            history=History(self._history),
            settings={
                "effort": self._effort,
                "weights": dict(weights),
                "lost_weights": None if lost_weights is None else dict(lost_weights),
            },
            reasons=reasons,
            deviations=self._deviations(done),
        )

    def _apart(self) -> str:
        return "slices of which nothing is known" if self._observed.empty_slices() else "large holes"

    def _deviations(self, done: Completion) -> Callable[[], Array] | None:
        """The method's own; those of spectral, put right by the errors of what was chosen, for anything else."""
        sure = self._sure
        if sure is None or (
            done.deviations is not None and not isinstance(done.estimate, BlendedEstimate | EstimateByPlace)
        ):
            return done.deviations
        return partial(_deviations, sure, done.estimate, self._observed.floor)

    def _watcher(self) -> Watch:
        """Passes on what a method does, as an iteration of ours; what would be returned is shown, not a candidate."""

        def look(snapshot: Snapshot) -> bool:
            estimate: Estimate = snapshot.estimate if self._standing is None else self._standing.estimate
            # Methods see data whose largest value is 1; held-out errors are in the data's units.
            cost = snapshot.step.cost * self._scale if self._standing is None else self._error
            step = replace(
                snapshot.step, iteration=len(self._history), seconds=self._clock.seconds, cost=cost, relative_gap=None
            )
            self._history.append(step)
            return self._watch is not None and self._clock.call_paused(self._watch, Snapshot(step, estimate))

        return look

    def _raise_if_stopped(self, done: Completion) -> None:
        if done.stop.kind in _ENDED:
            raise _Stopped(self._stopped(_ENDED[done.stop.kind], done.stop.kind))

    def _stopped(self, what: str, kind: StopKind) -> StopReason:
        made = self._history[-1].iteration if self._history else 0
        sentence = f"{what} after {made} iterations: this is the result so far, before all methods were compared."
        return StopReason(kind, sentence)

    def _rng(self) -> np.random.Generator:
        """The random numbers that a method has when run by itself: it starts, and is judged, as it would be."""
        return deepcopy(self._rng_of_all)


def _shown(weights: Mapping[str, float]) -> str:
    return " + ".join(f"{weight:.2f} {name}" if weight < 1 else name for name, weight in weights.items())


# Functions of the module, so that a completion can be pickled.
def _sureness(run: SpectralRun, misses: Array, more: float, scale: float, blend: Array) -> Array:
    """Deviations of spectral, put right by the errors of the blend."""
    return scale * np.sqrt(run.deviations(blend / scale, misses / scale) ** 2 + more)


def _deviations(sure: Callable[[Array], Array], estimate: Estimate, floor: float) -> Array:
    return sure(np.maximum(estimate.dense(), floor))
