"""Slice by slice: methods for single pictures, on every slice over the first two modes.

What the other modes have to say is not used, which makes these methods levels to compare with: a method for tensors
should do better where the slices are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, StopReason, Watch
from ..estimates.slices_so_far import SlicesSoFar
from ..iterating import Progress
from ..method import Method
from ..observed import ObservedTensor
from ..tensor import Array
from .baseline import complete_by

Fill = Callable[[Array, NDArray[np.bool_]], Array]
"""From a slice, zero where unknown, and where it is known, to values for the whole slice.

It is asked only where something is known and something is missing.
"""

COPIES = 3
"""How many arrays of the size of the tensor are needed: the slices, the mask, and the tensor they are put into."""


def complete_slice_by_slice(method: Method, observed: ObservedTensor, fill: Fill, watch: Watch | None) -> Completion:
    """Fill one slice after another, each an iteration; the cost in the history is how many are left."""
    settings: dict[str, Any] = {"max_iter": observed.size // (observed.shape[0] * observed.shape[1])}
    return complete_by(method, observed, partial(_one_after_another, fill=fill), settings, watch=watch)


def _one_after_another(data: ObservedTensor, fill: Fill) -> Iterator[Progress]:
    mean = float(data.values.mean())
    slices, known = _slices(data)
    count = len(slices)
    yield Progress(float(count), SlicesSoFar(data.shape, slices, 0, mean))
    for done, (values, there) in enumerate(zip(slices, known, strict=True), start=1):
        if not there.any():
            values[:] = mean
        elif not there.all():
            values[~there] = fill(values, there)[~there]
        finished = StopReason("done", "Every slice has been filled.") if done == count else None
        yield Progress(float(count - done), SlicesSoFar(data.shape, slices, done, mean), stop=finished)


def _slices(data: ObservedTensor) -> tuple[Array, NDArray[np.bool_]]:
    """The slices (slices × rows × columns), zero where nothing is known, and where something is."""
    whole = np.zeros(data.shape)
    whole.reshape(-1)[data.positions] = data.values

    def stacked(array: NDArray[Any]) -> NDArray[Any]:
        return np.ascontiguousarray(array.reshape(*data.shape[:2], -1).transpose(2, 0, 1))

    return stacked(whole), stacked(data.mask())
