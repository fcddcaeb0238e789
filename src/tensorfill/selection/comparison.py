"""Comparison: what methods say of held-out entries, and how often they are asked.

The first one is the leader: the others are compared on entries that it holds out for its own choices and takes back at
the end, if it does so, and it counts for more where there is little to judge by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion
from ..cost import FIXED_SECONDS
from ..deadline import seconds_left
from ..method import Method, Question
from ..missingness import Missingness
from ..tensor import Array
from .course import Course
from .hard_places import STRATA, hard_places, strata
from .held_out import hold_out
from .held_out_evidence import HeldOutEvidence
from .held_out_run import HeldOutRun, HoldsOut
from .holdings import HOLDINGS, holdings
from .judge import Judge
from .phases import tell_comparing, tell_leading, tell_racing
from .race import Race

_HOPELESS = 2.0  # times the smallest error the first time: not tried again
_ENOUGH_HELD = 20_000  # so many scattered entries judge well enough at once; of holes there are never that many


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
        few = at_first.judge.structured or at_first.judge.mixed or len(at_first.truth) < _ENOUGH_HELD
        if not cheap:
            others = _keep_competitive(others, at_first.errors())
        if cheap and others and not at_first.judge.structured and (hard := hard_places(observed, held)).any():
            evidence = evidence.joined(self._ask_again(others, hard))
        for number in range(1, holdings(observed.size) if cheap else HOLDINGS):
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
    return {name: method for name, method in methods.items() if errors.get(name, np.inf) <= _HOPELESS * best}
