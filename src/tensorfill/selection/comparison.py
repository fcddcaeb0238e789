"""Comparison: what methods say of held-out entries, and how often they are asked.

The first one is the leader: the others are compared on entries that it holds out for its own choices and takes back at
the end, if it does so, and it counts for more where there is little to judge by. All run one after the other as if they
were one method, with one clock and one history, and tell how far they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, Estimate, Iteration, Snapshot, StopKind, StopReason, Watch
from ..interrupting import seconds_left
from ..iterating import Clock
from ..method import FIXED_SECONDS, Method, Question
from ..missingness import Missingness
from ..observed import ObservedTensor
from ..telling import Phase, tell_phase
from ..tensor import Array
from .evidence import HeldOutEvidence
from .held_out import HOLDING_OUT, STRATA, hard_places, hold_out, holdings, strata
from .judge import HeldOutRun, HoldsOut, Judge
from .windows import Race


@dataclass(frozen=True, kw_only=True)
class Comparing:
    """How long methods are compared, and how often they are expected to run."""

    hopeless: float = 2.0  # times the smallest error the first time: not tried again
    enough_held: int = 20_000  # scattered entries that judge well enough at once; of holes there are never that many

    # How often the only other method gets a weight, and runs once more on all that is known: on pictures seldom, on
    # clips nearly always, on other tensors now and then.
    runs_again_on_pictures: float = 0.2
    runs_again: float = 0.6
    in_all: float = 0.6  # the same for all of several
    close_on_pictures: float = 0.1  # how often one that was compared on a part of the data is compared on all of it
    close: float = 0.6
    part: float = 1 / 6  # of a run is one on a part of the data
    channels: int = 4  # at most, in the last mode of a picture


COMPARING = Comparing()
_ENDED: dict[StopKind, str] = {
    "watch": "Stopped by the watcher",
    "time": "Out of time",
    "interrupted": "Interrupted",
}


class Stopped(Exception):
    """The watcher, the time limit or Ctrl-C ended it."""

    def __init__(self, reason: StopReason) -> None:
        self.reason = reason


class Course:
    """How far it has come. All methods have the random numbers that they have when run by themselves."""

    def __init__(self, observed: ObservedTensor, rng: np.random.Generator, watch: Watch | None) -> None:
        self.observed = observed
        self.scale = float(observed.values.max())
        self.clock = Clock()
        self.history: list[Iteration] = []
        self.standing: Completion | None = None
        """What would be returned."""
        self.error = float("nan")
        """Its error at held-out entries."""
        self._watch = watch
        self._rng_of_all = deepcopy(rng)
        self.seed = int(rng.integers(2**31))

    def rng(self) -> np.random.Generator:
        """The random numbers that a method has when run by itself: it starts, and is judged, as it would be."""
        return deepcopy(self._rng_of_all)

    def completed(self, method: Method, observed: ObservedTensor) -> Completion:
        """What a method makes of this tensor."""
        return self.kept(method.complete(observed, rng=self.rng(), watch=self.watcher()))

    def kept(self, done: Completion) -> Completion:
        """A completion that was made; the first one stands from here on. Raises if it was stopped."""
        if self.standing is None:
            self.standing = done
        if done.stop.kind in _ENDED:
            raise Stopped(self.stopped(done.stop.kind))
        return done

    def watcher(self) -> Watch:
        """Passes on what a method does, as an iteration of ours; what would be returned is shown, not a candidate."""

        def look(snapshot: Snapshot) -> bool:
            estimate: Estimate = snapshot.estimate if self.standing is None else self.standing.estimate
            # Methods see data whose largest value is 1; held-out errors are in the data's units.
            cost = snapshot.step.cost * self.scale if self.standing is None else self.error
            step = Iteration(len(self.history), self.clock.seconds, cost)
            self.history.append(step)
            return self._watch is not None and self.clock.call_paused(self._watch, Snapshot(step, estimate))

        return look

    def stopped(self, kind: StopKind) -> StopReason:
        """That it was ended before all methods were compared."""
        made = self.history[-1].iteration if self.history else 0
        sentence = (
            f"{_ENDED[kind]} after {made} iterations: this is the result so far, before all methods were compared."
        )
        return StopReason(kind, sentence)


@dataclass(frozen=True, eq=False)
class Comparison:
    """One leader, and what it takes to compare others with it."""

    course: Course
    question: Question
    leader: Method

    def first(self, others: Mapping[str, Method]) -> tuple[Completion, HeldOutRun | None]:
        """The completion of the leader, and what it predicted at held-out entries; None if there is nothing to tell.

        One that holds nothing out is run again without some entries.
        """
        observed, leader = self.course.observed, self.leader
        tell_leading(leader.name, tuple(others), observed.shape, raced=self.question.raced)
        if isinstance(leader, HoldsOut):
            done, run = leader.run(observed, rng=self.course.rng(), watch=self.course.watcher())
            return self.course.kept(done), run
        done = self.course.completed(leader, observed)
        held = self._hold_out(0)
        predictions = self.predicted({leader.name: leader}, held) if others and held.any() else {}
        if leader.name not in predictions:
            return done, None
        return done, HeldOutRun(held, predictions[leader.name], Judge.of(self._missingness, held))

    def in_time(self, methods: Mapping[str, Method]) -> dict[str, Method]:
        """Some cannot be stopped before they are done, so what is likely not to be done in time is not begun."""
        left, missing = seconds_left(), 1 - self.course.observed.share
        expected = {
            name: FIXED_SECONDS + method.costs[self.question.structured].seconds_for(self.question.shape, missing)
            for name, method in methods.items()
        }
        return {name: method for name, method in methods.items() if expected[name] < left}

    def raced(self, methods: Mapping[str, Method], run: HeldOutRun) -> dict[str, Method]:
        """Those that are not clearly beaten on a part of the data, if that is worth it."""
        observed = self.course.observed
        if not self.question.raced or not methods:
            return dict(methods)
        truth = observed.values[self._inside(run.held)]
        race = Race.of(self._missingness, run.held, run.judge, run.predictions - truth)
        if race is None:
            return dict(methods)
        part, rows = race.part(observed, run.held), race.rows(run.held)
        close = {}
        for name, method in methods.items():
            if part.count and method.refuses(part) is None:
                tell_racing(name, tuple(methods), observed.shape)
                found = self.course.completed(method, part).estimate.at(rows)
                if race.is_close(np.maximum(found, part.floor) - truth[race.inside]):
                    close[name] = method
        return close

    def evidence(self, predictions: dict[str, Array], held: NDArray[np.bool_], judge: Judge) -> HeldOutEvidence:
        """Predictions of held-out entries, next to the truth."""
        observed, pattern, inside = self.course.observed, self._missingness, self._inside(held)
        alike = judge.structured or not self.question.short
        missing = None if alike else strata(observed, pattern.mask)[~pattern.mask & ~pattern.apart]
        return HeldOutEvidence(
            judge,
            observed.values[inside],
            predictions,
            observed.positions[inside],
            None if alike else strata(observed, pattern.mask & ~held)[held],
            None if missing is None else np.bincount(missing, minlength=STRATA) / max(1, len(missing)),
        )

    def with_more(
        self, at_first: HeldOutEvidence, others: Mapping[str, Method], held: NDArray[np.bool_]
    ) -> HeldOutEvidence:
        """The same with further entries held out, if effort is high or trying again costs little."""
        evidence = at_first
        observed, cheap = self.course.observed, self.question.short
        few = at_first.judge.structured or at_first.judge.mixed or len(at_first.truth) < COMPARING.enough_held
        if not cheap:
            others = _keep_competitive(others, at_first.errors())
        if cheap and others and not at_first.judge.structured and (hard := hard_places(observed, held)).any():
            evidence = evidence.joined(self._ask_again(others, hard))
        for number in range(1, holdings(observed.size) if cheap else HOLDING_OUT.holdings):
            if not others or not ((self.question.effort == "high" and few) or (cheap and evidence.is_little())):
                break
            again = self._hold_out(number)
            if np.array_equal(again, held):  # where only ends are empty, there is one way to hold out
                break
            evidence = evidence.joined(self._ask_again(others, again))
        return evidence

    def predicted(self, methods: Mapping[str, Method], held: NDArray[np.bool_]) -> dict[str, Array]:
        """What methods say of held-out entries, from the rest."""
        observed, inside = self.course.observed, self._inside(held)
        rest = replace(observed, positions=observed.positions[~inside], known=observed.known[~inside])
        where = np.stack(np.unravel_index(observed.positions[inside], observed.shape), axis=1)
        leader = self.leader.name
        predictions = {}
        for name, method in methods.items():
            if method.refuses(rest) is None:
                tell_comparing(name, (leader, *(other for other in methods if other != leader)), observed.shape)
                done = self.course.completed(method, rest)
                predictions[name] = np.maximum(done.estimate.at(where), rest.floor)
        return predictions

    def _ask_again(self, others: Mapping[str, Method], held: NDArray[np.bool_]) -> HeldOutEvidence:
        """What the leader and others, started anew, say of held-out entries."""
        predictions = self.predicted({self.leader.name: self.leader, **others}, held)
        return self.evidence(predictions, held, Judge.of(self._missingness, held))

    @property
    def _missingness(self) -> Missingness:
        return self.course.observed.missingness

    def _inside(self, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of the known entries are held out."""
        return np.asarray(held.reshape(-1)[self.course.observed.positions])

    def _hold_out(self, number: int) -> NDArray[np.bool_]:
        """Entries that are held out for the comparison alone, others for every number."""
        return hold_out(self._missingness, np.random.default_rng([self.course.seed, 0, number]))


