"""What tiles share: their units, and all that a method chooses, on a few windows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..interrupting import TimeIsUp, seconds_left, time_limited
from ..methods.task import Asked
from ..numerics.threads import quiet_blas
from ..observed import ObservedTensor
from ..tiles.tensors import Part
from ..units import Shift, Units


def shared_shift(asked: Asked, ends: NDArray[Any]) -> Shift:
    """By the smallest and the largest known value of all tiles, so that they agree."""
    two = ObservedTensor((2, 1), np.arange(2), ends)
    return Shift.of(asked.bounds, two, moves=asked.method.extends_constants)


def learn_from(windows: Sequence[Part], asked: Asked, shift: Shift, seed: int, work: int = 0) -> Asked:
    """The same with a method that has chosen all it chooses on these windows; `work` entries are to be completed.

    If the time is over before that, it has chosen nothing: there is none to complete tiles either.
    """
    method, parts = asked.method, []
    for values, known in windows:
        # What lies outside of the bounds was refused, or it is clipped.
        sample = ObservedTensor.from_array(values, known, lower=None).within(asked.bounds, "clip")[0]
        part = shift.apply(sample)
        if Units.of(part, shift, part, method, columns_apart=False).size.is_none:  # else tiles differ in their units
            parts.append(part)
    if parts:
        with quiet_blas(), suppress(TimeIsUp), time_limited(seconds_left()):  # which leaves the deadline as it is
            method = method.learn(parts, rng=np.random.default_rng([seed, len(parts)]), work=work)
    return replace(asked, method=method, notes=())
