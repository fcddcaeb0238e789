"""What a second worker brings: the same tiles completed by one and by two, each with one thread.

    python benchmarks/workers.py [--method spectral] [--workers processes:1,processes:2,threads:1,threads:2]

On a machine that does nothing else. What tiles share is learned before, and every worker has completed a tile when the
clock starts, so that neither loading libraries nor compiling counts. CPU seconds are those of the parent and of each
worker; the bits must be the same for all.
"""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import psutil
from harness import GrowingTable, make_parser
from kills import SEED, make_clip

from tensorfill.bounds import Bounds
from tensorfill.estimates.estimate import ConstantEstimate
from tensorfill.large.one_tile import TaskSolver
from tensorfill.large.run import Large
from tensorfill.methods.task import Asked
from tensorfill.tiles.blending import Rows
from tensorfill.tiles.processes import Processes
from tensorfill.tiles.run import Workers
from tensorfill.tiles.tensors import InMemory, survey
from tensorfill.tiles.tiling import given_tiles
from tensorfill.tiles.workers import workers_at

SHAPE, TILE = (240, 240, 40), (60, 120, 40)


@dataclass(frozen=True)
class Found:
    """What one run took, and what came of it."""

    seconds: float
    cpu: list[float]
    bits: str


def measure(make: Any, solver: TaskSolver, wish: str) -> Found:
    """All tiles by these workers."""
    large: Large = make()
    digest = hashlib.blake2b()

    def deliver(rows: Rows) -> None:
        digest.update(np.ascontiguousarray(rows.model).data)

    with workers_at(wish) as workers:
        question = large._ask(large.tiling.tiles[0])
        for future in [workers.submit(solver, question) for _ in range(workers.in_flight)]:
            future.result()
        before, began = cpu_seconds(workers), time.perf_counter()
        large.complete(solver, deliver, workers, None, lambda: ConstantEstimate(SHAPE, 0.0))
        seconds = time.perf_counter() - began
        cpu = [now - then for now, then in zip(cpu_seconds(workers), before, strict=True)]
    return Found(seconds, cpu, digest.hexdigest())


def cpu_seconds(workers: Workers) -> list[float]:
    """Of this process, and of those of the workers."""
    others = workers.process_ids if isinstance(workers, Processes) else []
    return [sum(psutil.Process(number).cpu_times()[:2]) for number in (os.getpid(), *others)]


def main() -> None:
    """Print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("--method", default="spectral")
    parser.add_argument("--workers", default="processes:1,processes:2,threads:1,threads:2")
    given = parser.parse_args()
    os.environ.setdefault("TENSORFILL_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    tensor = InMemory(*make_clip(SHAPE))
    asked = Asked.of(given.method, {}, Bounds.of(None, None), "raise")
    seen, tiling = survey(tensor, asked.bounds, "raise", 0), given_tiles(SHAPE, TILE)

    def make() -> Large:
        return Large(tensor, asked, tiling, seen, SEED)

    solver = make().learn()
    table = GrowingTable("workers", "seconds", "times as fast as the first", "CPU seconds", "bits")
    first: Found | None = None
    for wish in given.workers.split(","):
        found = measure(make, solver, wish)
        first = first or found
        cpu = " + ".join(f"{seconds:.1f}" for seconds in found.cpu)
        same = "the same" if found.bits == first.bits else "others"
        table.add([wish, f"{found.seconds:.2f}", f"{first.seconds / found.seconds:.2f}", cpu, same])


if __name__ == "__main__":
    main()