def _keep_competitive(methods: Mapping[str, Method], errors: Mapping[str, float]) -> dict[str, Method]:
    """Those that further entries could show to be the best, or of use to it."""
    best = min(error for error in errors.values() if np.isfinite(error))
    return {name: method for name, method in methods.items() if errors.get(name, np.inf) <= COMPARING.hopeless * best}


def runs_again(others: int, shape: Sequence[int]) -> float:
    """How often each of so many methods other than the first one runs once more, on average."""
    alone = COMPARING.runs_again_on_pictures if _is_picture(shape) else COMPARING.runs_again
    return min(alone, COMPARING.in_all / max(1, others))


def runs_in_all(others: int, shape: Sequence[int], *, raced: bool) -> float:
    """How often each of so many methods other than the first one runs, on average; on a part of the data is less."""
    return (COMPARING.part if raced else 0.0) + _runs_on_all(others, shape, raced=raced)


def _runs_on_all(others: int, shape: Sequence[int], *, raced: bool) -> float:
    """The same on all of the data, where those that are `raced` have to be close on a part of it."""
    again = runs_again(others, shape)
    close = COMPARING.close_on_pictures if _is_picture(shape) else COMPARING.close
    return close + min(close, again) if raced else 1 + again


def _is_picture(shape: Sequence[int]) -> bool:
    return len(shape) == 2 or shape[-1] <= COMPARING.channels


