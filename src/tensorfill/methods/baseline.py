"""What the baselines share: data on a scale of 0 to 1, one loop, and the way to a Completion.

Their programs take data divided by its largest value. So do these, which makes every setting mean the same whatever the
unit of the data; the costs in the history are those of the scaled data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..completion import Completion, Estimate, StopReason, Watch
from ..estimates.affine import AffineEstimate
from ..estimates.constant import ConstantEstimate
from ..iterating import Progress, iterate
from ..memory import physical_memory
from ..method import Method, needs_known_only
from ..numerics.threads import quiet_blas
from ..observed import ObservedTensor
from ..tensor import entries
from .registry import names_of

Algorithm = Callable[[ObservedTensor], Iterator[Progress]]
"""From data whose largest value is 1 to the states of a method, the start first."""

_LARGEST_LOOK = 2**27  # entries up to which the smallest one is looked for everywhere, not only where data is known


def complete_by(
    method: Method,
    observed: ObservedTensor,
    algorithm: Algorithm,
    settings: Mapping[str, Any],
    *,
    watch: Watch | None,
    notes: tuple[str, ...] = (),
) -> Completion:
    """Run an algorithm with settings that hold `max_iter`, and tell the story as a Completion."""
    scale = max(float(observed.values.max()), -float(observed.values.min()))
    if scale == 0:
        stop = StopReason("all zero", "Every observed value is zero, so the completion is zero everywhere.")
        zero = ConstantEstimate(observed.shape, 0.0)
        return Completion(observed, method.name, zero, True, stop, 0.0, settings=settings, smallest=0.0)
    with quiet_blas():
        found = iterate(
            _scaled_back(algorithm(replace(observed, known=observed.values / scale)), scale),
            settings["max_iter"],
            watch,
        )
    smallest, negative_share = _lowest(found.estimate, observed)
    return Completion(
        observed=observed,
        method=method.name,
        estimate=found.estimate,
        nonnegative=method.nonnegative,
        stop=found.stop,
        seconds=found.seconds,
        history=found.history,
        settings=settings,
        smallest=smallest,
        negative_share=negative_share,
        notes=notes,
    )


def too_large_to_fill(name: str, observed: ObservedTensor, copies: int) -> str | None:
    """Why a method that works on `copies` full arrays cannot complete a tensor of this size, if so."""
    needed = entries(observed.shape) * 8 * copies
    there = physical_memory()
    if there is None or needed <= there:
        return None
    return (
        f"{name} works on the whole tensor: shape {observed.shape} would need {needed / 2**30:,.0f} GiB and this "
        f"machine has {there / 2**30:,.0f}. Methods that only look at what is known can complete it: "
        f"{', '.join(names_of(needs_known_only))}."
    )


def _scaled_back(steps: Iterator[Progress], scale: float) -> Iterator[Progress]:
    for step in steps:
        yield replace(step, estimate=AffineEstimate(step.estimate, scale))


def _lowest(estimate: Estimate, observed: ObservedTensor) -> tuple[float, float | None]:
    """The smallest entry, and the share of negative ones if all were looked at."""
    if observed.size <= _LARGEST_LOOK:
        dense = estimate.dense()
        return float(dense.min()), float(np.count_nonzero(dense < 0) / dense.size)
    known = np.stack(np.unravel_index(observed.positions, observed.shape), axis=1)
    return float(estimate.at(known).min()), None
