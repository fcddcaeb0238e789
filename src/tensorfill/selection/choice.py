"""Choice: one method first, others on what is left when some entries are held out, then a blend of them.

The first one is fitted once, as it would be alone. Which methods there are is not known here: they come by name, and
what has to be known of them they say themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..completion import Completion, Estimate, History, StopReason, Watch
from ..estimates.derived import BlendedEstimate, EstimateByPlace
from ..interrupting import TimeIsUp
from ..method import Method, Question
from ..observed import ObservedTensor
from ..tensor import Array
from .comparison import Comparison, Course, Stopped, tell_completing
from .entry_comparison import EntryComparison
from .judge import HeldOutRun, can_judge_lost, goes_deeper
from .mixture import Mixture


class Refused(Exception):
    """A method with a weight cannot complete the tensor."""

    def __init__(self, refusal: str, weights: Mapping[str, float]) -> None:
        self.refusal = refusal
        self.weights = weights


@dataclass(frozen=True, eq=False)
class Candidates:
    """The methods there are to choose from."""

    leader: Method
    """The one that runs first, and is taken if there is nothing to compare with."""
    others: Mapping[str, Method]
    unjudged: Mapping[str, Method]
    """Those whose mean is taken in lost slices of which nothing tells, for they say different things about them."""
    found: tuple[Completion, HeldOutRun | None] | None = None
    """What the leader has made of the tensor, if it has run already."""

    def by_name(self) -> dict[str, Method]:
        """All of them."""
        return {**self.unjudged, self.leader.name: self.leader, **self.others}


class Choice:
    """One run: methods are compared and blended, or blended with weights that are given."""

    def __init__(self, observed: ObservedTensor, rng: np.random.Generator, watch: Watch | None) -> None:
        self._observed = observed
        self._course = Course(observed, rng, watch)
        self._errors: dict[str, float] = {}  # at held-out entries
        self._sure: Callable[[Array], Array] | None = None  # from an estimate to its deviations

    def blended(
        self,
        methods: Mapping[str, Method],
        weights: Mapping[str, float],
        lost_weights: Mapping[str, float] | None = None,
        *,
        reason: str | None = None,
    ) -> Completion:
        """Methods with these weights, and with others in slices of which nothing is known; nothing is compared."""
        lost = None if lost_weights is None else dict(lost_weights)
        return self._as_far_as_it_comes(lambda: self._blend(methods, dict(weights), {}, lost, reason))

    def compared(self, candidates: Candidates, question: Question) -> Completion:
        """The method that predicts held-out entries best, or a blend of some."""
        return self._as_far_as_it_comes(lambda: self._compare(candidates, question))

    def compared_by_entry(self, methods: Mapping[str, Method], last_along: int | None = None) -> Completion:
        """The same for sparse tensors, of which nothing is built: random entries are held out, or the last ones."""
        return self._as_far_as_it_comes(lambda: self._compare_by_entry(methods, last_along))

    def _as_far_as_it_comes(self, work: Callable[[], Completion]) -> Completion:
        """What is made, or what stands when it is stopped."""
        course = self._course
        try:
            return work()
        except Stopped as stopped:
            reason = stopped.reason
        except KeyboardInterrupt:  # between two methods, or before the first iteration of one
            if course.standing is None:
                raise
            reason = course.stopped("interrupted")
        except TimeIsUp:
            if course.standing is None:
                raise
            reason = course.stopped("time")
        assert course.standing is not None
        return self._finalise(course.standing, {course.standing.method: 1.0}, reason)

    def _compare(self, candidates: Candidates, question: Question) -> Completion:
        course, leader, pattern = self._course, candidates.leader.name, self._observed.missingness
        comparison = Comparison(course, question, candidates.leader)
        if candidates.found is None:
            first, run = comparison.first(candidates.others)
        else:
            first, run = course.kept(candidates.found[0]), candidates.found[1]
        others = comparison.in_time(candidates.others)
        able = others
        if pattern.any_lost:
            able = {name: method for name, method in others.items() if method.fills_lost_slices(self._observed)}
        if pattern.only_lost:
            others = able
        if run is None or not others or not run.held.any():
            return self._finalise(first, {leader: 1.0})
        held, scale = run.held, course.scale
        at_first = comparison.evidence({leader: run.predictions}, held, run.judge)
        course.error = at_first.errors()[leader]
        others = comparison.raced(others, run)
        able = {name: method for name, method in able.items() if name in others}
        at_first = replace(at_first, predictions={**at_first.predictions, **comparison.predicted(others, held)})
        evidence = comparison.with_more(at_first, others, held)
        simple = [leader, *(name for name, method in others.items() if method.interpolates or method.same_everywhere)]
        # Nothing tells what low rank would put where it is deeper than anything held out.
        if (run.judge.structured or question.short) and goes_deeper(pattern, held):
            evidence = evidence.of(simple)
        self._errors = at_first.errors() | evidence.errors()
        weights = evidence.weights(leader)
        apart = evidence.of(simple if question.short and evidence.is_little_apart() else [leader, *able])
        judged = apart.apart_weights(leader)
        prediction = evidence.mixed(weights, judged)
        course.error = evidence.error(prediction)
        if run.deviations is not None:
            misses = at_first.mixed(weights, judged) - at_first.truth
            # What was held out later may have been harder than what the deviations are fitted to.
            more = max(0.0, evidence.mean_square(prediction, scale) - float(np.mean((misses / scale) ** 2)))
            self._sure = partial(run.deviations, errors=misses, more=more)
        if not can_judge_lost(pattern, held):
            judged = {name: 1 / len(candidates.unjudged) for name in candidates.unjudged}
        return self._blend(candidates.by_name(), weights, {leader: first}, judged)

    def _compare_by_entry(self, methods: Mapping[str, Method], last_along: int | None) -> Completion:
        able = {name: method for name, method in methods.items() if method.refuses(self._observed) is None}
        if not able:
            name, method = next(iter(methods.items()))
            raise Refused(method.refuses(self._observed) or "", {name: 1.0})
        if len(able) == 1:
            return self._blend(able, dict.fromkeys(able, 1.0), {})
        compared = EntryComparison.of(self._course, able, last_along)
        self._errors, self._course.error = dict(compared.errors), compared.error
        return self._blend(compared.settled, dict(compared.weights), {})

    def _blend(
        self,
        methods: Mapping[str, Method],
        weights: dict[str, float],
        done: Mapping[str, Completion],
        lost_weights: Mapping[str, float] | None = None,
        reason: str | None = None,
    ) -> Completion:
        """All methods with a weight on all known entries, and their weighted mean."""
        parts = dict(done)
        if lost_weights == weights:
            lost_weights = None
        named = list(dict.fromkeys([*weights, *(lost_weights or {})]))
        for name in named:
            if name not in parts:
                if refusal := methods[name].refuses(self._observed):
                    raise Refused(refusal, weights)
                tell_completing(name, [other for other in named if other not in done])
                parts[name] = self._course.completed(methods[name], self._observed)
        if len(named) == 1:
            return self._finalise(parts[named[0]], weights, reason=reason)

        def blended(shares: Mapping[str, float]) -> Estimate:
            found = [parts[name].estimate for name in shares]
            return BlendedEstimate(found, list(shares.values()), self._observed.floor)

        estimate = blended(weights)
        if lost_weights is not None:
            estimate = EstimateByPlace(estimate, blended(lost_weights), self._observed.missingness.apart)
        mixture = Mixture.of({**(lost_weights or {}), **weights}, parts, estimate, self._observed.floor)
        whole = replace(
            parts[named[0]],
            estimate=estimate,
            certificate=None,
            smallest=None,
            negative_share=None,
            deviations=None if mixture is None else mixture.deviations,
            deviations_at=None if mixture is None or not mixture.tells_at else mixture.deviations_at,
            notes=tuple(dict.fromkeys(note for name in named for note in parts[name].notes)),
        )
        return self._finalise(whole, weights, reason=reason, lost_weights=lost_weights)

    def _finalise(
        self,
        done: Completion,
        weights: Mapping[str, float],
        stop: StopReason | None = None,
        reason: str | None = None,
        lost_weights: Mapping[str, float] | None = None,
    ) -> Completion:
        """The same, with what was chosen as its settings, and why."""
        reasons = dict(done.reasons)
        if reason is not None:
            reasons["weights"] = reason
        elif self._errors:
            told = ", ".join(f"{name} {error:.4g}" for name, error in self._errors.items())
            reasons["weights"] = f"Error at held-out entries: {told}; with these weights {self._course.error:.4g}."
        if stop is None:
            chosen = _describe_weights(weights)
            if lost_weights is not None:
                chosen += f", and {_describe_weights(lost_weights)} in {self._apart()}"
            stop = StopReason(
                "done", f"Done: {chosen}, by their errors at held-out entries." if self._errors else f"Done: {chosen}."
            )
        if (calibrated := self._calibrated(done)) is not None:
            done = replace(done, deviations=calibrated, deviations_at=None)
        return replace(
            done,
            nonnegative=True,
            stop=stop if done.stop.kind != "all_zero" else done.stop,
            seconds=self._course.clock.seconds,
            history=History(self._course.history),
            settings={
                "weights": dict(weights),
                "lost_weights": None if lost_weights is None else dict(lost_weights),
            },
            reasons=reasons,
        )

    def _apart(self) -> str:
        return "slices of which nothing is known" if self._observed.empty_slices() else "large holes"

    def _calibrated(self, done: Completion) -> Callable[[], Array] | None:
        """For a blend whose errors are known, or a method that tells nothing: the deviations of the leader, calibrated
        on the errors of what is returned; None where there is nothing better than what `done` tells.
        """
        tells = done.deviations is not None or done.deviations_at is not None
        if self._sure is None or (tells and not isinstance(done.estimate, BlendedEstimate | EstimateByPlace)):
            return None
        return partial(_calibrated, self._sure, done.estimate, self._observed.floor)


def _describe_weights(weights: Mapping[str, float]) -> str:
    return " + ".join(f"{weight:.2f} {name}" if weight < 1 else name for name, weight in weights.items())


def _calibrated(sure: Callable[[Array], Array], estimate: Estimate, floor: float) -> Array:
    """A function of the module, so that a completion can be pickled."""
    return sure(np.maximum(estimate.dense(), floor))
