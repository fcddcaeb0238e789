"""Foregone conclusions: completions that need no method, or have no time for one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .bounds import Bounds
from .completion import Completion, StopReason
from .estimates.estimate import ConstantEstimate, RefilledEstimate
from .estimates.interpolated import InterpolatedEstimate, can_interpolate
from .observed import ObservedTensor


def nothing_missing(data: ObservedTensor, method: str, settings: Mapping[str, Any]) -> Completion:
    """The data itself, of which every entry is known."""
    return Completion(
        observed=data,
        method=method,
        estimate=RefilledEstimate(ConstantEstimate(data.shape, 0.0), data.shape, data.positions, data.values),
        nonnegative=True,
        stop=StopReason("nothing_missing", "Every entry is observed: nothing to complete, the data is returned as is."),
        seconds=0.0,
        settings=settings,
        smallest=float(data.known.min()),
        deviations_at=ConstantEstimate(data.shape, 0.0).at,
    )


def always_the_same(data: ObservedTensor, method: str, settings: Mapping[str, Any], bounds: Bounds) -> Completion:
    """One value everywhere, which all known entries have.

    Methods that know low rank alone give something else: entries in fibres of which little is known are drawn to zero,
    and others make up for it. How sure to be of it: after n equal values the next is another one with a probability of
    1/(n + 1), about (Laplace's rule of succession), and then it may be anything of that size, counted from the lower
    bound if there is one.
    """
    value = data.known[0]
    entry = float(data.values[0])
    size = abs(entry) if bounds.lower is None else entry - float(bounds.lower)
    times = "only known value is" if data.count == 1 else "known values are all"
    return Completion(
        observed=data,
        method=method,
        estimate=ConstantEstimate(data.shape, entry),
        nonnegative=True,
        stop=StopReason("constant", f"The {times} {value:.6g}, so the completion is {value:.6g} everywhere."),
        seconds=0.0,
        settings=settings,
        smallest=entry,
        deviations_at=ConstantEstimate(data.shape, size / math.sqrt(data.count + 1)).at,
    )


def quick_interpolation(data: ObservedTensor, method: str, settings: Mapping[str, Any]) -> Completion:
    """What there is if time is over before a method has anything to show.

    Nothing was found out about errors, so that they may be as large as the values.
    """
    largest = float(data.known.max()) or 1.0  # whose square may be too large
    relative = data.known / largest
    size = float(np.sqrt(np.mean(np.square(relative, dtype=np.float64)))) * largest
    return Completion(
        observed=data,
        method=method,
        estimate=InterpolatedEstimate(data.shape, data.positions, data.known)
        if can_interpolate(data.shape)
        else ConstantEstimate(data.shape, float(np.mean(relative)) * largest),
        nonnegative=True,
        stop=StopReason("time", "Out of time."),
        seconds=0.0,
        settings=settings,
        smallest=float(data.known.min()),
        deviations_at=ConstantEstimate(data.shape, size).at,
    )
