"""From the units of a run of the spectral model, in which the largest known value is 1, back to those of the data.

Functions of a module, so that a completion that keeps them can be pickled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from ..completion import Estimate
from ..estimates.derived import AffineEstimate
from ..iterating import Progress
from ..numerics.threads import quiet_blas
from ..selection.judge import HeldOutRun
from ..spectral.run import SpectralRun
from ..tensor import Array


def scale_back(steps: Iterator[Progress], scale: float) -> Iterator[Progress]:
    """The states."""
    for step in steps:
        yield replace(step, estimate=AffineEstimate(step.estimate, scale))


def deviations(work: SpectralRun, estimate: Estimate, scale: float) -> Array:
    """How sure to be of the run's own estimate."""
    with quiet_blas():
        return scale * work.deviations(estimate.dense() / scale).astype(np.float64)


def held_out_run(work: SpectralRun, scale: float, floor: float) -> HeldOutRun | None:
    """What was predicted where entries were held out; None if it did not come to that."""
    if work.held is None or work.held_predictions is None:
        return None
    predictions = np.maximum(scale * (work.held_predictions.astype(np.float64) + work.mean), floor)
    return HeldOutRun(work.held, predictions, work.judge, partial(deviations_of_others, work, scale))


def deviations_of_others(work: SpectralRun, scale: float, entries: Array, *, errors: Array, more: float) -> Array:
    """Those of the run, calibrated on the errors of somebody else's entries."""
    with quiet_blas():
        return scale * np.sqrt(work.deviations(entries / scale, errors / scale) ** 2 + more)
