"""One tile: completed as a tensor of its own, or guessed, and what is said of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import Bounds
from ..completion import Completion
from ..foregone import quick_interpolation
from ..interrupting import seconds_left
from ..methods.task import Asked, Task
from ..numerics.threads import quiet_blas
from ..observed import ObservedTensor
from ..tiles.answer import TileAnswer, TileQuestion
from ..units import Shift

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class TaskSolver:
    """Completes a tile as a tensor of its own, with what was learned for all of them."""

    asked: Asked
    shift: Shift
    seed: int
    level: float
    """What is said of a tile of which nothing is known."""
    deviations: bool = False

    def __call__(self, question: TileQuestion) -> TileAnswer:
        """The completion of a tile."""
        if not question.known.any():
            return self._answer_nothing_known(question)
        if question.known[question.counting or ...].all():
            return self._answer_nothing_missing(question)
        data = ObservedTensor.from_array(question.values, question.known, lower=None)
        with quiet_blas():  # the same bits however many threads a worker has
            task = Task.of(data, self.asked, shift=self.shift)
            done = task.answer_at_once()
            if done is None:
                solved = task.solve(np.random.default_rng([self.seed, question.number]), None, warn=False)
                done = task.finish(solved, max(0.0, seconds_left()))
            return _answer(done, self.deviations)

    def _answer_nothing_missing(self, question: TileQuestion) -> TileAnswer:
        """The data itself, where it counts; what is missing beside it is the task of other tiles."""
        bounds, dtype = self.asked.bounds, model_dtype(question.values.dtype)
        there = np.where(question.known, question.values, question.values.dtype.type(self.level))
        model = bounds.kept_by(there.ravel(), lambda number: number, clip=True)[0].reshape(there.shape).astype(dtype)
        unsure = np.zeros(model.shape, np.float32) if self.deviations else None
        facts = _facts(
            self.asked.method.name,
            int(np.count_nonzero(question.known)),
            ("nothing_missing", "Every entry is observed."),
            smallest=float(model.min()),
            nonnegative=bounds.lower is not None,
        )
        return TileAnswer(model, unsure, facts)

    def _answer_nothing_known(self, question: TileQuestion) -> TileAnswer:
        model = np.full(question.known.shape, self.level, model_dtype(question.values.dtype))
        unsure = np.full(question.known.shape, abs(self.level), np.float32) if self.deviations else None
        note = "Nothing is known in some tiles; they hold the mean of all that is known."
        return TileAnswer(model, unsure, _facts(self.asked.method.name, 0, ("done", ""), notes=[note]))


@dataclass(frozen=True)
class Guess:
    """The cheapest method: a quick interpolation."""

    solver: TaskSolver

    def __call__(self, question: TileQuestion) -> TileAnswer:
        """What is around a hole."""
        solver = self.solver
        if not question.known.any():
            return solver(question)
        data = ObservedTensor.from_array(question.values, question.known, lower=None)
        data = data.within(solver.asked.bounds, "clip")[0]
        done = quick_interpolation(data, solver.asked.method.name, solver.asked.settings)
        bounds = solver.asked.bounds
        return _answer(replace(done, lower=bounds.lower, upper=bounds.upper), solver.deviations)


def fill(model: NDArray[Any], values: NDArray[Any], known: Mask, bounds: Bounds, *, keep: bool = True) -> NDArray[Any]:
    """A model in the dtype of the data, known entries kept, or, if they lie outside of the bounds, put on them."""
    full: NDArray[Any] = bounds.as_dtype(model.astype(np.float64), values.dtype)
    if keep:
        full[known] = bounds.kept_by(values[known], lambda number: number, clip=True)[0]
    return full


def model_dtype(dtype: np.dtype[Any]) -> np.dtype[np.floating[Any]]:
    """Single precision where it tells all values of the data apart."""
    return np.dtype(np.float32 if np.can_cast(dtype, np.float32) else np.float64)


def _answer(done: Completion, deviations: bool) -> TileAnswer:
    dtype = model_dtype(done.observed.dtype)
    return TileAnswer(
        model=done.model.astype(dtype),
        deviations=replace(done, keep_observed=False).uncertainty.astype(np.float32) if deviations else None,
        facts=_facts(
            done.method,
            done.observed.count,
            (done.stop.kind, done.stop.sentence),
            seconds=done.seconds,
            cost=done.history[-1].cost if done.history else None,
            notes=list(done.notes),
            reasons=dict(done.reasons),
            smallest=done.smallest,
            nonnegative=done.nonnegative,
            certificate=None if done.certificate is None else asdict(done.certificate),
        ),
    )


def _facts(method: str, known: int, stop: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {"method": method, "known": known, "stop": stop, **more}
