"""Course: several methods run one after the other as if they were one, with one clock and one history."""

from __future__ import annotations

from copy import deepcopy

import numpy as np

from ..completion import Completion, Estimate, Iteration, Snapshot, StopKind, StopReason, Watch
from ..iterating import Clock
from ..method import Method
from ..observed import ObservedTensor

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
