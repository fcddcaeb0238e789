"""Slices so far: a tensor that is completed slice by slice, and where that stands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..tensor import Array


class SlicesSoFar:
    """The first `done` slices over modes 1 and 2 as they are, and one value in all others.

    The slices (slices × rows × columns, numbered by the other modes with the last one fastest) may be shared with who
    goes on: slices that are done must not be written to any more.
    """

    def __init__(self, shape: tuple[int, ...], slices: Array, done: int, elsewhere: float) -> None:
        self._shape = shape
        self._slices = slices
        self._done = done
        self._elsewhere = elsewhere

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        """Values at rows of coordinates."""
        number = np.zeros(len(coordinates), dtype=np.int64)
        for mode, size in enumerate(self._shape[2:], start=2):
            number = number * size + coordinates[:, mode]
        found = self._slices[number, coordinates[:, 0], coordinates[:, 1]]
        return np.where(number < self._done, found, self._elsewhere)

    def dense(self) -> Array:
        """The full tensor."""
        whole = np.full((*self._shape[:2], len(self._slices)), self._elsewhere)
        whole[:, :, : self._done] = self._slices[: self._done].transpose(1, 2, 0)
        return whole.reshape(self._shape)

    def components(self) -> tuple[Array, ...]:
        """The full tensor: there is only one part."""
        return (self.dense(),)
