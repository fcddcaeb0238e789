"""Large tensors whose data and model are in memory: completed as small tensors are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, Watch
from ..estimates.derived import RowsSoFar
from ..estimates.estimate import DenseEstimate
from ..methods.task import Asked, refuse_deviations
from ..observed import ObservedTensor
from ..tiles.blending import Rows
from ..tiles.run import ThisThread, Workers
from ..tiles.tensors import LargeTensor, Survey
from ..tiles.tiling import Tiling
from .one_tile import TaskSolver, model_dtype
from .run import Large


def complete_in_memory(
    tensor: LargeTensor,
    observed: ObservedTensor,
    asked: Asked,
    tiling: Tiling,
    rng: np.random.Generator,
    watch: Watch | None,
    workers: Workers | None = None,
) -> Completion:
    """A completion whose data and model are in memory, as those of small tensors are."""
    known = observed.known
    seen = Survey(observed.count, known.min(), known.max(), float(known.mean(dtype=np.float64)), 0)
    large = Large(tensor, asked, tiling, seen, int(rng.integers(2**62)))
    model: NDArray[np.floating[Any]] = np.full(observed.shape, seen.mean, model_dtype(observed.dtype))
    end = 0

    def deliver(rows: Rows) -> None:
        nonlocal end
        model[rows.region] = rows.model
        end = rows.region[tiling.leading].stop

    solver = large.learn()
    run = large.complete(
        solver, deliver, workers or ThisThread(), watch, lambda: RowsSoFar(model, tiling.leading, end, seen.mean)
    )
    done = large.tell(run, observed, DenseEstimate(model), solver)
    return replace(done, deviations=Deviations(tensor, asked, tiling, seen, solver))


@dataclass(frozen=True, eq=False)
class Deviations:
    """Works out how sure each tile is of itself, by completing them again: kept for all, it would not fit."""

    tensor: LargeTensor
    asked: Asked
    tiling: Tiling
    seen: Survey
    solver: TaskSolver

    def __call__(self) -> NDArray[np.float64]:
        """Those of all entries."""
        if not self.asked.method.tells_uncertainty:
            return refuse_deviations(self.asked.method.name)
        found = np.zeros(self.tensor.shape, np.float64)

        def deliver(rows: Rows) -> None:
            found[rows.region] = rows.deviations

        large = Large(self.tensor, self.asked, self.tiling, self.seen, self.solver.seed, deviations=True)
        solver = replace(self.solver, deviations=True)
        run = large.complete(solver, deliver, ThisThread(), None, lambda: DenseEstimate(found))
        if run.stopped == "interrupted":
            raise KeyboardInterrupt
        return found
