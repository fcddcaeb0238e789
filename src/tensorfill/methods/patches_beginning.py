"""What `patches` begins with: the completion of spectral, or a thin plate if only a few narrow strokes are missing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, StopReason, Watch
from ..estimates.derived import AffineEstimate
from ..estimates.estimate import DenseEstimate
from ..iterating import Clock, Progress, iterate
from ..numerics.threads import quiet_blas
from ..observed import ObservedTensor
from ..patches.start import Start, Strokes, start_from_strokes
from ..patches.uncertainty import GroupUncertainty
from ..selection.judge import HeldOutRun, Judge, own_deviations
from ..spectral.run import SpectralRun
from ..tensor import Array
from .shared_spectral import SharedSpectral
from .spectral import Spectral


@dataclass(frozen=True, eq=False)
class Beginning:
    """A completion without groups, and what groups need to improve it."""

    name: str
    """What it is called where its error is told."""
    done: Completion
    held_out: HeldOutRun | None
    """What was predicted at held-out entries; None if it did not come to that."""
    start: Start | None
    """None if there is nothing to go on from."""
    seed: int = 0
    run: SpectralRun | None = None
    """That of spectral."""


def begin_with_spectral(
    observed: ObservedTensor, rng: np.random.Generator, watch: Watch | None, clock: Clock, scale: float
) -> Beginning:
    """One prior for all places; `scale` is 1 in its run."""
    done, work = Spectral().follow(observed, rng=rng, watch=watch, clock=clock, scale=scale)
    held_out = None if work is None else work.held_out(scale)
    goes_on = work is not None and held_out is not None and done.stop.kind == "done"
    start = _start(work, done, scale) if work is not None and goes_on else None
    return Beginning(Spectral.name, done, held_out, start, 0 if work is None else work.seed, work)


def begin_with_shared(
    observed: ObservedTensor, shared: SharedSpectral, rng: np.random.Generator, watch: Watch | None, clock: Clock
) -> Beginning:
    """What windows have taught `spectral`, for a tile; nothing is held out."""
    done, work = shared.follow(observed, rng=rng, watch=watch, clock=clock)
    goes_on = work is not None and done.stop.kind == "done"
    start = _start_of_tile(work, done, shared.unit) if work is not None and goes_on else None
    return Beginning(Spectral.name, done, None, start, 0 if work is None else work.seed, work)


def begin_with_strokes(
    observed: ObservedTensor,
    strokes: Strokes,
    rng: np.random.Generator,
    watch: Watch | None,
    clock: Clock,
) -> Beginning | None:
    """A thin plate through what is around the holes; None if strokes are so dense that none could be held out."""
    scale = float(observed.known.max())
    values: NDArray[np.float32] = np.zeros(observed.shape, np.float32)
    values.reshape(-1)[observed.positions] = observed.known / scale
    with quiet_blas():
        start = start_from_strokes(strokes, observed.missingness, values, observed.floor, rng)
    if not start.held.any():
        return None
    predictions = np.maximum(start.before[start.held], np.float32(start.floor))
    stop = StopReason("done", "Done: a thin plate through what is around the holes.")
    plate = AffineEstimate(DenseEstimate(start.after), scale)
    found = iterate(iter([Progress(start.error(predictions), plate, stop=stop)]), 1, watch, clock=clock)
    nothing = np.full(observed.shape, np.nan, np.float32)
    sure = partial(
        group_deviations,
        GroupUncertainty(start.mask, start.held, start.values, start.before, nothing, start.noise, scattered=False),
        scale,
    )
    predicted = scale * predictions.astype(np.float64)
    errors = predicted - scale * start.values[start.held]
    done = Completion(
        observed=observed,
        method="patches",
        estimate=plate,
        nonnegative=True,
        stop=found.stop,
        seconds=found.seconds,
        history=found.history,
        smallest=float(start.after.min()) * scale,
        deviations=partial(own_deviations, sure, plate, errors),
    )
    goes_on = found.stop.kind == "done"
    held_out = HeldOutRun(start.held, predicted, start.judge, sure)
    return Beginning("a thin plate", done, held_out, start if goes_on else None, int(rng.integers(2**31)))


def _start_of_tile(work: SpectralRun, done: Completion, scale: float) -> Start:
    """What spectral has found, with all that is known."""
    held = np.zeros(work.data.shape, dtype=bool)
    values = work.data.filled(work.data.values + work.data.values.dtype.type(work.mean)).astype(np.float32)
    after = (done.estimate.dense() / scale).astype(np.float32)
    return Start(
        mask=work.data.mask,
        values=values,
        held=held,
        judge=Judge.of(work.pattern, held),
        before=after,
        after=after,
        noise=work.seen[0].noise,
        places=work.plan.places,
        floor=work.plan.floor,
    )


def _start(work: SpectralRun, done: Completion, scale: float) -> Start:
    """What spectral has found, without the held-out entries and with them."""
    assert work.held is not None
    assert work.judge is not None
    prior, coefficients = work.seen
    before = prior.transform.to_entries(coefficients.astype(work.data.values.dtype)) + work.mean
    values = work.data.filled(work.data.values + work.data.values.dtype.type(work.mean))
    return Start(
        mask=work.data.mask,
        values=values.astype(np.float32),
        held=work.held,
        judge=work.judge,
        before=before.astype(np.float32),
        after=(done.estimate.dense() / scale).astype(np.float32),
        noise=prior.noise,
        places=work.plan.places,
        floor=work.plan.floor,
    )


def group_deviations(groups: GroupUncertainty, scale: float, entries: Array, *, errors: Array, more: float) -> Array:
    """In the units of the data. A function of the module, so that a completion can be pickled."""
    found = groups.deviations((entries / scale).astype(np.float32), errors / scale).astype(np.float64)
    return scale * np.sqrt(found**2 + more)
