"""Large tensors of which nothing is ever whole in memory: read and written by parts, kept as tiles are finished."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ..completion import Completion, Watch
from ..estimates.estimate import DenseEstimate
from ..methods.task import Asked
from ..observed import UnlistedTensor
from ..tiles.blending import Rows
from ..tiles.checkpoint import Checkpoint
from ..tiles.run import ThisThread, Workers
from ..tiles.tensors import LargeTensor, Survey
from ..tiles.tiling import Tiling
from .one_tile import fill
from .planning import TileWish
from .run import Large

_FEW = 80  # characters of a setting


def run_identity(
    source: str, asked: Asked, seed: int, tile: TileWish, shape: Sequence[int], *, deviations: bool
) -> dict[str, str]:
    """What answers of tiles depend on, for a `Checkpoint`; `source` says which data it is, such as a fingerprint."""
    return {
        "input": source,
        "shape": " × ".join(map(str, shape)),
        "method": asked.method.name,
        "settings": ", ".join(f"{name}={_fingerprint(value)}" for name, value in sorted(asked.settings.items())),
        "bounds": f"{asked.bounds.lower} to {asked.bounds.upper} ({asked.negatives})",
        "seed": str(seed),
        "tile": _fingerprint(tile),
        "uncertainty": "wanted" if deviations else "not wanted",
    }


def settled_tiling(checkpoint: Checkpoint, tiling: Tiling) -> Tiling:
    """The tiling that the run has begun with, or this one if it begins: how much memory is free may have changed."""
    told = checkpoint.settle("tiling", asdict(tiling))
    tuples = {name: tuple(told[name]) for name in ("shape", "overlap", "blend")}
    return Tiling(**tuples, edges=tuple(map(tuple, told["edges"])), leading=told["leading"])


def _fingerprint(value: object) -> str:
    """A setting in a few words; one that is long as the beginning of a checksum."""
    words = f"{value.shape} {value.tolist()}" if isinstance(value, np.ndarray) else repr(value)
    return words if len(words) <= _FEW else hashlib.blake2b(words.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, eq=False)
class Output:
    """Arrays that are filled in as rows are done: values or, if `raw`, the model itself; and deviations, if wanted."""

    values: Any
    """In memory or in a file: whatever regions can be assigned to."""
    deviations: Any = None
    raw: bool = False
    keep_observed: bool = True
    within: tuple[float, float] | None = None
    """What the format of a file can hold."""
    done: Callable[[int], None] = lambda end: None
    """Called with the index of the leading mode up to which it is whole."""


def complete_on_disk(
    tensor: LargeTensor,
    asked: Asked,
    tiling: Tiling,
    seen: Survey,
    seed: int,
    output: Output,
    watch: Watch | None = None,
    workers: Workers | None = None,
    checkpoint: Checkpoint | None = None,
) -> Completion:
    """A completion of which nothing is ever whole in memory; it is in `output`.

    What `checkpoint` holds is not computed again; whoever has opened it removes it when the output is whole.
    """
    observed = UnlistedTensor.of(tensor.shape, tensor.dtype, seen.count)
    large = Large(tensor, asked, tiling, seen, seed, deviations=output.deviations is not None, keeper=checkpoint)

    def deliver(rows: Rows) -> None:
        values, known = tensor.part(rows.region)
        full = rows.model if output.raw else fill(rows.model, values, known, asked.bounds, keep=output.keep_observed)
        output.values[rows.region] = full if output.within is None else np.clip(full, *output.within)
        if output.deviations is not None and rows.deviations is not None:
            unsure = np.where(known, np.float32(0), rows.deviations) if output.keep_observed else rows.deviations
            output.deviations[rows.region] = unsure
        output.done(rows.region[tiling.leading].stop)

    solver = large.learn()
    level = DenseEstimate(output.values)
    run = large.complete(solver, deliver, workers or ThisThread(), watch, lambda: level)
    done = large.tell(run, observed, level, solver)
    kept = () if checkpoint is None else checkpoint.notes
    return replace(done, keep_observed=output.keep_observed, notes=(*asked.notes, *done.notes, *kept))
