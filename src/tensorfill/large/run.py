"""A large tensor: everything chosen, all of its tiles completed, and told of as one completion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..completion import Completion, Estimate, History, Iteration, Snapshot, StopReason, Watch
from ..iterating import Clock
from ..method import Method
from ..methods.task import Asked
from ..observed import ObservedTensor
from ..telling import Phase, tell_phase
from ..tiles.answer import TileQuestion
from ..tiles.blending import Rows
from ..tiles.run import Keeper, TileFacts, TileRun, Workers
from ..tiles.tensors import LargeTensor, Survey, choose_windows
from ..tiles.tiling import Tile, Tiling, overhead, within
from .one_tile import Guess, TaskSolver
from .shared import learn_from, shared_shift


@dataclass(eq=False)
class Large:
    """A tensor that is completed in tiles."""

    tensor: LargeTensor
    asked: Asked
    tiling: Tiling
    seen: Survey
    seed: int
    deviations: bool = False
    """Whether these are worked out along with the answer."""
    clock: Clock = field(default_factory=Clock)
    keeper: Keeper | None = None
    """What keeps answers, so that they need not be found twice."""
    _history: list[Iteration] = field(default_factory=list)

    def learn(self) -> TaskSolver:
        """The solver of tiles, with everything chosen on a few windows."""
        shift = shared_shift(self.asked, np.asarray([self.seen.smallest, self.seen.largest], self.tensor.dtype))
        windows = choose_windows(self.tensor, self.seen.share(self.tensor.shape)) if self.tiling.count > 1 else []
        tell_phase(Phase("learning", f"from {len(windows)} windows"))
        asked = learn_from(windows, self.asked, shift, self.seed, self.tiling.work)
        return TaskSolver(asked, shift, self.seed, self.seen.mean, self.deviations)

    def complete(
        self, solver: TaskSolver, deliver: Callable[[Rows], None], workers: Workers, watch: Watch | None, so_far: SoFar
    ) -> TileRun:
        """Complete all tiles, and deliver rows of the model as they are done."""

        def look(facts: TileFacts) -> bool:
            self._history.append(
                Iteration(len(self._history), self.clock.seconds, float(facts.facts.get("cost") or 0.0), {})
            )
            return watch is not None and self.clock.call_paused(watch, Snapshot(self._history[-1], so_far()))

        run = TileRun(
            tiling=self.tiling,
            ask=self._ask,
            solve=solver,
            guess=Guess(solver),
            deliver=deliver,
            deviations=self.deviations,
            watch=look,
            keeper=self.keeper,
        )
        run.run(workers)
        return run

    def _ask(self, tile: Tile) -> TileQuestion:
        return TileQuestion(tile.number, *self.tensor.part(tile.reach), within(tile.share, tile.reach))

    def tell(self, run: TileRun, observed: ObservedTensor, estimate: Estimate, solver: TaskSolver) -> Completion:
        """All tiles as one completion."""
        facts = [done.facts for done in run.done]
        smallest = [fact["smallest"] for fact in facts if fact.get("smallest") is not None]
        return Completion(
            observed=observed,
            method=self.asked.method.name,
            estimate=estimate,
            nonnegative=self.asked.bounds.lower is not None,
            stop=self._stop(run),
            seconds=self.clock.seconds,
            history=History(self._history),
            settings=_plain_settings(solver.asked.method, self.asked.settings),
            smallest=min(smallest, default=None),
            notes=(*self._notes(), *_merge_notes(facts)),
            reasons=self._reasons(facts),
            lower=self.asked.bounds.lower,
            upper=self.asked.bounds.upper,
        )

    def _stop(self, run: TileRun) -> StopReason:
        count = self.tiling.count
        if run.stopped is None:
            return StopReason("done", f"Done: {count} tiles, each completed by itself.")
        whole = sum(done.whole for done in run.done)
        why = {"time": "Out of time", "interrupted": "Interrupted", "watch": "Stopped by the watcher"}[run.stopped]
        rest = "the others hold what was found so far, or a quick interpolation"
        return StopReason(run.stopped, f"{why} after {whole} of {count} tiles; {rest}.")

    def _notes(self) -> tuple[str, ...]:
        if not self.seen.clipped:
            return ()
        return (f"{self.seen.clipped:,} known values outside of the bounds were set to them.",)

    def _reasons(self, facts: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        shape = " × ".join(str(count) for count in self.tiling.counts)
        largest = " × ".join(str(size) for size in self.tiling.largest)
        found: dict[str, str] = {}
        for name in ("weights", "bases", "power", "patches", "groups"):
            told = [fact["reasons"][name] for fact in facts if name in fact.get("reasons", {})]
            if told:
                found[name] = told[len(told) // 2]
        found["tiles"] = (
            f"{self.tiling.count} ({shape}), of {largest} entries at most; {overhead(self.tiling) - 1:.0%} of the "
            "entries more than once. What else is told of choices is that of one of them."
        )
        proofs = [fact["certificate"] for fact in facts if fact.get("certificate")]
        if proofs:
            gaps = [(proof["upper"] - proof["lower"]) / proof["upper"] for proof in proofs if proof["upper"] > 0]
            found["certificate"] = (
                f"Of each tile by itself, in {len(proofs)} of {self.tiling.count}: the relative gap is "
                f"{max(gaps, default=0.0):.2g} at most."
            )
        return found


SoFar = Callable[[], Estimate]


def _plain_settings(method: Method, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, and what `auto` has chosen from."""
    weights = getattr(method, "weights", None)
    return {**given, **({} if weights is None else {"weights": dict(weights)})}


def _merge_notes(facts: Sequence[Mapping[str, Any]]) -> list[str]:
    """Every note once; places in tiles mean nothing to who reads them."""
    counted = Counter(note for fact in facts for note in fact.get("notes", ()) if "slices of mode" not in note)
    tiles = len(facts)
    return [note if count == tiles else f"{note} (in {count} of {tiles} tiles)" for note, count in counted.items()]