def tell_leading(name: str, others: Sequence[str], shape: Sequence[int], *, raced: bool) -> None:
    """The first one begins, with which others will be compared, `raced` on a part of the data first."""
    runs = runs_in_all(len(others), shape, raced=raced)
    later = tuple((other, runs) for other in others)
    tell_phase(Phase("comparing" if others else "completing", name, 1, 1 + len(others), later))


def tell_comparing(name: str, names: Sequence[str], shape: Sequence[int]) -> None:
    """This one of the methods that are compared begins; the first one is not run again."""
    place = names.index(name)
    again = [(other, runs_again(len(names) - 1, shape)) for other in names[1:]]
    later = (*((other, 1.0) for other in names[place + 1 :]), *again)
    tell_phase(Phase("comparing" if len(names) > 1 else "completing", name, place + 1, len(names), later))


def tell_racing(name: str, names: Sequence[str], shape: Sequence[int]) -> None:
    """This one of the methods that are compared on a part of the data begins; how many are close is not known yet."""
    place = names.index(name)
    on_all = [(other, _runs_on_all(len(names), shape, raced=True)) for other in names]
    later = (*((other, COMPARING.part) for other in names[place + 1 :]), *on_all)
    tell_phase(Phase("comparing on a part", name, place + 1, len(names), later, COMPARING.part))


def tell_completing(name: str, names: Sequence[str]) -> None:
    """This one of the methods whose weighted mean is the result begins, with all that is known."""
    place = names.index(name)
    later = tuple((other, 1.0) for other in names[place + 1 :])
    tell_phase(Phase("completing", name, place + 1, len(names), later))
